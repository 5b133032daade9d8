"""The one retry on the CPU: a scripted GPU dies in an answer, and who may go on with it."""

import os
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection

import msgspec
import pytest

from app.certify.certificate import Verdict
from app.core.errors import ErrorRecord
from app.core.paths import DataRoot
from app.core.settings import Settings
from app.engine.backends.scripted import ScriptedFault
from app.engine.chat import ChatMessage, Role
from app.engine.outcome import FinishReason
from app.engine.process import EngineProcess
from app.engine.protocol import Delta, Failed, Finished
from app.hardware.readings import CPU
from app.workflows.cpu_retry import RetriedOnCpu, TurnEvent
from tests.support.failing_gpu import ANSWER, BEFORE_THE_FAULT, TESTED, Machine


@pytest.fixture
def machine(data_root: DataRoot) -> Iterator[Machine]:
    made = Machine(data_root)
    yield made
    made.services.close()


def text(events: list[TurnEvent]) -> str:
    return "".join(one.text for one in events if isinstance(one, Delta))


def retries(events: list[TurnEvent]) -> list[RetriedOnCpu]:
    return [one for one in events if isinstance(one, RetriedOnCpu)]


def error_of(events: list[TurnEvent]) -> ErrorRecord:
    end = events[-1]
    assert isinstance(end, Failed), end
    return end.error


@pytest.mark.parametrize(
    ("fault", "code"),
    [
        (ScriptedFault.DECODE_FAILS, "pool_corrupted"),
        (ScriptedFault.DECODE_ABORTS, "engine_died"),
        (ScriptedFault.LOAD_ABORTS, "engine_died"),
        (ScriptedFault.POOL_EXHAUSTED, "pool_exhausted"),
    ],
)
def test_the_cpu_goes_on_where_the_gpu_stopped(
    machine: Machine, fault: ScriptedFault, code: str
) -> None:
    machine.services.faults["GPU.0"] = fault
    machine.certify()
    request = machine.request()
    events = machine.ask(request)
    end = events[-1]
    assert isinstance(end, Finished)
    assert (end.reason, text(events)) == (FinishReason.STOP, ANSWER)
    (told,) = retries(events)
    assert (told.device, told.error.code, told.again.spec.device) == ("GPU.0", code, "CPU")
    assert told.again.request == request.request
    before = text(events[: events.index(told)])
    assert BEFORE_THE_FAULT.startswith(before)
    assert told.again.messages[1:] == (
        (ChatMessage(role=Role.ASSISTANT, content=before),) if before else ()
    )
    assert machine.engine.devices == ["GPU.0", "CPU"]
    counted = told.report.manifest
    assert counted.identity.device == "CPU"
    assert counted.prompt_tokens == 1 + len(before.split())


def _impatient(connection: Connection, log_dir: str) -> None:
    del log_dir
    os._exit(EngineProcess(connection, stalled_s=0.5, patience_s=0.5).serve())


def test_the_cpu_answers_where_the_gpu_stood_still(data_root: DataRoot) -> None:
    machine = Machine(data_root, entry=_impatient)
    machine.services.faults["GPU.0"] = ScriptedFault.COMPUTE_HANGS
    machine.certify()
    events = machine.ask()
    (told,) = retries(events)
    assert told.error.code == "stalled"
    assert isinstance(events[-1], Finished)
    assert text(events) == ANSWER
    machine.services.close()


def test_a_full_pool_that_may_not_be_tried_again_ends_as_it_did(machine: Machine) -> None:
    machine.services.faults["GPU.0"] = ScriptedFault.POOL_EXHAUSTED
    events = machine.ask()
    end = events[-1]
    assert isinstance(end, Finished)
    assert end.reason is FinishReason.POOL_EXHAUSTED
    assert end.usage.prompt_tokens > 0
    assert (text(events), machine.engine.devices) == (BEFORE_THE_FAULT, ["GPU.0"])


def _stale(machine: Machine) -> None:
    machine.certify(changed=lambda key: msgspec.structs.replace(key, runtime="2026.1.0.0"))


def _changed_file(machine: Machine) -> None:
    machine.certify()
    path = machine.model.path / "model.bin"
    path.write_bytes(b"WEIGHTS")


@pytest.mark.parametrize(
    ("prepare", "why"),
    [
        (lambda machine: None, "it has no certificate for the CPU"),
        (_stale, "its certificate for the CPU is stale (runtime changed)"),
        (_changed_file, "its certificate for the CPU is stale (model_digest changed)"),
        (
            lambda machine: machine.certify(throughput=Verdict.PROVISIONAL),
            "its certificate for the CPU says provisional",
        ),
        (
            lambda machine: machine.certify(throughput=Verdict.FAILED),
            "its certificate for the CPU says failed",
        ),
        (lambda machine: machine.services.library.delete(machine.model), "the model is gone"),
    ],
)  # fmt: skip
def test_without_a_full_certificate_that_holds_the_failure_stays(
    machine: Machine, prepare: Callable[[Machine], None], why: str
) -> None:
    request = machine.request()
    prepare(machine)
    events = machine.ask(request)
    error = error_of(events)
    assert error.code == "pool_corrupted"
    assert error.remedy.endswith(f" It was not tried again on the CPU: {why}.")
    assert text(events) == BEFORE_THE_FAULT
    assert (retries(events), machine.engine.devices) == ([], ["GPU.0"])


@pytest.mark.parametrize("on", [True, False])
def test_it_is_never_done_unasked(machine: Machine, on: bool) -> None:
    machine.certify()
    machine.switch(on=on)
    events = machine.ask()
    assert len(retries(events)) == on
    assert isinstance(events[-1], Finished if on else Failed)
    assert Settings().retry_on_cpu is False


def test_switched_off_the_error_is_as_it_was(machine: Machine) -> None:
    machine.certify()
    machine.switch(on=False)
    assert error_of(machine.ask()).remedy == "Send the message again; the model is loaded anew."


@pytest.mark.parametrize("words", [TESTED - 4, TESTED - 3])
def test_prompt_and_answer_lie_inside_the_tested_sizes(machine: Machine, words: int) -> None:
    """On the CPU the prompt has the three words more that were written already."""
    machine.certify()
    question = ChatMessage(role=Role.USER, content=" ".join(["word"] * words))
    events = machine.ask(machine.request(question))
    if words + 3 < TESTED:
        (told,) = retries(events)
        assert told.again.max_tokens == 1, "the answer ends where nothing was measured any more"
        assert text(events) == BEFORE_THE_FAULT + "four "
        return
    assert error_of(events).remedy.endswith(
        f"prompt and answer need {TESTED + 1:,} tokens, and {TESTED:,} were tested there."
    )
    assert machine.engine.devices == ["GPU.0"]


def test_a_failure_on_the_cpu_is_not_tried_again(machine: Machine) -> None:
    machine.certify()
    machine.services.faults[CPU] = ScriptedFault.DECODE_FAILS
    events = machine.ask(machine.request(device=CPU))
    assert error_of(events).remedy == "Send the message again; the model is loaded anew."
    assert machine.engine.devices == ["CPU"]


def test_a_second_failure_is_the_end(machine: Machine) -> None:
    machine.certify()
    machine.services.faults[CPU] = ScriptedFault.DECODE_ABORTS
    events = machine.ask()
    assert len(retries(events)) == 1
    assert error_of(events).code == "engine_died"
    assert machine.engine.devices == ["GPU.0", "CPU"]


def test_what_another_device_would_not_mend_is_not_tried(machine: Machine) -> None:
    """Too little memory before anything ran is not fatal."""
    machine.certify()
    machine.services.faults["GPU.0"] = ScriptedFault.LOAD_FAILS
    assert error_of(machine.ask()).code == "out_of_memory"
    assert machine.engine.devices == ["GPU.0"]


def test_a_cancel_while_it_is_prepared_ends_the_turn(machine: Machine) -> None:
    machine.certify()
    request = machine.request()
    machine.engine.on_count = lambda: machine.services.turns.cancel(request.request)
    events = machine.ask(request)
    end = events[-1]
    assert isinstance(end, Finished)
    assert end.reason is FinishReason.CANCELLED
    assert (text(events), machine.engine.devices) == (BEFORE_THE_FAULT, ["GPU.0"])


def test_a_begun_answer_is_gone_on_with_as_one_text(machine: Machine) -> None:
    machine.certify()
    begun = ChatMessage(role=Role.ASSISTANT, content="one ")
    events = machine.ask(machine.request(ChatMessage(role=Role.USER, content="count"), begun))
    (told,) = retries(events)
    assert told.again.messages[1:] == (
        ChatMessage(role=Role.ASSISTANT, content="one two three four "),
    )
    assert "one " + text(events) == ANSWER


def test_thoughts_without_a_text_are_thought_anew(machine: Machine) -> None:
    machine.certify()
    machine.services.thinks = True
    request = machine.request()
    events = machine.ask(request)
    (told,) = retries(events)
    assert told.again.messages == request.messages
    assert isinstance(events[-1], Finished)
    after = [one for one in events[events.index(told) :] if isinstance(one, Delta)]
    assert "".join(one.text for one in after if one.kind == "text") == ANSWER

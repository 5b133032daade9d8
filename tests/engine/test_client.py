"""The engine process seen from the parent: real processes, the scripted backend inside."""

import os
import signal
import subprocess
import sys
import time
from multiprocessing.connection import Connection
from pathlib import Path

import msgspec
import psutil
import pytest

from app.core.errors import EnvironmentFault
from app.engine.client import EngineClient, EngineDied
from app.engine.outcome import FinishReason, SlotState
from app.engine.process import EngineProcess
from app.engine.protocol import (
    Count,
    Delta,
    Embed,
    Failed,
    Finished,
    Load,
    LoadProgress,
    Prefill,
    PrefillProgress,
    Request,
    StateChanged,
    Unload,
    new_request_id,
)
from tests.engine.conftest import WAIT_S, Engine, Recorder, ask, scripted
from tests.support.promptness import AT_ONCE_S

ROOT = Path(__file__).parents[2]
WORDS = " ".join(f"word{n}" for n in range(400))


def finished(end: Finished | Failed) -> Finished:
    assert isinstance(end, Finished), end
    return end


def failed(end: Finished | Failed) -> Failed:
    assert isinstance(end, Failed), end
    return end


def test_an_answer_streams_and_ends_once_with_its_counts(engine: Engine) -> None:
    recorder = engine.send(ask(scripted(), "hello there"))
    end = finished(recorder.end())
    assert recorder.text == "You said: hello there"
    assert end.reason is FinishReason.STOP
    assert (end.usage.prompt_tokens, end.usage.completion_tokens) == (2, 4)
    again = finished(engine.send(ask(scripted(), "hello again")).end())
    assert again.usage.reused_tokens == 1
    assert again.timings.load_s == 0.0


def test_requests_run_in_order_and_one_at_a_time(engine: Engine) -> None:
    recorders = [engine.send(ask(scripted(), f"number {n}")) for n in range(20)]
    texts = [(finished(one.end()), one.text)[1] for one in recorders]
    assert texts == [f"You said: number {n}" for n in range(20)]


def test_a_second_model_replaces_the_first(engine: Engine) -> None:
    first = finished(engine.send(ask(scripted("a"), "x")).end())
    second = finished(engine.send(ask(scripted("b"), "x")).end())
    assert second.generation > first.generation


def test_cancel_is_heard_between_tokens_and_keeps_the_text(engine: Engine) -> None:
    request = ask(scripted(answer=WORDS, token_s=0.01), "x")
    recorder = engine.send(request)
    recorder.next(Delta)
    engine.client.cancel(request.request)
    end = finished(recorder.end())
    assert end.reason is FinishReason.CANCELLED
    assert WORDS.startswith(recorder.text.strip())
    assert 0 < end.usage.completion_tokens < 400


def test_cancel_is_heard_between_prefill_chunks(engine: Engine) -> None:
    request = ask(scripted(prefill_token_s=0.002), WORDS)
    recorder = engine.send(request)
    recorder.next(PrefillProgress)
    engine.client.cancel(request.request)
    end = finished(recorder.end())
    assert end.reason is FinishReason.CANCELLED
    assert end.usage.completion_tokens == 0


def test_a_waiting_request_that_is_cancelled_never_runs(engine: Engine) -> None:
    running = ask(scripted(answer=WORDS, token_s=0.01), "x")
    first = engine.send(running)
    first.next(Delta)
    waiting = ask(scripted("other"), "y")
    second = engine.send(waiting)
    engine.client.cancel(waiting.request)
    engine.client.cancel(running.request)
    assert finished(first.end()).reason is FinishReason.CANCELLED
    assert finished(second.end()).reason is FinishReason.CANCELLED
    assert second.events == [second.events[-1]], "nothing but its end was reported"


def test_cancel_in_a_load_that_hears_nothing_is_answered_and_others_go_on(engine: Engine) -> None:
    request = ask(scripted(load_s=60), "x")
    recorder = engine.send(request)
    recorder.next(LoadProgress)
    waiting = engine.send(ask(scripted("other"), "still there"))
    started = time.perf_counter()
    engine.client.cancel(request.request)
    end = finished(recorder.end())
    assert end.reason is FinishReason.CANCELLED
    assert time.perf_counter() - started < 5, "nowhere near the minute that the load takes"
    assert finished(waiting.end()).reason is FinishReason.STOP
    assert waiting.text == "You said: still there"


def test_a_deadline_ends_a_request_and_also_a_load(engine: Engine) -> None:
    slow = ask(scripted(answer=WORDS, token_s=0.01), "x", deadline_s=0.5)
    assert finished(engine.send(slow).end()).reason is FinishReason.DEADLINE
    stuck = ask(scripted(load_s=60), "x", deadline_s=0.5)
    assert finished(engine.send(stuck).end()).reason is FinishReason.DEADLINE


def test_the_answer_is_cut_where_it_was_asked_to_be(engine: Engine) -> None:
    length = finished(engine.send(ask(scripted(answer=WORDS), "x", max_tokens=5)).end())
    assert (length.reason, length.usage.completion_tokens) == (FinishReason.LENGTH, 5)
    full = finished(engine.send(ask(scripted(answer=WORDS, context_tokens=10), "a b c")).end())
    assert (full.reason, full.usage.completion_tokens) == (FinishReason.CONTEXT_FULL, 7)


def test_a_prompt_beyond_the_context_is_refused_with_both_numbers(engine: Engine) -> None:
    end = failed(engine.send(ask(scripted(context_tokens=3), "a b c")).end())
    assert end.error.code == "context_overflow"
    assert "3" in end.error.message
    assert not end.fatal


def test_a_failed_load_is_an_answer_and_the_next_model_loads(engine: Engine) -> None:
    end = failed(engine.send(ask(scripted(fault="load_fails"), "x")).end())
    assert end.error.code == "out_of_memory"
    assert finished(engine.send(ask(scripted(), "x")).end()).reason is FinishReason.STOP


def test_a_fatal_fault_evicts_the_model_and_the_next_load_is_fresh(engine: Engine) -> None:
    spec = scripted(fault="decode_fails", answer=WORDS)
    end = failed(engine.send(ask(spec, "x")).end())
    assert end.error.code == "pool_corrupted"
    assert end.fatal
    again = failed(engine.send(ask(spec, "x")).end())
    assert again.generation > end.generation


def test_an_exhausted_pool_keeps_the_text_and_closes_the_session(engine: Engine) -> None:
    spec = scripted(fault="pool_exhausted", answer=WORDS)
    recorder = engine.send(ask(spec, "x"))
    end = finished(recorder.end())
    assert end.reason is FinishReason.POOL_EXHAUSTED
    assert recorder.text == "word0 word1 word2 "
    assert finished(engine.send(ask(spec, "x")).end()).generation > end.generation


@pytest.mark.parametrize("fault", ["load_aborts", "decode_aborts"])
def test_a_native_abort_is_an_answer_and_not_the_end(engine: Engine, fault: str) -> None:
    recorder = engine.send(ask(scripted(fault=fault, answer=WORDS), "x"))
    assert failed(recorder.end()).error.code == "engine_died"
    assert engine.death().exit_code == -signal.SIGABRT
    assert finished(engine.send(ask(scripted(), "x")).end()).reason is FinishReason.STOP


def test_kill_9_in_an_answer_is_told_at_once_and_loses_no_streamed_text(engine: Engine) -> None:
    recorder = engine.send(ask(scripted(answer=WORDS, token_s=0.01), "x"))
    recorder.next(Delta)
    waiting = engine.send(ask(scripted(), "patience"))
    pid = engine.client.pid
    assert pid is not None
    started = time.perf_counter()
    os.kill(pid, signal.SIGKILL)
    end = failed(recorder.end())
    assert time.perf_counter() - started < AT_ONCE_S
    assert end.error.code == "engine_died"
    assert recorder.text
    finished(waiting.end())
    assert waiting.text == "You said: patience", "a request that only waited is not lost"


def test_close_ends_the_child_and_everything_outstanding(tmp_path: Path) -> None:
    engine = Engine(tmp_path)
    recorder = engine.send(ask(scripted(load_s=60), "x"))
    recorder.next(LoadProgress)
    pid = engine.client.pid
    assert pid is not None
    engine.client.close(timeout_s=2.0)
    assert not psutil.pid_exists(pid)
    assert failed(recorder.end()).error.code == "closing"
    engine.client.close()


def test_an_engine_that_was_never_used_closes_at_once(tmp_path: Path) -> None:
    EngineClient(log_dir=tmp_path).close()


def test_a_log_folder_that_cannot_be_made_is_an_error_with_a_remedy(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    client = EngineClient(log_dir=tmp_path / "file" / "logs")
    with pytest.raises(EnvironmentFault) as caught:
        client.call(Load(request=new_request_id(), spec=scripted()))
    assert caught.value.code == "data_root_is_file"
    client.close()


_PARENT = """
import sys, time
from pathlib import Path
from app.engine.client import EngineClient
from tests.engine.conftest import ask, scripted

if __name__ == "__main__":
    client = EngineClient(log_dir=Path(sys.argv[1]))
    client.call(ask(scripted(), "x"))
    print(client.pid, flush=True)
    client.call(ask(scripted(load_s=600), "x"))
"""


def test_the_child_is_gone_within_two_seconds_of_its_parent(tmp_path: Path) -> None:
    program = tmp_path / "parent.py"
    program.write_text(_PARENT)
    parent = subprocess.Popen(
        [sys.executable, str(program), str(tmp_path)],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert parent.stdout is not None
    child = psutil.Process(int(parent.stdout.readline()))
    parent.kill()
    parent.wait()
    parent.stdout.close()
    psutil.wait_procs([child], timeout=2.0)
    assert not child.is_running() or child.status() == psutil.STATUS_ZOMBIE


def test_an_unload_gives_the_memory_back_by_ending_the_process(engine: Engine) -> None:
    finished(engine.send(ask(scripted(), "x")).end())
    pid = engine.client.pid
    assert pid is not None
    child = engine.client._child
    assert child is not None
    engine.client.call(Unload(request=new_request_id()))
    assert child._exited.wait(WAIT_S)
    again = engine.send(ask(scripted(), "still there"))
    finished(again.end())
    assert again.text == "You said: still there"
    assert engine.client.pid != pid
    assert not psutil.pid_exists(pid)
    assert not any(isinstance(one, EngineDied) for one in engine.drain()), "nothing went wrong"


def test_what_is_asked_at_once_after_an_unload_runs_in_a_fresh_process(engine: Engine) -> None:
    finished(engine.send(ask(scripted(), "x")).end())
    pid = engine.client.pid
    engine.client.submit(Unload(request=new_request_id()), lambda _: None)
    waiting = [engine.send(ask(scripted(), f"number {n}")) for n in range(3)]
    for recorder in waiting:
        finished(recorder.end())
    assert [one.text for one in waiting] == [f"You said: number {n}" for n in range(3)]
    assert engine.client.pid not in (None, pid)


def test_an_idle_engine_gives_its_memory_back_and_the_next_request_loads_anew(
    engine: Engine,
) -> None:
    engine.client.configure(idle_unload_s=1)
    finished(engine.send(ask(scripted(), "x")).end())
    states: list[SlotState] = []
    while not states or states[-1] is not SlotState.EMPTY:
        notice = engine.notices.get(timeout=WAIT_S)
        if isinstance(notice, StateChanged):
            states.append(notice.state)
    assert states[-2:] == [SlotState.UNLOADING, SlotState.EMPTY]
    assert finished(engine.send(ask(scripted(), "x")).end()).timings.load_s > 0


def test_an_engine_that_only_counted_gives_its_memory_back_too(engine: Engine) -> None:
    engine.client.configure(idle_unload_s=1)
    turn = ask(scripted(), "x")
    engine.client.call(Count(request=new_request_id(), turn=turn))
    child = psutil.Process(engine.client.pid)
    child.wait(WAIT_S)
    assert finished(engine.send(turn).end()).usage.prompt_tokens > 0


def _impatient(connection: Connection, log_dir: str) -> None:
    del log_dir
    os._exit(EngineProcess(connection, stalled_s=0.5, patience_s=0.5).serve())


HANGING = scripted(fault="compute_hangs")


@pytest.mark.parametrize(
    "request_",
    [
        ask(scripted(answer=WORDS, token_s=600), "x"),
        ask(HANGING, "x"),
        Prefill(request=new_request_id(), turn=ask(HANGING, "x")),
        Embed(
            request=new_request_id(),
            spec=msgspec.structs.replace(HANGING, embeds=True),
            texts=("x",),
        ),
    ],
    ids=["decode", "prefill_of_an_answer", "prefill_ahead", "embed"],
)
def test_a_computation_that_makes_no_progress_is_ended(tmp_path: Path, request_: Request) -> None:
    client = EngineClient(log_dir=tmp_path, entry=_impatient)
    recorder = Recorder()
    client.submit(request_, recorder)
    assert finished(recorder.end()).reason is FinishReason.STALLED
    after = Recorder()
    client.submit(ask(scripted(), "x"), after)
    assert finished(after.end()).reason is FinishReason.STOP
    client.close()


def test_a_load_may_be_silent_for_longer(tmp_path: Path) -> None:
    client = EngineClient(log_dir=tmp_path, entry=_impatient)
    assert client.call(ask(scripted(load_s=1.5), "x")).reason is FinishReason.STOP
    client.close()


def _short_phases(connection: Connection, log_dir: str) -> None:
    del log_dir
    os._exit(EngineProcess(connection, phase_s=1.0).serve())


@pytest.mark.parametrize(
    ("request_", "said"),
    [
        (Load(request=new_request_id(), spec=scripted(load_s=600)), "Loading the model"),
        (ask(scripted(load_s=600), "x"), "Loading the model"),
        (
            Count(request=new_request_id(), turn=ask(scripted(fault="count_hangs"), "x")),
            "Counting the prompt",
        ),
    ],
    ids=["load", "load_of_an_answer", "count"],
)
def test_what_hangs_in_a_load_or_a_count_is_given_up(
    tmp_path: Path, request_: Request, said: str
) -> None:
    client = EngineClient(log_dir=tmp_path, entry=_short_phases)
    recorder = Recorder()
    client.submit(request_, recorder)
    waiting = Recorder()
    client.submit(ask(scripted(), "patience"), waiting)
    error = failed(recorder.end()).error
    assert error.code == "engine_stuck"
    assert error.message == f"{said} was not done after 1.0 s and was given up."
    assert finished(waiting.end()).reason is FinishReason.STOP
    client.close()


def test_a_count_that_hangs_ends_no_answer(tmp_path: Path) -> None:
    client = EngineClient(log_dir=tmp_path, entry=_short_phases)
    answer, count, after = Recorder(), Recorder(), Recorder()
    client.submit(ask(scripted(answer=WORDS[:2400], token_s=0.01), "x"), answer)
    answer.next(Delta)
    turn = ask(scripted(fault="count_hangs"), "x")
    client.submit(Count(request=new_request_id(), turn=turn), count)
    assert failed(count.end()).error.code == "engine_stuck"
    assert finished(answer.end()).reason is FinishReason.STOP
    client.submit(Count(request=new_request_id(), turn=ask(scripted(), "x")), after)
    assert finished(after.end()).reason is FinishReason.STOP
    client.close()


def test_a_native_call_that_stops_every_thread_costs_the_process(tmp_path: Path) -> None:
    client = EngineClient(log_dir=tmp_path, entry=_short_phases)
    recorder, after = Recorder(), Recorder()
    client.submit(ask(scripted(fault="compute_freezes"), "x"), recorder)
    recorder.next(LoadProgress)
    client.submit(ask(scripted(), "x"), after)
    assert failed(recorder.end()).error.code == "engine_died"
    assert finished(after.end()).reason is FinishReason.STOP
    client.close()

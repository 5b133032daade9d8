"""The engine's client under abuse: dying engines, full pipes, giant prompts, thousands waiting."""

import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from multiprocessing.connection import Connection
from pathlib import Path

import psutil
import pytest

from app.core.errors import ContenoxError
from app.engine.client import EngineClient, EngineDied
from app.engine.outcome import FinishReason
from app.engine.process import EngineProcess
from app.engine.protocol import Delta, Failed, Finished, Load, Ready, Unload, new_request_id
from app.engine.spec import LoadSpec
from tests.engine.conftest import WAIT_S, Engine, Recorder, ask, scripted

WORDS = " ".join(f"word{n}" for n in range(400))
# Far longer than a test takes, also on a busy machine.
SLOW = scripted("slow", answer=WORDS, token_s=0.2)
MANY = 10_000

needs_signals = pytest.mark.skipif(sys.platform == "win32", reason="stops a process by a signal")


def finished(end: Finished | Failed) -> Finished:
    assert isinstance(end, Finished), end
    return end


def failed(end: Finished | Failed) -> Failed:
    assert isinstance(end, Failed), end
    return end


def ends_of(recorders: list[Recorder]) -> list[str]:
    ends = [one.end() for one in recorders]
    return [one.error.code if isinstance(one, Failed) else one.reason.value for one in ends]


def pid_of(engine: Engine) -> int:
    pid = engine.client.pid
    assert pid is not None
    return pid


# --- what is sent ---


def test_half_a_surrogate_pair_in_a_message_ends_nothing(engine: Engine) -> None:
    recorder = engine.send(ask(scripted(), "half \ud83d pair"))
    finished(recorder.end())
    assert recorder.text == "You said: half ? pair"
    assert finished(engine.send(ask(scripted(), "x")).end()).reason is FinishReason.STOP


def test_a_prompt_of_ten_megabytes_is_refused_and_can_be_cancelled(engine: Engine) -> None:
    giant = "sea " * 2_500_000
    end = failed(engine.send(ask(scripted(), giant)).end())
    assert end.error.code == "context_overflow"
    running = engine.send(ask(SLOW, "x"))
    running.next(Delta)
    waiting = ask(scripted(), giant)
    recorder = engine.send(waiting)
    engine.client.cancel(waiting.request)
    assert finished(recorder.end()).reason is FinishReason.CANCELLED
    assert isinstance(running.next(Delta), Delta), "the running one goes on"


def test_ten_thousand_waiting_requests_run_in_order_or_are_cancelled_at_once(
    engine: Engine,
) -> None:
    slow = ask(SLOW, "x")
    running = engine.send(slow)
    running.next(Delta)
    requests = [ask(scripted(), f"number {n}") for n in range(MANY)]
    recorders = [engine.send(one) for one in requests]
    started = time.perf_counter()
    for one in requests[: MANY // 2]:
        engine.client.cancel(one.request)
    assert set(ends_of(recorders[: MANY // 2])) == {"cancelled"}
    # Seconds for thousands, and nothing waited for the 80 seconds of the running answer.
    assert time.perf_counter() - started < 40
    engine.client.cancel(slow.request)
    assert finished(running.end()).reason is FinishReason.CANCELLED
    assert set(ends_of(recorders[MANY // 2 :])) == {"stop"}
    assert [one.text for one in recorders[MANY // 2 :]] == [
        f"You said: number {n}" for n in range(MANY // 2, MANY)
    ]


def test_many_threads_each_get_each_end_once(engine: Engine) -> None:
    counts: dict[str, int] = {}

    def work(name: int) -> None:
        for number in range(25):
            request = ask(scripted(), f"{name} {number}")
            recorder = engine.send(request)
            if number % 3 == 0:
                engine.client.cancel(request.request)
            end = finished(recorder.end())
            counts[request.request] = counts.get(request.request, 0) + 1
            if end.reason is FinishReason.STOP:
                assert recorder.text == f"You said: {name} {number}"

    threads = [threading.Thread(target=work, args=(name,)) for name in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(WAIT_S)
    assert len(counts) == 200
    assert set(counts.values()) == {1}


# --- what waits ---


def test_a_waiting_request_is_cancelled_while_another_runs(engine: Engine) -> None:
    running = engine.send(ask(SLOW, "x"))
    running.next(Delta)
    waiting = ask(scripted(), "y")
    recorder = engine.send(waiting)
    engine.client.cancel(waiting.request)
    assert finished(recorder.end()).reason is FinishReason.CANCELLED
    assert isinstance(running.next(Delta), Delta), "the running one has not ended"


def test_a_deadline_also_ends_what_only_waits(engine: Engine) -> None:
    running = engine.send(ask(SLOW, "x"))
    running.next(Delta)
    recorder = engine.send(ask(scripted(), "y", deadline_s=0.1))
    assert finished(recorder.end()).reason is FinishReason.DEADLINE
    assert isinstance(running.next(Delta), Delta), "the running one has not ended"


def test_an_unload_waits_for_the_answer_that_runs(engine: Engine) -> None:
    spec = scripted("short", answer="a b c d e f g h", token_s=0.02)
    running = engine.send(ask(spec, "x"))
    running.next(Delta)
    unloaded = Recorder()
    engine.client.submit(Unload(request=new_request_id()), unloaded)
    assert finished(running.end()).reason is FinishReason.STOP
    assert running.text == "a b c d e f g h"
    finished(unloaded.end())


def test_an_unload_comes_as_soon_as_the_running_answer_is_cancelled(engine: Engine) -> None:
    request = ask(scripted("slow", answer=WORDS, token_s=0.05), "x")
    running = engine.send(request)
    running.next(Delta)
    unloaded = Recorder()
    engine.client.submit(Unload(request=new_request_id()), unloaded)
    engine.client.cancel(request.request)
    assert finished(running.end()).reason is FinishReason.CANCELLED
    finished(unloaded.end())


def test_two_equal_loads_cost_one(engine: Engine) -> None:
    spec = scripted("model", load_s=0.2)
    recorders = [Recorder() for _ in range(3)]
    for recorder in recorders:
        engine.client.submit(Load(request=new_request_id(), spec=spec), recorder)
    ends = [finished(one.end()) for one in recorders]
    assert [one.timings.load_s > 0 for one in ends] == [True, False, False]
    assert {one.generation for one in ends[1:]} == {1}
    assert engine.client.loaded == spec


# --- engines that die ---


def test_what_waits_for_a_model_that_ends_each_engine_is_no_restart_storm(engine: Engine) -> None:
    spec = scripted(fault="load_aborts")
    recorders = [engine.send(ask(spec, f"{n}")) for n in range(40)]
    assert set(ends_of(recorders)) == {"engine_died"}
    deaths = [one for one in engine.drain() if isinstance(one, EngineDied)]
    assert len(deaths) == 3
    assert finished(engine.send(ask(scripted(), "x")).end()).reason is FinishReason.STOP


@needs_signals
def test_what_waited_keeps_its_order_when_the_engine_dies(engine: Engine) -> None:
    running = engine.send(ask(SLOW, "x"))
    running.next(Delta)
    ended: list[int] = []
    recorders = []
    for number in range(30):
        recorder = Recorder()
        recorders.append(recorder)

        def listen(event: object, number: int = number, recorder: Recorder = recorder) -> None:
            if isinstance(event, Finished):
                ended.append(number)
            recorder(event)  # type: ignore[arg-type]

        engine.client.submit(ask(scripted(), f"{number}"), listen)
    os.kill(pid_of(engine), signal.SIGKILL)
    assert set(ends_of(recorders)) == {"stop"}
    assert ended == list(range(30))


@needs_signals
def test_a_cancelled_request_is_not_sent_to_the_next_engine(engine: Engine) -> None:
    finished(engine.send(ask(scripted(), "x")).end())
    pid = pid_of(engine)
    os.kill(pid, signal.SIGSTOP)
    request = ask(scripted(fault="load_aborts"), "y")
    recorder = engine.send(request)
    engine.client.cancel(request.request)
    os.kill(pid, signal.SIGKILL)
    assert finished(recorder.end()).reason is FinishReason.CANCELLED
    assert sum(isinstance(one, Ready) for one in engine.drain()) == 1


@needs_signals
def test_an_engine_that_reads_nothing_is_closed_all_the_same(tmp_path: Path) -> None:
    engine = Engine(tmp_path)
    finished(engine.send(ask(scripted(), "x")).end())
    pid = pid_of(engine)
    os.kill(pid, signal.SIGSTOP)
    # More than a pipe holds: the writer is stuck in the middle of it.
    recorders = [engine.send(ask(scripted(), "sea " * 500_000)) for _ in range(3)]
    started = time.perf_counter()
    engine.client.close(timeout_s=0.5)
    assert time.perf_counter() - started < 10
    assert not psutil.pid_exists(pid)
    assert set(ends_of(recorders)) == {"closing"}


def test_a_request_after_the_close_fails_and_does_not_hang(tmp_path: Path) -> None:
    client = EngineClient(log_dir=tmp_path)
    client.close()
    with pytest.raises(ContenoxError) as caught:
        client.call(Load(request=new_request_id(), spec=scripted()))
    assert caught.value.code == "closing"


def _babbles(connection: Connection, log_dir: str) -> None:
    del log_dir
    connection.send_bytes(b"\xc1 no event")
    connection.recv_bytes()
    time.sleep(3600)


def test_an_engine_that_sends_nonsense_is_replaced_and_then_given_up(tmp_path: Path) -> None:
    client = EngineClient(log_dir=tmp_path, entry=_babbles)
    with pytest.raises(ContenoxError) as caught:
        client.call(Load(request=new_request_id(), spec=scripted()))
    assert caught.value.code == "engine_died"
    client.close()


# --- sessions that will not close ---


def _impatient(connection: Connection, log_dir: str) -> None:
    del log_dir
    os._exit(EngineProcess(connection, patience_s=0.3).serve())


@pytest.fixture
def impatient(tmp_path: Path) -> Iterator[Engine]:
    made = Engine(tmp_path / "logs", entry=_impatient)
    yield made
    made.client.close()


@pytest.mark.parametrize("fault", ["close_hangs", "close_fails"])
def test_a_session_that_will_not_close_costs_its_process_and_nothing_else(
    impatient: Engine, fault: str
) -> None:
    stubborn: LoadSpec = scripted("stubborn", fault=fault)
    finished(impatient.send(ask(stubborn, "x")).end())
    pid = pid_of(impatient)
    next_one = impatient.send(ask(scripted("next"), "y"))
    assert finished(next_one.end()).reason is FinishReason.STOP
    assert next_one.text == "You said: y"
    last = impatient.send(ask(scripted("next"), "z"))
    finished(last.end())
    if fault == "close_hangs":
        assert pid_of(impatient) != pid
    assert not any(isinstance(one, EngineDied) for one in impatient.drain()), "it was replaced"


# --- the sign of life ---


def test_an_engine_gives_a_sign_of_life_also_while_it_works(engine: Engine) -> None:
    assert engine.client.ping(0.0), "there is none yet, and none is started"
    assert engine.client.pid is None
    request = ask(SLOW, "x")
    recorder = engine.send(request)
    recorder.next(Delta)
    assert engine.client.ping(WAIT_S)
    engine.client.cancel(request.request)
    assert finished(recorder.end()).reason is FinishReason.CANCELLED


@needs_signals
def test_an_engine_that_gives_none_is_ended_and_the_next_request_has_another(
    engine: Engine,
) -> None:
    finished(engine.send(ask(scripted(), "x")).end())
    hung = pid_of(engine)
    os.kill(hung, signal.SIGSTOP)
    assert not engine.client.ping(0.3)
    finished(engine.send(ask(scripted(), "y")).end())
    assert pid_of(engine) != hung
    assert not psutil.pid_exists(hung) or psutil.Process(hung).status() == psutil.STATUS_ZOMBIE

"""One terminal event for each request, whoever comes first."""

import threading
from pathlib import Path

from app.engine.outcome import DeltaKind, FinishReason
from app.engine.phases import Phase, converting, loading
from app.engine.protocol import Delta, Event, Finished, Generate
from app.engine.spec import LoadSpec, ScriptedRuntime
from app.engine.tickets import Ticket


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def ticket(deadline_s: float | None = None) -> tuple[Ticket, list[Event], Clock]:
    spec = LoadSpec(
        model_name="", model_path="", model_digest="", context_tokens=9, runtime=ScriptedRuntime()
    )
    events: list[Event] = []
    clock = Clock()
    request = Generate(request="r", spec=spec, messages=(), deadline_s=deadline_s)
    return Ticket(request, events.append, clock), events, clock


def end(reason: FinishReason) -> Finished:
    return Finished(request="r", generation=0, reason=reason)


def test_only_the_first_end_is_sent() -> None:
    one, events, _ = ticket()
    barrier = threading.Barrier(8)

    def finish(reason: FinishReason) -> None:
        barrier.wait()
        one.end(end(reason))

    threads = [threading.Thread(target=finish, args=(FinishReason.STOP,)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert events == [end(FinishReason.STOP)]


def test_text_is_sent_at_most_thirty_times_a_second_and_never_lost() -> None:
    one, events, clock = ticket()
    for _ in range(300):
        clock.now += 0.001
        one.delta(DeltaKind.TEXT, "x")
    deltas = [event for event in events if isinstance(event, Delta)]
    assert len(deltas) <= 10
    one.end(end(FinishReason.STOP))
    assert "".join(e.text for e in events if isinstance(e, Delta)) == "x" * 300
    assert isinstance(events[-1], Finished)


def test_a_change_of_kind_keeps_the_order() -> None:
    one, events, _ = ticket()
    for kind, text in ((DeltaKind.THINKING, "a"), (DeltaKind.THINKING, "b"), (DeltaKind.TEXT, "c")):
        one.delta(kind, text)
    one.end(end(FinishReason.STOP))
    joined = [(e.kind, e.text) for e in events if isinstance(e, Delta)]
    assert "".join(text for kind, text in joined if kind is DeltaKind.THINKING) == "ab"
    assert joined[-1] == (DeltaKind.TEXT, "c")


def test_each_tool_call_is_an_event_of_its_own() -> None:
    one, events, _ = ticket()
    one.delta(DeltaKind.TEXT, "a")
    one.delta(DeltaKind.TOOL_CALL, "1")
    one.delta(DeltaKind.TOOL_CALL, "2")
    one.delta(DeltaKind.TEXT, "b")
    one.end(end(FinishReason.TOOL_CALLS))
    assert [(e.kind, e.text) for e in events if isinstance(e, Delta)] == [
        (DeltaKind.TEXT, "a"),
        (DeltaKind.TOOL_CALL, "1"),
        (DeltaKind.TOOL_CALL, "2"),
        (DeltaKind.TEXT, "b"),
    ]


def test_an_empty_piece_is_progress_and_no_event() -> None:
    one, events, clock = ticket()
    clock.now = 7.0
    one.delta(DeltaKind.TEXT, "")
    assert one.progress_at == 7.0
    assert events == []


def test_a_deadline_counts_from_the_receipt() -> None:
    one, _, clock = ticket(deadline_s=2.0)
    assert one.stop_reason() is None
    clock.now = 2.0
    assert one.stop_reason() is FinishReason.DEADLINE


def test_the_first_reason_to_stop_is_kept() -> None:
    one, _, _ = ticket()
    assert not one.stop(FinishReason.CANCELLED)
    one.stop(FinishReason.STALLED)
    assert one.stop_reason() is FinishReason.CANCELLED


def test_a_stop_in_a_native_call_asks_the_main_thread_to_act() -> None:
    one, _, _ = ticket()
    with one.uninterruptible():
        assert one.stop(FinishReason.CANCELLED)
    one.end(end(FinishReason.CANCELLED))
    assert not one.stop(FinishReason.CANCELLED)


def test_what_waits_is_ended_by_the_main_thread_and_never_begun() -> None:
    one, events, _ = ticket()
    assert one.end_waiting(FinishReason.CANCELLED)
    assert not one.begin()
    assert not one.end_waiting(FinishReason.CANCELLED)
    assert events == [end(FinishReason.CANCELLED)]


def test_what_has_begun_is_not_ended_from_outside() -> None:
    one, events, _ = ticket()
    assert one.begin()
    assert not one.end_waiting(FinishReason.CANCELLED)
    assert events == []


def test_the_time_in_which_the_parent_does_not_read_is_no_silence() -> None:
    clock = Clock()
    spec = LoadSpec(
        model_name="", model_path="", model_digest="", context_tokens=9, runtime=ScriptedRuntime()
    )

    def slow(_event: Event) -> None:
        clock.now += 300.0

    one = Ticket(Generate(request="r", spec=spec, messages=()), slow, clock)
    one.delta(DeltaKind.TEXT, "x")
    assert one.progress_at == 300.0


def test_the_time_in_the_queue_is_no_silence() -> None:
    one, _, clock = ticket()
    clock.now = 500.0
    assert one.begin()
    clock.now = 619.0
    assert one.silent_beyond(120.0) is None
    clock.now = 625.0
    assert one.silent_beyond(120.0) == 5.0


def test_a_native_call_may_be_silent_for_its_tokens() -> None:
    one, _, clock = ticket()
    with one.uninterruptible(tokens=400):
        clock.now = 219.0
        assert one.silent_beyond(120.0) is None
        clock.now = 221.0
        assert one.silent_beyond(120.0) == 1.0


def test_a_phase_has_a_bound_of_its_own_as_a_whole() -> None:
    one, _, clock = ticket()
    load = Phase(name="Loading the model", bound_s=1000.0)
    with one.within(load), one.uninterruptible():
        clock.now = 999.0
        one.load_progress("loading", 0.5)
        assert one.silent_beyond(120.0) is None
        assert one.overrun() is None
        clock.now = 1001.0
        assert one.silent_beyond(0.0) is None
        assert one.overrun() == load
    assert one.overrun() is None
    assert one.silent_beyond(120.0) is None, "the silence begins anew"


def test_a_sleep_of_the_machine_is_no_silence() -> None:
    one, _, clock = ticket()
    with one.within(Phase(name="Loading the model", bound_s=1000.0)):
        clock.now = 4000.0
        one.pardon(3900.0)
        assert one.overrun() is None
        clock.now = 4901.0
        assert one.overrun() is not None
    clock.now += 3600.0
    one.pardon(3600.0)
    assert one.silent_beyond(120.0) is None
    clock.now += 121.0
    assert one.silent_beyond(120.0) == 1.0


def test_the_bound_of_a_load_grows_with_the_model(tmp_path: Path) -> None:
    file = tmp_path / "model.bin"
    with file.open("wb") as made:
        made.truncate(5_000_000_000)
    assert loading(str(file)).bound_s == loading(str(tmp_path)).bound_s == 300 + 1000
    assert converting(str(file)).bound_s == 300 + 4000
    assert loading(str(tmp_path / "gone")).bound_s == loading("").bound_s == 300


def test_no_text_follows_an_end_from_the_other_thread_and_none_is_sent_twice() -> None:
    one, events, clock = ticket()
    one.delta(DeltaKind.TEXT, "at once ")
    one.delta(DeltaKind.TEXT, "held back")
    one.end(end(FinishReason.STALLED))
    clock.now = 9.0
    one.delta(DeltaKind.TEXT, "too late")
    assert [event.text for event in events if isinstance(event, Delta)] == ["at once ", "held back"]
    assert isinstance(events[-1], Finished)

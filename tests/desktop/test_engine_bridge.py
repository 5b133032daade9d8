"""Events reach the GUI thread in order, merged, and not more often than 30 times a second."""

import threading
import time
from collections.abc import Iterator

import pytest
from pytestqt.qtbot import QtBot

from app.desktop.engine_bridge import EngineBridge, merged
from app.engine.protocol import Delta, Event, Finished, Unload
from tests.desktop.fake_engine import FakeEngine, finished, loading, reading, text, thought


@pytest.fixture
def engine() -> Iterator[FakeEngine]:
    engine = FakeEngine()
    yield engine
    engine.close()


def test_neighbouring_text_is_joined_and_kinds_are_kept_apart() -> None:
    events: list[Event] = [text("a", "x"), text("a", "y"), thought("a", "z"), text("a", "w")]
    assert merged(events) == [text("a", "xy"), thought("a", "z"), text("a", "w")]


def test_text_of_two_requests_is_never_joined() -> None:
    events: list[Event] = [text("a", "x"), text("b", "y")]
    assert merged(events) == events


def test_only_the_newest_progress_stays() -> None:
    events: list[Event] = [loading("a"), reading("a", 1, 9), reading("a", 5, 9), finished("a")]
    assert merged(events) == [loading("a"), reading("a", 5, 9), finished("a")]


def test_a_fast_stream_arrives_whole_on_the_gui_thread_in_few_updates(
    qtbot: QtBot, engine: FakeEngine
) -> None:
    bridge = EngineBridge(lambda _listener: engine)
    got: list[Event] = []
    threads: set[threading.Thread] = set()

    def take(event: Event) -> None:
        got.append(event)
        threads.add(threading.current_thread())

    bridge.event_arrived.connect(take)
    bridge.submit(Unload(request="r"))
    started = time.monotonic()
    engine.say(*(text("r", f"{n} ") for n in range(3000)), finished("r"))
    qtbot.waitUntil(lambda: any(isinstance(event, Finished) for event in got))
    elapsed_s = time.monotonic() - started
    deltas = [event for event in got if isinstance(event, Delta)]
    assert "".join(delta.text for delta in deltas) == "".join(f"{n} " for n in range(3000))
    assert isinstance(got[-1], Finished)
    assert threads == {threading.main_thread()}
    assert len(deltas) <= 2 + elapsed_s * 31
    bridge.close()


def test_events_after_the_window_is_gone_are_dropped(engine: FakeEngine) -> None:
    bridge = EngineBridge(lambda _listener: engine)
    bridge.submit(Unload(request="r"))
    bridge.close()
    bridge.deleteLater()
    engine.requests.clear()
    engine.tell(text("r", "late"))

"""Cycles are collected on the GUI thread, and the long collection waits for the answer."""

import gc
import threading
from collections.abc import Iterator

import pytest
from pytestqt.qtbot import QtBot

from app.desktop.garbage import GuiGarbageCollector


@pytest.fixture
def seen() -> Iterator[list[tuple[int, threading.Thread]]]:
    """The collections that happen: generation and thread."""
    found: list[tuple[int, threading.Thread]] = []

    def note(phase: str, info: dict[str, int]) -> None:
        if phase == "start":
            found.append((info["generation"], threading.current_thread()))

    gc.callbacks.append(note)
    yield found
    gc.callbacks.remove(note)


def _make_cycles() -> None:
    for _ in range(20_000):
        cycle: list[object] = []
        cycle.append(cycle)


def test_only_the_gui_thread_collects(
    qtbot: QtBot, seen: list[tuple[int, threading.Thread]]
) -> None:
    collector = GuiGarbageCollector(lambda: False)
    collector.start()
    seen.clear()
    worker = threading.Thread(target=_make_cycles)
    worker.start()
    worker.join()
    assert seen == []
    qtbot.waitUntil(lambda: bool(seen))
    assert {thread for _, thread in seen} == {threading.main_thread()}
    collector.close()
    collector.deleteLater()
    assert gc.isenabled()


def test_the_long_collection_waits_while_an_answer_is_shown(
    qtbot: QtBot,
    seen: list[tuple[int, threading.Thread]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    busy = [True]
    collector = GuiGarbageCollector(lambda: busy[0])
    collector.start()
    monkeypatch.setattr(gc, "get_count", lambda: (10_000, 10_000, 10_000))
    seen.clear()
    qtbot.waitUntil(lambda: len(seen) >= 2)
    assert {generation for generation, _ in seen} == {1}
    busy[0] = False
    qtbot.waitUntil(lambda: seen[-1][0] == 2)
    collector.close()
    collector.deleteLater()

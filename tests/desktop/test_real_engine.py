"""The window on the real engine process: scripted first, then the starter model."""

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.desktop.application import Desktop
from app.desktop.conversation import AnswerStamp
from app.desktop.lifecycle import TurnState
from app.engine.outcome import FinishReason
from app.engine.spec import OpenVinoRuntime, ScriptedRuntime
from app.models.library import InstalledModel
from tests.desktop.real_room import RealRoom

_PATIENCE_MS = 60_000


def _open_on(room: RealRoom, qapp: QApplication, qtbot: QtBot) -> Desktop:
    desktop = Desktop(qapp, room.services)
    with qtbot.waitSignal(desktop.inventory.models_listed):
        desktop.start()
    qtbot.waitUntil(lambda: desktop.runner.state is TurnState.IDLE)
    return desktop


@pytest.fixture
def scripted(
    tmp_path: Path, qapp: QApplication, qtbot: QtBot
) -> Iterator[tuple[Desktop, RealRoom]]:
    room = RealRoom(tmp_path, ScriptedRuntime(answer="one two three " * 400, token_s=0.01))
    desktop = _open_on(room, qapp, qtbot)
    yield desktop, room
    desktop.close()


def _type(desktop: Desktop, text: str) -> None:
    field = desktop.window.composer.field
    QTest.keyClicks(field, text)
    QTest.keyClick(field, Qt.Key.Key_Return)


def _last_stamp(desktop: Desktop) -> AnswerStamp | None:
    last = desktop.chats.current.last
    return last.stamp if last else None


def _shown(desktop: Desktop) -> str:
    last = desktop.chats.current.last
    return last.text if last else ""


def test_it_streams_stops_and_quits(scripted: tuple[Desktop, RealRoom], qtbot: QtBot) -> None:
    desktop, _ = scripted
    _type(desktop, "Count")
    qtbot.waitUntil(lambda: "three" in _shown(desktop), timeout=_PATIENCE_MS)
    assert desktop.runner.state is TurnState.ANSWERING
    QTest.keyClick(desktop.window.composer.field, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: desktop.runner.state is TurnState.IDLE, timeout=_PATIENCE_MS)
    stamp = _last_stamp(desktop)
    assert stamp is not None
    assert stamp.reason is FinishReason.CANCELLED
    assert stamp.usage.completion_tokens > 0
    assert _shown(desktop).startswith("one two three")


@pytest.mark.skipif(os.name == "nt", reason="kills with a signal")
def test_a_killed_engine_costs_no_word_and_goes_on(
    scripted: tuple[Desktop, RealRoom], qtbot: QtBot
) -> None:
    desktop, room = scripted
    _type(desktop, "Count")
    qtbot.waitUntil(lambda: "three" in _shown(desktop), timeout=_PATIENCE_MS)
    pid = room.client.pid
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    qtbot.waitUntil(lambda: desktop.window.transcript.banner is not None, timeout=_PATIENCE_MS)
    kept = _shown(desktop)
    assert kept.startswith("one two three")
    banner = desktop.window.transcript.banner
    assert banner is not None
    assert banner.button is not None
    banner.button.click()
    qtbot.waitUntil(lambda: len(_shown(desktop)) > len(kept), timeout=_PATIENCE_MS)
    assert _shown(desktop).startswith(kept)
    desktop.runner.stop()
    qtbot.waitUntil(lambda: desktop.runner.state is TurnState.IDLE, timeout=_PATIENCE_MS)


@pytest.mark.real_model
@pytest.mark.timeout(240)
def test_the_starter_answers_in_the_window(
    tmp_path: Path, qapp: QApplication, qtbot: QtBot, starter_openvino: InstalledModel
) -> None:
    room = RealRoom(tmp_path, OpenVinoRuntime(), starter_openvino)
    desktop = _open_on(room, qapp, qtbot)
    pieces: list[object] = []
    desktop.runner.text_arrived.connect(pieces.append)
    _type(desktop, "What is the capital of France?")
    qtbot.waitUntil(lambda: _last_stamp(desktop) is not None, timeout=180_000)
    stamp = _last_stamp(desktop)
    assert stamp is not None
    assert stamp.error is None
    assert stamp.reason is FinishReason.STOP
    assert "Paris" in _shown(desktop)
    assert len(pieces) > 1
    assert "tokens/s" in desktop.window.status.text()
    pid = room.client.pid
    assert pid is not None
    started = time.monotonic()
    desktop.quit()
    desktop.close()
    assert time.monotonic() - started < 3
    assert not psutil.pid_exists(pid)

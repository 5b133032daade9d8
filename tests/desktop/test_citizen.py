"""Autostart, the keys from anywhere, and the quick question."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.desktop.application import Desktop
from app.desktop.autostart import XdgAutostart
from app.desktop.hotkey import NoHotkey, parse_keys
from app.desktop.lifecycle import TurnState
from tests.desktop.fake_engine import finished, text
from tests.desktop.rooms import Room


def test_autostart_is_off_until_asked_for_and_can_be_taken_back(tmp_path: Path) -> None:
    command = ("/opt/Con te$nox/contenox", "--in-tray", "100%")
    autostart = XdgAutostart(command, tmp_path)
    assert not autostart.enabled()
    autostart.set_enabled(True)
    assert autostart.enabled()
    entry = (tmp_path / "autostart" / "contenox-desktop.desktop").read_text(encoding="utf-8")
    assert 'Exec="/opt/Con te\\$nox/contenox" "--in-tray" "100%%"\n' in entry
    autostart.set_enabled(False)
    autostart.set_enabled(False)
    assert not autostart.enabled()


@pytest.mark.parametrize(
    ("keys", "parsed"),
    [
        ("Ctrl+Alt+Space", (0x0003, 0x20)),
        ("alt+shift+q", (0x0005, ord("Q"))),
        ("Win+1", (0x0008, ord("1"))),
    ],
)
def test_keys_are_read(keys: str, parsed: tuple[int, int]) -> None:
    assert parse_keys(keys) == parsed


@pytest.mark.parametrize("keys", ["Space", "Ctrl+Nothing", "", "Hyper+Q", "Ctrl+é+"])
def test_what_is_no_combination_is_refused(keys: str) -> None:
    with pytest.raises(ValueError, match=r"modifier|combination"):
        parse_keys(keys)


def test_a_system_without_keys_says_so() -> None:
    assert not NoHotkey().set_keys("Ctrl+Alt+Space")
    assert NoHotkey().set_keys(None)


def test_a_quick_question_is_answered_and_opened_as_a_chat(
    desktop: Desktop, room: Room, qtbot: QtBot
) -> None:
    desktop.window.hide()
    desktop.tray.quick_asked.emit()
    quick = desktop.citizen.quick
    assert quick.isVisible()
    QTest.keyClicks(quick.composer.field, "Capital of France?")
    QTest.keyClick(quick.composer.field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: bool(room.engine.requests))
    room.engine.say(text(room.engine.last, "Paris."), finished(room.engine.last))
    qtbot.waitUntil(lambda: desktop.runner.state is TurnState.IDLE)
    assert quick.text.markdown() == "Paris."
    quick.open_button.click()
    assert not quick.isVisible()
    assert desktop.window.isVisible()
    assert [message.text for message in desktop.chats.current.path()] == [
        "Capital of France?",
        "Paris.",
    ]


def test_escape_stops_a_quick_answer_first_and_then_closes(
    desktop: Desktop, room: Room, qtbot: QtBot
) -> None:
    desktop.tray.quick_asked.emit()
    quick = desktop.citizen.quick
    QTest.keyClicks(quick.composer.field, "Long?")
    QTest.keyClick(quick.composer.field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: bool(room.engine.requests))
    QTest.keyClick(quick.composer.field, Qt.Key.Key_Escape)
    assert quick.isVisible()
    assert room.engine.cancelled == [room.engine.last]
    room.engine.say(finished(room.engine.last))
    qtbot.waitUntil(lambda: desktop.runner.state is TurnState.IDLE)
    QTest.keyClick(quick.composer.field, Qt.Key.Key_Escape)
    assert not quick.isVisible()

"""The tray, closing and quitting: what stays and what goes."""

import time
from collections.abc import Callable

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.desktop.application import Desktop
from app.desktop.lifecycle import TurnState
from app.desktop.tray import Tray, TrayState
from app.engine.outcome import SlotState
from app.engine.protocol import StateChanged, Unload
from app.engine.spec import LoadSpec, ScriptedRuntime
from tests.desktop.fake_engine import failed, finished, text
from tests.desktop.rooms import Room


@pytest.fixture
def with_tray(monkeypatch: pytest.MonkeyPatch) -> None:
    """The offscreen platform has no tray; these tests say that there is one."""
    monkeypatch.setattr(Tray, "available", staticmethod(lambda: True))


def _notice_buttons(desktop: Desktop) -> tuple[Callable[[], None], Callable[[], None]]:
    notice = desktop.close_notice
    assert notice is not None
    return notice.keep.click, notice.leave.click


@pytest.mark.usefixtures("with_tray")
def test_the_first_close_says_what_it_does_and_the_second_just_hides(
    desktop: Desktop, qtbot: QtBot, room: Room
) -> None:
    desktop.window.close()
    assert desktop.window.isVisible()
    keep, _ = _notice_buttons(desktop)
    keep()
    qtbot.waitUntil(lambda: not desktop.window.isVisible())
    qtbot.waitUntil(lambda: room.settings.load().close_to_tray_told)
    desktop.show()
    desktop.window.close()
    assert not desktop.window.isVisible()
    assert desktop.close_notice is None


@pytest.mark.usefixtures("with_tray")
def test_the_other_choice_quits_now_and_from_then_on(
    desktop: Desktop, qtbot: QtBot, room: Room, qapp: QApplication
) -> None:
    desktop.window.close()
    _, leave = _notice_buttons(desktop)
    leave()
    assert desktop.runner.state is TurnState.CLOSING
    qtbot.waitUntil(lambda: not room.settings.load().close_to_tray)


def test_without_a_tray_closing_quits(desktop: Desktop) -> None:
    desktop.window.close()
    assert desktop.runner.state is TurnState.CLOSING
    assert not desktop.window.isVisible()


def test_quit_cancels_the_answer_and_ends_within_three_seconds(
    desktop: Desktop, room: Room, qtbot: QtBot
) -> None:
    desktop.window.composer.sent.emit("Hello")
    qtbot.waitUntil(lambda: bool(room.engine.requests))
    room.starter_gate.clear()
    started = time.monotonic()
    desktop.quit()
    assert room.engine.cancelled == [room.engine.last]
    desktop.close()
    assert time.monotonic() - started < 3
    assert room.engine.closed


@pytest.mark.usefixtures("with_tray")
def test_the_icon_works_then_asks_for_attention_when_nobody_looks(
    desktop: Desktop, room: Room, qtbot: QtBot
) -> None:
    desktop.window.composer.sent.emit("Hello")
    qtbot.waitUntil(lambda: bool(room.engine.requests))
    assert desktop.tray.state is TrayState.WORKING
    desktop.window.hide()
    room.engine.say(text(room.engine.last, "Good day"), finished(room.engine.last))
    qtbot.waitUntil(lambda: desktop.tray.state is TrayState.ATTENTION)
    desktop.tray.open_asked.emit()
    assert desktop.window.isVisible()
    qtbot.waitUntil(lambda: desktop.tray.state is TrayState.IDLE)


def test_a_failure_behind_other_windows_asks_for_attention(
    desktop: Desktop, room: Room, qtbot: QtBot
) -> None:
    desktop.window.composer.sent.emit("Hello")
    qtbot.waitUntil(lambda: bool(room.engine.requests))
    desktop.window.hide()
    room.engine.say(failed(room.engine.last))
    qtbot.waitUntil(lambda: desktop.tray.state is TrayState.ATTENTION)


def test_the_menu_has_open_new_chat_and_quit(desktop: Desktop) -> None:
    actions = desktop.tray.menu.actions()
    texts = [action.text() for action in actions if action.text() and action.isVisible()]
    assert texts == ["Open", "New chat", "Quick question", "Quit"]
    desktop.window.hide()
    desktop.tray.menu.actions()[1].trigger()
    assert desktop.window.isVisible()


def test_the_loaded_model_is_named_and_can_be_unloaded(
    desktop: Desktop, room: Room, qtbot: QtBot
) -> None:
    spec = LoadSpec(
        model_name="smollm2-135m-instruct",
        model_path="nowhere",
        model_digest="sha256:0",
        context_tokens=8192,
        runtime=ScriptedRuntime(),
    )
    unload = desktop.tray.menu.actions()[4]
    room.notify(StateChanged(generation=1, state=SlotState.READY, spec=spec))
    qtbot.waitUntil(unload.isVisible)
    assert unload.text() == "Unload SmolLM2 135M"
    unload.trigger()
    assert isinstance(room.engine.requests[-1], Unload)
    room.notify(StateChanged(generation=2, state=SlotState.EMPTY))
    qtbot.waitUntil(lambda: not unload.isVisible())

"""A whole day in the window, on the real starter model and the real engine: nothing is lost."""

import dataclasses
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import psutil
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox
from pytestqt.qtbot import QtBot

from app.composition import build_services, desktop_services
from app.core.paths import DataRoot
from app.core.settings import SettingsFile
from app.desktop.application import Desktop
from app.desktop.conversation import Message
from app.desktop.lifecycle import TurnState
from app.desktop.message_block import AnswerBlock, QuestionBlock
from app.desktop.single_instance import SingleInstance
from app.engine.outcome import FinishReason
from app.engine.protocol import Generate
from app.models.carry import carry
from app.models.library import Library
from app.workflows.services import Services

_PATIENCE_MS = 60_000
_LONG, _SHORT = 400, 24  # tokens


class Day:
    """The program on one data folder, started as ``run`` starts it, and how a person uses it."""

    def __init__(self, qapp: QApplication, qtbot: QtBot, starter: Library) -> None:
        self._qapp = qapp
        self._qtbot = qtbot
        self._starter = starter
        self.max_tokens = _SHORT
        self.services: Services = build_services()
        given = desktop_services(self.services)
        prepare = given.prepare_turn

        def limited(*arguments: object, **named: object) -> Generate:
            turn = prepare(*arguments, **named)  # type: ignore[arg-type]
            return msgspec.structs.replace(turn, max_tokens=self.max_tokens)

        given = dataclasses.replace(given, prepare_turn=limited, ensure_starter=self._bring)
        self.instance = SingleInstance(given.data_root)
        assert self.instance.acquire()
        self.desktop = Desktop(qapp, given)
        self.instance.raise_asked.connect(self.desktop.show)
        with qtbot.waitSignal(self.desktop.inventory.models_listed, timeout=_PATIENCE_MS):
            self.desktop.start()

    def _bring(self, *_: object) -> None:
        """Stands in for the download: the same bytes, verified, from the tests' own store."""
        carry(self._starter.find("starter", backend="openvino"), self.services.library)

    def wait(self, condition: Callable[[], bool]) -> None:
        self._qtbot.waitUntil(condition, timeout=_PATIENCE_MS)

    def wait_idle(self) -> None:
        self.wait(lambda: self.desktop.runner.state is TurnState.IDLE)

    @property
    def last(self) -> Message:
        message = self.desktop.chats.current.last
        assert message is not None
        return message

    @property
    def titles(self) -> list[str]:
        return [chat.title for chat in self.desktop.chats.summaries]

    def type(self, text: str) -> None:
        field = self.desktop.window.composer.field
        field.selectAll()
        QTest.keyClicks(field, text)
        QTest.keyClick(field, Qt.Key.Key_Return)

    def ask(self, text: str) -> Message:
        """Types a question and waits for its whole answer."""
        self.type(text)
        self.wait(lambda: self.desktop.runner.state is not TurnState.IDLE)
        self.wait_idle()
        return self.last

    def answer_block(self) -> AnswerBlock:
        block = self.desktop.window.transcript.block(self.last.id)
        assert isinstance(block, AnswerBlock)
        return block

    def quit(self) -> None:
        """Quits as the menu does; within three seconds nothing is left."""
        pid = self.services.engine.pid
        started = time.monotonic()
        self.desktop.quit()
        self.desktop.close()
        self.instance.close()
        assert time.monotonic() - started < 3
        assert pid is None or not psutil.pid_exists(pid)


Start = Callable[[], Day]


@pytest.fixture
def start(qapp: QApplication, qtbot: QtBot, starter_store: Library) -> Iterator[Start]:
    days: list[Day] = []

    def begin() -> Day:
        days.append(Day(qapp, qtbot, starter_store))
        return days[-1]

    yield begin
    for day in days:
        day.desktop.close()
        day.instance.close()
        day.services.close()


@pytest.mark.real_model
@pytest.mark.timeout(300)
def test_a_whole_day(start: Start, data_root: DataRoot) -> None:
    day = start()
    _get_the_first_model(day)
    story = _ask_stop_and_go_on(day)
    capital = _edit_regenerate_and_switch(day)
    _rename_search_delete_and_undo(day)
    _change_a_setting(day, data_root)
    _start_a_second_time(day, data_root)
    quick = _ask_quickly(day)
    titles = day.titles
    day.quit()

    next_day = start()
    next_day.wait(lambda: next_day.titles == titles)
    assert next_day.desktop.theme.dark
    for title, text in ((titles[-1], story), ("Capitals", capital), (quick[0], quick[1])):
        chat = next(one for one in next_day.desktop.chats.summaries if one.title == title)
        next_day.desktop.window.chat_list.chosen.emit(chat.id)
        next_day.wait(lambda chat=chat: next_day.desktop.chats.current.id == chat.id)  # type: ignore[misc]
        assert next_day.last.text == text
    assert "Hello again" not in titles
    assert next_day.ask("Hello again").text
    next_day.quit()


def _get_the_first_model(day: Day) -> None:
    window = day.desktop.window
    assert day.desktop.runner.state is TurnState.NO_MODEL
    day.wait(window.first_run.button.isVisible)
    window.first_run.button.click()
    day.wait_idle()
    day.wait(window.composer.isVisible)


def _ask_stop_and_go_on(day: Day) -> str:
    """Returns the text of the story."""
    day.max_tokens = _LONG
    day.type("Write a long story about a lighthouse.")
    day.wait(lambda: len(day.last.text) > 40)
    assert day.titles == [] or day.desktop.runner.state is TurnState.ANSWERING
    QTest.keyClick(day.desktop.window.composer.field, Qt.Key.Key_Escape)
    day.wait_idle()
    stopped = day.last
    assert stopped.stamp is not None
    assert stopped.stamp.reason is FinishReason.CANCELLED
    day.answer_block().resume_button.click()
    day.wait(lambda: len(day.last.text) > len(stopped.text) + 20)
    day.desktop.runner.stop()
    day.wait_idle()
    assert day.last.id == stopped.id
    assert day.last.text.startswith(stopped.text)
    return day.last.text


def _edit_regenerate_and_switch(day: Day) -> str:
    """Returns the answer at the end of the shown branch."""
    day.max_tokens = _SHORT
    window, desktop = day.desktop.window, day.desktop
    window.new_chat_asked.emit()
    day.ask("What is the capital of Spain?")
    question = desktop.chats.current.path()[0]
    block = window.transcript.block(question.id)
    assert isinstance(block, QuestionBlock)
    block.edit_button.click()
    assert window.composer.text == question.text
    first = day.ask("What is the capital of France?")
    assert "Paris" in first.text
    day.answer_block().regenerate_button.click()
    day.wait(lambda: day.last.id != first.id)
    day.wait_idle()
    second = day.last
    chat = desktop.chats.current
    assert chat.siblings(second.id) == (first.id, second.id)
    assert len(chat.siblings(chat.path()[0].id)) == 2
    window.transcript.branch_chosen.emit(first.id)
    assert day.last.id == first.id
    return first.text


def _rename_search_delete_and_undo(day: Day) -> None:
    desktop, chat_list = day.desktop, day.desktop.window.chat_list
    chat_id = desktop.chats.current.id
    day.wait(lambda: len(day.titles) == 2)
    index = chat_list.model.index_of(chat_id)
    assert chat_list.model.setData(index, "Capitals")
    day.wait(lambda: "Capitals" in day.titles)
    chat_list.search.setText("France")
    day.wait(lambda: day.titles == ["Capitals"])
    chat_list.search.setText("lighthouse")
    day.wait(lambda: len(day.titles) == 1 and day.titles != ["Capitals"])
    chat_list.search.setText("")
    day.wait(lambda: len(day.titles) == 2)
    chat_list.removal_asked.emit(chat_id)
    day.wait(lambda: len(day.titles) == 1)
    chat_list.undo_asked.emit(chat_id)
    day.wait(lambda: "Capitals" in day.titles)


def _change_a_setting(day: Day, root: DataRoot) -> None:
    day.desktop.window.settings_asked.emit()
    settings = day.desktop.citizen.settings
    assert settings is not None
    looks = settings.rows["appearance"]
    assert isinstance(looks, QComboBox)
    looks.setCurrentIndex(2)
    looks.activated.emit(2)
    assert day.desktop.theme.dark
    day.wait(lambda: SettingsFile(root.settings_file).load().appearance == "dark")
    settings.close()


def _start_a_second_time(day: Day, root: DataRoot) -> None:
    """A second start ends at once and brings the hidden window back."""
    day.desktop.window.hide()
    second = subprocess.Popen(
        [sys.executable, "-m", "app"], cwd=Path(__file__).parents[2], stderr=subprocess.DEVNULL
    )
    try:
        day.wait(day.desktop.window.isVisible)
        assert second.wait(timeout=30) == 0
    finally:
        second.kill()
        second.wait()
    assert root.settings_file.exists()


def _ask_quickly(day: Day) -> tuple[str, str]:
    """Returns the title and the answer of the chat that the quick question became."""
    day.desktop.tray.quick_asked.emit()
    quick = day.desktop.citizen.quick
    QTest.keyClicks(quick.composer.field, "Name one colour.")
    QTest.keyClick(quick.composer.field, Qt.Key.Key_Return)
    day.wait(lambda: day.desktop.runner.state is not TurnState.IDLE)
    day.wait_idle()
    quick.open_button.click()
    day.wait(lambda: len(day.titles) == 3)
    assert day.last.text
    return "Name one colour.", day.last.text

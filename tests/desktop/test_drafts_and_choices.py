"""What is written and chosen in a chat stays with it, also after the next start."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.desktop.application import Desktop
from app.desktop.lifecycle import TurnState
from app.desktop.message_block import AnswerBlock, QuestionBlock
from tests.desktop.fake_engine import finished, text
from tests.desktop.rooms import Room

Start = Callable[[], tuple[Desktop, Room]]


@pytest.fixture
def start(tmp_path: Path, qapp: QApplication, qtbot: QtBot) -> Iterator[Start]:
    """Starts the program on one data folder, again and again; the earlier one is quit."""
    running: list[tuple[Desktop, Room]] = []

    def begin() -> tuple[Desktop, Room]:
        end()
        room = Room(tmp_path)
        desktop = Desktop(qapp, room.services)
        running.append((desktop, room))
        with qtbot.waitSignals(
            [
                desktop.inventory.models_listed,
                desktop.inventory.devices_listed,
                desktop.chats.listed,
            ]
        ):
            desktop.start()
        return desktop, room

    def end() -> None:
        while running:
            desktop, room = running.pop()
            desktop.quit()
            desktop.close()
            room.engine.close()
            room.chats.close()

    yield begin
    end()


def _turn(desktop: Desktop, room: Room, qtbot: QtBot, question: str, answer: str) -> None:
    before = len(room.engine.requests)
    desktop.window.composer.set_text("")
    desktop.window.composer.sent.emit(question)
    qtbot.waitUntil(lambda: len(room.engine.requests) > before)
    room.engine.say(text(room.engine.last, answer), finished(room.engine.last))
    qtbot.waitUntil(lambda: desktop.runner.state is TurnState.IDLE)


def _open(desktop: Desktop, qtbot: QtBot, chat: str) -> None:
    desktop.window.chat_list.chosen.emit(chat)
    qtbot.waitUntil(lambda: desktop.chats.current.id == chat)


def test_a_half_written_message_is_there_after_the_next_start(start: Start, qtbot: QtBot) -> None:
    desktop, _ = start()
    QTest.keyClicks(desktop.window.composer.field, "half a thou")
    desktop, _ = start()
    qtbot.waitUntil(lambda: desktop.window.composer.text == "half a thou")


def test_a_draft_is_stored_while_it_is_written(start: Start, qtbot: QtBot) -> None:
    desktop, room = start()
    QTest.keyClicks(desktop.window.composer.field, "half")
    qtbot.waitUntil(lambda: bool(room.chats.summaries()))
    assert room.chats.load(desktop.chats.current.id).draft == "half"
    desktop.window.composer.set_text("")
    qtbot.waitUntil(lambda: room.chats.summaries() == ())


def test_a_sent_draft_is_gone_and_its_chat_has_a_title(start: Start, qtbot: QtBot) -> None:
    desktop, room = start()
    QTest.keyClicks(desktop.window.composer.field, "one")
    qtbot.waitUntil(lambda: bool(room.chats.summaries()))
    _turn(desktop, room, qtbot, "one", "first")
    kept = room.chats.load(desktop.chats.current.id)
    assert kept.draft == ""
    assert [chat.title for chat in room.chats.summaries()] == ["one"]


def test_changing_a_message_leaves_the_draft_alone(start: Start, qtbot: QtBot) -> None:
    desktop, room = start()
    _turn(desktop, room, qtbot, "one", "first")
    composer, chat = desktop.window.composer, desktop.chats.current
    composer.set_text("later")
    desktop.window.transcript.edit_asked.emit(chat.path()[0].id)
    assert composer.text == "one"
    composer.escape()
    assert composer.text == "later"
    desktop.window.transcript.edit_asked.emit(chat.path()[0].id)
    composer.sent.emit("ONE")
    assert composer.text == "later"


def test_a_chat_keeps_its_model_and_device(start: Start, qtbot: QtBot) -> None:
    desktop, room = start()
    window = desktop.window
    window.models.setCurrentIndex(1)
    window.models.activated.emit(1)
    window.devices.setCurrentIndex(2)
    window.devices.activated.emit(2)
    _turn(desktop, room, qtbot, "one", "first")
    first = desktop.chats.current.id
    window.new_chat_asked.emit()
    window.models.setCurrentIndex(0)
    window.models.activated.emit(0)
    window.devices.setCurrentIndex(0)
    window.devices.activated.emit(0)
    _turn(desktop, room, qtbot, "two", "second")
    second = desktop.chats.current.id
    desktop, room = start()
    _open(desktop, qtbot, first)
    assert desktop.window.models.currentIndex() == 1
    assert desktop.window.devices.currentIndex() == 2
    _turn(desktop, room, qtbot, "more", "third")
    assert room.turns[-1][:2] == ("smollm2-135m-instruct", "GPU")
    _open(desktop, qtbot, second)
    assert desktop.window.models.currentIndex() == 0
    assert desktop.window.devices.currentIndex() == 0


def test_a_pinned_chat_stays_on_top(start: Start, qtbot: QtBot) -> None:
    desktop, room = start()
    _turn(desktop, room, qtbot, "one", "first")
    first = desktop.chats.current.id
    desktop.window.new_chat_asked.emit()
    _turn(desktop, room, qtbot, "two", "second")
    desktop.window.chat_list.pin_asked.emit(first, True)
    qtbot.waitUntil(lambda: [chat.pinned for chat in desktop.chats.summaries] == [True, False])
    desktop, room = start()
    assert [(chat.title, chat.pinned) for chat in desktop.chats.summaries] == [
        ("one", True),
        ("two", False),
    ]


def test_a_deleted_message_takes_what_follows_and_comes_back(start: Start, qtbot: QtBot) -> None:
    desktop, room = start()
    _turn(desktop, room, qtbot, "one", "first")
    _turn(desktop, room, qtbot, "two", "second")
    chat, transcript = desktop.chats.current, desktop.window.transcript
    block = transcript.block(chat.path()[2].id)
    assert isinstance(block, QuestionBlock)
    block.delete_button.click()
    qtbot.waitUntil(lambda: transcript.banner is not None)
    assert [message.text for message in chat.path()] == ["one", "first"]
    banner = transcript.banner
    assert banner is not None
    assert banner.accessibleName().startswith("2 messages were deleted.")
    assert banner.button is not None
    banner.button.click()
    qtbot.waitUntil(lambda: len(chat.path()) == 4)
    assert transcript.banner is None
    assert [message.text for message in chat.path()] == ["one", "first", "two", "second"]


def test_deleting_a_running_answer_stops_it_first(start: Start, qtbot: QtBot) -> None:
    desktop, room = start()
    desktop.window.composer.sent.emit("one")
    qtbot.waitUntil(lambda: bool(room.engine.requests))
    room.engine.say(text(room.engine.last, "Once"))
    qtbot.waitUntil(lambda: desktop.runner.state is TurnState.ANSWERING)
    chat = desktop.chats.current
    answer = desktop.window.transcript.block(chat.path()[1].id)
    assert isinstance(answer, AnswerBlock)
    desktop.window.transcript.delete_asked.emit(answer.message.id)
    qtbot.waitUntil(lambda: room.engine.cancelled == [room.engine.last])
    room.engine.say(finished(room.engine.last))
    qtbot.waitUntil(lambda: desktop.window.transcript.banner is not None)
    assert [message.text for message in chat.path()] == ["one"]


def test_a_title_is_automatic_until_it_is_chosen_and_again_when_it_is_emptied(
    start: Start, qtbot: QtBot
) -> None:
    desktop, room = start()
    _turn(desktop, room, qtbot, "one", "first")
    desktop.runner.edit(desktop.chats.current, desktop.chats.current.path()[0].id, "ONE")
    qtbot.waitUntil(lambda: len(room.engine.requests) == 2)
    room.engine.say(finished(room.engine.last))
    qtbot.waitUntil(lambda: [chat.title for chat in desktop.chats.summaries] == ["ONE"])
    model = desktop.window.chat_list.model
    model.setData(model.index(0), "Mine")
    qtbot.waitUntil(lambda: [chat.title for chat in desktop.chats.summaries] == ["Mine"])
    model.setData(model.index(0), "")
    qtbot.waitUntil(lambda: [chat.title for chat in desktop.chats.summaries] == ["one"])

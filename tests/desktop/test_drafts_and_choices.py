"""What is written and chosen in a chat stays with it, also after the next start."""

from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.desktop.application import Desktop
from app.desktop.lifecycle import TurnState
from app.desktop.message_block import AnswerBlock, QuestionBlock
from app.engine.outcome import FinishReason
from tests.desktop.fake_engine import finished, text
from tests.desktop.rooms import Start, take_turn


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
    take_turn(desktop, room, qtbot, "one", "first")
    kept = room.chats.load(desktop.chats.current.id)
    assert kept.draft == ""
    assert [chat.title for chat in room.chats.summaries()] == ["one"]


def test_changing_a_message_leaves_the_draft_alone(start: Start, qtbot: QtBot) -> None:
    desktop, room = start()
    take_turn(desktop, room, qtbot, "one", "first")
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
    take_turn(desktop, room, qtbot, "one", "first")
    first = desktop.chats.current.id
    window.new_chat_asked.emit()
    window.models.setCurrentIndex(0)
    window.models.activated.emit(0)
    window.devices.setCurrentIndex(0)
    window.devices.activated.emit(0)
    take_turn(desktop, room, qtbot, "two", "second")
    second = desktop.chats.current.id
    desktop, room = start()
    _open(desktop, qtbot, first)
    assert desktop.window.models.currentIndex() == 1
    assert desktop.window.devices.currentIndex() == 2
    take_turn(desktop, room, qtbot, "more", "third")
    assert room.turns[-1][:2] == ("smollm2-135m-instruct", "GPU")
    _open(desktop, qtbot, second)
    assert desktop.window.models.currentIndex() == 0
    assert desktop.window.devices.currentIndex() == 0


def test_a_pinned_chat_stays_on_top(start: Start, qtbot: QtBot) -> None:
    desktop, room = start()
    take_turn(desktop, room, qtbot, "one", "first")
    first = desktop.chats.current.id
    desktop.window.new_chat_asked.emit()
    take_turn(desktop, room, qtbot, "two", "second")
    desktop.window.chat_list.pin_asked.emit(first, True)
    qtbot.waitUntil(lambda: [chat.pinned for chat in desktop.chats.summaries] == [True, False])
    desktop, room = start()
    assert [(chat.title, chat.pinned) for chat in desktop.chats.summaries] == [
        ("one", True),
        ("two", False),
    ]


def test_a_deleted_message_takes_what_follows_and_comes_back(start: Start, qtbot: QtBot) -> None:
    desktop, room = start()
    take_turn(desktop, room, qtbot, "one", "first")
    take_turn(desktop, room, qtbot, "two", "second")
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
    take_turn(desktop, room, qtbot, "one", "first")
    desktop.runner.edit(desktop.chats.current, desktop.chats.current.path()[0].id, "ONE")
    qtbot.waitUntil(lambda: len(room.engine.requests) == 2)
    room.engine.say(finished(room.engine.last))
    qtbot.waitUntil(lambda: [chat.title for chat in desktop.chats.summaries] == ["ONE"])
    model = desktop.window.chat_list.model
    model.setData(model.index(0), "Mine")
    qtbot.waitUntil(lambda: [chat.title for chat in desktop.chats.summaries] == ["Mine"])
    model.setData(model.index(0), "")
    qtbot.waitUntil(lambda: [chat.title for chat in desktop.chats.summaries] == ["one"])


def test_an_answer_in_circles_says_so_and_is_tried_with_more_freedom(
    start: Start, qtbot: QtBot
) -> None:
    desktop, room = start()
    desktop.window.composer.sent.emit("one")
    qtbot.waitUntil(lambda: bool(room.engine.requests))
    request = room.engine.last
    room.engine.say(text(request, "la la la"), finished(request, FinishReason.REPETITION))
    qtbot.waitUntil(lambda: desktop.window.transcript.banner is not None)
    banner, chat = desktop.window.transcript.banner, desktop.chats.current
    assert banner is not None
    assert banner.button is not None
    assert "going round in circles" in banner.accessibleName()
    assert [message.text for message in chat.path()] == ["one", "la la la"]
    banner.button.click()
    qtbot.waitUntil(lambda: len(room.engine.requests) == 2)
    assert room.wishes[0].temperature is None
    assert room.wishes[1].temperature == 0.7
    assert room.wishes[1].seed is None
    assert len(chat.siblings(chat.path()[1].id)) == 2
    assert chat.settings.sampling.temperature is None
    room.engine.say(text(room.engine.last, "Paris"), finished(room.engine.last))
    qtbot.waitUntil(lambda: desktop.runner.state is TurnState.IDLE)

"""The window on the real chat store: what was said is there after the next start."""

from pytestqt.qtbot import QtBot

from app.desktop.application import Desktop
from app.desktop.lifecycle import TurnState
from app.desktop.message_block import AnswerBlock
from app.engine.outcome import FinishReason
from tests.desktop.fake_engine import failed, finished, text, thought
from tests.desktop.rooms import Room, Start


def _ask(desktop: Desktop, room: Room, qtbot: QtBot, question: str) -> str:
    before = len(room.engine.requests)
    desktop.window.composer.sent.emit(question)
    qtbot.waitUntil(lambda: len(room.engine.requests) > before)
    return room.engine.last


def _answer(desktop: Desktop, room: Room, qtbot: QtBot, answer: str) -> None:
    request = room.engine.last
    room.engine.say(text(request, answer), finished(request))
    qtbot.waitUntil(lambda: desktop.runner.state is TurnState.IDLE)


def _open_first(desktop: Desktop, qtbot: QtBot) -> list[str]:
    with qtbot.waitSignal(desktop.chats.shown):
        desktop.window.chat_list.chosen.emit(desktop.chats.summaries[0].id)
    return [message.text for message in desktop.chats.current.path()]


def test_a_chat_is_there_after_the_next_start(start: Start, qtbot: QtBot) -> None:
    desktop, room = start()
    request = _ask(desktop, room, qtbot, "one")
    room.engine.say(thought(request, "hm"))
    _answer(desktop, room, qtbot, "first")
    _ask(desktop, room, qtbot, "two")
    _answer(desktop, room, qtbot, "second")
    stamp = desktop.chats.current.path()[1].stamp
    desktop, room = start()
    assert [chat.title for chat in desktop.chats.summaries] == ["one"]
    assert _open_first(desktop, qtbot) == ["one", "first", "two", "second"]
    kept = desktop.chats.current.path()[1]
    assert kept.thinking == "hm"
    assert kept.stamp == stamp
    _ask(desktop, room, qtbot, "three")
    assert [m.content for m in room.turns[-1][2]] == ["one", "first", "two", "second", "three"]
    _answer(desktop, room, qtbot, "third")


def test_branches_and_the_shown_one_are_kept(start: Start, qtbot: QtBot) -> None:
    desktop, room = start()
    _ask(desktop, room, qtbot, "one")
    _answer(desktop, room, qtbot, "first")
    chat = desktop.chats.current
    desktop.runner.regenerate(chat, chat.path()[1].id)
    qtbot.waitUntil(lambda: len(room.engine.requests) == 2)
    _answer(desktop, room, qtbot, "other")
    desktop.runner.edit(chat, chat.path()[0].id, "ONE")
    qtbot.waitUntil(lambda: len(room.engine.requests) == 3)
    _answer(desktop, room, qtbot, "loud")
    desktop.window.transcript.branch_chosen.emit(chat.siblings(chat.path()[0].id)[0])
    desktop.window.transcript.branch_chosen.emit(chat.siblings(chat.path()[1].id)[0])
    assert [message.text for message in chat.path()] == ["one", "first"]
    desktop, room = start()
    assert _open_first(desktop, qtbot) == ["one", "first"]
    again = desktop.chats.current
    assert len(again.siblings(again.path()[0].id)) == 2
    assert len(again.siblings(again.path()[1].id)) == 2


def test_an_answer_that_died_goes_on_after_the_next_start(start: Start, qtbot: QtBot) -> None:
    desktop, room = start()
    request = _ask(desktop, room, qtbot, "one")
    room.engine.say(text(request, "Once "), failed(request))
    qtbot.waitUntil(lambda: desktop.runner.state is TurnState.IDLE)
    desktop, room = start()
    assert _open_first(desktop, qtbot) == ["one", "Once "]
    last = desktop.chats.current.last
    assert last is not None
    assert last.stamp is not None
    assert last.stamp.error is not None
    block = desktop.window.transcript.block(last.id)
    assert isinstance(block, AnswerBlock)
    block.resume_button.click()
    qtbot.waitUntil(lambda: bool(room.engine.requests))
    _answer(desktop, room, qtbot, "upon a time.")
    desktop, room = start()
    assert _open_first(desktop, qtbot) == ["one", "Once upon a time."]
    last = desktop.chats.current.last
    assert last is not None
    assert last.stamp is not None
    assert last.stamp.reason is FinishReason.STOP


def test_renamed_deleted_and_brought_back(start: Start, qtbot: QtBot) -> None:
    desktop, room = start()
    _ask(desktop, room, qtbot, "one")
    _answer(desktop, room, qtbot, "first")
    side = desktop.window.chat_list
    qtbot.waitUntil(lambda: side.model.rowCount() == 1)
    chat = side.model.id_at(side.model.index(0))
    side.model.setData(side.model.index(0), "My title")
    side.removal_asked.emit(chat)
    qtbot.waitUntil(lambda: side.model.rowCount() == 0)
    side.undo_asked.emit(chat)
    qtbot.waitUntil(lambda: side.model.rowCount() == 1)
    desktop, room = start()
    assert [one.title for one in desktop.chats.summaries] == ["My title"]


def test_quitting_in_an_answer_keeps_what_was_streamed(start: Start, qtbot: QtBot) -> None:
    desktop, room = start()
    request = _ask(desktop, room, qtbot, "one")
    room.engine.say(text(request, "Once upon"))
    qtbot.waitUntil(lambda: desktop.runner.state is TurnState.ANSWERING)
    desktop, room = start()
    assert _open_first(desktop, qtbot) == ["one", "Once upon"]


def test_a_word_of_an_answer_finds_its_chat(start: Start, qtbot: QtBot) -> None:
    desktop, room = start()
    for question, answer in (("one", "The river Seine"), ("two", "The river Tiber")):
        _ask(desktop, room, qtbot, question)
        _answer(desktop, room, qtbot, answer)
        desktop.window.new_chat_asked.emit()
    desktop, room = start()
    desktop.window.chat_list.search.setText("seine")
    qtbot.waitUntil(lambda: [chat.title for chat in desktop.chats.summaries] == ["one"])
    assert "Seine" in desktop.chats.summaries[0].excerpt

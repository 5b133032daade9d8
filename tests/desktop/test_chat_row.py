"""A row that a search found: what matched is in sight and marked, and the press leads there."""

from PySide6.QtGui import QColor, QImage
from pytestqt.qtbot import QtBot

from app.chats.records import Excerpt
from app.desktop.application import Desktop
from app.desktop.chat_row import from_first_mark
from app.desktop.kept_chats import _one_line
from app.desktop.theme import LIGHT
from tests.desktop.fake_engine import finished, text
from tests.desktop.rooms import Room, take_turn


def test_a_cut_text_begins_at_a_word_before_the_first_mark() -> None:
    text = "one two three four five six seven"
    cut, marks = from_first_mark(text, ((19, 23),))
    assert cut == "…three four five six seven"
    assert [cut[start:end] for start, end in marks] == ["five"]
    assert from_first_mark(text, ((4, 7),)) == (text, ((4, 7),))
    cut, marks = from_first_mark("a" * 40 + "key", ((40, 43),))
    assert (cut, cut[slice(*marks[0])]) == ("…" + "a" * 12 + "key", "key")


def test_marks_follow_their_words_into_one_line() -> None:
    excerpt = Excerpt(text="  def key():\n        return key\n", highlights=((6, 9), (28, 31)))
    line, marks = _one_line(excerpt)
    assert line == "def key(): return key"
    assert [line[start:end] for start, end in marks] == ["key", "key"]


def _has(picture: QImage, colour: str) -> bool:
    wanted = QColor(colour).rgb()
    return any(
        picture.pixel(x, y) == wanted
        for x in range(picture.width())
        for y in range(picture.height())
    )


def test_what_was_found_is_marked_and_shown(desktop: Desktop, room: Room, qtbot: QtBot) -> None:
    take_turn(desktop, room, qtbot, "Where is it?", "\n\n".join(f"line {n}" for n in range(80)))
    take_turn(desktop, room, qtbot, "And the needle?", "A **needle**.")
    chat = desktop.chats.current.id
    for number in range(6):
        take_turn(desktop, room, qtbot, f"Question {number}", "word " * 400)
    side = desktop.window.chat_list
    desktop.window.chat_list.chosen.emit(chat)
    assert not _has(side.grab().toImage(), LIGHT.selection)
    side.search.setText("needle")
    qtbot.waitUntil(lambda: [c.found for c in desktop.chats.summaries] != [None])
    (found,) = desktop.chats.summaries
    assert found.excerpt_marks
    assert found.found in {message.id for message in desktop.chats.current.path()[2:4]}
    qtbot.waitUntil(lambda: _has(side.grab().toImage(), LIGHT.selection))
    side.chosen.emit(chat)
    transcript = desktop.window.transcript

    def in_sight() -> bool:
        block = transcript.block(found.found or "")
        assert block is not None
        top = block.mapTo(transcript.viewport(), block.rect().topLeft()).y()
        return 0 <= top <= transcript.viewport().height() // 2

    qtbot.waitUntil(in_sight)
    assert not transcript.following
    transcript.follow()
    assert transcript.following


def test_a_match_on_another_branch_is_shown(desktop: Desktop, room: Room, qtbot: QtBot) -> None:
    take_turn(desktop, room, qtbot, "Which?", "The needle.")
    first = desktop.chats.current.path()[1]
    desktop.runner.regenerate(desktop.chats.current, first.id)
    qtbot.waitUntil(lambda: len(room.engine.requests) == 2)
    room.engine.say(text(room.engine.last, "Hay."), finished(room.engine.last))
    qtbot.waitUntil(lambda: not desktop.runner.busy())
    assert desktop.chats.current.path()[1].text == "Hay."
    desktop.window.chat_list.search.setText("needle")
    qtbot.waitUntil(lambda: [c.found for c in desktop.chats.summaries] == [first.id])
    desktop.window.chat_list.chosen.emit(desktop.chats.current.id)
    assert desktop.chats.current.path()[1].text == "The needle."

"""The list of chats: found, renamed, deleted and brought back."""

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QListView, QPushButton
from pytestqt.qtbot import QtBot

from app.core.paths import resources_dir
from app.desktop.application import Desktop
from app.desktop.chat_list import ChatListModel
from app.desktop.conversation import ChatSummary
from tests.desktop.fake_engine import finished, text
from tests.desktop.rooms import Room


def _ask(desktop: Desktop, room: Room, qtbot: QtBot, question: str) -> None:
    before = len(room.engine.requests)
    desktop.window.composer.sent.emit(question)
    qtbot.waitUntil(lambda: len(room.engine.requests) > before)
    with qtbot.waitSignal(desktop.runner.answer_finished):
        room.engine.say(text(room.engine.last, "Well."), finished(room.engine.last))


def _titles(desktop: Desktop) -> list[str]:
    view = desktop.window.chat_list.findChild(QListView)
    assert isinstance(view, QListView)
    model = view.model()
    return [str(model.index(row, 0).data()) for row in range(model.rowCount())]


def test_chats_are_listed_found_and_renamed(desktop: Desktop, room: Room, qtbot: QtBot) -> None:
    assert resources_dir().is_dir()
    _ask(desktop, room, qtbot, "About Paris")
    desktop.window.new_chat_asked.emit()
    _ask(desktop, room, qtbot, "About Rome")
    qtbot.waitUntil(lambda: _titles(desktop) == ["About Rome", "About Paris"])
    side = desktop.window.chat_list
    side.search.setText("paris")
    qtbot.waitUntil(lambda: _titles(desktop) == ["About Paris"])
    side.search.setText("nowhere")
    qtbot.waitUntil(lambda: _titles(desktop) == [])
    side.search.clear()
    qtbot.waitUntil(lambda: len(_titles(desktop)) == 2)
    side.model.setData(side.model.index(0), "The eternal city")
    qtbot.waitUntil(lambda: room.chats.summaries()[0].title == "The eternal city")


def test_escape_clears_the_search_then_goes_back_to_the_input(
    desktop: Desktop, room: Room, qtbot: QtBot
) -> None:
    _ask(desktop, room, qtbot, "About Paris")
    window, search = desktop.window, desktop.window.chat_list.search
    window.composer.sent.emit("and Rome?")  # an answer runs meanwhile
    qtbot.waitUntil(lambda: len(room.engine.requests) == 2)
    window.activateWindow()
    search.setFocus()
    QTest.keyClicks(search, "nowhere")
    qtbot.waitUntil(lambda: _titles(desktop) == [])
    QTest.keyClick(search, Qt.Key.Key_Escape)
    assert search.text() == ""
    assert search.hasFocus()
    qtbot.waitUntil(lambda: _titles(desktop) == ["About Paris"])
    QTest.keyClick(search, Qt.Key.Key_Escape)
    assert window.composer.field.hasFocus()
    assert room.engine.cancelled == []
    QTest.keyClick(window.composer.field, Qt.Key.Key_Escape)
    assert room.engine.cancelled == [room.engine.last]


def test_a_list_that_goes_away_leaves_the_keys_to_the_input(desktop: Desktop) -> None:
    window, field = desktop.window, desktop.window.composer.field
    window.activateWindow()
    window.chat_list.search.setFocus()
    window.resize(400, 500)
    assert not window.chat_list.isVisible()
    assert field.hasFocus()
    window.resize(1000, 700)
    window.chat_list.search.setFocus()
    QTest.keyClick(window, Qt.Key.Key_B, Qt.KeyboardModifier.ControlModifier)
    assert not window.chat_list.isVisible()
    assert field.hasFocus()


def test_escape_anywhere_else_in_the_window_stops_the_answer(
    desktop: Desktop, room: Room, qtbot: QtBot
) -> None:
    desktop.window.composer.sent.emit("About Paris")
    qtbot.waitUntil(lambda: bool(room.engine.requests))
    view = desktop.window.chat_list.findChild(QListView)
    assert isinstance(view, QListView)
    desktop.window.activateWindow()
    view.setFocus()
    QTest.keyClick(view, Qt.Key.Key_Escape)
    assert room.engine.cancelled == [room.engine.last]


def test_a_deleted_chat_can_be_brought_back(desktop: Desktop, room: Room, qtbot: QtBot) -> None:
    _ask(desktop, room, qtbot, "About Paris")
    chat = desktop.chats.current.id
    qtbot.waitUntil(lambda: _titles(desktop) == ["About Paris"])
    side = desktop.window.chat_list
    side.mark(chat)
    view = side.findChild(QListView)
    assert isinstance(view, QListView)
    view.actions()[2].trigger()
    qtbot.waitUntil(lambda: _titles(desktop) == [])
    assert desktop.chats.current.id != chat
    undo = next(b for b in side.findChildren(QPushButton) if b.isVisible())
    undo.click()
    qtbot.waitUntil(lambda: _titles(desktop) == ["About Paris"])
    side.chosen.emit(chat)
    qtbot.waitUntil(lambda: desktop.chats.current.id == chat)
    assert [m.text for m in desktop.chats.current.path()] == ["About Paris", "Well."]


def test_a_changed_title_repaints_and_does_not_reset(qtbot: QtBot) -> None:
    model = ChatListModel()
    model.set_chats((ChatSummary(id="a", title="one"), ChatSummary(id="b", title="two")))
    with qtbot.assertNotEmitted(model.modelReset), qtbot.waitSignal(model.dataChanged):
        model.set_chats((ChatSummary(id="a", title="ONE"), ChatSummary(id="b", title="two")))
    assert model.index(0).data() == "ONE"
    with qtbot.waitSignal(model.renamed):
        assert model.setData(model.index(0), "  ")
    assert model.index(0).data() == "ONE"

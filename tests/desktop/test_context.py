"""The context of the shown chat: pinned files, the bar, the panel, and what is read ahead."""

import itertools
from pathlib import Path

import msgspec
import pytest
from PySide6.QtCore import QMimeData, QPoint, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

from app.chats.records import OverflowChoice, SamplingFields
from app.core.errors import ErrorKind, ErrorRecord
from app.desktop.application import Desktop
from app.desktop.context import words
from app.desktop.context.parts import Group, parts_of
from app.desktop.context.warmth import IdleWarmth
from app.desktop.context.watch import unread_beginning
from app.desktop.lifecycle import TurnState
from app.engine.chat import ChatMessage, Role
from app.engine.manifest import SegmentKind
from app.engine.protocol import Generate, new_request_id
from app.engine.spec import LoadSpec, ScriptedRuntime
from app.workflows.context import ChatParts, chat_segments, with_context
from app.workflows.context_files import pin
from app.workflows.context_pins import PinState
from tests.desktop.fake_engine import counted
from tests.desktop.rooms import Room, Start, take_turn


@pytest.fixture
def note(tmp_path: Path) -> Path:
    path = tmp_path / "note.md"
    path.write_text("word " * 80)
    return path


def pinned(desktop: Desktop, qtbot: QtBot, *paths: Path) -> None:
    """Pins ``paths`` and waits until they are shown."""
    with qtbot.waitSignal(desktop.context.pins.changed):
        desktop.context.pins.pin(list(paths))


def request(parts: ChatParts) -> Generate:
    spec = LoadSpec(
        model_name="m",
        model_path="",
        model_digest="d",
        context_tokens=1000,
        runtime=ScriptedRuntime(),
    )
    empty = Generate(request=new_request_id(), spec=spec, messages=())
    return with_context(empty, chat_segments(parts))


def test_files_are_shown_with_their_tokens_and_reach_the_model(
    desktop: Desktop, room: Room, qtbot: QtBot, note: Path
) -> None:
    pinned(desktop, qtbot, note)
    (chip,) = desktop.window.pins.chips
    qtbot.waitUntil(lambda: "84" in chip.label.text())  # with the words of its fence
    take_turn(desktop, room, qtbot, "What is in it?", "Words.")
    sent = room.engine.requests[-1]
    assert isinstance(sent, Generate)
    assert sent.messages[0].role is Role.SYSTEM
    assert note.read_text() in sent.messages[0].content
    assert chip.label.accessibleName().startswith("Pinned file: note.md\n")


def test_files_survive_a_restart_and_can_be_removed(start: Start, qtbot: QtBot, note: Path) -> None:
    desktop, room = start()
    pinned(desktop, qtbot, note)
    take_turn(desktop, room, qtbot, "one", "two")
    chat = desktop.chats.current.id
    desktop, room = start()
    desktop.chats.show(chat)
    qtbot.waitUntil(lambda: len(desktop.window.pins.chips) == 1)
    desktop.window.pins.chips[0].remove.click()
    qtbot.waitUntil(lambda: desktop.window.pins.chips == [])
    assert room.chats.pins.of(chat) == ()


def test_a_changed_file_says_so_and_is_read_again_on_demand(
    desktop: Desktop, room: Room, qtbot: QtBot, note: Path
) -> None:
    pinned(desktop, qtbot, note)
    note.write_text("other")
    desktop.context.pins.refresh()
    qtbot.waitUntil(
        lambda: [one.pin.state for one in desktop.window.pins.chips] == [PinState.CHANGED]
    )
    (chip,) = desktop.window.pins.chips
    assert "changed" in chip.label.text()
    assert chip.renew is not None
    with qtbot.waitSignal(desktop.context.pins.changed):
        chip.renew.click()
    (segment,) = room.chats.pins.segments(desktop.chats.current.id)
    assert segment.text == "other"
    assert desktop.window.pins.chips[0].pin.state is PinState.SAME


def test_a_file_that_is_no_text_is_refused_with_a_sentence(
    desktop: Desktop, qtbot: QtBot, tmp_path: Path
) -> None:
    bad = tmp_path / "bad.bin"
    bad.write_bytes(bytes(range(256)) * 8)
    with qtbot.waitSignal(desktop.context.pins.failed):
        desktop.context.pins.pin([bad])
        assert not desktop.window.pins.reading.isHidden()
    assert desktop.window.pins.isHidden()
    banner = desktop.window.transcript.banner
    assert banner is not None
    assert "bad.bin is no text file." in banner.accessibleName()


def test_pasted_files_are_pinned_and_pasted_text_is_text(
    desktop: Desktop, qtbot: QtBot, note: Path
) -> None:
    field = desktop.window.composer.field
    files = QMimeData()
    files.setUrls([QUrl.fromLocalFile(str(note))])
    assert not field.canInsertFromMimeData(files), "a drop goes to the window"
    with qtbot.waitSignal(desktop.context.pins.changed):
        field.insertFromMimeData(files)
    assert field.toPlainText() == ""
    words = QMimeData()
    words.setText("plain")
    field.insertFromMimeData(words)
    assert field.toPlainText() == "plain"


def test_files_that_are_dropped_on_the_window_are_pinned(
    desktop: Desktop, qtbot: QtBot, note: Path
) -> None:
    files = QMimeData()
    files.setUrls([QUrl.fromLocalFile(str(note))])
    place, copy, left = QPoint(400, 300), Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton
    none = Qt.KeyboardModifier.NoModifier
    enter = QDragEnterEvent(place, copy, files, left, none)
    QApplication.sendEvent(desktop.window, enter)
    assert enter.isAccepted()
    with qtbot.waitSignal(desktop.context.pins.changed):
        QApplication.sendEvent(desktop.window, QDropEvent(place, copy, files, left, none))
    assert [chip.pin.name for chip in desktop.window.pins.chips] == ["note.md"]


def test_a_pasted_diff_is_told_apart_from_what_is_said(
    desktop: Desktop, room: Room, qtbot: QtBot
) -> None:
    diff = "--- a/x.py\n+++ b/x.py\n@@ -1,2 +1,2 @@\n-print(1)\n+print(2)"
    take_turn(desktop, room, qtbot, f"What does this do?\n{diff}", "It counts.")
    sent = room.engine.requests[-1]
    assert isinstance(sent, Generate)
    assert sent.messages[-1].content == f'What does this do?\n~~~ diff "pasted"\n{diff}\n~~~'


def test_a_chat_that_holds_nothing_is_not_counted(
    desktop: Desktop, room: Room, qtbot: QtBot
) -> None:
    desktop.context.watch.look()
    with qtbot.waitSignal(desktop.context.watch.counted):
        pass
    assert room.engine.counts == []
    assert desktop.window.context_bar.isHidden()


def test_the_bar_says_what_the_next_turn_takes(
    desktop: Desktop, room: Room, qtbot: QtBot, note: Path
) -> None:
    room.engine.report = lambda turn: counted(turn, reused=50)
    pinned(desktop, qtbot, note)
    desktop.window.composer.set_text("one two three")
    bar = desktop.window.context_bar
    qtbot.waitUntil(lambda: bar.figure == "87 of 8,192 tokens")
    sentence = bar.accessibleDescription()
    assert "Pinned files: 84" in sentence
    assert "Your message: 3" in sentence
    assert "50 of them are read already." in sentence


def test_in_a_narrow_window_the_bar_and_the_status_lie_beside_each_other(
    desktop: Desktop, room: Room, qtbot: QtBot
) -> None:
    take_turn(desktop, room, qtbot, "one", "two " * 500)
    window, bar = desktop.window, desktop.window.context_bar
    qtbot.waitUntil(lambda: not bar.isHidden())
    window.resize(window.minimumSize())
    window.status.setText("A status that is far longer than such a small window is wide. " * 2)
    qtbot.waitUntil(lambda: bar.width() >= bar.minimumSizeHint().width())
    assert window.width() == window.minimumWidth()
    assert window.status.geometry().right() < bar.geometry().left()


def test_the_bar_says_what_is_too_long_to_be_counted(
    desktop: Desktop, room: Room, qtbot: QtBot
) -> None:
    room.engine.count_error = ErrorRecord(
        kind=ErrorKind.USER,
        code="context_overflow",
        message="It has at least 9,000 tokens; the context holds 8,192.",
        remedy="Shorten it.",
    )
    desktop.window.composer.set_text("word")
    bar = desktop.window.context_bar
    qtbot.waitUntil(lambda: bar.figure == "Too long")
    assert "at least 9,000 tokens" in bar.accessibleDescription()


def test_the_panel_shows_the_parts_and_whether_the_reuse_was_foreseen(
    desktop: Desktop, room: Room, qtbot: QtBot, note: Path
) -> None:
    room.engine.report = lambda turn: counted(turn, reused=8)
    pinned(desktop, qtbot, note)
    take_turn(desktop, room, qtbot, "one", "two")
    qtbot.waitUntil(lambda: not desktop.window.context_bar.isHidden())
    desktop.window.context_bar.click()
    panel = desktop.context.panel
    assert panel is not None
    texts = {label.text() for label in panel.findChildren(type(panel._sums))}
    assert {"Pinned file", "note.md", "Earlier messages", "2 messages"} <= texts
    assert "0 tokens predicted; this pipeline measures nothing" in texts
    panel.choice.setCurrentIndex(1)
    panel.choice.activated.emit(1)
    context = desktop.chats.current.settings.context
    assert context.on_overflow is OverflowChoice.LEAVE_OUT_OLDEST
    panel.close()
    assert desktop.context.panel is None


def test_why_nothing_is_reused_is_said_in_words() -> None:
    turn = request(ChatParts(system="Be terse.", turn="one"))
    report = counted(turn, reused=0)
    assert "has not read this beginning" in words.why_not(report)
    changed = msgspec.structs.replace(report, differs_in="stable_token_sha256")
    assert "other instructions or files" in words.why_not(changed)
    other = msgspec.structs.replace(report, differs_in="kv_precision")
    assert words.why_not(other) == "The last turn differs in kv_precision."


def test_what_a_turn_begins_with_is_read_ahead_once_while_it_is_written(
    desktop: Desktop, room: Room, qtbot: QtBot, note: Path
) -> None:
    room.engine.report = lambda turn: counted(turn, reused=0)
    pinned(desktop, qtbot, note)
    desktop.window.composer.set_text("Wha")
    qtbot.waitUntil(lambda: len(room.engine.prefills) == 1)
    ahead = room.engine.prefills[0].turn
    assert note.read_text() in ahead.messages[0].content
    assert all("Wha" not in one.content for one in ahead.messages)
    before = len(room.engine.counts)
    desktop.window.composer.set_text("What")
    qtbot.waitUntil(lambda: len(room.engine.counts) > before)
    assert len(room.engine.prefills) == 1


def test_a_turn_ends_what_is_read_ahead(
    desktop: Desktop, room: Room, qtbot: QtBot, note: Path
) -> None:
    room.engine.report = lambda turn: counted(turn, reused=0)
    room.engine.reads_ahead_at_once = False
    pinned(desktop, qtbot, note)
    desktop.window.composer.set_text("What")
    qtbot.waitUntil(lambda: len(room.engine.prefills) == 1)
    take_turn(desktop, room, qtbot, "What?", "That.")
    assert room.engine.prefills[0].request in room.engine.cancelled


class _Warmer:
    """Warms each chat once."""

    def __init__(self) -> None:
        self.noted: list[str] = []
        self.left: list[str] = []

    def note_turn(self, chat: str, turn: Generate) -> None:
        self.noted.append(chat)
        self.left.append(chat)

    def forget(self, chat: str) -> None:
        self.left.remove(chat)

    def warm_next(self) -> str | None:
        return self.left.pop() if self.left else None


def test_the_beginnings_of_chats_are_read_again_while_nothing_happens(
    desktop: Desktop, room: Room, qtbot: QtBot
) -> None:
    warmer = _Warmer()
    warmth = IdleWarmth(warmer, desktop.runner, desktop, idle_ms=20)
    warmed: list[str] = []
    warmth.warmed.connect(warmed.append)
    take_turn(desktop, room, qtbot, "one", "two")
    first = desktop.chats.current.id
    qtbot.waitUntil(lambda: warmed == [first])
    assert desktop.runner.state is TurnState.IDLE
    desktop.desk.new_chat()
    take_turn(desktop, room, qtbot, "three", "four")
    qtbot.waitUntil(lambda: warmed == [first, desktop.chats.current.id])
    warmth.close()


def test_the_parts_are_all_of_the_prompt_in_its_order(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a b c")
    parts = ChatParts(
        system="Be terse.",
        pinned=pin([tmp_path / "a.txt"]),
        history=(ChatMessage(role=Role.USER, content="one two"),),
        turn="three",
    )
    for reused in (0, 3, 9, 100):
        report = counted(request(parts), reused=reused)
        found = parts_of(report)
        assert [one.group for one in found] == list(Group)
        assert sum(one.tokens for one in found) == report.prompt_tokens
        assert sum(one.reused_tokens for one in found) == min(reused, report.prompt_tokens)
        for before, after in itertools.pairwise(found):
            assert after.reused_tokens == 0 or before.reused_tokens == before.tokens


def test_only_what_stands_before_the_message_is_read_ahead() -> None:
    parts = ChatParts(system="Be terse.", turn="one two three")
    assert unread_beginning(counted(request(parts), reused=0)) == 2
    assert unread_beginning(counted(request(parts), reused=2)) == 0
    assert counted(request(parts)).manifest.segments[-1].kind is SegmentKind.USER


def test_the_bar_keeps_room_for_the_answers_of_this_chat(
    desktop: Desktop, room: Room, qtbot: QtBot
) -> None:
    wishes = SamplingFields(max_answer_tokens=48)
    desktop.chats.configure(sampling=wishes)
    desktop.window.composer.set_text("How much is free?")
    qtbot.waitUntil(lambda: desktop.context.watch.shown is not None)
    assert room.wishes[-1] == wishes, "else the sum of the bar is not that of the turn"


def test_the_tokens_of_the_panel_add_up_and_pasted_text_is_a_part(
    desktop: Desktop, room: Room, qtbot: QtBot
) -> None:
    room.engine.report = lambda turn: msgspec.structs.replace(
        counted(turn), prompt_tokens=counted(turn).prompt_tokens + 5
    )
    log = "\n".join(f"2026-01-02 10:00:0{number} INFO step" for number in range(5))
    take_turn(desktop, room, qtbot, f"Why?\n{log}", "Because.")
    desktop.window.composer.set_text("And now?")
    qtbot.waitUntil(lambda: desktop.context.watch.shown is not None)
    desktop.context.show_panel()
    panel = desktop.context.panel
    assert panel is not None
    labels = [one.text() for one in panel.findChildren(QLabel) if one.isVisibleTo(panel)]
    assert "in it: Log" in labels
    assert labels[labels.index("Chat template") + 1] == "5"

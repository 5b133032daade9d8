"""The window from the first key to the last word, on an engine that the test plays."""

import dataclasses
from collections.abc import Callable

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDesktopServices, QGuiApplication, QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QApplication,
    QComboBox,
    QTextEdit,
)
from pytestqt.qtbot import QtBot

from app.core.errors import EnvironmentFault, UserError
from app.desktop.application import Desktop
from app.desktop.banner import Banner
from app.desktop.icon_button import IconButton
from app.desktop.lifecycle import TurnState
from app.desktop.links import open_link
from app.desktop.message_block import AnswerBlock, QuestionBlock
from app.desktop.services import ModelEntry
from app.engine.chat import Role
from app.engine.outcome import FinishReason
from tests.desktop.fake_engine import failed, finished, loading, reading, text, thought
from tests.desktop.rooms import MODELS, NO_GPU, Room, take_turn


def _ask(desktop: Desktop, room: Room, qtbot: QtBot, question: str) -> str:
    """Types and sends; returns the id of the request that reached the engine."""
    before = len(room.engine.requests)
    field = desktop.window.composer.field
    QTest.keyClicks(field, question)
    QTest.keyClick(field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: len(room.engine.requests) > before)
    return room.engine.last


def _answer_block(desktop: Desktop) -> AnswerBlock:
    last = desktop.chats.current.last
    assert last is not None
    block = desktop.window.transcript.block(last.id)
    assert isinstance(block, AnswerBlock)
    return block


def _wait_for(desktop: Desktop, qtbot: QtBot, state: TurnState) -> None:
    qtbot.waitUntil(lambda: desktop.runner.state is state)


def test_a_question_is_answered_word_by_word(desktop: Desktop, room: Room, qtbot: QtBot) -> None:
    request = _ask(desktop, room, qtbot, "What is the capital of France?")
    status = desktop.window.status
    assert desktop.runner.state is TurnState.PREPARING
    room.engine.say(loading(request, 0.5))
    qtbot.waitUntil(lambda: status.text().startswith("Loading SmolLM2 135M, 50%"))
    room.engine.say(reading(request, 1024, 3900))
    qtbot.waitUntil(lambda: status.text() == "Reading 3,900 tokens, 1,024 done")
    room.engine.say(text(request, "The capital of France "))
    qtbot.waitUntil(lambda: _answer_block(desktop).text.markdown() == "The capital of France ")
    room.engine.say(text(request, "is Paris."), finished(request))
    _wait_for(desktop, qtbot, TurnState.IDLE)
    assert _answer_block(desktop).text.markdown() == "The capital of France is Paris."
    assert status.text() == "42 tokens, 61.2 tokens/s"
    assert desktop.window.composer.text == ""


def test_shift_enter_breaks_the_line(desktop: Desktop, room: Room, qtbot: QtBot) -> None:
    field = desktop.window.composer.field
    height = field.height()
    QTest.keyClicks(field, "one")
    QTest.keyClick(field, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    QTest.keyClicks(field, "two")
    assert desktop.window.composer.text == "one\ntwo"
    assert field.height() > height
    assert room.engine.requests == []


def test_escape_stops_and_what_was_streamed_stays(
    desktop: Desktop, room: Room, qtbot: QtBot
) -> None:
    request = _ask(desktop, room, qtbot, "Tell me a story")
    room.engine.say(text(request, "Once upon"))
    _wait_for(desktop, qtbot, TurnState.ANSWERING)
    field = desktop.window.composer.field
    QTest.keyClick(field, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: room.engine.cancelled == [request])
    assert desktop.runner.state is TurnState.STOPPING
    room.engine.say(finished(request, FinishReason.CANCELLED, 2))
    _wait_for(desktop, qtbot, TurnState.IDLE)
    assert _answer_block(desktop).text.markdown() == "Once upon"
    assert desktop.window.status.text() == "Stopped · 2 tokens, 61.2 tokens/s"


def test_a_stop_before_the_engine_has_the_request_never_reaches_it(
    desktop: Desktop, room: Room, qtbot: QtBot
) -> None:
    room.prepare_gate.clear()
    desktop.window.composer.sent.emit("Hello")
    _wait_for(desktop, qtbot, TurnState.PREPARING)
    desktop.window.composer.stop_asked.emit()
    assert desktop.runner.state is TurnState.STOPPING
    room.prepare_gate.set()
    _wait_for(desktop, qtbot, TurnState.IDLE)
    assert room.engine.requests == []


def test_the_second_question_carries_the_first_turn(
    desktop: Desktop, room: Room, qtbot: QtBot
) -> None:
    request = _ask(desktop, room, qtbot, "one")
    room.engine.say(text(request, "first"), finished(request))
    _wait_for(desktop, qtbot, TurnState.IDLE)
    _ask(desktop, room, qtbot, "two")
    sent = room.turns[-1][2]
    assert [(m.role, m.content) for m in sent] == [
        (Role.USER, "one"),
        (Role.ASSISTANT, "first"),
        (Role.USER, "two"),
    ]


def test_a_message_is_kept_before_the_engine_sees_it(
    desktop: Desktop, room: Room, qtbot: QtBot
) -> None:
    _ask(desktop, room, qtbot, "Keep me")
    kept = room.chats.load(desktop.chats.current.id).messages
    assert [message.text for message in kept] == ["Keep me", ""]


def test_the_engine_dies_the_text_stays_and_one_press_goes_on(
    desktop: Desktop, room: Room, qtbot: QtBot
) -> None:
    request = _ask(desktop, room, qtbot, "Tell me a story")
    room.engine.say(text(request, "Once upon "), failed(request))
    qtbot.waitUntil(lambda: desktop.window.transcript.banner is not None)
    banner = desktop.window.transcript.banner
    assert banner is not None
    assert banner.button is not None
    assert banner.button.text() == "Go on"
    assert _answer_block(desktop).text.markdown() == "Once upon "
    banner.button.click()
    qtbot.waitUntil(lambda: len(room.engine.requests) == 2)
    assert desktop.window.transcript.banner is None
    assert room.turns[-1][2][-1].role is Role.ASSISTANT
    second = room.engine.last
    room.engine.say(text(second, "a time."), finished(second))
    _wait_for(desktop, qtbot, TurnState.IDLE)
    assert _answer_block(desktop).text.markdown() == "Once upon a time."


def test_a_refused_turn_says_why_and_the_next_one_works(
    desktop: Desktop, room: Room, qtbot: QtBot
) -> None:
    room.prepare_error = UserError("device_unavailable", "There is no GPU.", "Choose the CPU.")
    desktop.window.composer.sent.emit("Hello")
    qtbot.waitUntil(lambda: desktop.window.transcript.banner is not None)
    banner = desktop.window.transcript.banner
    assert banner is not None
    assert banner.button is not None
    assert "There is no GPU." in banner.accessibleName()
    assert desktop.runner.state is TurnState.IDLE
    room.prepare_error = None
    banner.button.click()
    qtbot.waitUntil(lambda: len(room.engine.requests) == 1)
    assert [m.content for m in room.turns[-1][2]] == ["Hello"]


def test_an_answer_goes_on_in_its_chat_while_another_is_shown(
    desktop: Desktop, room: Room, qtbot: QtBot
) -> None:
    request = _ask(desktop, room, qtbot, "Long story")
    first = desktop.chats.current
    room.engine.say(text(request, "Once "))
    _wait_for(desktop, qtbot, TurnState.ANSWERING)
    desktop.window.new_chat_asked.emit()
    assert desktop.chats.current is not first
    room.engine.say(text(request, "upon a time."), finished(request))
    _wait_for(desktop, qtbot, TurnState.IDLE)
    desktop.window.chat_list.chosen.emit(first.id)
    assert desktop.chats.current is first
    assert _answer_block(desktop).text.markdown() == "Once upon a time."


def test_a_draft_belongs_to_its_chat(desktop: Desktop, room: Room, qtbot: QtBot) -> None:
    request = _ask(desktop, room, qtbot, "one")
    room.engine.say(finished(request))
    _wait_for(desktop, qtbot, TurnState.IDLE)
    first = desktop.chats.current.id
    desktop.window.composer.set_text("half a thought")
    desktop.window.new_chat_asked.emit()
    assert desktop.window.composer.text == ""
    desktop.window.chat_list.chosen.emit(first)
    assert desktop.window.composer.text == "half a thought"


def test_answer_again_keeps_the_old_answer_as_a_branch(
    desktop: Desktop, room: Room, qtbot: QtBot
) -> None:
    request = _ask(desktop, room, qtbot, "one")
    room.engine.say(text(request, "first"), finished(request))
    _wait_for(desktop, qtbot, TurnState.IDLE)
    _answer_block(desktop).regenerate_button.click()
    qtbot.waitUntil(lambda: len(room.engine.requests) == 2)
    assert [m.content for m in room.turns[-1][2]] == ["one"]
    second = room.engine.last
    room.engine.say(text(second, "second"), finished(second))
    _wait_for(desktop, qtbot, TurnState.IDLE)
    chat = desktop.chats.current
    last = chat.last
    assert last is not None
    branches = [chat.get(one).text for one in chat.siblings(last.id)]
    assert branches == ["first", "second"]
    desktop.window.transcript.branch_chosen.emit(chat.siblings(last.id)[0])
    assert _answer_block(desktop).text.markdown() == "first"


def test_an_edited_question_is_a_branch_and_escape_leaves_the_editing(
    desktop: Desktop, room: Room, qtbot: QtBot
) -> None:
    request = _ask(desktop, room, qtbot, "one")
    room.engine.say(text(request, "first"), finished(request))
    _wait_for(desktop, qtbot, TurnState.IDLE)
    chat, composer = desktop.chats.current, desktop.window.composer
    question = chat.path()[0].id
    desktop.window.transcript.edit_asked.emit(question)
    assert composer.text == "one"
    QTest.keyClick(composer.field, Qt.Key.Key_Escape)
    assert composer.text == ""
    request = _ask(desktop, room, qtbot, "two")
    room.engine.say(text(request, "second"), finished(request))
    _wait_for(desktop, qtbot, TurnState.IDLE)
    assert len(chat.path()) == 4
    desktop.window.transcript.edit_asked.emit(question)
    request = _ask(desktop, room, qtbot, "!")
    assert [m.content for m in room.turns[-1][2]] == ["one!"]
    room.engine.say(text(request, "third"), finished(request))
    _wait_for(desktop, qtbot, TurnState.IDLE)
    assert [message.text for message in chat.path()] == ["one!", "third"]
    assert len(chat.siblings(question)) == 2


def test_thinking_is_folded_and_never_part_of_the_answer(
    desktop: Desktop, room: Room, qtbot: QtBot
) -> None:
    request = _ask(desktop, room, qtbot, "one")
    room.engine.say(thought(request, "hm, "), text(request, "Paris"), finished(request))
    _wait_for(desktop, qtbot, TurnState.IDLE)
    block = _answer_block(desktop)
    assert block.text.markdown() == "Paris"
    assert block.message.thinking == "hm, "
    _ask(desktop, room, qtbot, "two")
    assert [m.content for m in room.turns[-1][2]] == ["one", "Paris", "two"]


def test_a_model_that_only_thought_says_so_and_can_go_on(
    desktop: Desktop, room: Room, qtbot: QtBot
) -> None:
    request = _ask(desktop, room, qtbot, "one")
    room.engine.say(thought(request, "hm, "), finished(request, FinishReason.LENGTH))
    _wait_for(desktop, qtbot, TurnState.IDLE)
    block = _answer_block(desktop)
    assert block.summary == "The model thought, but did not answer"
    assert block.message.stamp is not None
    assert block.message.stamp.thinking_s is not None
    block.resume_button.click()
    qtbot.waitUntil(lambda: len(room.engine.requests) == 2)
    assert [m.content for m in room.turns[-1][2]] == ["one"]
    assert [wishes.max_thinking_tokens for wishes in room.wishes] == [None, 0]


def test_only_the_last_answer_can_go_on(desktop: Desktop, room: Room, qtbot: QtBot) -> None:
    request = _ask(desktop, room, qtbot, "one")
    room.engine.say(text(request, "first"), finished(request, FinishReason.LENGTH))
    _wait_for(desktop, qtbot, TurnState.IDLE)
    first = _answer_block(desktop)
    assert not first.resume_button.isHidden()
    request = _ask(desktop, room, qtbot, "two")
    room.engine.say(text(request, "second"), finished(request, FinishReason.LENGTH))
    _wait_for(desktop, qtbot, TurnState.IDLE)
    assert first.resume_button.isHidden()
    assert not _answer_block(desktop).resume_button.isHidden()


def test_copy_takes_the_markdown(desktop: Desktop, room: Room, qtbot: QtBot) -> None:
    request = _ask(desktop, room, qtbot, "one")
    room.engine.say(text(request, "**bold**"), finished(request))
    _wait_for(desktop, qtbot, TurnState.IDLE)
    _answer_block(desktop).copy()
    assert QGuiApplication.clipboard().text() == "**bold**"


def test_no_model_shows_one_button_that_gets_one(
    opened: Callable[[], Desktop], room: Room, qtbot: QtBot
) -> None:
    room.models = ()
    desktop = opened()
    first_run = desktop.window.first_run
    assert first_run.isVisible()
    room.starter_gate.clear()
    first_run.button.click()
    assert desktop.runner.state is TurnState.FETCHING
    assert not first_run.button.isVisible()
    room.starter_gate.set()
    _wait_for(desktop, qtbot, TurnState.IDLE)
    assert not first_run.isVisible()
    assert desktop.window.models.current == MODELS[0]


def test_a_store_that_cannot_be_read_is_said_where_no_model_is_listed(
    room: Room, opened: Callable[[], Desktop], monkeypatch: pytest.MonkeyPatch
) -> None:
    def unreadable() -> tuple[ModelEntry, ...]:
        raise EnvironmentFault("store_unreadable", "The folder can't be read.", "Mend it.")

    room.services = dataclasses.replace(room.services, list_models=unreadable)
    first_run = opened().window.first_run
    assert first_run.isVisible()
    assert [b.headline for b in first_run.findChildren(Banner)] == ["The folder can't be read."]


def test_a_starter_that_fails_says_why_and_can_be_tried_again(
    opened: Callable[[], Desktop], room: Room, qtbot: QtBot
) -> None:
    room.models = ()
    room.starter_error = EnvironmentFault("offline", "There is no network.", "Connect first.")
    desktop = opened()
    desktop.window.first_run.button.click()
    _wait_for(desktop, qtbot, TurnState.NO_MODEL)
    assert desktop.window.first_run.button.isEnabled()
    room.starter_error = None
    desktop.window.first_run.button.click()
    _wait_for(desktop, qtbot, TurnState.IDLE)


def test_getting_the_first_model_can_be_cancelled_and_begun_again(
    opened: Callable[[], Desktop], room: Room, qtbot: QtBot
) -> None:
    room.models = ()
    room.starter_gate.clear()
    desktop = opened()
    first_run = desktop.window.first_run
    first_run.button.click()
    qtbot.waitUntil(lambda: first_run.stage_text == "Downloading, 23 MB of 98 MB")
    assert first_run.cancel.hasFocus()
    first_run.cancel.click()
    _wait_for(desktop, qtbot, TurnState.NO_MODEL)
    room.starter_gate.set()
    first_run.button.click()
    _wait_for(desktop, qtbot, TurnState.IDLE)


def test_without_a_choice_the_variant_that_is_listed_first_is_taken(
    opened: Callable[[], Desktop], room: Room
) -> None:
    room.models = tuple(reversed(MODELS))
    current = opened().window.models.current
    assert current is not None
    assert current.backend == "llama"


def test_choices_are_remembered(opened: Callable[[], Desktop], room: Room, qtbot: QtBot) -> None:
    desktop = opened()
    window = desktop.window
    window.models.setCurrentIndex(1)
    window.models.activated.emit(1)
    window.devices.setCurrentIndex(2)
    window.devices.activated.emit(2)
    qtbot.waitUntil(lambda: room.settings.load().default_device == "GPU")
    assert room.settings.load().default_model == "smollm2-135m-instruct/gguf"
    again = opened()
    assert again.window.models.currentIndex() == 1
    assert again.window.devices.currentIndex() == 2


def test_a_gpu_that_cannot_be_used_is_explained_and_not_offered(
    opened: Callable[[], Desktop], room: Room
) -> None:
    room.inventory = NO_GPU
    window = opened().window
    titles = [window.devices.itemText(row) for row in range(window.devices.count())]
    assert titles == ["Automatic", "CPU · Intel Core Ultra 7 258V"]
    assert "can't be loaded; usually the graphics driver" in window.devices.toolTip()


def test_the_view_follows_the_text_until_one_scrolls_up(
    desktop: Desktop, room: Room, qtbot: QtBot
) -> None:
    request = _ask(desktop, room, qtbot, "one")
    transcript = desktop.window.transcript
    bar = transcript.verticalScrollBar()
    room.engine.say(text(request, "line\n" * 200))
    qtbot.waitUntil(lambda: bar.maximum() > 500 and bar.value() == bar.maximum())
    bar.setValue(100)
    assert not transcript.following
    room.engine.say(text(request, "line\n" * 200), finished(request))
    _wait_for(desktop, qtbot, TurnState.IDLE)
    assert bar.value() == 100
    transcript.follow()
    qtbot.waitUntil(lambda: bar.value() == bar.maximum())


def test_every_control_has_a_name_for_a_screen_reader(desktop: Desktop) -> None:
    nameless = [
        widget
        for kind in (QAbstractButton, QComboBox, QTextEdit, QAbstractItemView)
        for widget in desktop.window.findChildren(kind)
        if widget.focusPolicy() & Qt.FocusPolicy.TabFocus
        and not widget.accessibleName()
        and not (isinstance(widget, QAbstractButton) and widget.text())
    ]
    assert nameless == []


def test_a_narrow_window_hides_the_list_and_a_wide_one_shows_it_again(desktop: Desktop) -> None:
    window = desktop.window
    window.resize(600, 500)
    assert not window.chat_list.isVisible()
    window.resize(1000, 500)
    assert window.chat_list.isVisible()


def test_a_selection_runs_through_questions_and_answers(
    desktop: Desktop, room: Room, qtbot: QtBot
) -> None:
    request = _ask(desktop, room, qtbot, "What is the capital of France?")
    room.engine.say(text(request, "It is **Paris**, on the Seine."), finished(request))
    _wait_for(desktop, qtbot, TurnState.IDLE)
    question = desktop.window.transcript.block(desktop.chats.current.path()[0].id)
    assert isinstance(question, QuestionBlock)
    answer = _answer_block(desktop).text
    qtbot.waitUntil(lambda: answer.is_rendered and answer.height() > 0)
    viewport = question.text.viewport()
    QTest.mousePress(viewport, Qt.MouseButton.LeftButton, pos=QPoint(0, 4))
    end = answer.mapToGlobal(QPoint(answer.width() - 1, answer.height() - 2))
    move = QMouseEvent(
        QEvent.Type.MouseMove,
        QPointF(viewport.mapFromGlobal(end)),
        QPointF(end),
        Qt.MouseButton.NoButton,
        Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.NoModifier,
    )
    QCoreApplication.sendEvent(viewport, move)
    question.text.copy_selection()
    assert (
        QGuiApplication.clipboard().text()
        == "What is the capital of France?\n\nIt is Paris, on the Seine."
    )


def test_only_web_addresses_are_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []

    def open_url(url: QUrl) -> bool:
        opened.append(url.toString())
        return True

    monkeypatch.setattr(QDesktopServices, "openUrl", open_url)
    for address in ("file:///etc/passwd", "javascript:1", "ms-settings:", "http:", "https:///x"):
        assert not open_link(address)
    assert open_link("https://example.org/a?b=c")
    assert opened == ["https://example.org/a?b=c"]


def test_after_a_press_in_the_chat_what_is_typed_goes_into_the_input(
    desktop: Desktop, room: Room, qtbot: QtBot, qapp: QApplication
) -> None:
    take_turn(desktop, room, qtbot, "Say it", "First.")
    desktop.window.activateWindow()
    qtbot.waitUntil(desktop.window.isActiveWindow)
    desktop.window.chat_list.search.setFocus()
    answer = desktop.chats.current.path()[1]
    desktop.window.transcript.regenerate_asked.emit(answer.id)
    focused = qapp.focusWidget()
    assert focused is not None
    assert desktop.window.composer.isAncestorOf(focused) or focused is desktop.window.composer
    for button in desktop.window.findChildren(IconButton):
        assert button.focusPolicy() is Qt.FocusPolicy.TabFocus, button.accessibleName()

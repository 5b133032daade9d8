"""A turn that doesn't fit, or takes long, waits for the person; nothing is cut in silence."""

import dataclasses
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from pytestqt.qtbot import QtBot

from app.chats.records import ContextFields, OverflowChoice
from app.core.errors import ErrorKind, ErrorRecord
from app.desktop.application import Desktop
from app.desktop.banner import Banner
from app.desktop.choice_banner import ChoiceBanner
from app.desktop.context import words
from app.desktop.context.panel import ContextPanel
from app.desktop.dates import moment_briefly
from app.desktop.lifecycle import TurnState
from app.desktop.message_block import AnswerBlock, QuestionBlock
from app.engine.chat import ChatMessage, Role
from app.engine.manifest import from_json
from app.engine.outcome import ContextReport, FinishReason
from app.engine.protocol import Generate
from app.hardware.expected_speed import SpeedRange
from app.workflows.reading_speed import ReadingSpeeds
from tests.desktop.fake_engine import counted, failed, finished, text
from tests.desktop.rooms import Model, Room, Start, take_turn

LONG = "word " * 24 + "end"
OVERFLOW = ErrorRecord(
    kind=ErrorKind.USER,
    code="context_overflow",
    message="Not read: the conversation has at least 900 tokens; the model's context holds 100.",
    remedy="Leave out old messages or files, or start a new chat.",
)


@pytest.fixture
def small(room: Room, opened: Callable[[], Desktop]) -> Desktop:
    """The window with a model whose context holds 100 words."""
    room.models = (Model(context_tokens=100),)
    return opened()


def fill(desktop: Desktop, room: Room, qtbot: QtBot) -> None:
    """Two turns of 50 words each."""
    for number in range(2):
        take_turn(desktop, room, qtbot, f"{number} {LONG}", f"answer {LONG}"[: 5 * 24])


def send(desktop: Desktop, words: str) -> None:
    desktop.window.composer.set_text("")
    desktop.window.composer.sent.emit(words)


def banner_of(desktop: Desktop, qtbot: QtBot) -> ChoiceBanner:
    qtbot.waitUntil(lambda: isinstance(desktop.window.transcript.banner, ChoiceBanner))
    banner = desktop.window.transcript.banner
    assert isinstance(banner, ChoiceBanner)
    return banner


def answer(desktop: Desktop, room: Room, qtbot: QtBot, before: int, words: str = "Yes.") -> None:
    qtbot.waitUntil(lambda: len(room.engine.requests) > before)
    room.engine.say(text(room.engine.last, words), finished(room.engine.last))
    qtbot.waitUntil(lambda: desktop.runner.state is TurnState.IDLE)


def generated(room: Room, place: int = -1) -> Generate:
    request = room.engine.requests[place]
    assert isinstance(request, Generate)
    return request


def test_a_full_chat_shows_its_sum_and_three_choices(
    small: Desktop, room: Room, qtbot: QtBot
) -> None:
    fill(small, room, qtbot)
    sent = len(room.engine.requests)
    send(small, f"And {LONG}")
    banner = banner_of(small, qtbot)
    assert list(banner.buttons) == ["leave_out_oldest", "summarise", "new_chat", "shorten"]
    report = room.engine.report(room.engine.counts[-1])
    assert str(report.needed_tokens) in banner.accessibleName()
    assert "100 are available" in banner.accessibleName()
    assert len(room.engine.requests) == sent, "nothing was sent"
    last = small.chats.current.last
    assert last is not None
    assert last.text == f"And {LONG}"
    assert room.store.message(last.id).result().text == last.text, "and it is kept"


def test_a_message_that_is_too_long_by_itself_is_to_be_shortened(
    small: Desktop, room: Room, qtbot: QtBot
) -> None:
    send(small, "word " * 120)
    banner = banner_of(small, qtbot)
    assert banner.accessibleName().endswith("100 are available. Shorten the message.")
    assert list(banner.buttons) == ["shorten", "go"]
    small.window.new_chat_asked.emit()
    room.engine.count_error = OVERFLOW  # by far: it can't even be counted
    send(small, "word " * 10_000)
    banner = banner_of(small, qtbot)
    assert banner.accessibleName().endswith("context. Shorten the message.")


def test_left_out_turns_stay_out_until_it_is_full_again(
    small: Desktop, room: Room, qtbot: QtBot
) -> None:
    fill(small, room, qtbot)
    sent = len(room.engine.requests)
    send(small, f"And {LONG}")
    banner = banner_of(small, qtbot)
    banner.buttons["leave_out_oldest"].click()
    answer(small, room, qtbot, sent)
    contents = [one.content for one in generated(room).messages]
    assert contents[-1] == f"And {LONG}"
    assert not contents[0].startswith("0 ")
    take_turn(small, room, qtbot, "short", "Yes.")
    assert generated(room).messages[: len(contents)] == generated(room, -2).messages, "a prefix"
    assert small.chats.current.settings.context.on_overflow is OverflowChoice.ASK
    first, *_, last = small.chats.current.path()
    blocks = [small.window.transcript.block(one.id) for one in (first, last)]
    qtbot.waitUntil(lambda: blocks[0] is not None and blocks[0].graphicsEffect() is not None)
    assert blocks[1] is not None
    assert blocks[1].graphicsEffect() is None, "only what is not read is shaded"


def test_a_remembered_choice_is_not_asked_again_and_survives_a_restart(
    start: Start, qtbot: QtBot
) -> None:
    desktop, room = start()
    room.engine.report = lambda turn: _of_100(turn)
    fill(desktop, room, qtbot)
    sent = len(room.engine.requests)
    send(desktop, f"And {LONG}")
    banner = banner_of(desktop, qtbot)
    assert banner.remember is not None
    banner.remember.setChecked(True)
    banner.buttons["leave_out_oldest"].click()
    answer(desktop, room, qtbot, sent, LONG)
    chat, kept = desktop.chats.current.id, desktop.chats.current.settings.context
    assert kept.kept_from is not None
    desktop, room = start()
    room.engine.report = lambda turn: _of_100(turn)
    with qtbot.waitSignal(desktop.chats.shown):
        desktop.chats.show(chat)
    assert desktop.chats.current.settings.context == kept
    for number in range(2):
        send(desktop, f"{number} {LONG}")
        answer(desktop, room, qtbot, number, LONG)
    told = desktop.window.transcript.banner
    assert told is not None
    assert not isinstance(told, ChoiceBanner), "it is told, not asked"
    assert "oldest messages" in told.accessibleName()
    assert desktop.chats.current.settings.context.kept_from != kept.kept_from


def _of_100(turn: Generate) -> ContextReport:
    return msgspec.structs.replace(counted(turn), context_tokens=100)


def test_a_summary_takes_the_place_of_the_oldest_turns(
    small: Desktop, room: Room, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.workflows.context_talk.SUMMARY_TOKENS", 10)
    monkeypatch.setattr("app.workflows.context_talk._SUMMARY_FRAME_TOKENS", 0)
    fill(small, room, qtbot)
    sent = len(room.engine.requests)
    send(small, f"And {LONG}")
    banner_of(small, qtbot).buttons["summarise"].click()
    qtbot.waitUntil(lambda: len(room.engine.requests) > sent)
    asked = generated(room)
    assert asked.messages[-1].content.startswith("Summarise the conversation")
    assert "Summarising" in small.window.status.text()
    room.engine.say(text(asked.request, "They counted."), finished(asked.request))
    answer(small, room, qtbot, sent + 1)
    request = generated(room)
    assert request.messages[0].role is Role.SYSTEM
    assert "They counted." in request.messages[0].content
    assert request.messages[-1].content == f"And {LONG}"
    assert small.chats.current.settings.context.summary == "They counted."


def test_a_new_chat_takes_the_files_and_the_message_along(
    small: Desktop, room: Room, qtbot: QtBot, tmp_path: Path
) -> None:
    note = tmp_path / "note.md"
    note.write_text("Be kind.")
    fill(small, room, qtbot)
    old = small.chats.current
    room.chats.pins.add(old.id, [note])
    sent = len(room.engine.requests)
    send(small, f"And {LONG}")
    banner_of(small, qtbot).buttons["new_chat"].click()
    answer(small, room, qtbot, sent)
    assert small.chats.current.id != old.id
    system, turn = generated(room).messages
    assert "Be kind." in system.content
    assert turn == ChatMessage(role=Role.USER, content=f"And {LONG}")
    assert old.last is not None
    assert old.last.role is Role.ASSISTANT, "it is not in two chats"


def test_a_shortened_message_takes_the_place_of_the_one_that_did_not_fit(
    small: Desktop, room: Room, qtbot: QtBot
) -> None:
    send(small, "word " * 200)
    banner = banner_of(small, qtbot)
    assert list(banner.buttons) == ["shorten", "go"]
    banner.buttons["shorten"].click()
    assert small.window.composer.text == ("word " * 200)
    send(small, "word")
    answer(small, room, qtbot, 0)
    assert [one.content for one in generated(room).messages] == ["word"]
    assert len(small.chats.current.path()) == 2


def test_a_held_message_is_replaced_after_a_restart_too_and_leaves_no_draft(
    start: Start, qtbot: QtBot
) -> None:
    desktop, room = start()
    room.engine.report = lambda turn: _of_100(turn)
    desktop.window.composer.set_text("word " * 200)
    desktop.desk._drafts.keep()
    send(desktop, "word " * 200)
    banner_of(desktop, qtbot)
    chat = desktop.chats.current.id
    desktop.window.composer.set_text("shorter")
    desktop.desk._drafts.keep()
    desktop, room = start()
    with qtbot.waitSignal(desktop.chats.shown):
        desktop.chats.show(chat)
    assert desktop.window.composer.text == "shorter"
    send(desktop, "shorter")
    answer(desktop, room, qtbot, 0)
    assert [one.content for one in generated(room).messages] == ["shorter"]
    assert room.store.draft(chat).result() == ""


def test_after_a_file_is_unpinned_the_message_can_be_sent_as_it_is(
    small: Desktop, room: Room, qtbot: QtBot, tmp_path: Path
) -> None:
    (tmp_path / "long.md").write_text("word " * 200)
    with qtbot.waitSignal(small.context.pins.changed):
        small.context.pins.pin([tmp_path / "long.md"])
    send(small, "What is it?")
    banner = banner_of(small, qtbot)
    with qtbot.waitSignal(small.context.pins.changed):
        small.window.pins.chips[0].remove.click()
    banner.buttons["go"].click()
    answer(small, room, qtbot, 0)
    assert [one.content for one in generated(room).messages] == ["What is it?"]


def test_what_is_written_after_a_held_message_replaces_it(
    small: Desktop, room: Room, qtbot: QtBot
) -> None:
    send(small, "word " * 200)
    banner_of(small, qtbot)
    send(small, "shorter")
    answer(small, room, qtbot, 0)
    assert [one.content for one in generated(room).messages] == ["shorter"]


def test_the_choice_is_there_again_when_the_chat_is_shown_again(
    small: Desktop, room: Room, qtbot: QtBot
) -> None:
    fill(small, room, qtbot)
    chat = small.chats.current.id
    send(small, f"And {LONG}")
    banner_of(small, qtbot)
    small.desk.new_chat()
    assert small.window.transcript.banner is None
    small.chats.show(chat)
    assert "leave_out_oldest" in banner_of(small, qtbot).buttons


def test_a_held_message_that_is_deleted_is_forgotten(
    small: Desktop, room: Room, qtbot: QtBot
) -> None:
    take_turn(small, room, qtbot, f"0 {LONG}", LONG)
    send(small, f"And {LONG} {LONG}")
    banner_of(small, qtbot)
    last = small.chats.current.last
    assert last is not None
    with qtbot.waitSignal(small.chats.message_deleted):
        small.chats.delete_message(last.id)
    sent = len(room.engine.requests)
    send(small, "short")
    answer(small, room, qtbot, sent)
    assert generated(room).messages[-1].content == "short"
    assert len(small.chats.current.path()) == 4


def test_an_answer_that_filled_the_context_can_go_on_by_a_choice(
    small: Desktop, room: Room, qtbot: QtBot
) -> None:
    take_turn(small, room, qtbot, f"0 {LONG}", LONG)
    send(small, "short")
    qtbot.waitUntil(lambda: len(room.engine.requests) == 2)
    end = finished(room.engine.last, FinishReason.CONTEXT_FULL)
    room.engine.say(text(room.engine.last, "begun " * 60), end)
    qtbot.waitUntil(lambda: small.runner.state is TurnState.IDLE)
    last = small.chats.current.last
    assert last is not None
    block = small.window.transcript.block(last.id)
    assert isinstance(block, AnswerBlock)
    block.resume_button.click()
    banner = banner_of(small, qtbot)
    banner.buttons["leave_out_oldest"].click()
    answer(small, room, qtbot, 2, "and ended")
    assert generated(room).messages[-1].role is Role.ASSISTANT
    shown = small.chats.current.get(last.id)
    assert shown.text == "begun " * 60 + "and ended"


def test_what_takes_long_says_so_first(desktop: Desktop, room: Room, qtbot: QtBot) -> None:
    def slow(turn: Generate) -> ContextReport:
        return msgspec.structs.replace(counted(turn, reused=0), predicted_prefill_s=130.0)

    room.engine.report = slow
    send(desktop, "A long one")
    banner = banner_of(desktop, qtbot)
    assert "about 2 minutes" in banner.accessibleName()
    assert list(banner.buttons) == ["go", "shorten"]
    assert room.engine.requests == []
    banner.buttons["go"].click()
    answer(desktop, room, qtbot, 0)
    last = desktop.chats.current.last
    assert last is not None
    assert last.text == "Yes."


def test_how_fast_a_model_read_before_tells_how_long_it_will_take(
    start: Start, qtbot: QtBot
) -> None:
    desktop, room = start()
    send(desktop, "word " * 400)
    qtbot.waitUntil(lambda: len(room.engine.requests) == 1)
    end = finished(room.engine.last)
    usage = msgspec.structs.replace(end.usage, prompt_tokens=400, reused_tokens=0)
    timings = msgspec.structs.replace(end.timings, prefill_tokens_per_s=2.0)
    room.engine.say(
        text(room.engine.last, "Yes."), msgspec.structs.replace(end, usage=usage, timings=timings)
    )
    qtbot.waitUntil(lambda: desktop.runner.state is TurnState.IDLE)
    chat = desktop.chats.current.id
    desktop, room = start()
    with qtbot.waitSignal(desktop.chats.shown):
        desktop.chats.show(chat)
    send(desktop, "Go on")  # the model isn't loaded: 403 words at 2 a second
    banner = banner_of(desktop, qtbot)
    assert "about 3 minutes" in banner.accessibleName()
    assert "was measured with this model" in banner.accessibleName()
    banner.buttons["leave_out_oldest"].click()
    answer(desktop, room, qtbot, 0)
    assert [one.content for one in generated(room).messages] == ["Go on"]


LOG = "\n".join(f"2026-01-02 10:00:{number:02} INFO a step is done" for number in range(10))


def test_a_pasted_log_goes_first_and_the_person_is_told_which(
    small: Desktop, room: Room, qtbot: QtBot
) -> None:
    pasted = f"What is it? 🙂\n{LOG}\nThanks"
    take_turn(small, room, qtbot, pasted, "A log.")
    take_turn(small, room, qtbot, "short", "Yes.")
    sent = len(room.engine.requests)
    send(small, f"And {LONG}")
    banner = banner_of(small, qtbot)
    report = room.engine.report(room.engine.counts[-1])
    tokens = report.manifest.segments[0].inside[0].tokens
    first = small.chats.current.path()[0]
    assert f"pasted log of {moment_briefly(first.sent_at_ms)} (10 lines, {tokens} tokens)" in (
        banner.accessibleName()
    )
    assert "oldest messages" not in banner.accessibleName()
    assert banner.buttons["leave_out_oldest"].text() == "Leave out what was pasted"
    banner.buttons["leave_out_oldest"].click()
    answer(small, room, qtbot, sent)
    contents = [one.content for one in generated(room).messages]
    assert "INFO" not in contents[0]
    assert contents[0].startswith("What is it? 🙂")
    assert contents[1:] == ["A log.", "short", "Yes.", f"And {LONG}"], "no turn is left out"
    told = small.window.transcript.banner
    assert isinstance(told, Banner)
    assert "Left out: the pasted log of" in told.accessibleName()
    room.chats.load(small.chats.current.id)  # after everything that was queued before it
    assert room.store.message(first.id).result().text == pasted, "nothing is lost"
    block = small.window.transcript.block(first.id)
    assert isinstance(block, QuestionBlock)
    qtbot.waitUntil(lambda: bool(block.text.extraSelections()))
    (shaded,) = block.text.extraSelections()
    assert shaded.cursor.selectedText().replace("\u2029", "\n") == LOG
    assert block.graphicsEffect() is None, "only the log is shaded"
    panel_of(small, qtbot)
    shown = small.context.watch.shown
    assert shown is not None
    assert "1" not in words.bar(shown.report, (), shown.talk).split("\n")[-1]


def panel_of(desktop: Desktop, qtbot: QtBot) -> ContextPanel:
    desktop.context.show_panel()
    panel = desktop.context.panel
    assert panel is not None
    qtbot.waitUntil(lambda: "Not read any more: the pasted log" in panel.left_out)
    return panel


def test_what_was_left_out_to_fit_stays_out_when_the_rest_still_takes_long(
    small: Desktop, room: Room, qtbot: QtBot
) -> None:
    def slow(turn: Generate) -> ContextReport:
        seconds = 130.0 if len(turn.messages) > 1 else 1.0
        return msgspec.structs.replace(_of_100(turn), predicted_prefill_s=seconds)

    take_turn(small, room, qtbot, f"What is it?\n{LOG}", "A log.")
    take_turn(small, room, qtbot, "short", "Yes.")
    room.engine.report = slow
    sent = len(room.engine.requests)
    send(small, f"And {LONG}")
    banner_of(small, qtbot).buttons["leave_out_oldest"].click()
    qtbot.waitUntil(lambda: "go" in banner_of(small, qtbot).buttons)
    banner = banner_of(small, qtbot)
    assert "about 2 minutes" in banner.accessibleName(), "nothing more goes without a question"
    banner.buttons["go"].click()
    answer(small, room, qtbot, sent)
    contents = [one.content for one in generated(room).messages]
    assert "INFO" not in contents[0]
    assert len(contents) == 5
    assert small.chats.current.settings.context.kept_from is None


def test_what_is_pasted_goes_by_the_remembered_choice_too_and_is_told(
    small: Desktop, room: Room, qtbot: QtBot
) -> None:
    take_turn(small, room, qtbot, f"What is it?\n{LOG}", "A log.")
    take_turn(small, room, qtbot, "short", "Yes.")
    context = ContextFields(on_overflow=OverflowChoice.LEAVE_OUT_OLDEST)
    small.chats.configure(context=context)
    sent = len(room.engine.requests)
    send(small, f"And {LONG}")
    answer(small, room, qtbot, sent)
    told = small.window.transcript.banner
    assert told is not None
    assert "Left out: the pasted log of" in told.accessibleName()
    assert len(generated(room).messages) == 5


def test_before_anything_was_measured_the_time_is_estimated_and_called_so(
    room: Room, opened: Callable[[], Desktop], qtbot: QtBot
) -> None:
    expected = SpeedRange(low=1.0, high=8.0)
    readings = ReadingSpeeds(room.services.data_root / "none", expected=lambda _, __: expected)
    room.services = dataclasses.replace(room.services, readings=readings)
    desktop = opened()
    send(desktop, "word " * 480)
    banner = banner_of(desktop, qtbot)
    assert "may take 1 to 8 minutes" in banner.accessibleName()
    assert "estimated from what the processor can do" in banner.accessibleName()
    assert list(banner.buttons) == ["go", "shorten"]


def test_a_refusal_by_the_engine_leads_to_the_same_choices(
    desktop: Desktop, room: Room, qtbot: QtBot
) -> None:
    take_turn(desktop, room, qtbot, "one", "two")
    send(desktop, "three")
    qtbot.waitUntil(lambda: len(room.engine.requests) == 2)
    room.engine.say(failed(room.engine.last, OVERFLOW))
    banner = banner_of(desktop, qtbot)
    assert list(banner.buttons) == ["leave_out_oldest", "new_chat", "shorten"]
    assert "at least 900 tokens" in banner.accessibleName()


def test_what_is_too_long_to_be_counted_is_halved_until_it_can_be(
    desktop: Desktop, room: Room, qtbot: QtBot
) -> None:
    for number in range(3):
        take_turn(desktop, room, qtbot, f"question {number}", "answer")
    room.engine.count_error = OVERFLOW

    def counts_less(turn: Generate) -> ContextReport:
        return counted(turn)

    sent = len(room.engine.requests)
    send(desktop, "now")
    banner = banner_of(desktop, qtbot)
    before = len(room.engine.counts)
    room.engine.refuse_from = 2
    room.engine.report = counts_less
    banner.buttons["leave_out_oldest"].click()
    answer(desktop, room, qtbot, sent)
    assert len(room.engine.counts) > before + 1
    assert generated(room).messages[-1].content == "now"
    assert len(generated(room).messages) < 2


def test_stop_works_while_a_turn_is_counted(desktop: Desktop, room: Room, qtbot: QtBot) -> None:
    room.engine.counting.clear()
    send(desktop, "wait")
    qtbot.waitUntil(lambda: room.engine.counting_now)
    desktop.runner.stop()
    assert desktop.runner.state is TurnState.STOPPING
    room.engine.counting.set()
    qtbot.waitUntil(lambda: desktop.runner.state is TurnState.IDLE)
    assert room.engine.requests == []


def test_each_answer_keeps_what_its_prompt_was_made_of(
    desktop: Desktop, room: Room, qtbot: QtBot
) -> None:
    take_turn(desktop, room, qtbot, "one", "two")
    take_turn(desktop, room, qtbot, "three", "four")
    last = desktop.chats.current.last
    assert last is not None
    room.chats.load(desktop.chats.current.id)  # after everything that was queued before it
    stamps = room.store.message(last.id).result().stamps
    manifest = from_json(stamps[-1].start.context_manifest or "")
    assert manifest is not None
    assert [one.kind for one in manifest.segments] == ["history", "user"]
    assert manifest.segments[0].tokens == 2
    shown = next(m for m in room.chats.load(desktop.chats.current.id).messages if m.id == last.id)
    assert shown.stamp is not None
    assert from_json(shown.stamp.manifest) == manifest

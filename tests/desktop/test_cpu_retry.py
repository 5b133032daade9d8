"""The window while the CPU goes on with an answer that a GPU could not end."""

import msgspec
import pytest
from pytestqt.qtbot import QtBot

from app.core.errors import ErrorKind, ErrorRecord
from app.desktop.application import Desktop
from app.desktop.conversation import FailedRun, Message
from app.desktop.lifecycle import TurnState
from app.desktop.message_block import AnswerBlock
from app.desktop.wording import answer_details
from app.engine.manifest import condensed, to_json
from app.engine.protocol import Generate
from app.engine.spec import ScriptedRuntime
from app.workflows.cpu_retry import RetriedOnCpu
from tests.desktop.fake_engine import counted, failed, finished, loading, text, thought
from tests.desktop.rooms import DEVICES, Room, Start

LOST = ErrorRecord(
    kind=ErrorKind.ENVIRONMENT,
    code="device_lost",
    message="The graphics device stopped answering.",
    remedy="Send the message again, or choose CPU.",
)
SUMMARY = "Written on the CPU after GPU had failed"


def _ask_on_the_gpu(desktop: Desktop, room: Room, qtbot: QtBot) -> RetriedOnCpu:
    """Returns what the engine says when it goes on on the CPU."""
    desktop.runner.device = DEVICES.devices[1]
    desktop.window.composer.sent.emit("Count to six")
    qtbot.waitUntil(lambda: len(room.engine.requests) == 1)
    asked = room.engine.requests[0]
    assert isinstance(asked, Generate)
    spec = msgspec.structs.replace(asked.spec, runtime=ScriptedRuntime(device="CPU"))
    again = msgspec.structs.replace(asked, spec=spec)
    return RetriedOnCpu(
        request=asked.request, device="GPU", error=LOST, again=again, report=counted(again)
    )


def _last(desktop: Desktop) -> Message:
    last = desktop.chats.current.last
    assert last is not None
    return last


def _block(desktop: Desktop) -> AnswerBlock:
    block = desktop.window.transcript.block(_last(desktop).id)
    assert isinstance(block, AnswerBlock)
    return block


def _reopened(start: Start, qtbot: QtBot) -> Desktop:
    desktop, _ = start()
    with qtbot.waitSignal(desktop.chats.shown):
        desktop.window.chat_list.chosen.emit(desktop.chats.summaries[0].id)
    return desktop


def test_the_text_is_whole_and_the_person_is_told_now_and_later(start: Start, qtbot: QtBot) -> None:
    desktop, room = start()
    told = _ask_on_the_gpu(desktop, room, qtbot)
    request = told.request
    room.engine.say(text(request, "one two "), text(request, "three "), told)
    qtbot.waitUntil(lambda: desktop.window.transcript.banner is not None)
    banner = desktop.window.transcript.banner
    assert banner is not None
    assert banner.accessibleName() == (
        "GPU failed. The CPU took over this answer. The graphics device stopped answering."
        " What was written before stays."
    )
    assert desktop.runner.state is TurnState.PREPARING
    room.engine.say(loading(request, 0.5), text(request, "four five six"), finished(request))
    qtbot.waitUntil(lambda: desktop.runner.state is TurnState.IDLE)
    block = _block(desktop)
    assert block.text.markdown() == "one two three four five six"
    assert block.summary == SUMMARY
    assert desktop.window.status.text() == f"{SUMMARY} · 42 tokens, 61.2 tokens/s"
    stamp = _last(desktop).stamp
    assert stamp is not None
    assert (stamp.device, stamp.before) == ("CPU", FailedRun(device="GPU", error=LOST))
    assert stamp.manifest == to_json(condensed(told.report.manifest))
    failure = "GPU · The graphics device stopped answering. (device_lost)"
    assert ("Failed before", failure) in answer_details(stamp)
    desktop = _reopened(start, qtbot)
    kept = _last(desktop)
    assert (kept.text, kept.stamp) == ("one two three four five six", stamp)
    assert _block(desktop).summary == SUMMARY


def test_a_second_failure_keeps_the_text_of_both(start: Start, qtbot: QtBot) -> None:
    desktop, room = start()
    told = _ask_on_the_gpu(desktop, room, qtbot)
    request = told.request
    room.engine.say(text(request, "one "), told, text(request, "two "), failed(request))
    qtbot.waitUntil(lambda: desktop.runner.state is TurnState.IDLE)
    assert _block(desktop).summary == f"Interrupted · {SUMMARY}"
    desktop = _reopened(start, qtbot)
    kept = _last(desktop)
    assert kept.text == "one two "
    assert kept.stamp is not None
    assert kept.stamp.error is not None
    assert (kept.stamp.error.code, kept.stamp.before) == (
        "engine_died",
        FailedRun(device="GPU", error=LOST),
    )


@pytest.mark.parametrize("written", ["", "one "])
def test_thoughts_are_parted_where_they_begin_anew(
    start: Start, qtbot: QtBot, written: str
) -> None:
    desktop, room = start()
    told = _ask_on_the_gpu(desktop, room, qtbot)
    request = told.request
    room.engine.say(thought(request, "hm"), text(request, written), told)
    room.engine.say(thought(request, "so"), text(request, "two"), finished(request))
    qtbot.waitUntil(lambda: desktop.runner.state is TurnState.IDLE)
    desktop = _reopened(start, qtbot)
    kept = _last(desktop)
    assert (kept.thinking, kept.text) == ("hmso" if written else "hm\n\nso", f"{written}two")

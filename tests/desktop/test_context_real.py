"""The context in the window on the starter model: predicted, measured, stored, held when full."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.desktop.application import Desktop
from app.desktop.choice_banner import ChoiceBanner
from app.desktop.conversation import AnswerStamp
from app.desktop.lifecycle import TurnState
from app.engine.manifest import SegmentKind, from_json
from app.engine.spec import LlamaRuntime, OpenVinoRuntime, Runtime
from app.models.library import InstalledModel
from tests.desktop.real_room import RealRoom

pytestmark = [pytest.mark.real_model, pytest.mark.s2, pytest.mark.timeout(240)]

_PATIENCE_MS = 120_000
NOTE = "The crane is red and the mole is long. " * 16
PARAGRAPH = "A quay is where ships lie while they are loaded. "


@pytest.fixture(params=["openvino", "llama"])
def window(
    request: pytest.FixtureRequest, tmp_path: Path, qapp: QApplication, qtbot: QtBot
) -> Iterator[Desktop]:
    runtime: Runtime
    if request.param == "openvino":
        runtime, fixture = OpenVinoRuntime(), "starter_openvino"
    else:
        runtime, fixture = LlamaRuntime(), "starter_gguf"
    model: InstalledModel = request.getfixturevalue(fixture)
    room = RealRoom(tmp_path, runtime, model, max_tokens=8, context_tokens=512)
    desktop = Desktop(qapp, room.services)
    with qtbot.waitSignal(desktop.inventory.models_listed):
        desktop.start()
    qtbot.waitUntil(lambda: desktop.runner.state is TurnState.IDLE)
    yield desktop
    desktop.close()


def ask(desktop: Desktop, qtbot: QtBot, words: str) -> AnswerStamp:
    """Sends ``words`` and returns how the answer went."""
    with qtbot.waitSignal(desktop.runner.answer_finished, timeout=_PATIENCE_MS):
        desktop.window.composer.sent.emit(words)
    last = desktop.chats.current.last
    assert last is not None
    assert last.stamp is not None
    assert last.stamp.error is None
    return last.stamp


def test_a_chat_with_a_file_is_reused_as_predicted_until_it_is_full(
    window: Desktop, qtbot: QtBot, tmp_path: Path
) -> None:
    note = tmp_path / "note.md"
    note.write_text(NOTE)
    with qtbot.waitSignal(window.context.pins.changed):
        window.context.pins.pin([note])
    cold = ask(window, qtbot, "What colour is the crane?")
    assert cold.usage.reused_tokens < 32
    warm = ask(window, qtbot, "And the mole?")
    manifest = from_json(warm.manifest)
    assert manifest is not None
    assert manifest.segments[0].kind is SegmentKind.PINNED
    assert warm.usage.predicted_reused_tokens >= manifest.stable_tokens - 32
    assert warm.usage.reused_tokens == warm.usage.predicted_reused_tokens
    assert warm.usage.prompt_tokens == manifest.prompt_tokens
    question = f"What is a quay? {PARAGRAPH * 23}"
    with qtbot.waitSignal(window.runner.turn_held, timeout=_PATIENCE_MS):
        window.window.composer.sent.emit(question)
    banner = window.window.transcript.banner
    assert isinstance(banner, ChoiceBanner)
    with qtbot.waitSignal(window.runner.answer_finished, timeout=_PATIENCE_MS):
        banner.buttons["leave_out_oldest"].click()
    last = window.chats.current.last
    assert last is not None
    assert last.stamp is not None
    assert last.stamp.error is None
    kept = from_json(last.stamp.manifest)
    assert kept is not None
    assert kept.stable_token_sha256 == manifest.stable_token_sha256
    assert window.chats.current.settings.context.kept_from is not None

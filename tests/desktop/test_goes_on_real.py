"""Going on with an answer of the starter model: nothing is said twice, on either backend."""

from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.desktop.application import Desktop
from app.desktop.conversation import Message
from app.desktop.lifecycle import TurnState
from app.desktop.message_block import AnswerBlock
from app.engine.outcome import FinishReason
from app.engine.spec import LlamaRuntime, OpenVinoRuntime
from app.models.library import InstalledModel
from tests.desktop.real_room import RealRoom
from tests.engine.backends.llama_required import require_llama

pytestmark = [pytest.mark.real_model, pytest.mark.timeout(240)]

_PATIENCE_MS = 120_000
_QUESTION = "Tell me a long story about a lighthouse."


def _room(root: Path, request: pytest.FixtureRequest, backend: str, max_tokens: int) -> RealRoom:
    if backend == "llama":
        require_llama()
        model = request.getfixturevalue("starter_gguf")
    else:
        model = request.getfixturevalue("starter_openvino")
    assert isinstance(model, InstalledModel)
    runtime = LlamaRuntime() if backend == "llama" else OpenVinoRuntime()
    return RealRoom(root, runtime, model, max_tokens=max_tokens)


def _wait_until_idle(desktop: Desktop, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: desktop.runner.state is TurnState.IDLE, timeout=_PATIENCE_MS)


def _last(desktop: Desktop) -> Message:
    last = desktop.chats.current.last
    assert last is not None
    return last


def _overlap(first: str, second: str) -> int:
    """How much of the end of ``first`` begins ``second``."""
    lengths = range(min(len(first), len(second)), 0, -1)
    return next((length for length in lengths if second.startswith(first[-length:])), 0)


@pytest.mark.parametrize("backend", ["llama", "openvino"])
def test_an_answer_goes_on_in_the_middle_of_a_sentence(
    tmp_path: Path,
    qapp: QApplication,
    qtbot: QtBot,
    request: pytest.FixtureRequest,
    backend: str,
) -> None:
    room = _room(tmp_path, request, backend, max_tokens=40)
    desktop = Desktop(qapp, room.services)
    try:
        with qtbot.waitSignal(desktop.inventory.models_listed):
            desktop.start()
        _wait_until_idle(desktop, qtbot)
        desktop.window.composer.sent.emit(_QUESTION)
        assert desktop.runner.busy()
        _wait_until_idle(desktop, qtbot)
        first = _last(desktop)
        assert first.stamp is not None
        assert first.stamp.reason is FinishReason.LENGTH, first.stamp
        block = desktop.window.transcript.block(first.id)
        assert isinstance(block, AnswerBlock)
        block.resume_button.click()
        assert desktop.runner.busy()
        _wait_until_idle(desktop, qtbot)
        whole = _last(desktop)
        assert whole.id == first.id
        assert whole.text.startswith(first.text)
        more = whole.text[len(first.text) :]
        assert len(more) > 60
        assert not more.lstrip().startswith(first.text.lstrip()[:20])
        assert _overlap(first.text, more) < 10
    finally:
        desktop.quit()
        desktop.close()
        room.chats.close()

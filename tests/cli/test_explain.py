"""``contenox explain``, as a person calls it."""

import contextlib
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from app.chats.records import ChatSettings, NewAttachment
from app.chats.store import ChatStore
from app.cli.main import main
from app.composition import build_services
from app.core.paths import DataRoot
from app.models.library import InstalledModel
from app.workflows.explain import Explanation

pytestmark = [pytest.mark.s2_5, pytest.mark.real_model]

Explain = Callable[..., str]


@pytest.fixture
def explain(
    starter_openvino: InstalledModel, data_root: DataRoot, capsys: pytest.CaptureFixture[str]
) -> Explain:
    data_root.path.mkdir(exist_ok=True)
    data_root.models.symlink_to(starter_openvino.folder.parents[1], target_is_directory=True)

    def run(*arguments: str) -> str:
        code = main(["explain", "--backend", "openvino", *arguments], build_services)
        out, error = capsys.readouterr()
        assert code == 0, error
        return out

    return run


def test_prediction_and_measurement_are_printed_and_agree(explain: Explain, tmp_path: Path) -> None:
    pinned = tmp_path / "notes.md"
    pinned.write_text("The sea is blue. " * 30)
    out = explain("--json", "--system", "Be terse.", "--pin", str(pinned), "What is blue?")
    found = msgspec.json.decode(out, type=Explanation)
    kinds = [one.kind.value for one in found.report.manifest.segments]
    assert kinds == ["system", "pinned", "user"]
    assert found.first is not None
    assert found.second is not None
    assert (found.first.measured_reused_tokens, found.first.agrees) == (0, True)
    assert found.second.predicted_reused_tokens >= found.report.manifest.stable_tokens - 32
    assert (found.second.measured_reused_tokens, found.second.agrees) == (
        found.second.predicted_reused_tokens, True
    )  # fmt: skip


def test_a_stored_chat_that_is_too_long_prints_its_choices(
    explain: Explain, data_root: DataRoot
) -> None:
    with contextlib.closing(ChatStore(data_root.chats)) as store:
        settings = ChatSettings(system_prompt="Be terse.")
        chat = store.create_conversation(settings=settings).result()
        file = NewAttachment(name="a.md", media_type="text/markdown", content=b"Blue. " * 20)
        store.attach(chat.id, file).result()
        store.send(chat.id, "Tell me a story. " * 60).result()
    out = explain("--count-only", "--chat", chat.id, "--context", "300", "--reserve", "50", "And?")
    assert "a.md" in out
    assert "It does not fit" in out
    assert "Choices: leave out oldest, summarise, new chat." in out

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
from app.workflows.context_overflow import Remedy
from app.workflows.explain import Explanation

pytestmark = [pytest.mark.s2_5, pytest.mark.real_model]

Explain = Callable[..., str]
Refused = Callable[..., tuple[str, str]]


@pytest.fixture
def with_starter(starter_openvino: InstalledModel, data_root: DataRoot) -> None:
    data_root.path.mkdir(exist_ok=True)
    data_root.models.symlink_to(starter_openvino.folder.parents[1], target_is_directory=True)


@pytest.fixture
def explain(with_starter: None, capsys: pytest.CaptureFixture[str]) -> Explain:
    def run(*arguments: str) -> str:
        code = main(["explain", "--backend", "openvino", *arguments], build_services)
        out, error = capsys.readouterr()
        assert code == 0, error
        return out

    return run


@pytest.fixture
def refused(with_starter: None, capsys: pytest.CaptureFixture[str]) -> Refused:
    """Explains a prompt that doesn't fit: stdout and stderr. It exits as a refused answer does."""

    def run(*arguments: str) -> tuple[str, str]:
        code = main(["explain", "--backend", "openvino", *arguments], build_services)
        out, error = capsys.readouterr()
        assert (code, error.count("\n")) == (1, 1), error
        assert error.startswith("contenox: It does not fit: ")
        assert error.endswith(" [context_overflow]\n")
        return out, error

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
    refused: Refused, data_root: DataRoot
) -> None:
    with contextlib.closing(ChatStore(data_root.chats)) as store:
        settings = ChatSettings(system_prompt="Be terse.")
        chat = store.create_conversation(settings=settings).result()
        file = NewAttachment(name="a.md", media_type="text/markdown", content=b"Blue. " * 20)
        store.attach(chat.id, file).result()
        store.send(chat.id, "Tell me a story. " * 60).result()
    small = ("--count-only", "--context", "300", "--reserve", "50")
    out, error = refused(*small, "--chat", chat.id, "And?")
    assert "a.md" in out
    assert "Left out first: the oldest message (306 tokens)." in out
    choices = "leave that out, summarise the oldest messages, new chat with the pinned files"
    assert f"you can choose: {choices}. [" in error


def test_what_helps_is_what_the_prompt_really_has(refused: Refused, tmp_path: Path) -> None:
    file = tmp_path / "notes.md"
    file.write_text("The sea is blue. " * 100)
    small = ("--count-only", "--context", "300", "--reserve", "50")
    long = "Tell me a story. " * 100
    _, error = refused(*small, long)
    assert error.endswith("are history. Shorten the message. [context_overflow]\n")
    _, error = refused(*small, "--system", long, "And?")
    assert "Shorten the system prompt, or the message." in error
    _, error = refused(*small, "--pin", str(file), "And?")
    assert "Unpin a file, or shorten the message." in error
    file.write_text("The sea is blue.")
    out, error = refused("--json", *small, "--pin", str(file), long)
    assert "Shorten the message, or unpin a file." in error
    found = msgspec.json.decode(out, type=Explanation)
    assert found.overflow is not None
    assert found.overflow.remedy is Remedy.SHORTEN_OR_UNPIN

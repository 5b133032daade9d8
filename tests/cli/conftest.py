"""A Hub on loopback that serves small repositories under the names of real rows of the list."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from app.cli.main import main
from app.composition import build_services
from app.core.paths import DataRoot
from app.models.catalog import Variant, load_catalog
from tests.support.gguf_files import GgufDraft
from tests.support.loopback_hub import LoopbackHub
from tests.support.machine import probed
from tests.support.model_files import openvino_files

ROW = "qwen2.5-coder-0.5b"
"""A row whose two variants are known by name only: the first download decides."""

Console = Callable[..., tuple[int, str, str]]


def variant_of(backend: str, name: str = ROW) -> Variant:
    return load_catalog().find(name, backend)[1]


def repository_of(backend: str, name: str = ROW) -> str:
    repository = variant_of(backend, name).repository
    assert repository is not None
    return repository


@pytest.fixture
def files(tmp_path: Path) -> dict[str, bytes]:
    """The files of a small OpenVINO repository."""
    return openvino_files(tmp_path / "repository")


@pytest.fixture
def hub(files: dict[str, bytes], monkeypatch: pytest.MonkeyPatch) -> Iterator[LoopbackHub]:
    with LoopbackHub() as running:
        running.add(repository_of("openvino"), files)
        gguf = variant_of("llama").files[0].path
        running.add(repository_of("llama"), {gguf: GgufDraft().content(), "README.md": b"#"})
        monkeypatch.setenv("HF_ENDPOINT", running.endpoint)
        yield running


@pytest.fixture
def console(data_root: DataRoot, capsys: pytest.CaptureFixture[str]) -> Console:
    """Runs one command in this process: exit code, stdout, stderr.

    The processor's two seconds are spent already.
    """
    probed(data_root)

    def run(*arguments: str | Path) -> tuple[int, str, str]:
        code = main([str(argument) for argument in arguments], build_services)
        out, err = capsys.readouterr()
        return code, out, err

    return run

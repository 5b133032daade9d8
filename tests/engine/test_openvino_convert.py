"""The conversion refuses before the native reader, and writes what the first one wrote."""

import multiprocessing
from pathlib import Path

import pytest

from app.core.errors import DataFault, UserError
from app.engine.backends.openvino_convert import convert
from app.models.identity import sha256_of
from app.models.library import InstalledModel
from tests.support.gguf_files import GgufDraft


def test_a_damaged_file_never_reaches_the_native_reader(tmp_path: Path) -> None:
    source = tmp_path / "cut.gguf"
    source.write_bytes(GgufDraft().content()[:900])
    with pytest.raises(DataFault) as caught:
        convert(source, tmp_path / "target")
    assert caught.value.code == "model_damaged"
    assert not (tmp_path / "target").exists()


def test_an_architecture_that_can_not_be_converted_is_named(tmp_path: Path) -> None:
    metadata = {
        key.replace("llama.", "gemma3."): value for key, value in GgufDraft().metadata.items()
    }
    draft = GgufDraft(metadata=metadata | {"general.architecture": "gemma3"})
    with pytest.raises(UserError, match="gemma3") as caught:
        convert(draft.write(tmp_path / "tiny.gguf"), tmp_path / "target")
    assert caught.value.code == "conversion_unsupported"


def _convert(source: str, target: str) -> None:
    convert(Path(source), Path(target))


@pytest.mark.real_model
def test_a_second_conversion_gives_the_same_bytes(
    starter_gguf: InstalledModel, starter_openvino: InstalledModel, tmp_path: Path
) -> None:
    # The digest names the model in chats and certificates, so it must not depend on the day.
    target = tmp_path / "Ziel é漢 mit Leerzeichen"
    child = multiprocessing.get_context("spawn").Process(
        target=_convert, args=(str(starter_gguf.path), str(target))
    )
    child.start()
    child.join(90)
    assert child.exitcode == 0
    written = sorted(path.name for path in target.iterdir())
    assert len(written) == 6
    for name in written:
        assert sha256_of(target / name) == sha256_of(starter_openvino.path / name)
    assert starter_gguf.path.is_file()

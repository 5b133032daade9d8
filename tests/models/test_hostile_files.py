"""Random damage to the starter's real files: a sentence or a pass, always quickly.

The default run is small and seeded; ``-m soak`` does 500 of each kind.
"""

import random
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.core.errors import DataFault
from app.models.artifact import check_openvino_folder
from app.models.gguf import read_gguf
from app.models.library import InstalledModel
from tests.support.promptness import at_most

pytestmark = pytest.mark.real_model

_SOAK = pytest.param(500, marks=[pytest.mark.soak, pytest.mark.timeout(900)])
_LONGEST_S = 1.0


@pytest.fixture
def header(starter_gguf: InstalledModel) -> bytes:
    """All that is before the tensor data."""
    model = read_gguf(starter_gguf.path)
    with starter_gguf.path.open("rb") as file:
        return file.read(min(tensor.offset for tensor in model.container.tensors))


def _write(path: Path, header: bytes, size_bytes: int) -> Path:
    """A file of the full size whose tensor data is a hole."""
    with path.open("wb") as file:
        file.write(header)
        file.truncate(size_bytes)
    return path


def _judge_gguf(path: Path) -> bool:
    """Whether the gate lets the file pass; checks what it takes."""
    with at_most(_LONGEST_S):
        try:
            read_gguf(path)
        except DataFault:
            return False
    return True


def _damaged(content: bytes, chance: random.Random) -> bytes:
    copy = bytearray(content)
    for _ in range(chance.choice((1, 2, 20))):
        copy[chance.randrange(len(copy))] ^= 1 << chance.randrange(8)
    return bytes(copy)


@pytest.mark.parametrize("count", [40, _SOAK])
def test_every_cut_of_the_gguf_is_refused(
    starter_gguf: InstalledModel, header: bytes, tmp_path: Path, count: int
) -> None:
    chance = random.Random(count)
    path = tmp_path / "cut.gguf"
    for _ in range(count):
        length = chance.randrange(starter_gguf.size_bytes)
        assert not _judge_gguf(_write(path, header[:length], length))


@pytest.mark.parametrize("count", [40, _SOAK])
def test_flipped_bits_of_the_gguf_header_are_judged_quickly(
    starter_gguf: InstalledModel, header: bytes, tmp_path: Path, count: int
) -> None:
    chance = random.Random(count)
    path = tmp_path / "flipped.gguf"
    refused = 0
    for _ in range(count):
        damaged = _damaged(header, chance)
        refused += not _judge_gguf(_write(path, damaged, starter_gguf.size_bytes))
    # Flips inside a token's text are no defect of the structure; most of the others are.
    assert refused > count / 4


@pytest.fixture
def folder(starter_openvino: InstalledModel, tmp_path: Path) -> Iterator[Path]:
    """A copy of the folder whose large weights are a hole."""
    target = tmp_path / "model"
    target.mkdir()
    for path in starter_openvino.path.iterdir():
        if path.name == "openvino_model.bin":
            _write(target / path.name, b"", path.stat().st_size)
        else:
            shutil.copyfile(path, target / path.name)
    yield target
    shutil.rmtree(target)


def _judge_folder(folder: Path) -> bool:
    with at_most(_LONGEST_S):
        try:
            check_openvino_folder(folder)
        except DataFault:
            return False
    return True


@pytest.mark.parametrize("count", [8, _SOAK])
def test_cuts_of_the_openvino_files_are_refused(folder: Path, count: int) -> None:
    chance = random.Random(count)
    names = sorted(path.name for path in folder.glob("openvino_*"))
    for _ in range(count):
        path = folder / chance.choice(names)
        size_bytes = path.stat().st_size
        whole = path.read_bytes() if path.suffix == ".xml" else b""
        length = chance.randrange(size_bytes - 1)
        _write(path, whole[:length], length)
        assert not _judge_folder(folder)
        _write(path, whole, size_bytes)
    assert _judge_folder(folder)


@pytest.mark.parametrize("count", [8, _SOAK])
def test_flipped_bits_of_the_openvino_texts_are_judged_quickly(folder: Path, count: int) -> None:
    chance = random.Random(count)
    paths = sorted(p for p in folder.iterdir() if p.suffix in (".xml", ".json", ".jinja"))
    for _ in range(count):
        path = chance.choice(paths)
        whole = path.read_bytes()
        path.write_bytes(_damaged(whole, chance))
        _judge_folder(folder)
        path.write_bytes(whole)

"""Carrying a model: verified twice, resumable, and never half."""

import os
from pathlib import Path

import pytest

from app.core.errors import DataFault, EnvironmentFault
from app.models import carry as module
from app.models.carry import carry, carry_bytes
from app.models.identity import Stopped
from app.models.library import Library
from tests.support.model_folders import install_tiny


@pytest.fixture
def library(tmp_path: Path) -> Library:
    return Library(tmp_path / "old é漢")


@pytest.fixture
def stick(tmp_path: Path) -> Library:
    return Library(tmp_path / "stick")


def _inode(path: Path) -> int:
    return path.stat().st_ino


def test_a_copy_is_the_same_model_with_files_of_its_own(library: Library, stick: Library) -> None:
    model = install_tiny(library)
    (model.folder / "contenox-openvino.json").write_text("{}")
    counted: list[int] = []
    there = carry(model, stick, on_bytes=counted.append)
    assert there.digest == model.digest
    stick.verify(there)
    assert _inode(there.folder / "model.bin") != _inode(model.folder / "model.bin")
    assert (there.folder / "contenox-openvino.json").read_text() == "{}"
    assert sum(counted) == carry_bytes(model)
    assert sorted(path.name for path in stick.store.iterdir()) == ["tiny"]
    library.verify(model)


def test_on_one_volume_a_link_will_do(library: Library, stick: Library) -> None:
    model = install_tiny(library)
    there = carry(model, stick, may_link=True)
    assert _inode(there.folder / "model.bin") == _inode(model.folder / "model.bin")


@pytest.mark.parametrize("may_link", [True, False])
def test_a_damaged_source_is_named_and_nothing_appears(
    library: Library, stick: Library, may_link: bool
) -> None:
    model = install_tiny(library)
    (model.folder / "model.bin").write_bytes(b"Weights")
    with pytest.raises(DataFault, match=r"model\.bin") as caught:
        carry(model, stick, may_link=may_link)
    assert caught.value.code == "model_damaged"
    assert stick.survey() == ((), ())


def test_a_stopped_copy_goes_on_with_what_is_there(
    library: Library, stick: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = install_tiny(library)
    copied: list[str] = []
    real = module.copy_hashed

    def copy_one(source: Path, target: Path, *rest: object) -> str:
        if copied:
            raise Stopped
        copied.append(target.name)
        return real(source, target)

    monkeypatch.setattr(module, "copy_hashed", copy_one)
    with pytest.raises(Stopped):
        carry(model, stick)
    assert stick.survey() == ((), ())
    monkeypatch.undo()

    def copy_the_rest(source: Path, target: Path, *rest: object) -> str:
        assert target.name not in copied
        return real(source, target)

    monkeypatch.setattr(module, "copy_hashed", copy_the_rest)
    stick.verify(carry(model, stick))


def test_what_an_earlier_run_left_damaged_is_copied_anew(library: Library, stick: Library) -> None:
    model = install_tiny(library)
    half = stick.store / ".carrying" / f"tiny--openvino--{model.digest[:12]}" / "model.bin"
    half.parent.mkdir(parents=True)
    half.write_bytes(b"wrong!!")
    stick.verify(carry(model, stick))


def test_a_damaged_copy_there_is_replaced(library: Library, stick: Library) -> None:
    model = install_tiny(library)
    there = carry(model, stick)
    (there.folder / "model.bin").write_bytes(b"Weights")
    stick.verify(carry(model, stick))


def test_a_drive_that_reads_back_other_bytes_is_noticed(
    library: Library, stick: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = install_tiny(library)
    real = module._copy

    def copy_badly(source: Path, part: Path, *rest: object) -> str:
        digest = real(source, part, lambda _: None, lambda: False)
        part.write_bytes(b"x" * part.stat().st_size)
        return digest

    monkeypatch.setattr(module, "_copy", copy_badly)
    with pytest.raises(EnvironmentFault) as caught:
        carry(model, stick)
    assert caught.value.code == "copy_differs"
    assert stick.survey() == ((), ())


def test_a_drive_without_room_is_refused_before_a_byte(
    library: Library, stick: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = install_tiny(library)
    monkeypatch.setattr(module, "free_bytes", lambda _: 1000)
    with pytest.raises(EnvironmentFault, match=r"1\.0 kB free") as caught:
        carry(model, stick)
    assert caught.value.code == "disk_full"
    assert not stick.store.exists()


def test_a_drive_that_fills_up_in_between_is_said_so(
    library: Library, stick: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = install_tiny(library)

    def full(*_: object) -> str:
        raise OSError(28, os.strerror(28))

    monkeypatch.setattr(module, "_copy", full)
    with pytest.raises(EnvironmentFault, match="is full") as caught:
        carry(model, stick)
    assert caught.value.code == "disk_full"
    monkeypatch.undo()
    stick.verify(carry(model, stick))


def test_a_file_system_that_ends_at_4_gb_is_called_by_its_name(
    library: Library, stick: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = install_tiny(library)

    def too_large(*_: object) -> str:
        raise OSError(27, os.strerror(27))

    monkeypatch.setattr(module, "_copy", too_large)
    with pytest.raises(EnvironmentFault, match="FAT32") as caught:
        carry(model, stick)
    assert caught.value.code == "file_too_large"

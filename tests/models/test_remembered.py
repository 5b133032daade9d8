"""An absent drive takes no model away; what was deleted is forgotten."""

import shutil
from pathlib import Path

import pytest

from app.core.errors import EnvironmentFault
from app.models.library import Library
from app.models.remembered import ModelMemory, RememberedModel
from tests.support.model_folders import install_tiny


@pytest.fixture
def library(tmp_path: Path) -> Library:
    return Library(tmp_path / "drive" / "models é漢")


@pytest.fixture
def memory(tmp_path: Path) -> ModelMemory:
    return ModelMemory(tmp_path / "seen.json")


def _look(memory: ModelMemory, library: Library) -> tuple[RememberedModel, ...]:
    whole, broken = library.survey()
    return memory.observe(library.store, whole, broken=bool(broken))


def test_a_store_that_is_there_has_nothing_away(library: Library, memory: ModelMemory) -> None:
    assert _look(memory, library) == ()
    install_tiny(library)
    assert _look(memory, library) == ()
    assert memory.away(library.store) == ()
    memory.require(library.store)


@pytest.mark.parametrize("mount_point_stays", [True, False])
def test_an_absent_drive_shows_its_models_and_they_come_back(
    library: Library, memory: ModelMemory, tmp_path: Path, mount_point_stays: bool
) -> None:
    model = install_tiny(library)
    install_tiny(library, "second")
    assert _look(memory, library) == ()
    shutil.move(library.store, tmp_path / "pulled out")
    if mount_point_stays:
        library.store.mkdir()
    for _ in range(3):
        away = _look(memory, library)
        assert [one.full_name for one in away] == ["second/openvino", "tiny/openvino"]
    assert away[1].digest == model.digest
    assert memory.away(library.store) == away
    with pytest.raises(EnvironmentFault) as caught:
        memory.require(library.store)
    assert caught.value.code == "store_missing"
    assert str(library.store) in caught.value.message
    if mount_point_stays:
        library.store.rmdir()
    shutil.move(tmp_path / "pulled out", library.store)
    assert _look(memory, library) == ()
    assert library.find("tiny") == model


def test_a_deleted_model_is_forgotten(library: Library, memory: ModelMemory) -> None:
    install_tiny(library)
    second = install_tiny(library, "second")
    _look(memory, library)
    library.delete(second)
    _look(memory, library)
    shutil.rmtree(library.store)
    assert [one.name for one in _look(memory, library)] == ["tiny"]


def test_a_store_that_lost_all_its_models_is_not_taken_for_absent(
    library: Library, memory: ModelMemory
) -> None:
    model = install_tiny(library)
    _look(memory, library)
    shutil.rmtree(model.folder.parent)
    assert _look(memory, library) == ()


def test_a_person_can_have_it_forgotten(library: Library, memory: ModelMemory) -> None:
    install_tiny(library)
    _look(memory, library)
    shutil.rmtree(library.store)
    memory.forget(library.store, "tiny/openvino")
    assert _look(memory, library) == ()
    memory.require(library.store)


def test_an_unreadable_memory_begins_anew(
    library: Library, memory: ModelMemory, tmp_path: Path
) -> None:
    install_tiny(library)
    (tmp_path / "seen.json").write_bytes(b"\xff{")
    assert _look(memory, library) == ()
    shutil.rmtree(library.store)
    assert [one.name for one in _look(memory, library)] == ["tiny"]


def test_a_memory_that_can_not_be_written_hides_no_model(library: Library, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    install_tiny(library)
    assert _look(ModelMemory(tmp_path / "file" / "seen.json"), library) == ()

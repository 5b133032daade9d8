"""A deletion can be undone until the program quits, and takes nothing of a person's."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from app.core.errors import EnvironmentFault, UserError
from app.models.library import Library
from app.models.removal import freed_bytes
from app.models.trash import Trash
from tests.support.model_folders import install_tiny


@pytest.fixture
def library(tmp_path: Path) -> Library:
    return Library(tmp_path / "Speicher é漢")


def test_a_deleted_model_is_gone_and_comes_back_whole(library: Library) -> None:
    model, trash = install_tiny(library), Trash(library)
    trashed = trash.put(model)
    assert library.survey() == ((), ())
    assert not model.folder.parent.exists()
    assert trashed.freed_bytes >= model.size_bytes
    assert trash.undo(trashed) == model
    library.verify(model)
    assert trash.held() == ()
    trash.empty()
    assert not (library.store / ".trash").exists()


def test_what_a_person_put_there_stays_through_deletion_and_undo(library: Library) -> None:
    model, trash = install_tiny(library), Trash(library)
    (model.folder / "note.txt").write_text("mine")
    trashed = trash.put(model)
    assert [path.name for path in model.folder.iterdir()] == ["note.txt"]
    trash.undo(trashed)
    library.verify(model)
    assert (model.folder / "note.txt").read_text() == "mine"


def test_quitting_empties_the_trash_and_ends_the_undo(library: Library) -> None:
    trash = Trash(library)
    trashed = trash.put(install_tiny(library))
    trash.empty()
    assert not (library.store / ".trash").exists()
    with pytest.raises(UserError) as caught:
        trash.undo(trashed)
    assert caught.value.code == "undo_too_late"


def test_an_undo_never_replaces_what_came_meanwhile(library: Library) -> None:
    trash = Trash(library)
    trashed = trash.put(install_tiny(library))
    again = install_tiny(library)
    with pytest.raises(UserError) as caught:
        trash.undo(trashed)
    assert caught.value.code == "undo_in_the_way"
    library.verify(again)


def test_the_trash_of_a_killed_program_is_removed_and_that_of_a_living_one_spared(
    library: Library,
) -> None:
    trash = Trash(library)
    trashed = trash.put(install_tiny(library))
    code = (
        "import os, sys; from pathlib import Path; from app.models.library import Library;"
        "from app.models.trash import Trash; from tests.support.model_folders import install_tiny;"
        "library = Library(Path(sys.argv[1])); Trash(library).put(install_tiny(library));"
        "os._exit(9)"
    )
    subprocess.run([sys.executable, "-c", code, library.store], timeout=60, check=False)
    assert len(list((library.store / ".trash").iterdir())) == 2
    Trash(library).empty()
    assert list((library.store / ".trash").iterdir()) == [trashed.folder]
    library.verify(trash.undo(trashed))


def test_an_undo_follows_the_store_to_its_new_place(library: Library, tmp_path: Path) -> None:
    trash, old = Trash(library), library.store
    trashed = trash.put(install_tiny(library))
    library.store = tmp_path / "new place"
    model = trash.undo(trashed)
    assert model.folder == library.store / "tiny" / "openvino"
    library.verify(model)
    assert not (old / ".trash").exists()


def test_a_hard_linked_file_frees_nothing(library: Library, tmp_path: Path) -> None:
    model = install_tiny(library)
    whole = freed_bytes(model.folder)
    os.link(model.folder / "model.bin", tmp_path / "elsewhere.bin")
    assert freed_bytes(model.folder) == whole - 7


def test_a_deletion_that_fails_half_way_is_taken_back(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    from app.models import trash as module

    model, moved = install_tiny(library), 0
    real = module._move

    def refuse_the_fourth(source: Path, target: Path) -> None:
        nonlocal moved
        moved += 1
        if moved == 4:
            raise PermissionError(13, "in use", str(source))
        real(source, target)

    monkeypatch.setattr(module, "_move", refuse_the_fourth)
    with pytest.raises(EnvironmentFault):
        Trash(library).put(model)
    monkeypatch.undo()
    library.verify(model)
    assert list((library.store / ".trash").iterdir()) == []

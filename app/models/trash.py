"""Deleted models, until the program quits: a deletion can be undone as long as it runs.

The files move to a folder of the store that belongs to this process, by renames: that is instant
and needs no space. What a killed program left there is removed by the next one.
"""

import contextlib
import errno
import shutil
from pathlib import Path
from typing import Final

from msgspec import Struct

from app.core.errors import UserError
from app.core.files import replace
from app.core.paths import unwritable
from app.models.library import InstalledModel, Library
from app.models.removal import freed_bytes, own_files, remove_empty
from app.models.scratch import new_scratch, sweep_scratch
from app.models.variant import MANIFEST_NAME, open_variant, read_manifest

# Begins with a dot, which no model name does.
_FOLDER: Final = ".trash"


class Trashed(Struct, frozen=True, kw_only=True):
    """A deleted model that can come back. ``freed_bytes`` is what emptying the trash gives back."""

    model: InstalledModel
    folder: Path
    freed_bytes: int


class Trash:
    """The models that this program deleted since it began.

    Args:
        library: where they come from and go back to.
    """

    def __init__(self, library: Library) -> None:
        self._library = library
        self._held: list[Trashed] = []

    def held(self) -> tuple[Trashed, ...]:
        """What can still be undone, the oldest first."""
        return tuple(self._held)

    def put(self, model: InstalledModel) -> Trashed:
        """Takes ``model`` out of the library. What a person put beside its files stays.

        Raises:
            DataFault: it isn't whole any more.
            EnvironmentFault: a file can't be moved; what was moved is moved back.
        """
        manifest = read_manifest(model.folder)
        freed = freed_bytes(model.folder)
        home = new_scratch(self._library.store / _FOLDER)
        moved: list[Path] = []
        try:
            for path in own_files(model.folder, manifest):
                if path.exists():
                    _move(path, home / path.relative_to(model.folder))
                    moved.append(path)
        except OSError as error:
            for path in reversed(moved):
                with contextlib.suppress(OSError):
                    _move(home / path.relative_to(model.folder), path)
            shutil.rmtree(home, ignore_errors=True)
            raise unwritable(model.folder, error) from error
        remove_empty(model.folder)
        trashed = Trashed(model=model, folder=home, freed_bytes=freed)
        self._held.append(trashed)
        return trashed

    def undo(self, trashed: Trashed) -> InstalledModel:
        """Brings a model back; its manifest last, so that it appears when it is whole.

        It comes to where the store is now, which may have moved meanwhile.

        Raises:
            UserError: ``undo_too_late``, the trash was emptied; ``undo_in_the_way``, the model was
                got again meanwhile.
            EnvironmentFault: a file can't be moved back.
        """
        model = trashed.model
        if trashed not in self._held or not trashed.folder.is_dir():
            raise UserError(
                "undo_too_late",
                f"{model.full_name} was deleted for good.",
                f"Get it again with: contenox models get {model.name}",
            )
        home = self._library.store / model.name / model.variant
        if (home / MANIFEST_NAME).exists():
            raise UserError(
                "undo_in_the_way",
                f"{model.full_name} is installed again already.",
                "Keep it, or delete it and undo the older deletion then.",
            )
        try:
            paths = (path for path in trashed.folder.rglob("*") if path.is_file())
            for path in sorted(paths, key=lambda path: path == trashed.folder / MANIFEST_NAME):
                _move(path, home / path.relative_to(trashed.folder))
        except OSError as error:
            raise unwritable(home, error) from error
        _remove(trashed.folder)
        self._held.remove(trashed)
        return open_variant(home)

    def empty(self) -> None:
        """Deletes for good what this program deleted, and what dead programs left. Never raises."""
        for trashed in self._held:
            _remove(trashed.folder)
        self._held.clear()
        sweep_scratch(self._library.store / _FOLDER)
        with contextlib.suppress(OSError):
            (self._library.store / _FOLDER).rmdir()


def _move(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        replace(source, target)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        shutil.move(source, target)  # the store has moved to another volume


def _remove(folder: Path) -> None:
    """Removes one deleted model; the trash and an old store go with the last."""
    shutil.rmtree(folder, ignore_errors=True)
    for parent in (folder.parent, folder.parent.parent):
        with contextlib.suppress(OSError):
            parent.rmdir()

"""The models on this machine: ``<store>/<model name>/<variant>/``.

A variant's folder appears by one rename, with its manifest inside, so an interrupted installation
leaves no half model. Readers need no lock. A folder that isn't whole never hides the others: it is
listed as broken, with the reason.
"""

import contextlib
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from app.core.errors import ContenoxError, DataFault, EnvironmentFault, UserError
from app.core.files import replace, write_atomic
from app.core.paths import unwritable
from app.models.identity import FileRecord, Manifest, ignore_bytes, never_stop, sha256_of
from app.models.removal import delete_listed, remove_empty
from app.models.scratch import new_scratch, sweep_scratch
from app.models.stamp import STAMP_NAME, changed_since_stamp, remove_stamp, write_stamp
from app.models.variant import (
    MANIFEST_NAME,
    InstalledModel,
    check_names,
    check_sizes,
    open_variant,
    read_manifest,
)

__all__ = ["BrokenModel", "InstalledModel", "Library"]

# Begins with a dot, which no model name does.
_STAGING_NAME: Final = ".staging"
# When a name has several variants and the caller names no backend.
_PREFERENCE: Final = ("openvino", "llama")


class BrokenModel(Struct, frozen=True, kw_only=True):
    """A folder of the store that isn't a whole model, and why."""

    name: str
    variant: str
    folder: Path
    error: ContenoxError


class Library:
    """Finds, checks, installs and deletes models in one store.

    Args:
        store: the folder; it need not exist.
    """

    def __init__(self, store: Path) -> None:
        self.store = store

    # -- Looking --

    def installed(self) -> tuple[InstalledModel, ...]:
        """The whole models, by name and variant. A broken folder or store never raises here."""
        return self.survey()[0]

    def broken(self) -> tuple[BrokenModel, ...]:
        """The folders that are no whole models."""
        return self.survey()[1]

    def survey(self) -> tuple[tuple[InstalledModel, ...], tuple[BrokenModel, ...]]:
        """Both in one pass; costs a few file status calls for each model."""
        whole: list[InstalledModel] = []
        broken: list[BrokenModel] = []
        for folder in self._variant_folders():
            name, variant = folder.parent.name, folder.name
            try:
                whole.append(open_variant(folder))
            except ContenoxError as error:
                broken.append(BrokenModel(name=name, variant=variant, folder=folder, error=error))
        return tuple(whole), tuple(broken)

    def find(self, name: str, backend: str | None = None) -> InstalledModel:
        """Finds a model by name, alias or ``name/variant``, capitals aside.

        Where several variants fit, OpenVINO comes before llama.

        Raises:
            UserError: ``model_not_found`` names the models that exist.
            DataFault: the named model is there, but broken.
        """
        wanted = name.casefold()
        whole, broken = self.survey()
        matches = [
            model
            for model in whole
            if backend in (None, model.backend)
            and wanted in (_spellings(model.name, model.variant, model.aliases))
        ]
        if matches:
            return min(matches, key=preference)
        for candidate in broken:
            if wanted in _spellings(candidate.name, candidate.variant, ()):
                raise candidate.error
        raise _not_found(name, backend, whole)

    # -- Checking --

    def require_readable(self) -> None:
        """Raises ``EnvironmentFault`` ``store_unreadable`` if the store is there and hides its
        models; one that isn't there has none.
        """
        try:
            next(self.store.iterdir(), None)
        except FileNotFoundError:
            pass
        except OSError as error:
            raise EnvironmentFault(
                "store_unreadable",
                f"The folder of the models, {self.store}, can't be read"
                f" ({error.strerror or error}).",
                "Mend its permissions, or choose another folder for the models.",
            ) from error

    def check(
        self,
        model: InstalledModel,
        on_bytes: Callable[[int], None] = ignore_bytes,
        stop: Callable[[], bool] = never_stop,
    ) -> None:
        """The check before a load: manifest, sizes and times; hashes what changed since the last.

        Quick where nothing changed. ``distrust`` makes it hash everything once.

        Raises:
            DataFault: ``model_incomplete`` or ``model_damaged`` names the file.
            Stopped: ``stop`` said so.
        """
        current = open_variant(model.folder)
        if current.digest != model.digest:
            raise DataFault(
                "model_changed",
                f"The model {model.full_name} was replaced by another one.",
                "Choose the model again.",
            )
        manifest = read_manifest(model.folder)
        changed = changed_since_stamp(model.folder, manifest)
        if changed:
            _hash_files(model, changed, on_bytes, stop)
            write_stamp(model.folder, manifest)

    def distrust(self, model: InstalledModel) -> None:
        """Has the next ``check`` hash every file: after a crash in a load, for example."""
        remove_stamp(model.folder)

    def verify(
        self,
        model: InstalledModel,
        on_bytes: Callable[[int], None] = ignore_bytes,
        stop: Callable[[], bool] = never_stop,
    ) -> None:
        """Hashes every file of ``model``; one that is damaged is not loaded until it is mended.

        Raises:
            DataFault: ``model_incomplete`` or ``model_damaged`` names the file.
            Stopped: ``stop`` said so.
        """
        manifest = read_manifest(model.folder)
        check_sizes(model.folder, manifest)
        try:
            _hash_files(model, manifest.files, on_bytes, stop)
        except DataFault:
            remove_stamp(model.folder)
            raise
        write_stamp(model.folder, manifest)

    # -- Changing --

    @contextlib.contextmanager
    def building(self) -> Iterator[Path]:
        """Lends a new staging folder; what is still there at the end is removed."""
        staging = self.new_staging()
        try:
            yield staging
        finally:
            shutil.rmtree(staging, ignore_errors=True)

    def new_staging(self) -> Path:
        """Creates an empty folder on the store's volume, to build a variant in.

        It belongs to this process until it is installed; ``sweep`` removes it once the process is
        gone.

        Raises:
            EnvironmentFault: the store can't be written.
        """
        return new_scratch(self.store / _STAGING_NAME)

    def sweep(self) -> None:
        """Removes what processes that no longer live were building. Never raises."""
        sweep_scratch(self.store / _STAGING_NAME)

    def install(self, staging: Path, manifest: Manifest) -> InstalledModel:
        """Makes the finished folder ``staging`` a variant of the store.

        The manifest is written last, then one rename shows everything. If another process
        installed the same bytes meanwhile, its folder stays; a broken or different one is replaced,
        and a profile that a person wrote there moves along.

        Raises:
            DataFault: a file is missing or has another size than in the manifest.
            EnvironmentFault: the store can't be written.
        """
        check_names(manifest)
        check_sizes(staging, manifest)
        target = self.store / manifest.name / manifest.variant
        write_stamp(staging, manifest)
        write_atomic(staging / MANIFEST_NAME, msgspec.json.format(msgspec.json.encode(manifest)))
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            if target.exists():
                with contextlib.suppress(ContenoxError):
                    there = open_variant(target)
                    if there.digest == manifest.digest:
                        shutil.rmtree(staging, ignore_errors=True)
                        return there
                _keep_profiles(target, staging)
                replace(target, staging.with_name(staging.name + "-replaced"))
            replace(staging, target)
        except OSError as error:
            raise unwritable(target, error) from error
        shutil.rmtree(staging.with_name(staging.name + "-replaced"), ignore_errors=True)
        return open_variant(target)

    def delete(self, model: InstalledModel) -> None:
        """Deletes the files that the manifest lists, and the folders that are empty then.

        What a person put beside them stays.

        Raises:
            EnvironmentFault: a file can't be deleted.
        """
        delete_listed(model.folder)

    def discard(self, broken: BrokenModel) -> None:
        """Deletes a broken variant: what its manifest lists, or all of it without a manifest.

        Raises:
            EnvironmentFault: a file can't be deleted.
        """
        try:
            delete_listed(broken.folder)
        except DataFault:
            self._delete_whole(broken.folder)

    def _delete_whole(self, folder: Path) -> None:
        """Takes the folder out of sight with one rename, then deletes it."""
        with self.building() as staging:
            try:
                replace(folder, staging / folder.name)
            except OSError as error:
                raise unwritable(folder, error) from error
        remove_empty(folder)

    def _variant_folders(self) -> list[Path]:
        folders: list[Path] = []
        with contextlib.suppress(OSError):
            for model in sorted(self.store.iterdir()):
                if model.name.startswith(".") or not model.is_dir():
                    continue
                with contextlib.suppress(OSError):
                    folders += sorted(path for path in model.iterdir() if path.is_dir())
        return folders


def _keep_profiles(old: Path, new: Path) -> None:
    """Copies the profiles in ``old`` into ``new``, which has none."""
    for path in old.glob("contenox-*.json"):
        if path.name != STAMP_NAME:
            shutil.copyfile(path, new / path.name)


def _hash_files(
    model: InstalledModel,
    files: tuple[FileRecord, ...],
    on_bytes: Callable[[int], None],
    stop: Callable[[], bool],
) -> None:
    for file in files:
        if sha256_of(model.folder / file.path, on_bytes, stop) != file.sha256:
            raise DataFault(
                "model_damaged",
                f"The file {file.path} of {model.full_name} has changed on the disk.",
                "Delete the model and get it again.",
            )


def _spellings(name: str, variant: str, aliases: tuple[str, ...]) -> frozenset[str]:
    names = (name, *aliases)
    return frozenset(
        spelling.casefold() for each in names for spelling in (each, f"{each}/{variant}")
    )


def preference(model: InstalledModel) -> tuple[int, str, str]:
    """Sorts the variants of a model: the one that is taken if nobody names one comes first."""
    known = model.backend in _PREFERENCE
    rank = _PREFERENCE.index(model.backend) if known else len(_PREFERENCE)
    return rank, model.name, model.variant


def _not_found(name: str, backend: str | None, whole: tuple[InstalledModel, ...]) -> UserError:
    names = sorted({model.name for model in whole})
    there = f"Installed: {', '.join(names)}." if names else "No model is installed yet."
    asked = f" for {backend}" if backend else ""
    return UserError("model_not_found", f"There is no model {name!r}{asked}. {there}", _FIND_REMEDY)


_FIND_REMEDY: Final = "Choose one of these, or get the starter model with: contenox starter"

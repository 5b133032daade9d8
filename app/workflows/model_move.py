"""Moves the model store to another folder or drive, and loses nothing on the way.

Copy and verify everything, switch the setting, delete the old files, in this order. A journal in
the data root lets a run that was stopped or killed go on; until the switch the old store is whole,
after it the new one is.
"""

import contextlib
import shutil
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from app.core.errors import ContenoxError, UserError
from app.core.files import write_atomic
from app.core.paths import DataRoot, unwritable
from app.core.settings import SettingsFile
from app.models.carry import CARRYING, carry, carry_bytes
from app.models.download_lock import WriterLock
from app.models.identity import never_stop
from app.models.library import InstalledModel, Library
from app.models.remembered import ModelMemory, mark_store, store_missing, unmark_store
from app.models.scratch import sweep_scratch
from app.workflows.move_target import check_target, has_same

JOURNAL_FILE: Final = "move.json"
_DOWNLOADS: Final = ".downloads"


class MoveStep(StrEnum):
    """The steps, in their order."""

    COPY = "copy"
    SWITCH = "switch"
    DELETE = "delete"


class MoveProgress(Struct, frozen=True, kw_only=True):
    """How far it is. Each byte counts twice: it is copied and read back."""

    step: MoveStep
    model: str | None = None
    done_bytes: int = 0
    total_bytes: int = 0


class MoveEnd(Struct, frozen=True, kw_only=True):
    """``moved``, ``left`` and ``broken`` are full names.

    ``left`` are in their new place, and could not be deleted from the old one. ``broken`` were
    damaged already, and stayed. ``old_store_remains``: the old
    folder still has other files.
    """

    store: str
    moved: tuple[str, ...]
    left: tuple[str, ...]
    broken: tuple[str, ...]
    old_store_remains: bool


class _Journal(Struct, frozen=True, kw_only=True):
    source: str
    target: str


class StoreMove:
    """Moves the store of one data root. The caller has unloaded the engine before.

    Args:
        root: where the journal lies.
        settings_file: gets the new place.
        library: points to the new place afterwards.
        memory: what it knows of the old place moves along.
        lock: the writer lock of the downloads, which must not run meanwhile.
    """

    def __init__(
        self,
        root: DataRoot,
        settings_file: SettingsFile,
        library: Library,
        memory: ModelMemory,
        lock: WriterLock,
    ) -> None:
        self._root = root
        self._settings_file = settings_file
        self._library = library
        self._memory = memory
        self._lock = lock
        self._journal_path = root.path / JOURNAL_FILE

    def unfinished(self) -> Path | None:
        """Where a move that did not come to its end was going."""
        journal = self._journal()
        return None if journal is None else Path(journal.target)

    def run(
        self,
        target: Path,
        progress: Callable[[MoveProgress], None] = lambda _: None,
        stop: Callable[[], bool] = never_stop,
    ) -> MoveEnd:
        """Moves everything to ``target``, or goes on with that.

        Raises:
            UserError: ``move_target``, ``move_unfinished``, ``downloads_running``.
            DataFault: a model is damaged; it is named, and nothing was switched.
            EnvironmentFault: ``store_missing``, ``disk_full`` and others; nothing was switched.
            Stopped: ``stop`` said so; the next run goes on.
        """
        target = target.expanduser().absolute()
        source = self._begin(target)
        if not self._lock.acquire():
            raise UserError(
                "downloads_running",
                "Another window or command of this program is downloading models.",
                "Close it, and move the models then.",
            )
        try:
            _write_journal(self._journal_path, _Journal(source=str(source), target=str(target)))
            if self._library.store != target:
                self._copy(source, target, progress, stop)
                progress(MoveProgress(step=MoveStep.SWITCH))
                self._switch(target)
            return self._clear(source, target, progress)
        finally:
            self._lock.release()

    def abandon(self) -> None:
        """Gives up a move that was not switched yet: the copies go, the old store stays.

        Raises:
            UserError: ``move_switched``, it is too late for that.
        """
        journal = self._journal()
        if journal is None:
            return
        source, target = Path(journal.source), Path(journal.target)
        if self._library.store == target:
            raise UserError(
                "move_switched",
                "The models are in their new place already; only old files are left to delete.",
                f"Finish with: contenox models move {target}",
            )
        for model in Library(target).installed():
            if has_same(model, source):
                Library(target).delete(model)
        _remove_ours(target)
        self._journal_path.unlink(missing_ok=True)

    # -- Steps --

    def _begin(self, target: Path) -> Path:
        """Checks everything that can be known before a byte is copied; returns the old store."""
        journal = self._journal()
        if journal is not None and Path(journal.target) != target:
            raise UserError(
                "move_unfinished",
                f"A move of the models to {journal.target} was not finished.",
                f"Finish it with: contenox models move {journal.target}"
                " - or give it up with: contenox models move --abandon",
            )
        source = self._library.store if journal is None else Path(journal.source)
        is_copied = self._library.store == target and journal is not None
        if not is_copied and self._is_missing(source):
            raise store_missing(source)
        if journal is None:
            check_target(source, target)
        return source

    def _is_missing(self, source: Path) -> bool:
        """Whether the old store's drive is away; a default store may not have been made yet."""
        return bool(self._memory.away(source)) or not (
            source.is_dir() or source == self._root.models
        )

    def _copy(
        self,
        source: Path,
        target: Path,
        progress: Callable[[MoveProgress], None],
        stop: Callable[[], bool],
    ) -> None:
        old, new = Library(source), Library(target)
        done = 0
        copied: set[str] = set()
        while waiting := [model for model in old.installed() if model.full_name not in copied]:
            total = done + sum(carry_bytes(model) for model in waiting)
            for model in waiting:
                begun = done

                def on_bytes(count: int, total: int = total, model: InstalledModel = model) -> None:
                    nonlocal done
                    done += count
                    progress(
                        MoveProgress(
                            step=MoveStep.COPY,
                            model=model.full_name,
                            done_bytes=done,
                            total_bytes=total,
                        )
                    )

                carry(model, new, may_link=True, on_bytes=on_bytes, stop=stop)
                done = begun + carry_bytes(model)
                copied.add(model.full_name)
        _copy_downloads(source, target)
        mark_store(target)

    def _switch(self, target: Path) -> None:
        chosen = None if target == self._root.models else str(target)
        self._settings_file.change(model_store=chosen)
        self._library.store = target
        whole, broken = self._library.survey()
        self._memory.observe(target, whole, broken=bool(broken))

    def _clear(
        self, source: Path, target: Path, progress: Callable[[MoveProgress], None]
    ) -> MoveEnd:
        """Deletes from the old store what the new one has; the journal goes when all is gone."""
        old = Library(source)
        whole, broken = old.survey()
        moved: list[str] = []
        left: list[str] = []
        for model in whole:
            progress(MoveProgress(step=MoveStep.DELETE, model=model.full_name))
            if not has_same(model, target):
                continue
            try:
                _drop_copied_profiles(model.folder, target / model.name / model.variant)
                old.delete(model)
            except (ContenoxError, OSError):
                left.append(model.full_name)
            else:
                moved.append(model.full_name)
                self._memory.forget(source, model.full_name)
        if not left:
            shutil.rmtree(source / _DOWNLOADS, ignore_errors=True)
            _remove_ours(source)
            self._journal_path.unlink(missing_ok=True)
        return MoveEnd(
            store=str(target),
            moved=tuple(moved),
            left=tuple(left),
            broken=tuple(f"{model.name}/{model.variant}" for model in broken),
            old_store_remains=source.exists(),
        )

    def _journal(self) -> _Journal | None:
        try:
            return msgspec.json.decode(self._journal_path.read_bytes(), type=_Journal)
        except (OSError, msgspec.MsgspecError):
            return None


def _write_journal(path: Path, journal: _Journal) -> None:
    write_atomic(path, msgspec.json.format(msgspec.json.encode(journal)) + b"\n")


def _copy_downloads(source: Path, target: Path) -> None:
    """What was downloaded so far moves along; it is hashed when the download goes on."""
    try:
        for path in sorted((source / _DOWNLOADS).rglob("*")):
            copy = target / path.relative_to(source)
            if path.is_file() and not copy.exists():
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(path, copy)
    except OSError as error:
        raise unwritable(target, error) from error


def _drop_copied_profiles(old: Path, new: Path) -> None:
    for path in old.glob("contenox-*.json"):
        copy = new / path.name
        if copy.is_file() and copy.read_bytes() == path.read_bytes():
            path.unlink()


def _remove_ours(store: Path) -> None:
    """Removes what this program keeps in a store beside models, and the folder if it is empty."""
    shutil.rmtree(store / CARRYING, ignore_errors=True)
    for name in (".staging", ".trash"):
        sweep_scratch(store / name)
        with contextlib.suppress(OSError):
            (store / name).rmdir()
    unmark_store(store)
    with contextlib.suppress(OSError):
        store.rmdir()

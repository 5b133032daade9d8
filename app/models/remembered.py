"""Remembers which models were in which store, so that an unplugged drive takes none of them away.

The memory lies outside the stores, in one small file of the data root. What was deleted while its
store was there is forgotten; what is in a store that is not there now is shown, greyed.
"""

import contextlib
import logging
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from app.core.errors import ContenoxError, EnvironmentFault
from app.core.files import write_atomic
from app.models.variant import InstalledModel

_log = logging.getLogger(__name__)

# Tells a store that lost all its models from a mount point whose drive is not there.
_MARKER: Final = ".contenox-store"


class RememberedModel(Struct, frozen=True, kw_only=True):
    """What is known of a model without its files."""

    name: str
    variant: str
    backend: str
    digest: str
    size_bytes: int
    context_tokens: int
    source: str
    licence: str | None = None
    imported: bool = False

    @property
    def full_name(self) -> str:
        return f"{self.name}/{self.variant}"


class _Memory(Struct, frozen=True, kw_only=True):
    stores: dict[str, tuple[RememberedModel, ...]] = {}


class ModelMemory:
    """The memory in one file.

    Args:
        path: the file; written when something changed.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def observe(
        self, store: Path, models: tuple[InstalledModel, ...], *, broken: bool
    ) -> tuple[RememberedModel, ...]:
        """Takes in what was found in ``store``; returns the models that are away.

        Args:
            broken: there are damaged folders; so the store itself is there.
        """
        known = self._read().get(str(store), ())
        if not models and not broken and known and not (store / _MARKER).exists():
            return known
        if models:
            mark_store(store)
        found = tuple(_remembered(model) for model in models)
        if found != known:
            self._write(self._read() | {str(store): found})
        return ()

    def away(self, store: Path) -> tuple[RememberedModel, ...]:
        """The models of ``store``, if it is not there now. Asks the disk for one file only."""
        known = self._read().get(str(store), ())
        if not known or (store / _MARKER).exists():
            return ()
        return () if any((store / model.name).is_dir() for model in known) else known

    def require(self, store: Path) -> None:
        """Raises ``EnvironmentFault`` ``store_missing`` if the models of ``store`` are away."""
        if self.away(store):
            raise store_missing(store)

    def forget(self, store: Path, full_name: str) -> None:
        """Forgets a model that will not come back."""
        stores = self._read()
        left = tuple(model for model in stores.get(str(store), ()) if model.full_name != full_name)
        self._write(stores | {str(store): left})

    def _read(self) -> dict[str, tuple[RememberedModel, ...]]:
        try:
            return msgspec.json.decode(self._path.read_bytes(), type=_Memory).stores
        except FileNotFoundError:
            return {}
        except (OSError, msgspec.MsgspecError) as error:
            _log.warning("the memory of models is unreadable and begins anew: %s", error)
            return {}

    def _write(self, stores: dict[str, tuple[RememberedModel, ...]]) -> None:
        kept = {store: models for store, models in stores.items() if models}
        content = msgspec.json.format(msgspec.json.encode(_Memory(stores=kept)))
        try:
            write_atomic(self._path, content)
        except ContenoxError as error:  # a full disk must not hide the models
            _log.warning("the memory of models could not be written: %s", error.message)


def mark_store(store: Path) -> None:
    """Puts the mark into ``store``. Never raises."""
    with contextlib.suppress(OSError):
        if not (store / _MARKER).exists():
            (store / _MARKER).write_bytes(b"")


def is_store(folder: Path) -> bool:
    """Whether ``folder`` has the mark of a store."""
    return (folder / _MARKER).exists()


def unmark_store(store: Path) -> None:
    """Takes the mark away. Never raises."""
    with contextlib.suppress(OSError):
        (store / _MARKER).unlink(missing_ok=True)


def store_missing(store: Path) -> EnvironmentFault:
    """The fault for models whose drive is not there."""
    return EnvironmentFault(
        "store_missing",
        f"The drive or folder {store}, which holds the models, is not there.",
        "Connect the drive; the models are remembered and come back with it.",
    )


def _remembered(model: InstalledModel) -> RememberedModel:
    return RememberedModel(
        name=model.name,
        variant=model.variant,
        backend=model.backend,
        digest=model.digest,
        size_bytes=model.size_bytes,
        context_tokens=model.context_tokens,
        source=model.source,
        licence=model.licence,
        imported=model.imported,
    )

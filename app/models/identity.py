"""Which bytes a model is.

A model's digest is the sha256 over its files' records, weights and tokenizer included, so two
folders with one digest hold the same bytes in files of the same names.
"""

import hashlib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final

from msgspec import Struct

from app.core.errors import DataFault, EnvironmentFault

_READ_BYTES: Final = 1 << 20


class Stopped(Exception):
    """The caller asked a long task to stop. An outcome, no error; nothing half done is left."""


def never_stop() -> bool:
    """The default answer to "shall it stop?"."""
    return False


def ignore_bytes(count: int) -> None:
    """The default listener for progress in bytes."""


class FileRecord(Struct, frozen=True, kw_only=True):
    """One file. ``path`` is relative to the model's folder, with ``/`` between its parts."""

    path: str
    size_bytes: int
    sha256: str


class Conversion(Struct, frozen=True, kw_only=True):
    """What a converted model was made from, and by what."""

    source_digest: str
    converter: str
    converter_version: str


class HubOrigin(Struct, frozen=True, kw_only=True):
    """The repository and commit that a downloaded model came from.

    ``trust`` is ``pinned`` (the list knew every byte) or ``first-use`` (the download decided).
    """

    repository: str
    commit: str
    trust: str


class Manifest(Struct, frozen=True, kw_only=True):
    """All that the store knows about one variant of a model; written after all its files.

    ``entry`` is the file that the backend opens, or ``None`` where that is the folder itself.
    ``source`` says where the files come from, in words for a person. ``digest`` is
    ``digest_of(files)``. ``imported``: a person brought the files, and nothing in the curated list
    vouches for them.
    """

    format: int = 1
    name: str
    variant: str
    backend: str
    entry: str | None = None
    context_tokens: int
    source: str
    licence: str | None = None
    aliases: tuple[str, ...] = ()
    conversion: Conversion | None = None
    origin: HubOrigin | None = None
    imported: bool = False
    digest: str
    files: tuple[FileRecord, ...]

    @property
    def size_bytes(self) -> int:
        return sum(file.size_bytes for file in self.files)


def digest_of(files: Iterable[FileRecord]) -> str:
    """The digest of a model: sha256 over one line for each file, in the order of the paths.

    A line is the path, the size in decimal and the sha256 in lower-case hex, each ended by a NUL
    (which no path holds), in UTF-8.
    """
    whole = hashlib.sha256()
    for file in sorted(files, key=lambda file: file.path):
        whole.update(f"{file.path}\0{file.size_bytes}\0{file.sha256.lower()}\0".encode())
    return whole.hexdigest()


def sha256_of(
    path: Path,
    on_bytes: Callable[[int], None] = ignore_bytes,
    stop: Callable[[], bool] = never_stop,
) -> str:
    """Hashes one file; ``on_bytes`` gets the size of each piece that was read.

    Raises:
        Stopped: ``stop`` said so between two pieces.
        DataFault: ``model_incomplete``, the file is missing.
        EnvironmentFault: ``model_unreadable``.
    """
    digest = hashlib.sha256()
    try:
        with path.open("rb") as file:
            while piece := file.read(_READ_BYTES):
                if stop():
                    raise Stopped
                digest.update(piece)
                on_bytes(len(piece))
    except FileNotFoundError as error:
        raise missing_file(path.name) from error
    except OSError as error:
        raise EnvironmentFault(
            "model_unreadable",
            f"The file {path.name} can't be read ({error.strerror or error}).",
            "Check the disk and the permissions of the model store.",
        ) from error
    return digest.hexdigest()


def record_folder(
    folder: Path,
    on_bytes: Callable[[int], None] = ignore_bytes,
    stop: Callable[[], bool] = never_stop,
) -> tuple[FileRecord, ...]:
    """Hashes every file below ``folder``; the records are in the order of their paths.

    Raises:
        Stopped, DataFault, EnvironmentFault: as ``sha256_of``.
    """
    paths = (path for path in folder.rglob("*") if path.is_file())
    records = [
        FileRecord(
            path=path.relative_to(folder).as_posix(),
            size_bytes=path.stat().st_size,
            sha256=sha256_of(path, on_bytes, stop),
        )
        for path in paths
    ]
    return tuple(sorted(records, key=lambda record: record.path))


def missing_file(name: str) -> DataFault:
    """The fault for a file of a model that is not there."""
    return DataFault(
        "model_incomplete",
        f"The file {name} of this model is missing.",
        "Delete the model and get it again.",
    )

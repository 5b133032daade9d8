"""When the files of a variant were last known to be right: their times, beside the manifest.

A load can't hash gigabytes each time. A file whose size and time are those of the last full check
is taken for unchanged; any other is hashed before it is used.
"""

import contextlib
import time
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from app.core.errors import ContenoxError
from app.core.files import write_atomic
from app.models.identity import FileRecord, Manifest, missing_file

STAMP_NAME: Final = "contenox-verified.json"


class FileTime(Struct, frozen=True, kw_only=True):
    path: str
    modified_ns: int


class Stamp(Struct, frozen=True, kw_only=True):
    """``verified_at`` is in Unix seconds; ``digest`` says which manifest it was held against."""

    digest: str
    verified_at: float
    times: tuple[FileTime, ...]


def write_stamp(folder: Path, manifest: Manifest) -> None:
    """Notes that every file in ``folder`` is right, as it is now.

    A folder that can't be written has no stamp, and is hashed at each load.
    """
    with contextlib.suppress(OSError, ContenoxError):
        times = tuple(
            FileTime(path=file.path, modified_ns=(folder / file.path).stat().st_mtime_ns)
            for file in manifest.files
        )
        stamp = Stamp(digest=manifest.digest, verified_at=time.time(), times=times)
        write_atomic(folder / STAMP_NAME, msgspec.json.encode(stamp))


def read_stamp(folder: Path) -> Stamp | None:
    """The stamp in ``folder``, if there is one that can be read."""
    try:
        return msgspec.json.decode((folder / STAMP_NAME).read_bytes(), type=Stamp)
    except (OSError, msgspec.MsgspecError):
        return None


def remove_stamp(folder: Path) -> None:
    """Makes the next load hash every file. Never raises."""
    with contextlib.suppress(OSError):
        (folder / STAMP_NAME).unlink(missing_ok=True)


def changed_since_stamp(folder: Path, manifest: Manifest) -> tuple[FileRecord, ...]:
    """The files whose time is not the stamp's: all of them where there is no stamp.

    Raises:
        DataFault: ``model_incomplete``, a file is missing.
    """
    stamp = read_stamp(folder)
    if stamp is None or stamp.digest != manifest.digest:
        return manifest.files
    times = {entry.path: entry.modified_ns for entry in stamp.times}
    changed = []
    for file in manifest.files:
        try:
            modified_ns = (folder / file.path).stat().st_mtime_ns
        except OSError as error:
            raise missing_file(file.path) from error
        if times.get(file.path) != modified_ns:
            changed.append(file)
    return tuple(changed)

"""Carries a model from one store to another: another drive, a USB stick, and back.

Each file is hashed while it is read and once more where it arrived, so a bad cable or stick is
found on the day it does harm. What an interrupted run brought over is hashed and kept.
"""

import errno
import hashlib
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Final

from app.core.errors import ContenoxError, DataFault, EnvironmentFault
from app.core.files import replace
from app.core.paths import unwritable
from app.core.units import format_bytes
from app.models.download_disk import free_bytes
from app.models.identity import (
    FileRecord,
    Manifest,
    Stopped,
    ignore_bytes,
    never_stop,
    sha256_of,
)
from app.models.library import InstalledModel, Library
from app.models.stamp import STAMP_NAME
from app.models.variant import check_sizes, open_variant, read_manifest

# Begins with a dot, which no model name does.
CARRYING: Final = ".carrying"
_PART_SUFFIX: Final = ".part"
_COPY_BYTES: Final = 1 << 20
_KEPT_FREE_BYTES: Final = 64_000_000
_FAT32_LIMIT_BYTES: Final = (1 << 32) - 1


def carry_bytes(model: InstalledModel) -> int:
    """The bytes that ``carry`` reports for ``model``: each is copied and then read back."""
    return 2 * model.size_bytes


def carry(
    model: InstalledModel,
    target: Library,
    *,
    may_link: bool = False,
    manifest: Manifest | None = None,
    on_bytes: Callable[[int], None] = ignore_bytes,
    stop: Callable[[], bool] = never_stop,
) -> InstalledModel:
    """Puts the files of ``model`` into ``target`` too, with a person's own profile for it.

    Args:
        may_link: on one volume a hard link is as good as a copy; ``model`` will be deleted then.
        manifest: other words about the same files, instead of the model's own.

    Raises:
        DataFault: ``model_damaged`` or ``model_incomplete`` names the file that is wrong here.
        EnvironmentFault: ``disk_full``, ``file_too_large``, ``copy_differs``, or the target can't
            be written.
        Stopped: ``stop`` said so; what is there is used by the next run.
    """
    manifest = manifest or read_manifest(model.folder)
    check_sizes(model.folder, manifest)
    there = _already(model, target, on_bytes, stop)
    if there is not None:
        return there
    staging = target.store / CARRYING / f"{model.name}--{model.variant}--{model.digest[:12]}"
    _require_space(staging, manifest)
    for file in manifest.files:
        bring(model.folder / file.path, staging / file.path, file, may_link, on_bytes, stop)
    _bring_profiles(model.folder, staging)
    installed = target.install(staging, manifest)
    _remove_quietly(staging.parent)
    return installed


def bring(
    source: Path,
    target: Path,
    expected: FileRecord,
    may_link: bool,
    on_bytes: Callable[[int], None] = ignore_bytes,
    stop: Callable[[], bool] = never_stop,
) -> None:
    """Makes ``target`` hold the bytes that ``expected`` tells, out of ``source``.

    Raises:
        DataFault, EnvironmentFault, Stopped: as ``carry``.
    """
    if _is_right(target, expected, stop):
        on_bytes(2 * expected.size_bytes)
        return
    if may_link and link(source, target):
        on_bytes(expected.size_bytes)
        found = sha256_of(target, on_bytes, stop)
    else:
        found = copy_hashed(source, target, on_bytes, stop)
    if found == expected.sha256:
        return
    target.unlink(missing_ok=True)
    raise DataFault(
        "model_damaged",
        f"The file {source} isn't what it should be.",
        "Get the model again; nothing of this file was taken over.",
    )


def link(source: Path, target: Path) -> bool:
    """Gives the file a second name, if both are on one volume whose file system can do that."""
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        target.unlink(missing_ok=True)
        os.link(source.resolve(), target)
    except OSError:
        return False
    return True


def copy_hashed(
    source: Path,
    target: Path,
    on_bytes: Callable[[int], None] = ignore_bytes,
    stop: Callable[[], bool] = never_stop,
) -> str:
    """Copies one file and returns the sha256 of what was read, after reading it back.

    ``target`` appears by a rename. ``on_bytes`` hears of each byte twice.

    Raises:
        EnvironmentFault: ``copy_differs``, ``file_too_large``, ``disk_full`` or unwritable.
        Stopped: ``stop`` said so.
    """
    part = target.with_name(target.name + _PART_SUFFIX)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        digest = _copy(source, part, on_bytes, stop)
        if sha256_of(part, on_bytes, stop) != digest:
            raise EnvironmentFault(
                "copy_differs",
                f"{target.name} was written and reads back as something else.",
                "The drive or its cable is failing: use another one.",
            )
        replace(part, target)
    except OSError as error:
        raise _cannot_write(target, error, source) from error
    finally:
        part.unlink(missing_ok=True)
    return digest


def _copy(
    source: Path, part: Path, on_bytes: Callable[[int], None], stop: Callable[[], bool]
) -> str:
    digest = hashlib.sha256()
    with source.open("rb") as reader, part.open("wb") as writer:
        while piece := reader.read(_COPY_BYTES):
            if stop():
                raise Stopped
            digest.update(piece)
            writer.write(piece)
            on_bytes(len(piece))
        writer.flush()
        os.fsync(writer.fileno())
        if hasattr(os, "posix_fadvise"):
            # So that reading back asks the drive, not the memory.
            os.posix_fadvise(writer.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    return digest.hexdigest()


def _already(
    model: InstalledModel,
    target: Library,
    on_bytes: Callable[[int], None],
    stop: Callable[[], bool],
) -> InstalledModel | None:
    """The same model if it is in ``target`` and right; a damaged one is removed from there."""
    folder = target.store / model.name / model.variant
    try:
        there = open_variant(folder)
    except ContenoxError:
        return None
    if there.digest != model.digest:
        return None
    try:
        target.verify(there, on_bytes, stop)
    except DataFault:
        target.delete(there)
        return None
    on_bytes(model.size_bytes)
    return there


def _is_right(target: Path, expected: FileRecord, stop: Callable[[], bool]) -> bool:
    try:
        if target.stat().st_size != expected.size_bytes:
            return False
        return sha256_of(target, stop=stop) == expected.sha256
    except (OSError, ContenoxError):
        return False


def _require_space(staging: Path, manifest: Manifest) -> None:
    needed = manifest.size_bytes
    for file in manifest.files:
        path = staging / file.path
        needed -= min(path.stat().st_size, file.size_bytes) if path.exists() else 0
    free = free_bytes(staging)
    if free < needed + _KEPT_FREE_BYTES:
        raise EnvironmentFault(
            "disk_full",
            f"{manifest.name} needs {format_bytes(needed)} more there, and the drive has "
            f"{format_bytes(free)} free.",
            f"Free {format_bytes(needed + _KEPT_FREE_BYTES - free)}, or choose another drive.",
        )


def _cannot_write(target: Path, error: OSError, source: Path) -> EnvironmentFault:
    # Windows reports a full disk where FAT32 ends.
    too_large = source.stat().st_size > _FAT32_LIMIT_BYTES if source.exists() else False
    if error.errno == errno.EFBIG or (too_large and error.errno == errno.ENOSPC):
        return EnvironmentFault(
            "file_too_large",
            f"The drive can't hold a file as large as {target.name}: its file system (FAT32) ends "
            "at 4 GB.",
            "Format it with exFAT or NTFS, or use another one.",
        )
    if error.errno == errno.ENOSPC:
        return EnvironmentFault(
            "disk_full",
            f"The drive that holds {target.parent} is full.",
            "Free some space there, or choose another drive; what is copied already is kept.",
        )
    return unwritable(target, error)


def _bring_profiles(source: Path, staging: Path) -> None:
    for path in source.glob("contenox-*.json"):
        if path.name != STAMP_NAME:
            shutil.copyfile(path, staging / path.name)


def _remove_quietly(folder: Path) -> None:
    try:
        folder.rmdir()
    except OSError:
        return

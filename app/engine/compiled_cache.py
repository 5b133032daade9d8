"""Compiled models on disk, so that the next load of the same one is quick.

One folder for each model, device, driver and runtime: what another of them compiled is never read.
The folder that was used longest ago goes first when all together grow beyond the cap.

Measured on openvino-genai 2026.4.1.0: on the CPU's paged pipeline the blob is written anew at
each load and saves nothing, so it isn't used there; the stateful one loads in a quarter of the
time.
"""

import hashlib
import logging
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from app.core.units import GIB

_log = logging.getLogger(__name__)

CAP_BYTES: Final = 4 * GIB
_USED: Final = "last-used"


def compiled_cache_folder(
    root: Path, *, model_digest: str, device: str, driver: str, runtime_version: str
) -> Path:
    """The folder below ``root`` for one model on one device with one driver and runtime."""
    key = "\n".join((model_digest, device, driver, runtime_version))
    return root / hashlib.sha256(key.encode()).hexdigest()[:32]


@contextmanager
def compiled_cache(folder: Path | None, cap_bytes: int = CAP_BYTES) -> Iterator[Path | None]:
    """The folder to give to the library while it loads, or ``None`` if there can't be one.

    Creates it, notes its use, and afterwards removes what is beyond the cap.
    """
    if folder is None:
        yield None
        return
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / _USED).touch()
    except OSError as error:
        _log.warning("compiled models are not kept: %s", error)
        yield None
        return
    try:
        yield folder
    finally:
        trim(folder.parent, cap_bytes, keep=folder)


def trim(root: Path, cap_bytes: int, keep: Path) -> None:
    """Removes folders of ``root``, the least recently used first, until the cap is kept.

    ``keep`` stays, even if it alone is beyond the cap. What another program uses may stay too.
    """
    sizes = {one: _size_bytes(one) for one in root.iterdir() if one.is_dir()}
    total_bytes = sum(sizes.values())
    for folder in sorted(sizes, key=_used_at):
        if total_bytes <= cap_bytes:
            return
        if folder != keep:
            shutil.rmtree(folder, ignore_errors=True)
            total_bytes -= sizes[folder]


def _used_at(folder: Path) -> float:
    try:
        return (folder / _USED).stat().st_mtime
    except OSError:
        return 0.0


def _size_bytes(folder: Path) -> int:
    total = 0
    for entry in os.scandir(folder):
        try:
            total += entry.stat().st_size
        except OSError:
            continue
    return total

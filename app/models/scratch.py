"""Folders that a running program builds in, and how to tell that it is gone.

Their names begin with the process's id and its birth, so that a later run may remove what a killed
one left, and never what a second living program is working on.
"""

import contextlib
import os
import shutil
import uuid
from pathlib import Path

import psutil

from app.core.paths import unwritable


def new_scratch(parent: Path) -> Path:
    """Creates an empty folder below ``parent`` that belongs to this process.

    Raises:
        EnvironmentFault: it can't be created.
    """
    folder = parent / f"{os.getpid()}-{_birth(os.getpid())}-{uuid.uuid4().hex[:8]}"
    try:
        folder.mkdir(parents=True)
    except OSError as error:
        raise unwritable(folder, error) from error
    return folder


def sweep_scratch(parent: Path) -> None:
    """Removes the folders below ``parent`` whose process no longer lives. Never raises."""
    with contextlib.suppress(OSError):
        for folder in parent.iterdir():
            pid, _, rest = folder.name.partition("-")
            birth = rest.partition("-")[0]
            if not (pid.isascii() and pid.isdecimal()) or str(_birth(int(pid))) != birth:
                shutil.rmtree(folder, ignore_errors=True)


def _birth(pid: int) -> int:
    """When the process ``pid`` began, in hundredths of a second; 0 if it does not live."""
    try:
        return round(psutil.Process(pid).create_time() * 100)
    except (psutil.Error, OverflowError):
        return 0

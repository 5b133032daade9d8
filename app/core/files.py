"""Files that are either whole or absent."""

import contextlib
import os
import time
from pathlib import Path
from typing import Final

from app.core.paths import unwritable

# A virus scanner may hold a new file for a moment; Windows then refuses to rename it.
_REPLACE_ATTEMPTS: Final = 40
_REPLACE_PAUSE_S: Final = 0.05


def replace(source: Path, target: Path) -> None:
    """Renames ``source`` to ``target``, over it if it exists; retried while a scanner holds it.

    Raises:
        PermissionError: still refused after two seconds.
    """
    for attempt in range(_REPLACE_ATTEMPTS):
        try:
            source.replace(target)
        except PermissionError:
            if attempt + 1 == _REPLACE_ATTEMPTS:
                raise
            time.sleep(_REPLACE_PAUSE_S)
        else:
            return


def write_atomic(path: Path, data: bytes) -> None:
    """Writes ``data`` so that ``path`` holds either the old content or all of the new.

    Raises:
        EnvironmentFault: ``disk_full`` or ``data_root_unwritable``; the old content is untouched.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}.new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with temporary.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        replace(temporary, path)
    except OSError as error:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise unwritable(path, error) from error

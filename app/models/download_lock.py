"""One program at a time runs the downloads of a data root; the others only ask it.

The operating system releases the lock when the program dies, however it dies.
"""

import os
import sys
from pathlib import Path

from app.core.paths import unwritable

if sys.platform == "win32":
    import msvcrt

    def _try_lock(descriptor: int) -> bool:
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def _try_lock(descriptor: int) -> bool:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        return True


class WriterLock:
    """The lock file at ``path``."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._descriptor: int | None = None

    def acquire(self) -> bool:
        """Takes the lock if nobody holds it. True also if this object holds it already.

        Raises:
            EnvironmentFault: the file can't be created.
        """
        if self._descriptor is not None:
            return True
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            raise unwritable(self._path, error) from error
        if not _try_lock(descriptor):
            os.close(descriptor)
            return False
        self._descriptor = descriptor
        return True

    def release(self) -> None:
        """Gives the lock back. Idempotent."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

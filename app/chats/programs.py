"""Which programs have the chats open: each holds a locked file for as long as it lives.

The operating system releases the lock when the program dies, however it dies. So an answer whose
writer holds no lock any more was interrupted, and one that a living window is streaming is left
alone when a console command opens the same chats.
"""

import os
import sys
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, Self

from app.core.errors import EnvironmentFault
from app.core.paths import unwritable

_OPENING_FILE: Final = "opening.lock"

if sys.platform == "win32":
    import msvcrt

    def _lock(descriptor: int, *, wait: bool) -> bool:
        try:
            msvcrt.locking(descriptor, msvcrt.LK_LOCK if wait else msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def _lock(descriptor: int, *, wait: bool) -> bool:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except OSError:
            return False
        return True


def _open(path: Path) -> int:
    try:
        return os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise unwritable(path, error) from error


@contextmanager
def only_opener(folder: Path) -> Iterator[None]:
    """Held while a program opens, migrates, mends or restores the chats in ``folder``.

    Raises:
        EnvironmentFault: ``chats_busy``, another program has held it for too long;
            ``disk_full`` or ``data_root_unwritable``.
    """
    descriptor = _open(folder / _OPENING_FILE)
    try:
        if not _lock(descriptor, wait=True):
            raise EnvironmentFault(
                "chats_busy",
                "Another Contenox program is busy with the chats.",
                "Wait until it is done and try again.",
            )
        yield
    finally:
        os.close(descriptor)


class Program:
    """This program's own locked file. ``token`` names it in the database."""

    def __init__(self, folder: Path, token: str, descriptor: int) -> None:
        self._folder = folder
        self._descriptor = descriptor
        self.token = token

    @classmethod
    def register(cls, folder: Path) -> Self:
        """Creates and locks the file. Call inside ``only_opener``.

        Raises:
            EnvironmentFault: ``disk_full`` or ``data_root_unwritable``.
        """
        token = uuid.uuid4().hex
        descriptor = _open(_file(folder, token))
        _lock(descriptor, wait=False)
        return cls(folder, token, descriptor)

    def others_alive(self) -> frozenset[str]:
        """The tokens of the other living programs. Removes the files that dead ones left."""
        alive = set()
        for path in self._folder.glob("program-*.lock"):
            token = path.stem.removeprefix("program-")
            if token != self.token and not _removed_if_dead(path):
                alive.add(token)
        return frozenset(alive)

    def close(self) -> None:
        os.close(self._descriptor)
        _file(self._folder, self.token).unlink(missing_ok=True)


def _file(folder: Path, token: str) -> Path:
    return folder / f"program-{token}.lock"


def _removed_if_dead(path: Path) -> bool:
    try:
        descriptor = os.open(path, os.O_RDWR)
    except FileNotFoundError:
        return True
    except OSError:
        return False
    try:
        dead = _lock(descriptor, wait=False)
    finally:
        os.close(descriptor)
    if dead:
        path.unlink(missing_ok=True)
    return dead

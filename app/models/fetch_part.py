"""A file that is still arriving: its bytes on the disk and their digest, kept in step.

Reading the socket and writing the disk overlap: whole pieces go through a short queue to a thread
that hashes and writes. Memory stays bounded by the queue.
"""

import hashlib
import os
import queue
import threading
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from app.core.paths import unwritable
from app.models.fetch_stop import StopSwitch

_READ_BYTES: Final = 1 << 20
_PIECE_BYTES: Final = 1 << 20
_QUEUED_PIECES: Final = 4


class PartFile:
    """Appends to ``path``, continuing what an earlier run left there.

    Used by one thread. ``size_bytes`` counts what was handed over; ``drain`` waits until it is on
    the disk and hashed.
    """

    def __init__(self, path: Path, size_limit: int, *, blob_id: bool) -> None:
        self.path = path
        self._limit = size_limit
        self._blob_id = blob_id
        self.size_bytes = 0
        self._gathered: list[bytes] = []
        self._gathered_bytes = 0
        self._pieces: queue.Queue[list[bytes] | None] = queue.Queue(_QUEUED_PIECES)
        self._error: Exception | None = None
        self._start_hashes()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = path.open("r+b" if path.exists() else "w+b", buffering=0)
        except OSError as error:
            raise unwritable(path, error) from error
        self._writer = threading.Thread(target=self._write, name="fetch-writer", daemon=True)
        self._writer.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Keeps what arrived; a later run continues there."""
        self._hand_over()
        self._pieces.put(None)
        self._writer.join()
        self._file.close()

    def take_up(self, stop: StopSwitch) -> None:
        """Hashes what is there already; a file that is too long begins anew.

        Raises:
            Stopped: the switch was pressed.
        """
        if os.fstat(self._file.fileno()).st_size > self._limit:
            self.restart()
        try:
            self._file.seek(0)
            while piece := self._file.read(_READ_BYTES):
                stop.check()
                self._hash(piece)
                self.size_bytes += len(piece)
        except OSError as error:
            raise unwritable(self.path, error) from error

    def restart(self) -> None:
        """Forgets every byte."""
        self.drain()
        self._file.seek(0)
        self._file.truncate()
        self.size_bytes = 0
        self._start_hashes()

    def append(self, piece: bytes) -> None:
        """Takes the next bytes.

        Raises:
            EnvironmentFault: an earlier piece could not be written (``disk_full``, ...).
        """
        self.size_bytes += len(piece)
        self._gathered.append(piece)
        self._gathered_bytes += len(piece)
        if self._gathered_bytes >= _PIECE_BYTES:
            self._hand_over()
            self._raise_error()

    def drain(self) -> None:
        """Waits until everything is written and hashed.

        Raises:
            EnvironmentFault: it could not be written.
        """
        self._hand_over()
        self._pieces.join()
        self._raise_error()

    def sync(self) -> None:
        """Drains, and asks the disk to keep it."""
        self.drain()
        try:
            os.fsync(self._file.fileno())
        except OSError as error:
            raise unwritable(self.path, error) from error

    def sha256(self) -> str:
        """The digest of all bytes; after ``drain``."""
        return self._sha256.hexdigest()

    def git_blob_id(self) -> str | None:
        """The git name of the bytes, where it was asked for; after ``drain``."""
        return None if self._sha1 is None else self._sha1.hexdigest()

    def _start_hashes(self) -> None:
        self._sha256 = hashlib.sha256()
        self._sha1 = None
        if self._blob_id:  # git's object name: no protection, an identity that the Hub tells
            self._sha1 = hashlib.sha1(b"blob %d\0" % self._limit, usedforsecurity=False)

    def _hash(self, piece: bytes) -> None:
        self._sha256.update(piece)
        if self._sha1 is not None:
            self._sha1.update(piece)

    def _hand_over(self) -> None:
        if self._gathered:
            self._pieces.put(self._gathered)
            self._gathered, self._gathered_bytes = [], 0

    def _raise_error(self) -> None:
        if self._error is not None:
            error, self._error = self._error, None
            if isinstance(error, OSError):
                raise unwritable(self.path, error) from error
            raise error

    def _write(self) -> None:
        """The writer thread. After an error it swallows the rest, so that nobody waits for it."""
        broken = False
        while (pieces := self._pieces.get()) is not None:
            if not broken:
                try:
                    for piece in pieces:
                        self._write_all(piece)
                        self._hash(piece)
                except Exception as error:  # noqa: BLE001 - raised in the fetching thread
                    self._error, broken = error, True
            self._pieces.task_done()

    def _write_all(self, piece: bytes) -> None:
        view = memoryview(piece)
        while view:
            view = view[self._file.write(view) :]

"""The thread that owns the connection, and a second one for long work beside it."""

import logging
import sqlite3
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import closing, suppress
from pathlib import Path
from typing import TypeVar

from app.chats import answers, backups, opening, rows
from app.chats.database import connect, translated
from app.chats.opening import Location
from app.chats.programs import Program, only_opener
from app.chats.records import Backup, BackupKind, Damage, Opened
from app.chats.serial import SerialThread
from app.chats.tree import answer_running
from app.core.errors import Bug, ContenoxError, DataFault, EnvironmentFault
from app.core.paths import unwritable

_log = logging.getLogger(__name__)

_T = TypeVar("_T")
Work = Callable[[sqlite3.Connection], _T]


class Owner:
    """Runs work on the database, one piece after the other, in the order it came.

    Work that meets a damaged row or a damaged database is repeated once that is mended. If the
    database can't be opened (a full disk, a newer version), the work fails with the reason and the
    next work tries to open it again.
    """

    def __init__(
        self,
        folder: Path,
        clock_ms: Callable[[], int],
        on_damage: Callable[[Damage], None] | None,
    ) -> None:
        self.where = Location(folder)
        self.clock_ms = clock_ms
        self._on_damage = on_damage
        self._on_mending: Callable[[], None] | None = None
        self._thread = SerialThread("chats")
        self._long_thread = SerialThread("chats-long")
        self._closing = threading.Event()
        # All below belongs to the owner thread.
        self._connection: sqlite3.Connection | None = None
        self._program: Program | None = None
        self._opened = Opened()

    def run(self, work: Work[_T]) -> Future[_T]:
        """Queues ``work``; the future has its result or its ``ContenoxError``. Never waits."""
        return self._submitted(self._thread, lambda: self._run(work))

    def run_beside(self, work: Work[_T]) -> Future[_T]:
        """Queues long reading on the second thread. It sees all that was queued before."""
        return self._submitted(self._long_thread, lambda: self._run_beside(work))

    def run_long(self, work: Callable[[], _T]) -> Future[_T]:
        """Queues long work that may itself wait for ``run``; it sees all queued before."""

        def after_earlier_work() -> _T:
            self._thread.submit(lambda: None).result()
            return work()

        return self._submitted(self._long_thread, after_earlier_work)

    def opened(self) -> Future[Opened]:
        return self.run(lambda _: self._opened)

    def token(self) -> str:
        """This program's name in the database. For work on the owner thread."""
        assert self._program is not None
        return self._program.token

    def observe(
        self, on_mending: Callable[[], None] | None, on_damage: Callable[[Damage], None] | None
    ) -> None:
        """Who is told of a recovery's begin and end from now on; both on the owner thread."""
        self._on_mending = on_mending
        self._on_damage = on_damage

    def close(self, timeout_s: float) -> bool:
        """Ends what is queued, abandons a backup, closes the database. Idempotent.

        Waits at most ``timeout_s`` seconds; says whether all of it was done by then.
        """
        deadline = time.monotonic() + timeout_s
        if not self._closing.is_set():
            self._closing.set()
            self._long_thread.close(drop_waiting=True)
            # What long work had begun may still ask the owner for something.
            self._long_thread.join(deadline - time.monotonic())
            self._thread.submit(self._close)
            self._thread.close()
        long_ended = self._long_thread.join(deadline - time.monotonic())
        return self._thread.join(deadline - time.monotonic()) and long_ended

    def _submitted(self, thread: SerialThread, call: Callable[[], _T]) -> Future[_T]:
        """Queues a call; once the store is closed, its future has failed already."""
        try:
            return thread.submit(lambda: self._with_known_errors(call))
        except RuntimeError:
            closed: Future[_T] = Future()
            closed.set_exception(
                EnvironmentFault(
                    "chats_closed",
                    "The program is closing, so this was not stored.",
                    "Start the program again.",
                )
            )
            return closed

    def _with_known_errors(self, call: Callable[[], _T]) -> _T:
        try:
            return call()
        except ContenoxError:
            raise
        except OSError as error:
            raise unwritable(self.where.folder, error) from error
        except Exception as error:
            raise Bug.unexpected(error) from error

    # --- On the owner thread --------------------------------------------------------------------

    def _run(self, work: Work[_T]) -> _T:
        connection = self._ready()
        mended: set[str] = set()
        while True:
            try:
                with translated(self.where.database):
                    return work(connection)
            except rows.RowDamaged as row:
                if str(row) in mended:
                    raise DataFault(
                        "chat_row_damaged",
                        "A part of this conversation is damaged and can't be mended.",
                        "Restore a backup.",
                    ) from row
                mended.add(str(row))
                _log.warning("damaged row mended: %s %s", row.table, row.row_id)
                with translated(self.where.database):
                    rows.mend(connection, row, self.clock_ms())
            except DataFault as fault:
                if fault.code != "chats_damaged" or "database" in mended:
                    raise
                mended.add("database")
                connection = self._mend(str(fault.__cause__ or fault))

    def _ready(self) -> sqlite3.Connection:
        if self._connection is not None:
            return self._connection
        folder = self.where.folder
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise unwritable(folder, error) from error
        with only_opener(folder):
            if self._program is None:
                self._program = Program.register(folder)
            self._connection, self._opened = opening.open_chats(
                self.where, self._program, self.clock_ms(), self._tell_mending
            )
        self._tell(self._opened.damage)
        return self._connection

    def _mend(self, reason: str) -> sqlite3.Connection:
        """Replaces a database that turned out to be damaged while it was in use."""
        assert self._program is not None
        if self._connection is not None:
            with suppress(sqlite3.Error):
                self._connection.close()
        self._connection = None
        self._tell_mending()
        with only_opener(self.where.folder):
            self._connection, damage = opening.mend(
                self.where, self._program, reason, self.clock_ms()
            )
        self._tell(damage)
        return self._connection

    def _tell_mending(self) -> None:
        if self._on_mending is not None:
            self._on_mending()

    def _tell(self, damage: Damage | None) -> None:
        if damage is not None and self._on_damage is not None:
            self._on_damage(damage)

    def _close(self) -> None:
        if self._connection is not None:
            with suppress(sqlite3.Error):
                self._connection.close()
            self._connection = None
        if self._program is not None:
            self._program.close()
            self._program = None

    # --- On the second thread -------------------------------------------------------------------

    def _run_beside(self, work: Work[_T]) -> _T:
        self._thread.submit(self._ready).result()
        try:
            with (
                translated(self.where.database),
                closing(connect(self.where.database, writable=False)) as connection,
            ):
                return work(connection)
        except (rows.RowDamaged, DataFault):
            # The owner can mend what it is.
            return self.run(work).result()

    def back_up_if_due(self) -> Backup | None:
        """Makes today's copy unless there is one. For the second thread."""
        self._thread.submit(self._ready).result()
        now_ms = self.clock_ms()
        if not backups.is_due(self.where.backups, now_ms):
            return None
        try:
            return backups.make(
                self.where.database,
                self.where.backups,
                BackupKind.DAILY,
                now_ms,
                self._closing.is_set,
            )
        except DataFault as fault:
            reason = str(fault.__cause__ or fault)
            self._thread.submit(lambda: self._mend(reason)).result()
            raise

    # --- Restoring ------------------------------------------------------------------------------

    def restore(self, path: Path) -> Future[Backup]:
        """Queues the return to the copy ``path``; the result is a copy of the state before."""
        return self.run(lambda connection: self._restore(connection, path))

    def _restore(self, connection: sqlite3.Connection, path: Path) -> Backup:
        where = self.where
        with only_opener(where.folder):
            if answers.any_running(connection):
                raise answer_running()
            with backups.restorable(path, where.scratch) as copy:
                before = backups.make(
                    where.database, where.backups, BackupKind.BEFORE_RESTORE, self.clock_ms()
                )
                copy.backup(connection)
            # The copy may have been made in the middle of an answer.
            answers.interrupt_abandoned(connection, (), self.clock_ms())
        return before

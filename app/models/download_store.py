"""The queue of downloads on disk: survives a restart of the program and of the machine.

One row for each variant of a model. Every program may read it and ask for a move; only the one that
holds the writer lock moves what runs (``wish`` is how another one asks for that).
"""

import contextlib
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from app.core.errors import DataFault, ErrorRecord, UserError
from app.core.paths import unwritable
from app.models.download_plan import Plan, decode_plan, encode_plan
from app.models.download_state import ACTIVE, FINISHED, DownloadState, Move, after

_VERSION: Final = 1
_SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS download (
    model TEXT NOT NULL,
    variant TEXT NOT NULL,
    state TEXT NOT NULL,
    added_at REAL NOT NULL,
    done_bytes INTEGER NOT NULL DEFAULT 0,
    total_bytes INTEGER NOT NULL DEFAULT 0,
    reason BLOB,
    plan BLOB,
    retry_at REAL,
    wish TEXT,
    accepted_commit TEXT,
    PRIMARY KEY (model, variant)
) STRICT
"""
_COLUMNS: Final = (
    "model, variant, state, added_at, done_bytes, total_bytes, reason, plan, retry_at, wish, "
    "accepted_commit"
)


class DownloadRow(Struct, frozen=True, kw_only=True):
    """One row. ``reason`` says why it waits, is paused by the program, or failed."""

    model: str
    variant: str
    state: DownloadState
    added_at: float
    done_bytes: int = 0
    total_bytes: int = 0
    reason: ErrorRecord | None = None
    plan: Plan | None = None
    retry_at: float | None = None
    wish: Move | None = None
    accepted_commit: str | None = None

    @property
    def key(self) -> tuple[str, str]:
        return self.model, self.variant


class MovedMeanwhile(Exception):
    """Another thread or program moved the row first; look again."""


class DownloadStore:
    """The rows in one SQLite file. Safe to use from several threads and programs.

    Args:
        path: the file; created when first needed.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._ready = False

    def rows(self) -> tuple[DownloadRow, ...]:
        """All rows, the oldest first."""
        with self._open() as database:
            found = database.execute(
                f"SELECT {_COLUMNS} FROM download ORDER BY added_at, model, variant"  # noqa: S608
            ).fetchall()
        return tuple(_row(values) for values in found)

    def row(self, model: str, variant: str) -> DownloadRow | None:
        """One row, if there is one."""
        return next((row for row in self.rows() if row.key == (model, variant)), None)

    def add(self, model: str, variant: str, total_bytes: int) -> DownloadRow:
        """Queues a variant, or lets what was done before go on."""
        with self._open() as database:
            database.execute(
                "INSERT OR IGNORE INTO download (model, variant, state, added_at, total_bytes) "
                "VALUES (?, ?, 'cancelled', ?, ?)",
                (model, variant, time.time(), total_bytes),
            )
        return self.move(model, variant, Move.ADD)

    def move(
        self,
        model: str,
        variant: str,
        move: Move,
        reason: ErrorRecord | None = None,
        retry_at: float | None = None,
        only_from: DownloadState | None = None,
    ) -> DownloadRow:
        """Moves one row by the table of transitions, and clears its wish.

        Args:
            only_from: the state that the caller saw.

        Raises:
            UserError: ``download_unknown`` or ``download_move``.
            MovedMeanwhile: the row is no longer in ``only_from``.
        """

        def change(row: DownloadRow) -> DownloadRow:
            if only_from not in (None, row.state):
                raise MovedMeanwhile
            state = after(row.state, move)
            if state is None:
                raise UserError(
                    "download_move",
                    f"A download that is {row.state} can't {move}.",
                    "Look at the list of downloads again.",
                )
            moved = msgspec.structs.replace(
                row, state=state, reason=reason, retry_at=retry_at, wish=None
            )
            if move is Move.ADD and row.state in FINISHED:
                # Begins anew: what the publisher offers now is looked up again.
                moved = msgspec.structs.replace(
                    moved, added_at=time.time(), done_bytes=0, plan=None, accepted_commit=None
                )
            return moved

        return self._update(model, variant, change)

    def wish(self, model: str, variant: str, move: Move) -> DownloadRow:
        """Asks the program that runs a download to move it.

        Raises:
            UserError: ``download_unknown``.
        """
        return self._update(model, variant, lambda row: msgspec.structs.replace(row, wish=move))

    def set_plan(self, model: str, variant: str, plan: Plan | None) -> DownloadRow:
        """Keeps (or forgets) what exactly is fetched."""
        return self._update(
            model,
            variant,
            lambda row: msgspec.structs.replace(
                row, plan=plan, total_bytes=plan.size_bytes if plan else row.total_bytes
            ),
        )

    def set_done(self, model: str, variant: str, done_bytes: int) -> DownloadRow:
        """Keeps how far it is."""
        return self._update(
            model, variant, lambda row: msgspec.structs.replace(row, done_bytes=done_bytes)
        )

    def accept(self, model: str, variant: str, commit: str) -> DownloadRow:
        """Keeps that the person agreed to replace an installed version by ``commit``."""
        return self._update(
            model, variant, lambda row: msgspec.structs.replace(row, accepted_commit=commit)
        )

    def recover(self) -> None:
        """Queues again what a program that died was running. For the holder of the lock."""
        for row in self.rows():
            if row.state in ACTIVE:
                self.move(row.model, row.variant, row.wish or Move.RECOVER)

    def _update(
        self, model: str, variant: str, change: Callable[[DownloadRow], DownloadRow]
    ) -> DownloadRow:
        with self._open() as database:
            values = database.execute(
                f"SELECT {_COLUMNS} FROM download WHERE model = ? AND variant = ?",  # noqa: S608
                (model, variant),
            ).fetchone()
            if values is None:
                raise UserError(
                    "download_unknown",
                    f"There is no download of {model}/{variant}.",
                    "Look at the list of downloads again.",
                )
            row = change(_row(values))
            database.execute(
                "UPDATE download SET state = ?, added_at = ?, done_bytes = ?, total_bytes = ?, "
                "reason = ?, plan = ?, retry_at = ?, wish = ?, accepted_commit = ? "
                "WHERE model = ? AND variant = ?",
                (
                    row.state,
                    row.added_at,
                    row.done_bytes,
                    row.total_bytes,
                    None if row.reason is None else msgspec.json.encode(row.reason),
                    None if row.plan is None else encode_plan(row.plan),
                    row.retry_at,
                    row.wish,
                    row.accepted_commit,
                    model,
                    variant,
                ),
            )
        return row

    @contextlib.contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        """A transaction. A file that is no database is set aside, and a new one begun.

        Raises:
            EnvironmentFault: the disk is full or can't be written.
            DataFault: ``downloads_too_new`` or ``downloads_damaged``.
        """
        with self._lock:
            try:
                if not self._ready:
                    self._prepare()
                with contextlib.closing(self._connect()) as database:
                    database.execute("BEGIN IMMEDIATE")
                    yield database
                    database.execute("COMMIT")
            except (OSError, sqlite3.OperationalError) as error:
                fault = error if isinstance(error, OSError) else OSError(None, str(error))
                raise unwritable(self._path, fault) from error
            except sqlite3.DatabaseError as error:
                self._ready = False  # the next use sets the file aside
                raise DataFault(
                    "downloads_damaged",
                    f"The list of downloads was damaged on the disk ({error}).",
                    "Queue the downloads again; what they had fetched is used.",
                ) from error

    def _prepare(self) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        try:
            self._create()
        except sqlite3.OperationalError:
            raise
        except sqlite3.DatabaseError:
            self._path.replace(self._path.with_name(f"{self._path.name}.damaged-{time.time():.0f}"))
            self._create()
        self._ready = True

    def _create(self) -> None:
        with contextlib.closing(self._connect()) as database:
            version = database.execute("PRAGMA user_version").fetchone()[0]
            if version > _VERSION:
                raise DataFault(
                    "downloads_too_new",
                    "The list of downloads was written by a newer version of this program.",
                    "Update this program.",
                )
            database.execute(_SCHEMA)
            database.execute(f"PRAGMA user_version = {_VERSION}")

    def _connect(self) -> sqlite3.Connection:
        return sqlite3.connect(self._path, timeout=10.0, isolation_level=None)


def _row(values: tuple[object, ...]) -> DownloadRow:
    """Builds a row; a value that can't be understood is left out rather than hiding the row."""
    model, variant, state, added_at, done, total, reason, plan, retry_at, wish, commit = values
    known_reason: ErrorRecord | None = None
    if isinstance(reason, bytes):
        with contextlib.suppress(msgspec.MsgspecError):
            known_reason = msgspec.json.decode(reason, type=ErrorRecord)
    return msgspec.convert(
        {
            "model": model,
            "variant": variant,
            "state": state if state in frozenset(DownloadState) else DownloadState.FAILED,
            "added_at": added_at,
            "done_bytes": done,
            "total_bytes": total,
            "reason": known_reason,
            "plan": decode_plan(plan if isinstance(plan, bytes) else None),
            "retry_at": retry_at,
            "wish": wish if wish in frozenset(Move) else None,
            "accepted_commit": commit,
        },
        type=DownloadRow,
    )

"""Every host that was contacted, why, when, and how many bytes came from it.

Kept for the person, who can read it on a page of its own. One row a day for each host and purpose.
"""

import contextlib
import logging
import sqlite3
import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from msgspec import Struct

_log = logging.getLogger(__name__)

_SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS contact (
    day TEXT NOT NULL,
    host TEXT NOT NULL,
    purpose TEXT NOT NULL,
    requests INTEGER NOT NULL,
    received_bytes INTEGER NOT NULL,
    first_at REAL NOT NULL,
    last_at REAL NOT NULL,
    PRIMARY KEY (day, host, purpose)
) STRICT
"""
_RECORD: Final = """
INSERT INTO contact VALUES (?1, ?2, ?3, 1, ?4, ?5, ?5)
ON CONFLICT (day, host, purpose) DO UPDATE SET
    requests = requests + 1, received_bytes = received_bytes + ?4, last_at = ?5
"""


class Contact(Struct, frozen=True, kw_only=True):
    """What went on with one host for one purpose on one day (UTC). Times are Unix seconds."""

    day: str
    host: str
    purpose: str
    requests: int
    received_bytes: int
    first_at: float
    last_at: float


class Ledger:
    """The record of contacts in one SQLite file. Safe to use from several threads.

    Args:
        path: the file; it is created by the first contact.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()

    def record(self, host: str, purpose: str, received_bytes: int) -> None:
        """Adds one request. A ledger that can't be written never stops a download."""
        now = time.time()
        day = datetime.fromtimestamp(now, UTC).date().isoformat()
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with self._lock, self._open() as database:
                database.execute(_SCHEMA)
                database.execute(_RECORD, (day, host, purpose, received_bytes, now))
        except (OSError, sqlite3.Error) as error:
            _log.warning("contact with %s could not be recorded: %s", host, error)

    def contacts(self) -> tuple[Contact, ...]:
        """All rows, the newest first; empty if nothing was ever contacted."""
        if not self._path.exists():
            return ()
        with self._lock, self._open() as database:
            database.execute(_SCHEMA)
            rows = database.execute("SELECT * FROM contact ORDER BY last_at DESC").fetchall()
        return tuple(
            Contact(
                day=row[0],
                host=row[1],
                purpose=row[2],
                requests=row[3],
                received_bytes=row[4],
                first_at=row[5],
                last_at=row[6],
            )
            for row in rows
        )

    @contextlib.contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        with contextlib.closing(sqlite3.connect(self._path, timeout=10.0)) as database, database:
            yield database

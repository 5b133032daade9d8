"""A damaged database is set aside under a name of its own, and what can be read is carried over.

The damaged file is only read. Rows are copied table by table in stretches of row ids; a stretch
that can't be read is halved until the rows that can't be read are alone.
"""

import os
import shutil
import sqlite3
from contextlib import closing, suppress
from pathlib import Path
from typing import Any, Final

from app.chats import schema
from app.chats.backups import stamp_text
from app.chats.conversations import automatic_title
from app.chats.database import connect, writing
from app.chats.records import Damage
from app.core import files
from app.core.errors import EnvironmentFault
from app.core.paths import unwritable

_STRETCH: Final = 256
# Row ids are asked for up to here when the end of a table can't be read.
_LAST_ROW: Final = 2**40
# A bound on the stretches of one table that fail, in case most of it is gone.
_MOST_FAILURES: Final = 10_000

# Mends what the loss of other rows left: children, leaves and files that point at nothing.
_MENDING: Final = (
    "INSERT OR IGNORE INTO conversations (id, title, created_at_ms, changed_at_ms)"
    " SELECT conversation_id, '', min(created_at_ms), max(created_at_ms) FROM messages"
    " WHERE conversation_id NOT IN (SELECT id FROM conversations) GROUP BY conversation_id",
    "UPDATE messages SET deletion_id = NULL WHERE deletion_id NOT IN (SELECT id FROM deletions)",
    # The message written before it in its conversation stands in for a parent that is lost.
    "UPDATE messages SET parent_id = (SELECT m.id FROM messages m"
    " WHERE m.conversation_id = messages.conversation_id AND m.key < messages.key"
    " ORDER BY m.key DESC LIMIT 1)"
    " WHERE parent_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM messages m"
    " WHERE m.id = messages.parent_id AND m.key < messages.key"
    " AND m.conversation_id = messages.conversation_id)",
    # A message that is there must not hang below a deleted one.
    "UPDATE messages SET deletion_id = NULL WHERE id IN ("
    " WITH RECURSIVE above (id) AS (SELECT parent_id FROM messages WHERE deletion_id IS NULL"
    " UNION SELECT m.parent_id FROM messages m JOIN above ON m.id = above.id)"
    " SELECT id FROM above)",
    "DELETE FROM runs WHERE message_id NOT IN (SELECT id FROM messages)",
    "DELETE FROM pieces WHERE message_id NOT IN (SELECT id FROM messages)",
    "DELETE FROM drafts WHERE conversation_id NOT IN (SELECT id FROM conversations)",
    "DELETE FROM deletions WHERE conversation_id NOT IN (SELECT id FROM conversations)",
    "DELETE FROM attachments WHERE conversation_id NOT IN (SELECT id FROM conversations)"
    " OR message_id NOT IN (SELECT id FROM messages)",
    "INSERT OR IGNORE INTO contents SELECT digest, x'' FROM attachments",
    "UPDATE conversations SET active_leaf_id = (SELECT m.id FROM messages m"
    " WHERE m.conversation_id = conversations.id AND m.deletion_id IS NULL"
    " ORDER BY m.key DESC LIMIT 1)"
    " WHERE NOT EXISTS (SELECT 1 FROM messages m WHERE m.id = conversations.active_leaf_id"
    " AND m.conversation_id = conversations.id AND m.deletion_id IS NULL)"
    " OR EXISTS (SELECT 1 FROM messages m WHERE m.parent_id = conversations.active_leaf_id"
    " AND m.deletion_id IS NULL)",
)


def set_aside(database: Path, now_ms: int) -> Path:
    """Renames ``database`` and its log to ``chats.damaged-<time>.sqlite3`` and returns that.

    Raises:
        EnvironmentFault: ``chats_in_use``, another program holds it; ``data_root_unwritable``.
    """
    target = database.with_name(f"{database.stem}.damaged-{stamp_text(now_ms)}{database.suffix}")
    try:
        database.with_name(database.name + "-shm").unlink(missing_ok=True)
        # The log goes first: if it were left behind, SQLite would apply it to the next database.
        log = database.with_name(database.name + "-wal")
        if log.exists() and log.stat().st_size > 0:
            files.replace(log, target.with_name(target.name + "-wal"))
        log.unlink(missing_ok=True)
        if database.exists():
            files.replace(database, target)
    except PermissionError as error:
        raise in_use() from error
    except OSError as error:
        raise unwritable(target, error) from error
    return target


def in_use() -> EnvironmentFault:
    return EnvironmentFault(
        "chats_in_use",
        "The chats need to be mended, but another Contenox program has them open.",
        "Close the other program and start again.",
    )


def recover(damaged: Path, fresh: sqlite3.Connection, reason: str) -> Damage:
    """Copies every readable row of ``damaged`` into ``fresh``, an empty database. Reads only.

    The result names ``damaged`` as the file set aside; the caller does that.

    Raises:
        sqlite3.Error: ``fresh`` can't be written; use inside ``translated``.
    """
    lost = 0
    fresh.execute("PRAGMA foreign_keys = OFF")
    try:
        with writing(fresh):
            if damaged.is_file():
                lost = _copy_readable(damaged, fresh)
            for statement in _MENDING:
                fresh.execute(statement)
            _title_the_nameless(fresh)
    finally:
        fresh.execute("PRAGMA foreign_keys = ON")
    count = {
        table: fresh.execute(f"SELECT count(*) FROM {table}").fetchone()[0]  # noqa: S608 - our tables
        for table in ("conversations", "messages")
    }
    return Damage(
        set_aside=damaged,
        reason=reason,
        conversations=count["conversations"],
        messages=count["messages"],
        lost_rows=lost,
        newest_backup=None,
    )


def _copy_readable(damaged: Path, fresh: sqlite3.Connection) -> int:
    with suppress(sqlite3.DatabaseError), closing(connect(damaged, writable=False)) as source:
        source.execute("SELECT count(*) FROM sqlite_schema").fetchone()
        return _copy_tables(source, fresh)
    # Its first page is beyond SQLite. The tables of a new database begin on the same pages, so
    # that one's first page may open the way to the rest.
    grafted = damaged.with_name(damaged.name + ".grafted")
    try:
        _graft_first_page(damaged, grafted)
        with suppress(sqlite3.DatabaseError), closing(connect(grafted, writable=False)) as source:
            return _copy_tables(source, fresh)
    finally:
        for suffix in ("", "-wal", "-shm"):
            grafted.with_name(grafted.name + suffix).unlink(missing_ok=True)
    return 0


def _graft_first_page(damaged: Path, grafted: Path) -> None:
    model = grafted.with_name(grafted.name + "-model")
    try:
        with closing(sqlite3.connect(model, isolation_level=None)) as connection:
            schema.migrate(connection)
            (page_bytes,) = connection.execute("PRAGMA page_size").fetchone()
        first_page = bytearray(model.read_bytes()[:page_bytes])
        shutil.copyfile(damaged, grafted)
        size = grafted.stat().st_size
        first_page[28:32] = (size // page_bytes).to_bytes(4, "big")
        with grafted.open("r+b") as file:
            file.seek(0, os.SEEK_SET)
            if size >= page_bytes:
                file.write(first_page)
    except OSError as error:
        raise unwritable(grafted, error) from error
    finally:
        model.unlink(missing_ok=True)


def _copy_tables(source: sqlite3.Connection, fresh: sqlite3.Connection) -> int:
    lost = 0
    for table in schema.TABLES:
        try:
            theirs = [column[1] for column in source.execute(f"PRAGMA table_info ({table})")]
        except sqlite3.DatabaseError:
            continue
        ours = [column[1] for column in fresh.execute(f"PRAGMA table_info ({table})")]
        columns = [column for column in ours if column in theirs]
        if columns:
            lost += _TableCopy(source, fresh, table, columns).run()
    return lost


class _TableCopy:
    """Carries the rows of one table over."""

    def __init__(
        self,
        source: sqlite3.Connection,
        fresh: sqlite3.Connection,
        table: str,
        columns: list[str],
    ) -> None:
        names = ", ".join(columns)
        marks = ", ".join("?" for _ in columns)
        self._source = source
        self._fresh = fresh
        self._select = (
            f"SELECT rowid, {names} FROM {table} WHERE rowid BETWEEN ? AND ? ORDER BY rowid LIMIT ?"  # noqa: S608 - our names
        )
        self._insert = f"INSERT OR IGNORE INTO {table} (rowid, {names}) VALUES (?, {marks})"  # noqa: S608 - our names
        self._unreadable: list[int] = []
        self._refused = 0
        self._last_kept = 0
        self._failures = 0

    def run(self) -> int:
        """Returns how many rows were lost, as far as that can be known."""
        self._copy(1, _LAST_ROW)
        # Behind the last readable row, a row that can't be read may never have been.
        return self._refused + sum(row < self._last_kept for row in self._unreadable)

    def _copy(self, first: int, last: int) -> None:
        """Copies the rows ``first`` to ``last``; from a row that can't be read on, by halves."""
        while first <= last and self._failures < _MOST_FAILURES:
            try:
                rows = self._source.execute(self._select, (first, last, _STRETCH)).fetchall()
            except (sqlite3.DatabaseError, MemoryError):
                self._failures += 1
                break
            for row in rows:
                self._keep(row)
            if len(rows) < _STRETCH:
                return
            first = rows[-1][0] + 1
        if self._failures >= _MOST_FAILURES or first > last:
            return
        if first == last:
            self._unreadable.append(first)
            return
        # Row ids are dense from 1, so the lower part is much smaller than the upper one.
        middle = first + min((last - first) // 2, max(first, _STRETCH))
        self._copy(first, middle)
        self._copy(middle + 1, last)

    def _keep(self, row: tuple[Any, ...]) -> None:
        self._last_kept = max(self._last_kept, row[0])
        try:
            kept = self._fresh.execute(self._insert, row).rowcount
        except (sqlite3.IntegrityError, sqlite3.DataError):
            kept = 0
        self._refused += kept == 0


def _title_the_nameless(fresh: sqlite3.Connection) -> None:
    """A conversation whose own row is lost is called after its first message."""
    rows = fresh.execute(
        "SELECT c.id, (SELECT m.text FROM messages m WHERE m.conversation_id = c.id"
        " AND m.role = 'user' ORDER BY m.key LIMIT 1) FROM conversations c WHERE c.title = ''"
    ).fetchall()
    for conversation_id, text in rows:
        if text:
            fresh.execute(
                "UPDATE conversations SET title = ? WHERE id = ?",
                (automatic_title(text), conversation_id),
            )

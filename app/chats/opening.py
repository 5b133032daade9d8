"""Opening the chats: checked, mended if they must be, migrated, abandoned answers closed."""

import logging
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Final

import msgspec

from app.chats import answers, backups, recovery, schema
from app.chats.database import connect, quick_check, translated
from app.chats.programs import Program
from app.chats.records import Backup, BackupKind, Damage, Opened
from app.core import files
from app.core.errors import DataFault
from app.core.units import MIB

_log = logging.getLogger(__name__)

_ALWAYS_CHECKED_BYTES: Final = 256 * MIB


class _Unfit(Exception):
    """What lies in the database's place can't be used; says why."""


class Location:
    """Where the chats of one person lie."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.database = folder / "chats.sqlite3"
        self.backups = folder / "backups"

    @property
    def scratch(self) -> Path:
        """A database in the making; it may be thrown away at any time."""
        return self.folder / ".scratch.sqlite3"

    @property
    def recovered(self) -> Path:
        """A database that is whole and only waits to take the place of the damaged one."""
        return self.folder / ".recovered.sqlite3"


def open_chats(
    where: Location,
    program: Program,
    now_ms: int,
    on_mending: Callable[[], None] = lambda: None,
) -> tuple[sqlite3.Connection, Opened]:
    """Opens the database, or a new one with what could be recovered. Call inside ``only_opener``.

    ``on_mending`` is called before a recovery begins: for a large database it takes a while.

    Raises:
        DataFault: ``chats_newer_version``.
        EnvironmentFault: ``disk_full``, ``chats_unwritable``, ``chats_in_use``, ``chats_busy``.
    """
    if where.recovered.exists():
        _take_over(where, now_ms)
    offered = None if where.database.exists() else newest_backup(where)
    try:
        connection, version = _open_whole(where, program, now_ms)
        try:
            interrupted = _interrupted(where, connection, program, now_ms)
        except BaseException:
            connection.close()
            raise
        return connection, Opened(migrated_from=version, interrupted=interrupted, offered=offered)
    except _Unfit as unfit:
        reason = str(unfit)
    except DataFault as fault:
        if fault.code != "chats_damaged":
            raise
        reason = str(fault.__cause__ or fault)
    on_mending()
    connection, damage = mend(where, program, reason, now_ms)
    interrupted = _interrupted(where, connection, program, now_ms)
    return connection, Opened(interrupted=interrupted, damage=damage)


def newest_backup(where: Location) -> Backup | None:
    return next(iter(backups.all_backups(where.backups)), None)


def _interrupted(
    where: Location, connection: sqlite3.Connection, program: Program, now_ms: int
) -> tuple[str, ...]:
    """Closes the answers of programs that live no more, and returns which they are."""
    with translated(where.database):
        alive = program.others_alive() | {program.token}
        return answers.interrupt_abandoned(connection, alive, now_ms)


def mend(
    where: Location, program: Program, reason: str, now_ms: int
) -> tuple[sqlite3.Connection, Damage]:
    """Sets the database aside and opens a new one with what could be recovered from it.

    Raises:
        EnvironmentFault: as ``open_chats``.
    """
    if program.others_alive():
        raise recovery.in_use()
    backups.remove(where.scratch)
    with translated(where.scratch), closing(connect(where.scratch)) as fresh:
        schema.migrate(fresh)
        damage = recovery.recover(where.database, fresh, reason)
        # All of it into the one file that is renamed; fails on a full disk, as closing would not.
        fresh.execute("PRAGMA journal_mode = DELETE").fetchone()
    files.replace(where.scratch, where.recovered)
    aside = _take_over(where, now_ms)
    _log.warning(
        "chats damaged (%s): set aside as %s; %d messages recovered, %d rows lost",
        reason,
        aside.name,
        damage.messages,
        damage.lost_rows,
    )
    with translated(where.database):
        connection = connect(where.database)
    return connection, msgspec.structs.replace(
        damage, set_aside=aside, newest_backup=newest_backup(where)
    )


def _take_over(where: Location, now_ms: int) -> Path:
    """Puts the recovered database in place; repeated at the next start if the program ends here."""
    aside = recovery.set_aside(where.database, now_ms)
    files.replace(where.recovered, where.database)
    return aside


def _open_whole(
    where: Location, program: Program, now_ms: int
) -> tuple[sqlite3.Connection, int | None]:
    """Returns the connection, and the version it was migrated from if it was.

    Raises:
        _Unfit: it is no whole database of ours.
        DataFault: ``chats_damaged``, SQLite can't read it; ``chats_newer_version``.
    """
    path = where.database
    if path.is_dir():
        raise _Unfit("it is a folder")
    if path.exists() and path.stat().st_size == 0 and newest_backup(where):
        raise _Unfit("it is empty")
    thorough = not program.others_alive() and _needs_check(path)
    with translated(path):
        connection = connect(path)
        try:
            version = _check(connection, thorough=thorough)
            if 0 < version < schema.VERSION:
                backups.make(path, where.backups, BackupKind.BEFORE_MIGRATION, now_ms)
            schema.migrate(connection)
        except BaseException:
            connection.close()
            raise
    return connection, version if 0 < version < schema.VERSION else None


def _needs_check(path: Path) -> bool:
    """Whether each page is read before the chats are used: about half a second for 100 MB.

    A large database that was closed well is checked with its daily copy instead.
    """
    log = path.with_name(path.name + "-wal")
    if log.exists() and log.stat().st_size > 0:
        return True
    return path.exists() and path.stat().st_size <= _ALWAYS_CHECKED_BYTES


def _check(connection: sqlite3.Connection, *, thorough: bool) -> int:
    """Checks that the tables are there and, if ``thorough``, every page. Returns the version."""
    version = schema.version_of(connection)
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    if version == 0 and tables == 0:
        return 0
    if not backups.is_ours(connection):
        raise _Unfit("it is another program's database")
    backups.refuse_newer(connection)
    complaint = quick_check(connection) if thorough else None
    if complaint is not None:
        raise _Unfit(complaint)
    present = {name for (name,) in connection.execute("SELECT name FROM sqlite_schema")}
    missing = [table for table in schema.TABLES if table not in present]
    if missing:
        raise _Unfit(f"the table {missing[0]} is missing")
    return version

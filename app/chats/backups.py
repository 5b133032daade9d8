"""Copies of the database: daily, before a migration, before a restore.

A copy is made with SQLite's backup interface from one consistent state, checked page by page, and
only then given its name; so a damaged database never pushes out a good copy.
"""

import re
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from app.chats import schema
from app.chats.database import connect, quick_check, reading, translated
from app.chats.records import Backup, BackupKind
from app.core import files
from app.core.errors import DataFault, EnvironmentFault, UserError
from app.core.paths import unwritable

KEPT: Final = {
    BackupKind.DAILY: 7,
    BackupKind.BEFORE_MIGRATION: 3,
    BackupKind.BEFORE_RESTORE: 3,
}

_NAME: Final = re.compile(r"chats-(daily|before-migration|before-restore)-(\d{8}T\d{9}Z)\.sqlite3")
_DAY_LENGTH: Final = 8
_PAGES_A_STEP: Final = 2000


def stamp_text(at_ms: int) -> str:
    """A time as it stands in file names: ``20261129T205214123Z``."""
    at = datetime.fromtimestamp(at_ms // 1000, UTC)
    return f"{at:%Y%m%dT%H%M%S}{at_ms % 1000:03d}Z"


def _stamp_ms(text: str) -> int:
    at = datetime.strptime(text[:15], "%Y%m%dT%H%M%S").replace(tzinfo=UTC)
    return int(at.timestamp()) * 1000 + int(text[15:18])


def all_backups(folder: Path) -> tuple[Backup, ...]:
    """The copies in ``folder``, the newest first."""
    found = []
    for path in folder.glob("chats-*.sqlite3"):
        match = _NAME.fullmatch(path.name)
        if match is None or not path.is_file():
            continue
        try:
            made_at_ms = _stamp_ms(match[2])
        except ValueError:
            continue
        found.append(
            Backup(
                path=path,
                kind=BackupKind(match[1]),
                made_at_ms=made_at_ms,
                size_bytes=path.stat().st_size,
            )
        )
    return tuple(
        sorted(found, key=lambda backup: (backup.made_at_ms, backup.path.name), reverse=True)
    )


def make(
    database: Path,
    folder: Path,
    kind: BackupKind,
    now_ms: int,
    abandoned: Callable[[], bool] = lambda: False,
) -> Backup:
    """Copies ``database`` into ``folder`` and removes the oldest copies of this kind.

    Runs beside writers of the database and does not hold them up. ``abandoned`` is asked every few
    megabytes whether the copy is not wanted any more.

    Raises:
        EnvironmentFault: ``disk_full``, ``data_root_unwritable``, ``backup_abandoned``.
        DataFault: ``chats_damaged``, the database is not worth a copy.
    """

    def go_on(_status: int, _remaining: int, _total: int) -> None:
        if abandoned():
            raise EnvironmentFault(
                "backup_abandoned", "The backup was not finished.", "It is made at the next start."
            )

    name = f"chats-{kind}-{stamp_text(now_ms)}.sqlite3"
    temporary = folder / f".{name}.new"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with (
            translated(database),
            closing(connect(database, writable=False)) as source,
            closing(sqlite3.connect(temporary, isolation_level=None)) as copy,
        ):
            # One read transaction holds the state; without it, each write starts the copy anew.
            with reading(source):
                source.execute("SELECT 1 FROM sqlite_schema").fetchone()
                source.backup(copy, pages=_PAGES_A_STEP, progress=go_on)
            # One file that needs no log beside it.
            copy.execute("PRAGMA journal_mode = DELETE").fetchone()
            complaint = quick_check(copy)
        if complaint is not None:
            raise DataFault(
                "chats_damaged",
                f"The chats in {database} are damaged ({complaint}), so no copy was made.",
                "Restore an earlier copy.",
            )
        files.replace(temporary, folder / name)
    except OSError as error:
        raise unwritable(folder, error) from error
    finally:
        remove(temporary)
    copies = [backup for backup in all_backups(folder) if backup.kind is kind]
    for old in copies[KEPT[kind] :]:
        remove(old.path)
    return copies[0]


def remove(path: Path) -> None:
    """Removes a database and what SQLite keeps beside it."""
    for name in (path.name, path.name + "-journal", path.name + "-wal", path.name + "-shm"):
        path.with_name(name).unlink(missing_ok=True)


def is_due(folder: Path, now_ms: int) -> bool:
    """Whether there is no daily copy of today (UTC) yet."""
    today = stamp_text(now_ms)[:_DAY_LENGTH]
    return not any(
        backup.kind is BackupKind.DAILY and stamp_text(backup.made_at_ms)[:_DAY_LENGTH] == today
        for backup in all_backups(folder)
    )


@contextmanager
def restorable(path: Path, scratch: Path) -> Iterator[sqlite3.Connection]:
    """A checked copy of the backup ``path`` at ``scratch``, brought to the present version.

    Raises:
        UserError: ``backup_not_found``.
        DataFault: ``backup_damaged``, ``chats_newer_version``.
    """
    if not path.is_file():
        raise UserError("backup_not_found", f"There is no backup {path}.", "Choose another one.")
    remove(scratch)
    try:
        with translated(scratch), closing(sqlite3.connect(scratch, isolation_level=None)) as copy:
            try:
                with closing(connect(path, writable=False)) as source:
                    source.backup(copy)
                fit = is_ours(copy) and quick_check(copy) is None
            except sqlite3.DatabaseError as error:
                if isinstance(error, sqlite3.OperationalError):
                    raise
                fit = False
            if not fit:
                raise DataFault(
                    "backup_damaged",
                    f"The backup {path.name} is damaged.",
                    "Choose another one; nothing was changed.",
                )
            refuse_newer(copy)
            schema.migrate(copy)
            yield copy
    finally:
        remove(scratch)


def is_ours(connection: sqlite3.Connection) -> bool:
    (application_id,) = connection.execute("PRAGMA application_id").fetchone()
    return bool(application_id == schema.APPLICATION_ID)


def refuse_newer(connection: sqlite3.Connection) -> None:
    """Raises ``DataFault`` ``chats_newer_version`` for a database of a later program."""
    if schema.version_of(connection) > schema.VERSION:
        raise DataFault(
            "chats_newer_version",
            "These chats were written by a newer version of Contenox.",
            "Install the newer version; the chats were left untouched.",
        )

"""A connection to SQLite as this store needs it, and its errors in the program's own words.

One connection belongs to one thread. The write-ahead log lets readers go on beside one writer;
``BEGIN IMMEDIATE`` takes SQLite's own writer lock, which all programs of the person share.
"""

import shutil
import sqlite3
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final
from urllib.parse import quote

from app.core.errors import Bug, ContenoxError, DataFault, EnvironmentFault, UserError

_BUSY_TIMEOUT_S: Final = 10.0
_WAL_LIMIT_BYTES: Final = 16 * 1024**2
# Below this, an input/output error of SQLite is taken for a full disk: it can't grow its files.
_FULL_BELOW_BYTES: Final = 256 * 1024

_PRIMARY_CODE: Final = 0xFF
_DAMAGED: Final = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
_BUSY: Final = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})
_UNWRITABLE: Final = frozenset(
    {
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_READONLY,
        sqlite3.SQLITE_PERM,
        sqlite3.SQLITE_AUTH,
    }
)


def _lenient(data: bytes) -> str:
    """Text of a damaged row is shown as far as it can be read."""
    return data.decode("utf-8", "replace")


def new_id() -> str:
    """An id that nothing else has, in this database or another."""
    return uuid.uuid4().hex


def storable(text: str) -> str:
    """``text`` without halves of surrogate pairs, which UTF-8 can't hold."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def connect(path: Path, *, writable: bool = True) -> sqlite3.Connection:
    """Opens ``path``; a writable database is created if it is absent, and gets its log.

    Durability is ``FULL``: each transaction is on the disk when it returns. There is about one a
    second, and the promise that a sent text survives a power failure is worth the flush.

    Raises:
        sqlite3.Error: use inside ``translated``.
    """
    connection = sqlite3.connect(
        _uri(path) + ("" if writable else "?mode=ro"),
        uri=True,
        timeout=_BUSY_TIMEOUT_S,
        isolation_level=None,
    )
    try:
        connection.text_factory = _lenient
        if writable:
            connection.execute("PRAGMA journal_mode = WAL").fetchone()
            connection.execute("PRAGMA synchronous = FULL")
            connection.execute(f"PRAGMA journal_size_limit = {_WAL_LIMIT_BYTES}")
            connection.execute("PRAGMA secure_delete = FAST")
        connection.execute("PRAGMA foreign_keys = ON")
    except BaseException:
        connection.close()
        raise
    return connection


def _uri(path: Path) -> str:
    """``Path.as_uri`` makes the server of a network folder an authority, which SQLite refuses."""
    plain = path.absolute().as_posix()
    return "file://" + ("" if plain.startswith("/") else "/") + quote(plain, safe="/:")


@contextmanager
def writing(connection: sqlite3.Connection) -> Iterator[None]:
    """One transaction under the writer lock: all of it or nothing."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        _roll_back(connection)
        raise


@contextmanager
def reading(connection: sqlite3.Connection) -> Iterator[None]:
    """Several queries that see one and the same state."""
    connection.execute("BEGIN")
    try:
        yield
    finally:
        _roll_back(connection)


def _roll_back(connection: sqlite3.Connection) -> None:
    # Some errors, such as a full disk, end the transaction by themselves.
    with suppress(sqlite3.Error):
        if connection.in_transaction:
            connection.execute("ROLLBACK")


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """Turns the errors of SQLite on the database ``path`` into the program's own."""
    try:
        yield
    except sqlite3.Error as error:
        raise _translate(path, error) from error


def _translate(path: Path, error: sqlite3.Error) -> ContenoxError:
    # An error of the module itself, such as one about a closed connection, has no code.
    code = getattr(error, "sqlite_errorcode", 0) & _PRIMARY_CODE
    if code == sqlite3.SQLITE_FULL or (code in _UNWRITABLE and _is_full(path)):
        return EnvironmentFault(
            "disk_full",
            f"The disk that holds {path} is full, so this was not stored.",
            "Free some space and try again; everything stored before is safe.",
        )
    if code in _DAMAGED:
        return _damaged(path, str(error))
    if code in _BUSY:
        return EnvironmentFault(
            "chats_busy",
            "Another Contenox program is busy with the chats.",
            "Wait until it is done and try again.",
        )
    if code in _UNWRITABLE:
        return EnvironmentFault(
            "chats_unwritable",
            f"{path} can't be opened or written ({error}).",
            "Mend the permissions of the folder, or choose another data folder.",
        )
    if code == sqlite3.SQLITE_TOOBIG:
        return UserError(
            "text_too_large", "This is too large to be stored.", "Store it in smaller parts."
        )
    return Bug.unexpected(error)


def _damaged(path: Path, reason: str) -> DataFault:
    return DataFault(
        "chats_damaged",
        f"The chats in {path} are damaged ({reason}).",
        "What can be read is recovered; restore a backup to get back the rest.",
    )


def _is_full(path: Path) -> bool:
    try:
        return shutil.disk_usage(path.parent).free < _FULL_BELOW_BYTES
    except OSError:
        return False


def quick_check(connection: sqlite3.Connection) -> str | None:
    """Checks every page. Returns the first complaint, or ``None`` if there is none."""
    (verdict,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    # The first line of a complaint may only name the database.
    return None if verdict == "ok" else str(verdict).splitlines()[-1]

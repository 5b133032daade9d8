"""Files of a message or of a whole conversation. The same content is kept once, by its digest."""

import hashlib
import sqlite3
from collections.abc import Sequence
from typing import Final

from app.chats import conversations
from app.chats.database import new_id, storable, writing
from app.chats.records import Attachment, NewAttachment
from app.chats.rows import ATTACHMENT_COLUMNS, attachment_of
from app.core.errors import DataFault, UserError
from app.core.units import MIB, format_bytes

LARGEST_BYTES: Final = 64 * MIB


def _not_found() -> UserError:
    return UserError(
        "attachment_not_found", "This file is not attached any more.", "Attach it again."
    )


def store(
    connection: sqlite3.Connection,
    conversation_id: str,
    message_id: str | None,
    files: Sequence[NewAttachment],
) -> None:
    """Part of a transaction. Raises ``UserError`` ``attachment_too_large``."""
    for file in files:
        size_bytes = len(file.content)
        if size_bytes > LARGEST_BYTES:
            raise UserError(
                "attachment_too_large",
                f"{file.name} has {format_bytes(size_bytes)}; a file may have at most"
                f" {format_bytes(LARGEST_BYTES)}.",
                "Attach the part of it that matters.",
            )
        digest = hashlib.sha256(file.content).hexdigest()
        connection.execute("INSERT OR IGNORE INTO contents VALUES (?, ?)", (digest, file.content))
        connection.execute(
            "INSERT INTO attachments VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (
                new_id(),
                conversation_id,
                message_id,
                storable(file.name),
                storable(file.media_type),
                size_bytes,
                digest,
                storable(file.source),
            ),
        )


def copy(connection: sqlite3.Connection, message_id: str, to_message_id: str) -> None:
    """Gives a message the files of another one. Part of a transaction."""
    rows = connection.execute(
        "SELECT conversation_id, name, media_type, size_bytes, digest, source FROM attachments"
        " WHERE message_id = ? ORDER BY rowid",
        (message_id,),
    ).fetchall()
    for conversation_id, *rest in rows:
        connection.execute(
            "INSERT INTO attachments VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (new_id(), conversation_id, to_message_id, *rest),
        )


def attach(connection: sqlite3.Connection, conversation_id: str, file: NewAttachment) -> Attachment:
    """Attaches ``file`` to the conversation itself."""
    with writing(connection):
        conversations.get(connection, conversation_id)
        store(connection, conversation_id, None, (file,))
        return of_conversation(connection, conversation_id)[-1]


def detach(connection: sqlite3.Connection, attachment_id: str) -> None:
    with writing(connection):
        cursor = connection.execute("DELETE FROM attachments WHERE id = ?", (attachment_id,))
        if cursor.rowcount == 0:
            raise _not_found()
        conversations.drop_unused_contents(connection)


def of_conversation(connection: sqlite3.Connection, conversation_id: str) -> tuple[Attachment, ...]:
    """The files of the conversation and of all its messages, oldest first."""
    rows = connection.execute(
        f"SELECT {ATTACHMENT_COLUMNS} FROM attachments"  # noqa: S608 - our columns
        " WHERE conversation_id = ? ORDER BY rowid",
        (conversation_id,),
    )
    return tuple(attachment_of(row) for row in rows)


def content(connection: sqlite3.Connection, attachment_id: str) -> bytes:
    """The bytes of a file, checked against their digest.

    Raises:
        UserError: ``attachment_not_found``.
        DataFault: ``attachment_damaged``.
    """
    row = connection.execute(
        "SELECT a.name, a.digest, c.data FROM attachments a LEFT JOIN contents c USING (digest)"
        " WHERE a.id = ?",
        (attachment_id,),
    ).fetchone()
    if row is None:
        raise _not_found()
    name, digest, data = row
    if data is None or hashlib.sha256(data).hexdigest() != digest:
        raise DataFault(
            "attachment_damaged",
            f"The stored content of {name} is not what was attached.",
            "Attach the file again, or restore a backup.",
        )
    return bytes(data)

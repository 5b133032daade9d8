"""Reading messages: one, the active branch, or all branches of a conversation."""

import sqlite3

from app.chats import attachments, conversations
from app.chats.database import reading
from app.chats.records import Attachment, Message, MessageState, Stamp, Transcript
from app.chats.rows import MESSAGE_COLUMNS, RUN_COLUMNS, Row, message_of, stamp_of
from app.core.errors import UserError


def message_not_found() -> UserError:
    return UserError(
        "message_not_found",
        "This message does not exist any more.",
        "Open the conversation again.",
    )


def place_of(
    connection: sqlite3.Connection, message_id: str, *, deleted_too: bool = False
) -> tuple[str, str | None]:
    """The conversation and the parent of a message that is there.

    Raises:
        UserError: ``message_not_found``.
    """
    row = connection.execute(
        "SELECT conversation_id, parent_id, deletion_id FROM messages WHERE id = ?",
        (message_id,),
    ).fetchone()
    if row is None or (row[2] is not None and not deleted_too):
        raise message_not_found()
    return row[0], row[1]


def get(connection: sqlite3.Connection, message_id: str, *, deleted_too: bool = False) -> Message:
    """One message. Raises ``UserError`` ``message_not_found``."""
    conversation_id, parent_id = place_of(connection, message_id, deleted_too=deleted_too)
    row = connection.execute(
        f"SELECT {MESSAGE_COLUMNS} FROM messages WHERE id = ?",  # noqa: S608 - our columns
        (message_id,),
    ).fetchone()
    runs = connection.execute(
        f"SELECT {RUN_COLUMNS} FROM runs WHERE message_id = ? ORDER BY number",  # noqa: S608 - our columns
        (message_id,),
    ).fetchall()
    branches = connection.execute(
        "SELECT id FROM messages WHERE conversation_id = ? AND parent_id IS ?"
        " AND deletion_id IS NULL ORDER BY key",
        (conversation_id, parent_id),
    ).fetchall()
    files = attachments.of_conversation(connection, conversation_id)
    return message_of(
        _with_pieces(connection, row),
        stamps=tuple(stamp_of(message_id, run) for run in runs),
        attachments=tuple(file for file in files if file.message_id == message_id),
        branches=tuple(branch for (branch,) in branches),
    )


def transcript(connection: sqlite3.Connection, conversation_id: str) -> Transcript:
    """The active branch of a conversation. Raises ``UserError`` ``conversation_not_found``."""
    with reading(connection):
        conversation = conversations.get(connection, conversation_id)
        rows = _rows(connection, conversation_id)
        branch: dict[str, Row] = {}
        message_id = conversation.active_leaf_id
        # A circle of parents can't be written, but a damaged file may hold one.
        while message_id is not None and message_id in rows and message_id not in branch:
            branch[message_id] = rows[message_id]
            message_id = rows[message_id][1]
        chosen = tuple(reversed(branch.values()))
        files = attachments.of_conversation(connection, conversation_id)
        return Transcript(
            conversation=conversation,
            messages=_records(connection, conversation_id, rows, chosen, files),
            files=tuple(file for file in files if file.message_id is None),
            draft=conversations.draft(connection, conversation_id),
        )


def all_branches(connection: sqlite3.Connection, conversation_id: str) -> tuple[Message, ...]:
    """Every message of a conversation that is there, oldest first: a parent before its children."""
    rows = _rows(connection, conversation_id)
    files = attachments.of_conversation(connection, conversation_id)
    return _records(connection, conversation_id, rows, tuple(rows.values()), files)


def _rows(connection: sqlite3.Connection, conversation_id: str) -> dict[str, Row]:
    """The rows of all messages that are there by id, oldest first."""
    rows = connection.execute(
        f"SELECT {MESSAGE_COLUMNS} FROM messages"  # noqa: S608 - our columns
        " WHERE conversation_id = ? AND deletion_id IS NULL ORDER BY key",
        (conversation_id,),
    )
    return {row[0]: row for row in rows}


def _records(
    connection: sqlite3.Connection,
    conversation_id: str,
    rows: dict[str, Row],
    chosen: tuple[Row, ...],
    files: tuple[Attachment, ...],
) -> tuple[Message, ...]:
    branches: dict[str | None, list[str]] = {}
    for message_id, parent_id, *_ in rows.values():
        branches.setdefault(parent_id, []).append(message_id)
    files_of: dict[str | None, list[Attachment]] = {}
    for file in files:
        files_of.setdefault(file.message_id, []).append(file)
    stamps_of = _stamps(connection, conversation_id)
    return tuple(
        message_of(
            _with_pieces(connection, row),
            stamps=tuple(stamps_of.get(row[0], ())),
            attachments=tuple(files_of.get(row[0], ())),
            branches=tuple(branches[row[1]]),
        )
        for row in chosen
    )


def _stamps(connection: sqlite3.Connection, conversation_id: str) -> dict[str, list[Stamp]]:
    stamps: dict[str, list[Stamp]] = {}
    for message_id, *run in connection.execute(
        f"SELECT message_id, {RUN_COLUMNS} FROM runs WHERE message_id IN"  # noqa: S608 - our columns
        " (SELECT id FROM messages WHERE conversation_id = ?) ORDER BY message_id, number",
        (conversation_id,),
    ):
        stamps.setdefault(message_id, []).append(stamp_of(message_id, tuple(run)))
    return stamps


def _with_pieces(connection: sqlite3.Connection, row: Row) -> Row:
    """Adds to a running answer what was appended so far."""
    message_id, parent_id, role, state, text, thinking, created_at_ms = row
    if state != MessageState.STREAMING:
        return row
    pieces = connection.execute(
        "SELECT text, thinking FROM pieces WHERE message_id = ? ORDER BY rowid", (message_id,)
    ).fetchall()
    text += "".join(piece[0] for piece in pieces)
    thinking += "".join(piece[1] for piece in pieces)
    return (message_id, parent_id, role, state, text, thinking, created_at_ms)

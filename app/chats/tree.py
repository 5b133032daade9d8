"""The tree of messages: sending, editing, choosing a branch, deleting and undoing.

What always holds: the parent of a message that is there is there too; the active leaf is a message
that is there and has none below it, and is absent only if the conversation is empty.
"""

import sqlite3
from collections.abc import Sequence
from typing import Final

from app.chats import attachments, conversations, transcripts
from app.chats.database import new_id, storable, writing
from app.chats.records import Deletion, Message, MessageState, NewAttachment, Role, TitleSource
from app.core.errors import UserError

_BRANCH_BELOW: Final = """
    WITH RECURSIVE down (id) AS (
        SELECT ?
        UNION
        SELECT (SELECT m.id FROM messages m WHERE m.parent_id = down.id
            AND m.deletion_id IS NULL ORDER BY m.key DESC LIMIT 1)
        FROM down WHERE down.id IS NOT NULL)
    SELECT id FROM down WHERE id IS NOT NULL"""

# ``rowcount`` is only set for a statement that does not begin with WITH (Python 3.11).
_DELETE_BELOW: Final = """
    UPDATE messages SET deletion_id = ? WHERE id IN (
        WITH RECURSIVE below (id) AS (
            SELECT ?
            UNION
            SELECT m.id FROM messages m JOIN below ON m.parent_id = below.id
                WHERE m.deletion_id IS NULL)
        SELECT id FROM below)"""

_UNDELETE_ABOVE: Final = """
    UPDATE messages SET deletion_id = NULL WHERE id IN (
        WITH RECURSIVE above (id) AS (
            SELECT parent_id FROM messages WHERE id = ?
            UNION
            SELECT m.parent_id FROM messages m JOIN above ON m.id = above.id)
        SELECT id FROM above)"""


def answer_running() -> UserError:
    return UserError(
        "answer_running",
        "An answer is still being written here.",
        "Wait for its end, or stop it first.",
    )


def send(
    connection: sqlite3.Connection,
    conversation_id: str,
    text: str,
    files: Sequence[NewAttachment],
    now_ms: int,
    message_id: str | None = None,
) -> Message:
    """Stores the person's text below the active leaf and removes the draft.

    Raises:
        UserError: ``conversation_not_found``, ``answer_running``, ``attachment_too_large``.
    """
    with writing(connection):
        leaf_id = conversations.get(connection, conversation_id).active_leaf_id
        message_id = _add_question(connection, conversation_id, leaf_id, text, now_ms, message_id)
        attachments.store(connection, conversation_id, message_id, files)
        connection.execute("DELETE FROM drafts WHERE conversation_id = ?", (conversation_id,))
    return transcripts.get(connection, message_id)


def edit(
    connection: sqlite3.Connection,
    message_id: str,
    text: str,
    now_ms: int,
    edited_id: str | None = None,
) -> Message:
    """Stores ``text`` beside the message ``message_id``, as a new branch with the same files."""
    with writing(connection):
        conversation_id, parent_id = transcripts.place_of(connection, message_id)
        edited_id = _add_question(connection, conversation_id, parent_id, text, now_ms, edited_id)
        attachments.copy(connection, message_id, edited_id)
    return transcripts.get(connection, edited_id)


def _add_question(
    connection: sqlite3.Connection,
    conversation_id: str,
    parent_id: str | None,
    text: str,
    now_ms: int,
    message_id: str | None,
) -> str:
    message_id = add(
        connection,
        conversation_id,
        parent_id,
        Role.USER,
        MessageState.FINISHED,
        text,
        now_ms,
        message_id,
    )
    if parent_id is None:
        connection.execute(
            "UPDATE conversations SET title = ? WHERE id = ? AND title_source = ?",
            (conversations.automatic_title(text), conversation_id, TitleSource.AUTOMATIC),
        )
    return message_id


def add(
    connection: sqlite3.Connection,
    conversation_id: str,
    parent_id: str | None,
    role: Role,
    state: MessageState,
    text: str,
    now_ms: int,
    message_id: str | None = None,
) -> str:
    """Adds a message, makes it the active leaf and returns its id. Part of a transaction."""
    if parent_id is not None and _state(connection, parent_id) == MessageState.STREAMING:
        raise answer_running()
    message_id = message_id or new_id()
    connection.execute(
        "INSERT INTO messages (id, conversation_id, parent_id, role, state, text, created_at_ms)"
        " VALUES (?, ?, ?, ?, ?, ?, ?)",
        (message_id, conversation_id, parent_id, role, state, storable(text), now_ms),
    )
    connection.execute(
        "UPDATE conversations SET active_leaf_id = ?, changed_at_ms = ? WHERE id = ?",
        (message_id, now_ms, conversation_id),
    )
    return message_id


def activate(connection: sqlite3.Connection, message_id: str) -> None:
    """Makes the branch through this message the active one, down to its latest end."""
    with writing(connection):
        conversation_id, _ = transcripts.place_of(connection, message_id)
        leaf_id = connection.execute(_BRANCH_BELOW, (message_id,)).fetchall()[-1][0]
        _set_leaf(connection, conversation_id, leaf_id)


def delete(connection: sqlite3.Connection, message_id: str, now_ms: int) -> Deletion:
    """Deletes a message and all below it. Another branch, or the parent, becomes active."""
    deletion_id = new_id()
    with writing(connection):
        conversation_id, parent_id = transcripts.place_of(connection, message_id)
        leaf_id = conversations.get(connection, conversation_id).active_leaf_id
        connection.execute(
            "INSERT INTO deletions VALUES (?, ?, ?, ?, ?)",
            (deletion_id, conversation_id, message_id, leaf_id, now_ms),
        )
        count = connection.execute(_DELETE_BELOW, (deletion_id, message_id)).rowcount
        if leaf_id is None or not _is_there(connection, leaf_id):
            _set_leaf(
                connection, conversation_id, _leaf_near(connection, conversation_id, parent_id)
            )
    return Deletion(
        id=deletion_id,
        conversation_id=conversation_id,
        message_id=message_id,
        message_count=count,
    )


def undelete(connection: sqlite3.Connection, deletion_id: str) -> None:
    """Brings back what a deletion took, and what lies above it if that was deleted since.

    Raises:
        UserError: ``deletion_not_found``, undone already or more than 30 days ago.
    """
    with writing(connection):
        row = connection.execute(
            "SELECT conversation_id, message_id, leaf_before_id FROM deletions WHERE id = ?",
            (deletion_id,),
        ).fetchone()
        if row is None:
            raise UserError(
                "deletion_not_found",
                "This deletion can't be undone any more.",
                "Restore a backup if you need the message.",
            )
        conversation_id, message_id, leaf_id = row
        connection.execute(
            "UPDATE messages SET deletion_id = NULL WHERE deletion_id = ?", (deletion_id,)
        )
        connection.execute(_UNDELETE_ABOVE, (message_id,))
        connection.execute("DELETE FROM deletions WHERE id = ?", (deletion_id,))
        start_id = leaf_id if leaf_id and _is_there(connection, leaf_id) else message_id
        if _is_there(connection, start_id):
            below = connection.execute(_BRANCH_BELOW, (start_id,)).fetchall()
            _set_leaf(connection, conversation_id, below[-1][0])


def _set_leaf(connection: sqlite3.Connection, conversation_id: str, leaf_id: str | None) -> None:
    connection.execute(
        "UPDATE conversations SET active_leaf_id = ? WHERE id = ?", (leaf_id, conversation_id)
    )


def _leaf_near(
    connection: sqlite3.Connection, conversation_id: str, parent_id: str | None
) -> str | None:
    """The latest end below ``parent_id``, or of the whole conversation if that is absent."""
    if parent_id is None:
        row = connection.execute(
            "SELECT id FROM messages WHERE conversation_id = ? AND parent_id IS NULL"
            " AND deletion_id IS NULL ORDER BY key DESC LIMIT 1",
            (conversation_id,),
        ).fetchone()
        if row is None:
            return None
        parent_id = row[0]
    return str(connection.execute(_BRANCH_BELOW, (parent_id,)).fetchall()[-1][0])


def _is_there(connection: sqlite3.Connection, message_id: str) -> bool:
    row = connection.execute(
        "SELECT 1 FROM messages WHERE id = ? AND deletion_id IS NULL", (message_id,)
    ).fetchone()
    return row is not None


def _state(connection: sqlite3.Connection, message_id: str) -> str:
    row = connection.execute("SELECT state FROM messages WHERE id = ?", (message_id,)).fetchone()
    return str(row[0]) if row else ""

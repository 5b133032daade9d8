"""Conversations without their messages: the list, titles, pins, settings, drafts, deletion."""

import sqlite3
from typing import Final

from app.chats.database import new_id, storable, writing
from app.chats.presets import checked_sampling
from app.chats.records import ChatSettings, Conversation, Cursor, Page, TitleSource
from app.chats.rows import CONVERSATION_COLUMNS, conversation_of, encode_json
from app.core.errors import UserError

UNDO_DAYS: Final = 30
_DAY_MS: Final = 24 * 60 * 60 * 1000
_TITLE_LENGTH: Final = 60
_LONGEST_TITLE: Final = 500


def conversation_not_found() -> UserError:
    return UserError(
        "conversation_not_found",
        "This conversation does not exist any more.",
        "Choose another one from the list.",
    )


def automatic_title(text: str) -> str:
    """The first words of ``text``, at most about 60 characters, on one line."""
    line = " ".join(storable(text).replace("\0", " ")[:1000].split())
    if len(line) <= _TITLE_LENGTH:
        return line
    head = line[: _TITLE_LENGTH - 1]
    words, _, _ = head.rpartition(" ")
    return (words if len(words) >= _TITLE_LENGTH // 2 else head).rstrip() + "…"


def create(
    connection: sqlite3.Connection,
    settings: ChatSettings,
    now_ms: int,
    conversation_id: str | None = None,
) -> Conversation:
    """Creates an empty conversation. Its title is empty until the first message."""
    conversation_id = conversation_id or new_id()
    with writing(connection):
        connection.execute(
            "INSERT INTO conversations (id, title, created_at_ms, changed_at_ms)"
            " VALUES (?, '', ?, ?)",
            (conversation_id, now_ms, now_ms),
        )
        write_settings(connection, conversation_id, settings)
    return get(connection, conversation_id)


def get(connection: sqlite3.Connection, conversation_id: str) -> Conversation:
    """Raises ``UserError`` ``conversation_not_found``. Deleted ones are found too."""
    row = connection.execute(
        f"SELECT {CONVERSATION_COLUMNS} FROM conversations WHERE id = ?",  # noqa: S608 - our columns
        (conversation_id,),
    ).fetchone()
    if row is None:
        raise conversation_not_found()
    return conversation_of(row)


def page(
    connection: sqlite3.Connection, after: Cursor | None, limit: int, *, deleted: bool
) -> Page:
    """The conversations that come after ``after``: pinned first, the latest first.

    ``deleted`` lists instead those that can still be undone, the latest deletion first.
    """
    kept = "NOT NULL" if deleted else "NULL"
    at = "deleted_at_ms" if deleted else "changed_at_ms"
    beyond = f"AND (pinned, {at}, key) < (?, ?, ?)" if after else ""
    values = (after.pinned, after.at_ms, after.key) if after else ()
    rows = connection.execute(
        f"SELECT {CONVERSATION_COLUMNS}, {at}, key FROM conversations"  # noqa: S608 - our columns
        f" WHERE deleted_at_ms IS {kept} {beyond}"
        f" ORDER BY pinned DESC, {at} DESC, key DESC LIMIT ?",
        (*values, limit + 1),
    ).fetchall()
    shown = tuple(conversation_of(row) for row in rows[:limit])
    cursor = None
    if len(rows) > limit:
        cursor = Cursor(pinned=shown[-1].pinned, at_ms=rows[limit - 1][-2], key=rows[limit - 1][-1])
    return Page(conversations=shown, next=cursor)


def rename(connection: sqlite3.Connection, conversation_id: str, title: str) -> None:
    """Gives the title ``title``; an empty one makes it automatic again."""
    chosen = " ".join(storable(title).split())[:_LONGEST_TITLE]
    with writing(connection):
        if chosen:
            _update(
                connection,
                "UPDATE conversations SET title = ?, title_source = ? WHERE id = ?",
                (chosen, TitleSource.CHOSEN, conversation_id),
            )
            return
        row = connection.execute(
            "SELECT text FROM messages WHERE conversation_id = ? AND parent_id IS NULL"
            " AND role = 'user' AND deletion_id IS NULL ORDER BY key LIMIT 1",
            (conversation_id,),
        ).fetchone()
        _update(
            connection,
            "UPDATE conversations SET title = ?, title_source = ? WHERE id = ?",
            (automatic_title(row[0]) if row else "", TitleSource.AUTOMATIC, conversation_id),
        )


def pin(connection: sqlite3.Connection, conversation_id: str, pinned: bool) -> None:
    with writing(connection):
        _update(
            connection,
            "UPDATE conversations SET pinned = ? WHERE id = ?",
            (pinned, conversation_id),
        )


def configure(connection: sqlite3.Connection, conversation_id: str, settings: ChatSettings) -> None:
    """Sets model, device, prompt, sampling and context. Raises ``sampling_out_of_range``."""
    with writing(connection):
        write_settings(connection, conversation_id, settings)


def write_settings(
    connection: sqlite3.Connection, conversation_id: str, settings: ChatSettings
) -> None:
    """Part of a transaction."""
    _update(
        connection,
        "UPDATE conversations SET model_name = ?, backend = ?, device = ?, preset_id = ?,"
        " system_prompt = ?, sampling = ?, context = ? WHERE id = ?",
        (
            settings.model_name,
            settings.backend,
            settings.device,
            settings.preset_id,
            storable(settings.system_prompt),
            encode_json(checked_sampling(settings.sampling)),
            encode_json(settings.context),
            conversation_id,
        ),
    )


def _update(connection: sqlite3.Connection, statement: str, values: tuple[object, ...]) -> None:
    if connection.execute(statement, values).rowcount == 0:
        raise conversation_not_found()


# --- Drafts -------------------------------------------------------------------------------------


def save_draft(
    connection: sqlite3.Connection, conversation_id: str, text: str, now_ms: int
) -> None:
    """Keeps the text that is not sent yet; an empty one removes it."""
    with writing(connection):
        if not text:
            connection.execute("DELETE FROM drafts WHERE conversation_id = ?", (conversation_id,))
            return
        get(connection, conversation_id)
        connection.execute(
            "INSERT INTO drafts VALUES (?, ?, ?) ON CONFLICT (conversation_id)"
            " DO UPDATE SET text = excluded.text, changed_at_ms = excluded.changed_at_ms",
            (conversation_id, storable(text), now_ms),
        )


def draft(connection: sqlite3.Connection, conversation_id: str) -> str:
    row = connection.execute(
        "SELECT text FROM drafts WHERE conversation_id = ?", (conversation_id,)
    ).fetchone()
    return str(row[0]) if row else ""


# --- Deletion -----------------------------------------------------------------------------------


def delete(connection: sqlite3.Connection, conversation_id: str, now_ms: int) -> None:
    """Takes it off the list. ``undelete`` brings it back until ``purge_expired`` removes it."""
    with writing(connection):
        _update(
            connection,
            "UPDATE conversations SET deleted_at_ms = coalesce(deleted_at_ms, ?) WHERE id = ?",
            (now_ms, conversation_id),
        )


def undelete(connection: sqlite3.Connection, conversation_id: str) -> None:
    with writing(connection):
        _update(
            connection,
            "UPDATE conversations SET deleted_at_ms = NULL WHERE id = ?",
            (conversation_id,),
        )


def purge(connection: sqlite3.Connection, conversation_id: str) -> None:
    """Removes a conversation for good, deleted before or not."""
    with writing(connection):
        _update(connection, "DELETE FROM conversations WHERE id = ?", (conversation_id,))
        drop_unused_contents(connection)


def purge_expired(connection: sqlite3.Connection, now_ms: int) -> int:
    """Removes what was deleted more than 30 days ago. Returns how many deletions that were."""
    before = now_ms - UNDO_DAYS * _DAY_MS
    with writing(connection):
        count = connection.execute(
            "DELETE FROM conversations WHERE deleted_at_ms < ?", (before,)
        ).rowcount
        # The messages go with their deletion, by their foreign key.
        count += connection.execute(
            "DELETE FROM deletions WHERE deleted_at_ms < ?", (before,)
        ).rowcount
        drop_unused_contents(connection)
    return count


def drop_unused_contents(connection: sqlite3.Connection) -> None:
    """Removes the content that no attachment names any more. Part of a transaction."""
    connection.execute("DELETE FROM contents WHERE digest NOT IN (SELECT digest FROM attachments)")

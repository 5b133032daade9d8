"""Conversations out of the database, as a document."""

import sqlite3
from collections.abc import Sequence

from app.chats import attachments, conversations, transcripts
from app.chats.database import reading
from app.chats.document import (
    ContentEntry,
    ConversationEntry,
    Document,
    FileEntry,
    MessageEntry,
    files_of,
)
from app.chats.records import Attachment, Message


def export(
    connection: sqlite3.Connection, conversation_ids: Sequence[str] | None, now_ms: int
) -> Document:
    """The named conversations, or all that are not deleted, with all their branches and files.

    Raises:
        UserError: ``conversation_not_found``.
    """
    with reading(connection):
        if conversation_ids is None:
            rows = connection.execute(
                "SELECT id FROM conversations WHERE deleted_at_ms IS NULL ORDER BY key"
            )
            conversation_ids = [row[0] for row in rows]
        entries = tuple(_exported(connection, each) for each in dict.fromkeys(conversation_ids))
        digests = dict.fromkeys(file.digest for entry in entries for file in files_of(entry))
        return Document(
            exported_at_ms=now_ms,
            conversations=entries,
            contents=tuple(_content(connection, digest) for digest in digests),
        )


def _exported(connection: sqlite3.Connection, conversation_id: str) -> ConversationEntry:
    conversation = conversations.get(connection, conversation_id)
    files = attachments.of_conversation(connection, conversation_id)
    messages = transcripts.all_branches(connection, conversation_id)
    settings = conversation.settings
    return ConversationEntry(
        id=conversation.id,
        title=conversation.title,
        title_source=conversation.title_source,
        pinned=conversation.pinned,
        created_at_ms=conversation.created_at_ms,
        changed_at_ms=conversation.changed_at_ms,
        active_leaf_id=conversation.active_leaf_id,
        model_name=settings.model_name,
        backend=settings.backend,
        device=settings.device,
        system_prompt=settings.system_prompt,
        sampling=settings.sampling,
        draft=conversations.draft(connection, conversation_id),
        files=tuple(_file(file) for file in files if file.message_id is None),
        messages=tuple(_message(message) for message in messages),
    )


def _message(message: Message) -> MessageEntry:
    return MessageEntry(
        id=message.id,
        parent_id=message.parent_id,
        role=message.role,
        state=message.state,
        text=message.text,
        thinking=message.thinking,
        created_at_ms=message.created_at_ms,
        stamps=message.stamps,
        files=tuple(_file(file) for file in message.attachments),
    )


def _file(file: Attachment) -> FileEntry:
    return FileEntry(id=file.id, name=file.name, media_type=file.media_type, digest=file.digest)


def _content(connection: sqlite3.Connection, digest: str) -> ContentEntry:
    (data,) = connection.execute("SELECT data FROM contents WHERE digest = ?", (digest,)).fetchone()
    return ContentEntry(digest=digest, data=data)

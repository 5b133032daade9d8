"""Conversations out of the database, as a document."""

import hashlib
import sqlite3
from collections.abc import Container, Iterable, Sequence

from app.chats import attachments, conversations, transcripts
from app.chats.database import reading
from app.chats.document import (
    ContentEntry,
    ConversationEntry,
    Document,
    FileEntry,
    MessageEntry,
)
from app.chats.records import Attachment, Message


def export(
    connection: sqlite3.Connection, conversation_ids: Sequence[str] | None, now_ms: int
) -> Document:
    """The named conversations, or all that are not deleted, with all their branches and files.

    A file whose stored content is damaged is left out.

    Raises:
        UserError: ``conversation_not_found``.
    """
    with reading(connection):
        if conversation_ids is None:
            rows = connection.execute(
                "SELECT id FROM conversations WHERE deleted_at_ms IS NULL ORDER BY key"
            )
            conversation_ids = [row[0] for row in rows]
        chosen = tuple(dict.fromkeys(conversation_ids))
        contents = _contents(connection, chosen)
        return Document(
            exported_at_ms=now_ms,
            conversations=tuple(_exported(connection, each, contents) for each in chosen),
            contents=tuple(
                ContentEntry(digest=digest, data=data) for digest, data in contents.items()
            ),
        )


def _contents(connection: sqlite3.Connection, conversation_ids: Sequence[str]) -> dict[str, bytes]:
    """The contents of all files that are there, by digest; a damaged one is left out."""
    contents: dict[str, bytes] = {}
    for conversation_id in conversation_ids:
        for digest, data in connection.execute(
            "SELECT DISTINCT c.digest, c.data FROM attachments a JOIN contents c USING (digest)"
            " LEFT JOIN messages m ON m.id = a.message_id"
            " WHERE a.conversation_id = ? AND m.deletion_id IS NULL",
            (conversation_id,),
        ):
            if digest not in contents and hashlib.sha256(data).hexdigest() == digest:
                contents[digest] = data
    return contents


def _exported(
    connection: sqlite3.Connection, conversation_id: str, contents: Container[str]
) -> ConversationEntry:
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
        context=settings.context,
        draft=conversations.draft(connection, conversation_id),
        files=_files((file for file in files if file.message_id is None), contents),
        messages=tuple(_message(message, contents) for message in messages),
    )


def _message(message: Message, contents: Container[str]) -> MessageEntry:
    return MessageEntry(
        id=message.id,
        parent_id=message.parent_id,
        role=message.role,
        state=message.state,
        text=message.text,
        thinking=message.thinking,
        created_at_ms=message.created_at_ms,
        stamps=message.stamps,
        files=_files(message.attachments, contents),
    )


def _files(files: Iterable[Attachment], contents: Container[str]) -> tuple[FileEntry, ...]:
    return tuple(
        FileEntry(id=file.id, name=file.name, media_type=file.media_type, digest=file.digest)
        for file in files
        if file.digest in contents
    )

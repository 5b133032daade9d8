"""A checked document into the database: all of it or nothing."""

import sqlite3
from collections.abc import Callable, Sequence

import msgspec

from app.chats import conversations
from app.chats.database import new_id, storable, writing
from app.chats.document import ConversationEntry, Document, FileEntry, MessageEntry, files_of
from app.chats.records import INTERRUPTED, AnswerEnd, ContextFields, MessageState, Stamp
from app.chats.rows import RUN_COLUMNS, encode_json
from app.core.errors import UserError


def bring_in(
    connection: sqlite3.Connection, document: Document, now_ms: int, *, as_copies: bool
) -> tuple[str, ...]:
    """Stores a checked document: all of it or nothing. Returns the ids of its conversations.

    ``as_copies`` gives everything new ids, so that the same document can be stored twice.

    Raises:
        UserError: ``import_already_here``.
    """
    with writing(connection):
        if not as_copies:
            _refuse_known(connection, document)
        sizes = {content.digest: len(content.data) for content in document.contents}
        connection.executemany(
            "INSERT OR IGNORE INTO contents VALUES (?, ?)",
            [(content.digest, content.data) for content in document.contents],
        )
        renamed: dict[str, str] = {}

        def name(entry_id: str) -> str:
            return renamed.setdefault(entry_id, new_id()) if as_copies else entry_id

        for entry in document.conversations:
            _store(connection, entry, sizes, name, now_ms)
        conversations.drop_unused_contents(connection)
    return tuple(name(entry.id) for entry in document.conversations)


def _refuse_known(connection: sqlite3.Connection, document: Document) -> None:
    for entry in document.conversations:
        ids = {
            "conversations": [entry.id],
            "messages": [message.id for message in entry.messages],
            "attachments": [file.id for file in files_of(entry)],
        }
        for table, entry_ids in ids.items():
            for entry_id in entry_ids:
                known = connection.execute(
                    f"SELECT 1 FROM {table} WHERE id = ?",  # noqa: S608 - our tables
                    (entry_id,),
                ).fetchone()
                if known is not None:
                    raise UserError(
                        "import_already_here",
                        f"The conversation {entry.title!r}, or a part of it, is here already;"
                        " perhaps it was deleted less than 30 days ago.",
                        "Import it as a copy, or undo its deletion.",
                    )


def _store(
    connection: sqlite3.Connection,
    entry: ConversationEntry,
    sizes: dict[str, int],
    name: Callable[[str], str],
    now_ms: int,
) -> None:
    conversation_id = name(entry.id)
    connection.execute(
        "INSERT INTO conversations (id, title, title_source, pinned, created_at_ms, changed_at_ms,"
        " active_leaf_id, model_name, backend, device, system_prompt, sampling, context)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            conversation_id,
            storable(entry.title),
            entry.title_source,
            entry.pinned,
            entry.created_at_ms,
            entry.changed_at_ms,
            None if entry.active_leaf_id is None else name(entry.active_leaf_id),
            entry.model_name,
            entry.backend,
            entry.device,
            storable(entry.system_prompt),
            encode_json(entry.sampling),
            encode_json(_context(entry, name)),
        ),
    )
    if entry.draft:
        connection.execute(
            "INSERT INTO drafts VALUES (?, ?, ?)", (conversation_id, storable(entry.draft), now_ms)
        )
    _store_files(connection, conversation_id, None, entry.files, sizes, name)
    for message in entry.messages:
        _store_message(connection, conversation_id, message, name, now_ms)
        _store_files(connection, conversation_id, name(message.id), message.files, sizes, name)


def _context(entry: ConversationEntry, name: Callable[[str], str]) -> ContextFields:
    """What is read of it; a boundary that is no message of it is dropped, with its summary."""
    context = entry.context
    known = {message.id for message in entry.messages}
    pasted = tuple(
        msgspec.structs.replace(one, message=name(one.message))
        for one in context.left_out_pasted
        if one.message in known
    )
    kept_from = context.kept_from
    if kept_from is None or kept_from not in known:
        return ContextFields(on_overflow=context.on_overflow, left_out_pasted=pasted)
    return msgspec.structs.replace(context, kept_from=name(kept_from), left_out_pasted=pasted)


def _store_message(
    connection: sqlite3.Connection,
    conversation_id: str,
    message: MessageEntry,
    name: Callable[[str], str],
    now_ms: int,
) -> None:
    # An answer that was running when it was exported runs in no program of ours.
    running = message.state is MessageState.STREAMING
    connection.execute(
        "INSERT INTO messages (id, conversation_id, parent_id, role, state, text, thinking,"
        " created_at_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (
            name(message.id),
            conversation_id,
            None if message.parent_id is None else name(message.parent_id),
            message.role,
            MessageState.INTERRUPTED if running else message.state,
            storable(message.text),
            storable(message.thinking),
            message.created_at_ms,
        ),
    )
    marks = ", ".join("?" for _ in RUN_COLUMNS.split(","))
    connection.executemany(
        f"INSERT INTO runs (message_id, number, {RUN_COLUMNS}) VALUES (?, ?, {marks})",  # noqa: S608 - our columns
        [
            (name(message.id), number, *_run(stamp, now_ms))
            for number, stamp in enumerate(message.stamps)
        ],
    )


def _run(stamp: Stamp, now_ms: int) -> tuple[object, ...]:
    """The values of ``RUN_COLUMNS``."""
    start = stamp.start
    end = stamp.end or AnswerEnd(finish_reason=INTERRUPTED)
    usage, timings = end.usage, end.timings
    return (
        storable(start.model_name),
        storable(start.model_digest),
        storable(start.backend),
        storable(start.device),
        storable(start.profile_digest),
        encode_json(start.settings),
        start.context_manifest,
        stamp.started_at_ms,
        now_ms if stamp.ended_at_ms is None else stamp.ended_at_ms,
        storable(end.finish_reason),
        None if end.seed is None else str(end.seed),
        usage.prompt_tokens,
        usage.reused_tokens,
        usage.completion_tokens,
        usage.thinking_tokens,
        timings.load_s,
        timings.ttft_s,
        timings.thinking_s,
        timings.prefill_tokens_per_s,
        timings.decode_tokens_per_s,
        None if end.error is None else encode_json(end.error),
        usage.predicted_reused_tokens,
        usage.reuse_measured,
    )


def _store_files(
    connection: sqlite3.Connection,
    conversation_id: str,
    message_id: str | None,
    files: Sequence[FileEntry],
    sizes: dict[str, int],
    name: Callable[[str], str],
) -> None:
    connection.executemany(
        "INSERT INTO attachments VALUES (?, ?, ?, ?, ?, ?, ?, '')",
        [
            (
                name(file.id),
                conversation_id,
                message_id,
                storable(file.name),
                storable(file.media_type),
                sizes[file.digest],
                file.digest,
            )
            for file in files
        ],
    )

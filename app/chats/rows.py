"""Rows of the database as records, and what happens to a row that can't be one.

Such a row (an older bug, another program, a recovered page) must not keep its conversation from
opening: it is copied to ``damaged_rows``, named there, and mended in place with plain values.
"""

import sqlite3
from collections.abc import Callable
from typing import Any, Final, TypeVar

import msgspec

from app.chats.database import writing
from app.chats.records import (
    AnswerEnd,
    AnswerStart,
    Attachment,
    ChatSettings,
    ContextFields,
    Conversation,
    DamagedRow,
    Message,
    MessageState,
    Preset,
    Role,
    SamplingFields,
    Stamp,
    Timings,
    TitleSource,
    Usage,
)
from app.core.errors import ErrorRecord

_T = TypeVar("_T")
Row = tuple[Any, ...]

CONVERSATION_COLUMNS: Final = (
    "id, title, title_source, pinned, created_at_ms, changed_at_ms, deleted_at_ms,"
    " active_leaf_id, model_name, backend, device, preset_id, system_prompt, sampling, context"
)
MESSAGE_COLUMNS: Final = "id, parent_id, role, state, text, thinking, created_at_ms"
ATTACHMENT_COLUMNS: Final = "id, message_id, name, media_type, digest, size_bytes, source"
PRESET_COLUMNS: Final = "id, name, system_prompt, sampling"
RUN_COLUMNS: Final = (
    "model_name, model_digest, backend, device, profile_digest, settings, context_manifest,"
    " started_at_ms, ended_at_ms, finish_reason, seed, prompt_tokens, reused_tokens,"
    " completion_tokens, thinking_tokens, load_s, ttft_s, thinking_s, prefill_tokens_per_s,"
    " decode_tokens_per_s, error, predicted_reused_tokens, reuse_measured"
)

# A statement that gives each column that can hold an impossible value a plain one.
_MENDING: Final = {
    "conversations": (
        "UPDATE conversations SET sampling = '{}', context = '{}',"
        " title_source = CASE WHEN title_source IN ('automatic', 'chosen')"
        " THEN title_source ELSE 'automatic' END WHERE id = ?"
    ),
    "presets": "UPDATE presets SET sampling = '{}' WHERE id = ?",
    "messages": (
        "UPDATE messages SET role = CASE WHEN role IN ('system', 'user', 'assistant', 'tool')"
        " THEN role ELSE 'assistant' END, state = CASE WHEN state IN"
        " ('finished', 'streaming', 'interrupted', 'failed') THEN state ELSE 'interrupted' END"
        " WHERE id = ?"
    ),
    "runs": "DELETE FROM runs WHERE message_id = ?",
}
_SELECTING: Final = {
    table: f"SELECT * FROM {table} WHERE {'message_id' if table == 'runs' else 'id'} = ?"  # noqa: S608 - our own names
    for table in _MENDING
}


class RowDamaged(Exception):
    """A row holds values that no version of the program wrote. Mended by ``mend``, never shown."""

    def __init__(self, table: str, row_id: str, reason: str) -> None:
        super().__init__(f"{table} {row_id}: {reason}")
        self.table = table
        self.row_id = row_id
        self.reason = reason


def _decoded(table: str, row_id: str, decode: Callable[[], _T]) -> _T:
    try:
        return decode()
    except (ValueError, TypeError) as error:  # msgspec's errors are ValueErrors
        raise RowDamaged(table, row_id, str(error)) from error


def encode_json(value: object) -> str:
    return msgspec.json.encode(value).decode()


def conversation_of(row: Row) -> Conversation:
    """From the columns ``CONVERSATION_COLUMNS``. Raises ``RowDamaged``."""

    def decode() -> Conversation:
        return Conversation(
            id=row[0],
            title=row[1],
            title_source=TitleSource(row[2]),
            pinned=bool(row[3]),
            created_at_ms=row[4],
            changed_at_ms=row[5],
            deleted_at_ms=row[6],
            active_leaf_id=row[7],
            settings=ChatSettings(
                model_name=row[8],
                backend=row[9],
                device=row[10],
                preset_id=row[11],
                system_prompt=row[12],
                sampling=msgspec.json.decode(row[13], type=SamplingFields),
                context=msgspec.json.decode(row[14], type=ContextFields),
            ),
        )

    return _decoded("conversations", row[0], decode)


def message_of(
    row: Row,
    *,
    stamps: tuple[Stamp, ...] = (),
    attachments: tuple[Attachment, ...] = (),
    branches: tuple[str, ...] = (),
) -> Message:
    """From the columns ``MESSAGE_COLUMNS``. Raises ``RowDamaged``."""
    return _decoded(
        "messages",
        row[0],
        lambda: Message(
            id=row[0],
            parent_id=row[1],
            role=Role(row[2]),
            state=MessageState(row[3]),
            text=row[4],
            thinking=row[5],
            created_at_ms=row[6],
            stamps=stamps,
            attachments=attachments,
            branches=branches,
        ),
    )


def stamp_of(message_id: str, row: Row) -> Stamp:
    """From the columns ``RUN_COLUMNS``. Raises ``RowDamaged``."""

    def decode() -> Stamp:
        return Stamp(
            start=AnswerStart(
                model_name=row[0],
                model_digest=row[1],
                backend=row[2],
                device=row[3],
                profile_digest=row[4],
                settings=msgspec.json.decode(row[5], type=SamplingFields),
                context_manifest=row[6],
            ),
            started_at_ms=row[7],
            ended_at_ms=row[8],
            end=None if row[9] is None else _end_of(row),
        )

    return _decoded("runs", message_id, decode)


def _end_of(row: Row) -> AnswerEnd:
    return AnswerEnd(
        finish_reason=row[9],
        seed=None if row[10] is None else int(row[10]),
        usage=Usage(
            prompt_tokens=row[11],
            reused_tokens=row[12],
            completion_tokens=row[13],
            thinking_tokens=row[14],
            predicted_reused_tokens=row[21],
            reuse_measured=bool(row[22]),
        ),
        timings=Timings(
            load_s=row[15],
            ttft_s=row[16],
            thinking_s=row[17],
            prefill_tokens_per_s=row[18],
            decode_tokens_per_s=row[19],
        ),
        error=None if row[20] is None else msgspec.json.decode(row[20], type=ErrorRecord),
    )


def attachment_of(row: Row) -> Attachment:
    """From the columns ``ATTACHMENT_COLUMNS``."""
    return Attachment(
        id=row[0],
        message_id=row[1],
        name=row[2],
        media_type=row[3],
        digest=row[4],
        size_bytes=row[5],
        source=row[6],
    )


def preset_of(row: Row) -> Preset:
    """From the columns ``PRESET_COLUMNS``. Raises ``RowDamaged``."""
    return _decoded(
        "presets",
        row[0],
        lambda: Preset(
            id=row[0],
            name=row[1],
            system_prompt=row[2],
            sampling=msgspec.json.decode(row[3], type=SamplingFields),
        ),
    )


def mend(connection: sqlite3.Connection, row: RowDamaged, now_ms: int) -> None:
    """Keeps the impossible values of ``row`` in ``damaged_rows`` and gives it plain ones."""
    with writing(connection):
        for raw in connection.execute(_SELECTING[row.table], (row.row_id,)).fetchall():
            connection.execute(
                "INSERT INTO damaged_rows VALUES (?, ?, ?, ?, ?)",
                (row.table, row.row_id, row.reason, encode_json(raw), now_ms),
            )
        connection.execute(_MENDING[row.table], (row.row_id,))


def damaged_rows(connection: sqlite3.Connection) -> tuple[DamagedRow, ...]:
    """Every row that was ever mended, oldest first."""
    rows = connection.execute(
        "SELECT table_name, row_id, reason, content, found_at_ms FROM damaged_rows ORDER BY rowid"
    )
    return tuple(
        DamagedRow(table=table, row_id=row_id, reason=reason, content=content, found_at_ms=at)
        for table, row_id, reason, content, at in rows
    )

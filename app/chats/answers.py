"""Answers while they are written: begun, appended to, finished, continued, interrupted."""

import sqlite3
from collections.abc import Collection

from app.chats import transcripts, tree
from app.chats.database import storable, writing
from app.chats.records import (
    INTERRUPTED,
    AnswerEnd,
    AnswerStart,
    Message,
    MessageState,
    Role,
)
from app.chats.rows import encode_json
from app.core.errors import UserError


def _not_open() -> UserError:
    return UserError(
        "answer_not_open",
        "This answer has ended already.",
        "Continue it, or ask for a new one.",
    )


def begin(
    connection: sqlite3.Connection,
    question_id: str,
    start: AnswerStart,
    writer: str,
    now_ms: int,
    answer_id: str | None = None,
) -> Message:
    """Opens an empty answer below ``question_id``; below one that has answers, a new branch.

    ``writer`` names the program, so that another one leaves the answer alone while this one lives.

    Raises:
        UserError: ``message_not_found``, ``answer_running``.
    """
    with writing(connection):
        conversation_id, _ = transcripts.place_of(connection, question_id)
        answer_id = tree.add(
            connection,
            conversation_id,
            question_id,
            Role.ASSISTANT,
            MessageState.STREAMING,
            "",
            now_ms,
            answer_id,
        )
        connection.execute("UPDATE messages SET writer = ? WHERE id = ?", (writer, answer_id))
        _add_run(connection, answer_id, start, now_ms)
    return transcripts.get(connection, answer_id)


def resume(
    connection: sqlite3.Connection,
    answer_id: str,
    start: AnswerStart,
    writer: str,
    now_ms: int,
) -> Message:
    """Opens an ended answer again: what is appended now follows the text it has.

    Raises:
        UserError: ``message_not_found``; ``answer_running``; ``no_answer`` if it is a message of
            another role; ``answer_has_replies`` if the conversation went on below it.
    """
    with writing(connection):
        transcripts.place_of(connection, answer_id)
        role, state = connection.execute(
            "SELECT role, state FROM messages WHERE id = ?", (answer_id,)
        ).fetchone()
        if role != Role.ASSISTANT:
            raise UserError("no_answer", "This message is no answer.", "Choose an answer.")
        if state == MessageState.STREAMING:
            raise tree.answer_running()
        replies = connection.execute(
            "SELECT 1 FROM messages WHERE parent_id = ? AND deletion_id IS NULL", (answer_id,)
        ).fetchone()
        if replies is not None:
            raise UserError(
                "answer_has_replies",
                "The conversation went on after this answer, so it can't be continued.",
                "Delete what follows, or ask again.",
            )
        connection.execute(
            "UPDATE messages SET state = 'streaming', writer = ? WHERE id = ?", (writer, answer_id)
        )
        _add_run(connection, answer_id, start, now_ms)
    return transcripts.get(connection, answer_id)


def append(connection: sqlite3.Connection, answer_id: str, text: str, thinking: str) -> None:
    """Adds to a running answer; on the disk when it returns. Raises ``answer_not_open``."""
    with writing(connection):
        added = connection.execute(
            "INSERT INTO pieces SELECT id, ?, ? FROM messages WHERE id = ? AND state = 'streaming'",
            (storable(text), storable(thinking), answer_id),
        ).rowcount
        if added == 0:
            raise _not_open()


def finish(connection: sqlite3.Connection, answer_id: str, end: AnswerEnd, now_ms: int) -> Message:
    """Closes a running answer with what its end told. Raises ``answer_not_open``."""
    state = MessageState.FINISHED if end.error is None else MessageState.FAILED
    with writing(connection):
        _close(connection, answer_id, state)
        connection.execute(
            "UPDATE runs SET ended_at_ms = ?, finish_reason = ?, seed = ?, prompt_tokens = ?,"
            " reused_tokens = ?, completion_tokens = ?, thinking_tokens = ?, load_s = ?,"
            " ttft_s = ?, thinking_s = ?, prefill_tokens_per_s = ?, decode_tokens_per_s = ?,"
            " error = ?, predicted_reused_tokens = ?, reuse_measured = ?"
            " WHERE message_id = ? AND ended_at_ms IS NULL",
            (
                now_ms,
                end.finish_reason,
                None if end.seed is None else str(end.seed),
                end.usage.prompt_tokens,
                end.usage.reused_tokens,
                end.usage.completion_tokens,
                end.usage.thinking_tokens,
                end.timings.load_s,
                end.timings.ttft_s,
                end.timings.thinking_s,
                end.timings.prefill_tokens_per_s,
                end.timings.decode_tokens_per_s,
                None if end.error is None else encode_json(end.error),
                end.usage.predicted_reused_tokens,
                end.usage.reuse_measured,
                answer_id,
            ),
        )
        connection.execute(
            "UPDATE conversations SET changed_at_ms = ? WHERE id ="
            " (SELECT conversation_id FROM messages WHERE id = ?)",
            (now_ms, answer_id),
        )
    return transcripts.get(connection, answer_id, deleted_too=True)


def interrupt_abandoned(
    connection: sqlite3.Connection, alive: Collection[str], now_ms: int
) -> tuple[str, ...]:
    """Closes every running answer whose program lives no more. Returns the ids of these answers.

    Takes the writer lock only if there is one, so that opening never waits for a writer.
    """
    if not _abandoned(connection, alive):
        return ()
    with writing(connection):
        abandoned = _abandoned(connection, alive)
        for answer_id in abandoned:
            _close(connection, answer_id, MessageState.INTERRUPTED)
            connection.execute(
                "UPDATE runs SET ended_at_ms = ?, finish_reason = ?"
                " WHERE message_id = ? AND ended_at_ms IS NULL",
                (now_ms, INTERRUPTED, answer_id),
            )
    return abandoned


def _abandoned(connection: sqlite3.Connection, alive: Collection[str]) -> tuple[str, ...]:
    rows = connection.execute(
        "SELECT id, writer FROM messages WHERE state = 'streaming' ORDER BY key"
    ).fetchall()
    return tuple(answer_id for answer_id, writer in rows if writer not in alive)


def any_running(connection: sqlite3.Connection) -> bool:
    row = connection.execute("SELECT 1 FROM messages WHERE state = 'streaming' LIMIT 1").fetchone()
    return row is not None


def _close(connection: sqlite3.Connection, answer_id: str, state: MessageState) -> None:
    """Moves the pieces of a running answer to its row."""
    row = connection.execute(
        "SELECT text, thinking FROM messages WHERE id = ? AND state = 'streaming'", (answer_id,)
    ).fetchone()
    if row is None:
        raise _not_open()
    pieces = connection.execute(
        "SELECT text, thinking FROM pieces WHERE message_id = ? ORDER BY rowid", (answer_id,)
    ).fetchall()
    connection.execute(
        "UPDATE messages SET state = ?, writer = NULL, text = ?, thinking = ? WHERE id = ?",
        (
            state,
            row[0] + "".join(piece[0] for piece in pieces),
            row[1] + "".join(piece[1] for piece in pieces),
            answer_id,
        ),
    )
    connection.execute("DELETE FROM pieces WHERE message_id = ?", (answer_id,))


def _add_run(
    connection: sqlite3.Connection, answer_id: str, start: AnswerStart, now_ms: int
) -> None:
    connection.execute(
        "INSERT INTO runs (message_id, number, model_name, model_digest, backend, device,"
        " profile_digest, settings, context_manifest, started_at_ms) SELECT ?, count(*), ?, ?, ?,"
        " ?, ?, ?, ?, ? FROM runs WHERE message_id = ?",
        (
            answer_id,
            start.model_name,
            start.model_digest,
            start.backend,
            start.device,
            start.profile_digest,
            encode_json(start.settings),
            start.context_manifest,
            now_ms,
            answer_id,
        ),
    )

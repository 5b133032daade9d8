"""What the chat store hands out and takes in: plain frozen values.

Times are milliseconds since 1970 in UTC (``*_at_ms``). Ids are opaque strings.
"""

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Final

from msgspec import Meta, Struct

from app.core.errors import ErrorRecord

INTERRUPTED: Final = "interrupted"
"""Finish reason of an answer whose program ended before the answer did."""

Count = Annotated[int, Meta(ge=0, le=2**53)]


class Role(StrEnum):
    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"


class MessageState(StrEnum):
    """``streaming`` and ``interrupted`` occur in answers only."""

    FINISHED = "finished"
    STREAMING = "streaming"
    INTERRUPTED = "interrupted"
    FAILED = "failed"


class TitleSource(StrEnum):
    """Whether the title follows the first message or was given by the person."""

    AUTOMATIC = "automatic"
    CHOSEN = "chosen"


class SamplingFields(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The declared settings of an answer. ``None`` means the model's own default."""

    temperature: Annotated[float, Meta(ge=0, le=5)] | None = None
    top_p: Annotated[float, Meta(gt=0, le=1)] | None = None
    top_k: Annotated[int, Meta(ge=0, le=1_000_000)] | None = None
    min_p: Annotated[float, Meta(ge=0, le=1)] | None = None
    repetition_penalty: Annotated[float, Meta(gt=0, le=10)] | None = None
    seed: Annotated[int, Meta(ge=0, le=2**63 - 1)] | None = None
    max_answer_tokens: Annotated[int, Meta(ge=1, le=10_000_000)] | None = None
    max_thinking_tokens: Annotated[int, Meta(ge=0, le=10_000_000)] | None = None


class OverflowChoice(StrEnum):
    """What to do with a chat that has outgrown the context; the chat may remember it."""

    ASK = "ask"
    LEAVE_OUT_OLDEST = "leave_out_oldest"
    SUMMARISE = "summarise"
    NEW_CHAT = "new_chat"


class PastedPart(Struct, frozen=True, kw_only=True):
    """A text that was pasted into a message and isn't read any more.

    ``number`` counts the pasted texts of the message from 0; ``tokens`` is what it took when it was
    left out, 0 where that wasn't counted.
    """

    message: str
    number: int
    tokens: int = 0


class ContextFields(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What of a conversation the model reads.

    ``kept_from`` is the first message that is read; those before it in its branch are left out, and
    ``summary`` stands for them. In a branch without that message everything is read. Of what is
    read, ``left_out_pasted`` is left out.
    """

    on_overflow: OverflowChoice = OverflowChoice.ASK
    kept_from: str | None = None
    summary: str = ""
    left_out_pasted: tuple[PastedPart, ...] = ()


class ChatSettings(Struct, frozen=True, kw_only=True):
    """What a conversation is answered with. ``None`` means the program's default.

    The prompt and sampling of a preset are copied here when it is chosen: changing the preset
    later does not change what was said.
    """

    model_name: str | None = None
    backend: str | None = None
    device: str | None = None
    preset_id: str | None = None
    system_prompt: str = ""
    sampling: SamplingFields = SamplingFields()
    context: ContextFields = ContextFields()


class Preset(Struct, frozen=True, kw_only=True):
    id: str
    name: str
    system_prompt: str = ""
    sampling: SamplingFields = SamplingFields()


class Conversation(Struct, frozen=True, kw_only=True):
    """A conversation without its messages."""

    id: str
    title: str
    title_source: TitleSource
    pinned: bool
    created_at_ms: int
    changed_at_ms: int
    deleted_at_ms: int | None
    active_leaf_id: str | None
    settings: ChatSettings


class NewAttachment(Struct, frozen=True, kw_only=True):
    """``source`` is the path it was read from, if it shall be looked at again."""

    name: str
    media_type: str
    content: bytes
    source: str = ""


class Attachment(Struct, frozen=True, kw_only=True):
    """A file of a message, or of the whole conversation if ``message_id`` is absent.

    ``source`` is the path on this machine that it was read from; no export has it.
    """

    id: str
    message_id: str | None
    name: str
    media_type: str
    digest: str
    size_bytes: int
    source: str = ""


class Usage(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Token counts: ``prompt_tokens`` includes ``reused_tokens``, ``completion_tokens`` includes
    ``thinking_tokens``. ``predicted_reused_tokens`` was expected before the answer;
    ``reuse_measured``: the library's counters bear ``reused_tokens`` out."""

    prompt_tokens: Count = 0
    reused_tokens: Count = 0
    predicted_reused_tokens: Count | None = None
    reuse_measured: bool = False
    completion_tokens: Count = 0
    thinking_tokens: Count = 0


class Timings(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Measured seconds and rates; ``None`` where there was nothing to measure."""

    load_s: float | None = None
    ttft_s: float | None = None
    thinking_s: float | None = None
    prefill_tokens_per_s: float | None = None
    decode_tokens_per_s: float | None = None


class AnswerStart(Struct, frozen=True, kw_only=True):
    """What is known when an answer begins. ``context_manifest`` says as JSON text what its prompt
    was made of."""

    model_name: str
    model_digest: str
    backend: str
    device: str
    profile_digest: str = ""
    settings: SamplingFields = SamplingFields()
    context_manifest: str | None = None


class AnswerEnd(Struct, frozen=True, kw_only=True):
    """What is known when it ends. ``error`` makes the answer a failed one; its text stays."""

    finish_reason: str
    seed: int | None = None
    usage: Usage = Usage()
    timings: Timings = Timings()
    error: ErrorRecord | None = None


class Stamp(Struct, frozen=True, kw_only=True):
    """One run of the engine that made an answer or a part of it. ``end`` is absent while it runs.

    The end of an interrupted run has only its reason.
    """

    start: AnswerStart
    started_at_ms: Count
    end: AnswerEnd | None = None
    ended_at_ms: Count | None = None


class Message(Struct, frozen=True, kw_only=True):
    """One message. ``stamps``: one for each run; more than one if the answer was continued.

    ``branches`` are the ids of the messages that stand side by side here, this one among them,
    oldest first.
    """

    id: str
    parent_id: str | None
    role: Role
    state: MessageState
    text: str
    thinking: str
    created_at_ms: int
    stamps: tuple[Stamp, ...] = ()
    attachments: tuple[Attachment, ...] = ()
    branches: tuple[str, ...] = ()


class Transcript(Struct, frozen=True, kw_only=True):
    """A conversation as it is shown: the messages of the active branch, first to last.

    ``files`` are the attachments of the conversation itself, ``draft`` the text not yet sent.
    """

    conversation: Conversation
    messages: tuple[Message, ...]
    files: tuple[Attachment, ...]
    draft: str


class Cursor(Struct, frozen=True, kw_only=True):
    """Where the next page of a list begins."""

    pinned: bool
    at_ms: int
    key: int


class Page(Struct, frozen=True, kw_only=True):
    """A part of the list: pinned first, then the latest. ``next`` is absent on the last page."""

    conversations: tuple[Conversation, ...]
    next: Cursor | None


class Deletion(Struct, frozen=True, kw_only=True):
    """A deleted message with everything below it; ``id`` undoes it."""

    id: str
    conversation_id: str
    message_id: str
    message_count: int


class Excerpt(Struct, frozen=True, kw_only=True):
    """A piece of text and the ranges (start, end) of it that match, in characters."""

    text: str
    highlights: tuple[tuple[int, int], ...] = ()


class SearchHit(Struct, frozen=True, kw_only=True):
    """A match. ``message_id`` is absent where the title matched. A lower ``rank`` is better."""

    conversation_id: str
    message_id: str | None
    title: Excerpt
    excerpt: Excerpt
    at_ms: int
    rank: float


class BackupKind(StrEnum):
    DAILY = "daily"
    BEFORE_MIGRATION = "before-migration"
    BEFORE_RESTORE = "before-restore"


class Backup(Struct, frozen=True, kw_only=True):
    path: Path
    kind: BackupKind
    made_at_ms: int
    size_bytes: int


class Damage(Struct, frozen=True, kw_only=True):
    """A database that had to be set aside, and what was recovered from it into a new one.

    ``lost_rows`` counts the rows that were seen but could not be kept; rows of pages that are
    gone can't be counted. ``newest_backup`` is what a restore could bring back.
    """

    set_aside: Path
    reason: str
    conversations: int
    messages: int
    lost_rows: int
    newest_backup: Backup | None


class DamagedRow(Struct, frozen=True, kw_only=True):
    """A row that held impossible values; they are kept in ``content``, and the row was mended."""

    table: str
    row_id: str
    reason: str
    content: str
    found_at_ms: int


class Opened(Struct, frozen=True, kw_only=True):
    """What opening the store did. ``migrated_from`` is absent if nothing was migrated.

    ``offered`` is the newest backup if the database was simply gone.
    """

    migrated_from: int | None = None
    interrupted: tuple[str, ...] = ()
    damage: Damage | None = None
    offered: Backup | None = None

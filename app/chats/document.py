"""Conversations as a JSON document, version 1: every branch, every file, exactly.

Export and import are inverse: what is imported into an empty store exports to the same document,
its time apart. Deleted messages and the link to a preset are left out; a preset's values are not.
"""

import hashlib
from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta, Struct

from app.chats.records import (
    ContextFields,
    Count,
    MessageState,
    Role,
    SamplingFields,
    Stamp,
    TitleSource,
)
from app.core.errors import UserError
from app.core.units import MIB, format_bytes

FORMAT: Final = "contenox-chats"
VERSION: Final = 1
LARGEST_BYTES: Final = 512 * MIB

Id = Annotated[str, Meta(pattern="^[0-9A-Za-z_-]{1,64}$")]
Digest = Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]


class FileEntry(Struct, frozen=True, kw_only=True):
    id: Id
    name: str
    media_type: str
    digest: Digest


class MessageEntry(Struct, frozen=True, kw_only=True):
    """``parent_id`` is a message that stands before it in the document."""

    id: Id
    parent_id: Id | None
    role: Role
    state: MessageState
    text: str
    thinking: str = ""
    created_at_ms: Count
    stamps: tuple[Stamp, ...] = ()
    files: tuple[FileEntry, ...] = ()


class ConversationEntry(Struct, frozen=True, kw_only=True):
    id: Id
    title: str
    title_source: TitleSource
    pinned: bool
    created_at_ms: Count
    changed_at_ms: Count
    active_leaf_id: Id | None
    model_name: str | None
    backend: str | None
    device: str | None
    system_prompt: str
    sampling: SamplingFields
    context: ContextFields = ContextFields()
    draft: str
    files: tuple[FileEntry, ...]
    messages: tuple[MessageEntry, ...]


class ContentEntry(Struct, frozen=True, kw_only=True):
    """The bytes of a file, in Base64 in the JSON."""

    digest: Digest
    data: bytes


class Document(Struct, frozen=True, kw_only=True):
    format: Literal["contenox-chats"] = "contenox-chats"
    version: Literal[1] = 1
    exported_at_ms: Count
    conversations: tuple[ConversationEntry, ...]
    contents: tuple[ContentEntry, ...]


class _Heading(Struct, frozen=True):
    format: str = ""
    version: int = 0


def encode(document: Document) -> bytes:
    """The document as indented JSON in UTF-8."""
    return msgspec.json.format(msgspec.json.encode(document), indent=1) + b"\n"


def decode(data: bytes) -> Document:
    """Reads and checks a document from anywhere.

    Raises:
        UserError: ``import_too_large``, ``import_not_utf8``, ``import_not_json``,
            ``import_not_chats``, ``import_newer_version``, ``import_invalid``.
    """
    if len(data) > LARGEST_BYTES:
        raise too_large(len(data))
    text = data.removeprefix(b"\xef\xbb\xbf")
    try:
        text.decode("utf-8")
    except UnicodeDecodeError as error:
        raise UserError(
            "import_not_utf8",
            "This file is not text in UTF-8.",
            "Choose a file that was exported from Contenox, unchanged.",
        ) from error
    _check_heading(text)
    try:
        document = msgspec.json.decode(text, type=Document)
    except (msgspec.ValidationError, RecursionError) as error:
        raise _invalid(str(error)) from error
    _check(document)
    return document


def too_large(size_bytes: int) -> UserError:
    return UserError(
        "import_too_large",
        f"This file has {format_bytes(size_bytes)}; at most {format_bytes(LARGEST_BYTES)} can be"
        " imported.",
        "Export fewer conversations at a time.",
    )


def _check_heading(text: bytes) -> None:
    try:
        heading = msgspec.json.decode(text, type=_Heading)
    except msgspec.ValidationError:
        heading = _Heading()
    except (msgspec.DecodeError, RecursionError) as error:
        raise UserError(
            "import_not_json",
            f"This file is no complete JSON: {error}.",
            "Choose a file that was exported from Contenox; copy it again if it was cut short.",
        ) from error
    if heading.format != FORMAT:
        raise UserError(
            "import_not_chats",
            "This file holds no conversations of Contenox.",
            "Choose a file that was exported from Contenox.",
        )
    if heading.version > VERSION:
        raise UserError(
            "import_newer_version",
            "This file was exported by a newer version of Contenox.",
            "Install the newer version, or export from it again for this one.",
        )


def _invalid(reason: str) -> UserError:
    return UserError(
        "import_invalid",
        f"This file is not a valid export: {reason}.",
        "Choose a file that was exported from Contenox, unchanged; nothing was imported.",
    )


def _check(document: Document) -> None:
    """Checks what types can't say: unique ids, parents, leaves, digests."""
    contents = {content.digest for content in document.contents}
    for content in document.contents:
        if hashlib.sha256(content.data).hexdigest() != content.digest:
            raise _invalid(f"the content {content.digest[:12]} has another digest")
    conversation_ids: set[str] = set()
    message_ids: set[str] = set()
    file_ids: set[str] = set()
    for conversation in document.conversations:
        _check_new(conversation.id, conversation_ids)
        _check_tree(conversation, message_ids)
        for file in files_of(conversation):
            _check_new(file.id, file_ids)
            if file.digest not in contents:
                raise _invalid(f"the content of {file.name!r} is missing")


def files_of(conversation: ConversationEntry) -> tuple[FileEntry, ...]:
    """The files of a conversation and of its messages."""
    return conversation.files + tuple(
        file for message in conversation.messages for file in message.files
    )


def _check_new(entry_id: str, seen: set[str]) -> None:
    if entry_id in seen:
        raise _invalid(f"the id {entry_id} occurs twice")
    seen.add(entry_id)


def _check_tree(conversation: ConversationEntry, message_ids: set[str]) -> None:
    own: set[str] = set()
    parents: set[str | None] = set()
    for message in conversation.messages:
        _check_new(message.id, message_ids)
        if message.parent_id is not None and message.parent_id not in own:
            raise _invalid(f"the message {message.id} has no parent before it")
        own.add(message.id)
        parents.add(message.parent_id)
    leaf_id = conversation.active_leaf_id
    if leaf_id is None:
        if own:
            raise _invalid(f"the conversation {conversation.id} has no active branch")
    elif leaf_id not in own or leaf_id in parents:
        raise _invalid(f"the active branch of {conversation.id} has no end")

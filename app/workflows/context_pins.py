"""The files that are pinned to a chat: kept with it, and looked at again where they came from.

The chat holds the bytes, so that what the model reads changes only when the person wants it to.
"""

import hashlib
import threading
from collections.abc import Iterable
from enum import StrEnum
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from app.chats.records import Attachment, NewAttachment
from app.chats.store import ChatStore
from app.core.errors import ContenoxError
from app.engine.context import Segment
from app.engine.manifest import SegmentKind
from app.workflows.context_files import as_text, read_file
from app.workflows.context_map import folder_map, read_rules

_FILE: Final = "application/octet-stream"
_MAP: Final = "application/vnd.contenox.folder-map"
_RULES: Final = "application/vnd.contenox.folder-rules"
_KINDS: Final = {_MAP: SegmentKind.REPO_MAP, _RULES: SegmentKind.REPO_RULES}
_MOST_TEXTS: Final = 256


class PinState(StrEnum):
    """What a file is now, beside what the chat holds of it."""

    SAME = "same"
    CHANGED = "changed"
    MISSING = "missing"
    UNKNOWN = "unknown"  # it came with an import: nobody knows where it was


class Pin(Struct, frozen=True, kw_only=True):
    """One pinned file, or what a folder gave: its map or its rules. ``name`` is its segment's."""

    id: str
    name: str
    kind: SegmentKind
    source: str
    digest: str
    size_bytes: int
    state: PinState = PinState.SAME


class Pins:
    """The pinned files of all chats. Every method blocks; any thread may call them."""

    def __init__(self, store: ChatStore) -> None:
        self._store = store
        self._lock = threading.Lock()
        # The text of a PDF takes a while; that of a digest never changes.
        self._texts: dict[str, str] = {}

    def of(self, chat_id: str) -> tuple[Pin, ...]:
        """The files of a chat, in the order in which the model reads them."""
        pins = [_pin(one) for one in self._store.files(chat_id).result()]
        return tuple(sorted(pins, key=lambda one: (list(SegmentKind).index(one.kind), one.name)))

    def add(self, chat_id: str, paths: Iterable[Path]) -> None:
        """Pins files and folders to a chat that is there: all of them or none.

        One that is pinned already is read anew.

        Raises:
            ContenoxError: see ``context_files.pin``; ``attachment_too_large``.
        """
        files = [file for path in paths for file in _read(path.absolute())]
        for file in files:
            self._text(file.name, hashlib.sha256(file.content).hexdigest(), file.content)
        for file in files:
            pinned = self._store.files(chat_id).result()
            for one in pinned:
                if (one.source, one.media_type) == (file.source, file.media_type):
                    self._store.detach(one.id).result()
            taken = {one.name for one in pinned if one.source != file.source}
            named = NewAttachment(
                name=_free_name(file, taken),
                media_type=file.media_type,
                content=file.content,
                source=file.source,
            )
            self._store.attach(chat_id, named).result()

    def remove(self, pin_id: str) -> None:
        self._store.detach(pin_id).result()

    def copy(self, chat_id: str, other_id: str) -> None:
        """Pins to another chat what is pinned to this one."""
        for one in self._store.files(chat_id).result():
            content = self._store.attachment_content(one.id).result()
            file = NewAttachment(
                name=one.name, media_type=one.media_type, content=content, source=one.source
            )
            self._store.attach(other_id, file).result()

    def segments(self, chat_id: str) -> tuple[Segment, ...]:
        """What the model reads of the files of a chat.

        Raises:
            UserError: a file of it is no text.
            DataFault: a stored file is damaged.
        """
        found: list[Segment] = []
        for one in self._store.files(chat_id).result():
            with self._lock:
                text = self._texts.get(one.digest)
            if text is None:
                content = self._store.attachment_content(one.id).result()
                text = self._text(one.name, one.digest, content)
            found.append(Segment(kind=_kind(one), name=one.name, text=text))
        return tuple(found)

    def look_again(self, chat_id: str) -> tuple[Pin, ...]:
        """The files of a chat with what became of them since they were pinned."""
        return tuple(msgspec.structs.replace(one, state=_state(one)) for one in self.of(chat_id))

    def _text(self, name: str, digest: str, content: bytes) -> str:
        text = as_text(name, content)
        with self._lock:
            while len(self._texts) >= _MOST_TEXTS:
                del self._texts[next(iter(self._texts))]
            self._texts[digest] = text
        return text


def _read(path: Path) -> list[NewAttachment]:
    """What is pinned for a path: a file's bytes, or a folder's map and rules."""
    if not path.is_dir():
        return [
            NewAttachment(
                name=path.name, media_type=_FILE, content=read_file(path), source=str(path)
            )
        ]
    mapped = folder_map(path).encode("utf-8", "replace")
    found = [NewAttachment(name=path.name, media_type=_MAP, content=mapped, source=str(path))]
    rules = read_rules(path)
    if rules is not None:
        name, content = rules
        found.append(
            NewAttachment(
                name=f"{path.name}/{name}", media_type=_RULES, content=content, source=str(path)
            )
        )
    return found


def _free_name(file: NewAttachment, taken: set[str]) -> str:
    """The file's name; with its folder's, or a number, where another one has it."""
    name = file.name
    if name in taken:
        name = f"{Path(file.source).parent.name}/{file.name}"
    number = 2
    while name in taken:
        name = f"{file.name} ({number})"
        number += 1
    return name


def _kind(one: Attachment) -> SegmentKind:
    return _KINDS.get(one.media_type, SegmentKind.PINNED)


def _pin(one: Attachment) -> Pin:
    return Pin(
        id=one.id,
        name=one.name,
        kind=_kind(one),
        source=one.source,
        digest=one.digest,
        size_bytes=one.size_bytes,
    )


def _state(one: Pin) -> PinState:
    if not one.source:
        return PinState.UNKNOWN
    try:
        files = _read(Path(one.source))
    except ContenoxError:
        return PinState.MISSING
    for file in files:
        if _KINDS.get(file.media_type, SegmentKind.PINNED) is one.kind:
            same = hashlib.sha256(file.content).hexdigest() == one.digest
            return PinState.SAME if same else PinState.CHANGED
    return PinState.MISSING

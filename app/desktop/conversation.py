"""A conversation as the window holds it while it is open.

A conversation is a tree: a regenerated answer or an edited message becomes a sibling, and the old
branch stays reachable. What is shown is one path from the root to a leaf.
"""

import time
import uuid

import msgspec
from msgspec import Struct

from app.chats.records import ChatSettings
from app.core.errors import ErrorRecord
from app.engine.chat import Role
from app.engine.outcome import FinishReason, Timings, Usage


class FailedRun(Struct, frozen=True, kw_only=True):
    """A run on another ``device`` that failed with ``error`` before the one that is stamped."""

    device: str
    error: ErrorRecord


class AnswerStamp(Struct, frozen=True, kw_only=True):
    """How an answer came about. ``reason`` is absent while it runs and when it failed or was
    interrupted; ``error`` says why it failed. ``before`` is the run whose place this one took.

    ``thinking_s`` is how long the model thought before the answer's first word. ``device`` and
    ``digest`` are what the engine was asked for; ``seed`` is the one it used. ``manifest`` says as
    JSON what the prompt was made of; it is empty where that isn't known.
    """

    model: str
    device: str = ""
    backend: str = ""
    digest: str = ""
    seed: int | None = None
    thinking_s: float | None = None
    reason: FinishReason | None = None
    usage: Usage = Usage()
    timings: Timings = Timings()
    error: ErrorRecord | None = None
    before: FailedRun | None = None
    manifest: str = ""


class Message(Struct, frozen=True, kw_only=True):
    """One message. ``parent`` is the message it follows; the first one has none.

    ``sent_at_ms`` is when it was begun, in Unix milliseconds.
    """

    id: str
    role: Role
    text: str
    thinking: str = ""
    parent: str | None = None
    sent_at_ms: int = 0
    stamp: AnswerStamp | None = None


Marks = tuple[tuple[int, int], ...]


class ChatSummary(Struct, frozen=True, kw_only=True):
    """A line of the chat list. An empty title means that the chat has none yet.

    ``excerpt`` is the piece of text that a search found, in the message ``found``; the marks are
    the ranges (start, end) that match, in characters.
    """

    id: str
    title: str
    title_marks: Marks = ()
    excerpt: str = ""
    excerpt_marks: Marks = ()
    found: str | None = None
    pinned: bool = False


class KeptChat(Struct, frozen=True, kw_only=True):
    """A chat as it is kept: every message after its parent, the end of the shown path, the text
    that isn't sent yet, and what the chat is answered with."""

    messages: tuple[Message, ...] = ()
    leaf: str | None = None
    draft: str = ""
    settings: ChatSettings = ChatSettings()


def new_id() -> str:
    """Returns an id that no other chat or message has."""
    return uuid.uuid4().hex


class Conversation:
    """The messages of one chat, with the path that is shown.

    ``settings`` is what it is answered with; ``draft`` the text that isn't sent yet.
    """

    def __init__(self, chat_id: str) -> None:
        self.id = chat_id
        self.draft = ""
        self.settings = ChatSettings()
        self._messages: dict[str, Message] = {}
        self._leaf: str | None = None

    def load(self, kept: KeptChat) -> None:
        """Takes over everything that is kept of the chat."""
        self.draft, self.settings = kept.draft, kept.settings
        self._messages = {message.id: message for message in kept.messages}
        self._leaf = kept.leaf

    def add(self, role: Role, text: str = "", *, parent: str | None = None) -> Message:
        """Adds a message after ``parent`` and makes it the end of the shown path."""
        now_ms = time.time_ns() // 1_000_000
        message = Message(id=new_id(), role=role, text=text, parent=parent, sent_at_ms=now_ms)
        self.put(message)
        self._leaf = message.id
        return message

    def put(self, message: Message) -> None:
        """Inserts or replaces a message by its id; the shown path ends at a new leaf."""
        if message.id not in self._messages:
            self._leaf = message.id
        self._messages[message.id] = message

    def extend(self, message_id: str, text: str = "", thinking: str = "") -> Message:
        """Appends to a message and returns it as it is now."""
        old = self._messages[message_id]
        new = msgspec.structs.replace(old, text=old.text + text, thinking=old.thinking + thinking)
        self._messages[message_id] = new
        return new

    def knows(self, message_id: str) -> bool:
        return message_id in self._messages

    def get(self, message_id: str) -> Message:
        return self._messages[message_id]

    @property
    def last(self) -> Message | None:
        """The message at the end of the shown path."""
        return None if self._leaf is None else self._messages[self._leaf]

    def path(self) -> tuple[Message, ...]:
        """The messages that are shown, in order."""
        return self.path_to(self._leaf)

    def path_to(self, message_id: str | None) -> tuple[Message, ...]:
        """The messages from the first one to ``message_id``, which is included."""
        backwards: list[Message] = []
        while message_id is not None:
            message = self._messages[message_id]
            backwards.append(message)
            message_id = message.parent
        return tuple(reversed(backwards))

    def siblings(self, message_id: str) -> tuple[str, ...]:
        """The ids of the messages at the same place, oldest first, with this one."""
        parent = self._messages[message_id].parent
        return tuple(m.id for m in self._messages.values() if m.parent == parent)

    def show_branch(self, message_id: str) -> None:
        """Makes the path run through ``message_id``, on to its newest descendant."""
        self._leaf = self._newest_leaf(message_id)

    def show_only_to(self, message_id: str) -> None:
        """Makes the path end at ``message_id``; what follows it stays reachable as a branch."""
        self._leaf = message_id

    def _newest_leaf(self, message_id: str) -> str:
        while True:
            children = [m.id for m in self._messages.values() if m.parent == message_id]
            if not children:
                return message_id
            message_id = children[-1]

    def take_back(self, message_id: str) -> None:
        """Removes a message that nothing follows; the shown path ends before it."""
        self._leaf = self._messages.pop(message_id).parent

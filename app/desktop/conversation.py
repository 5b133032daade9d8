"""A conversation as the window holds it, and the port through which it is kept.

A conversation is a tree: a regenerated answer or an edited message becomes a sibling, and the old
branch stays reachable. What is shown is one path from the root to a leaf.
"""

import uuid
from typing import Protocol

import msgspec
from msgspec import Struct

from app.core.errors import ErrorRecord
from app.engine.protocol import ChatMessage, FinishReason, Role, Timings, Usage


class AnswerStamp(Struct, frozen=True, kw_only=True):
    """How an answer came about. ``reason`` is absent while it runs and when it failed or was
    interrupted; ``error`` says why it failed.

    ``thinking_s`` is how long the model thought before the answer's first word. ``device`` and
    ``digest`` are what the engine was asked for; ``seed`` is the one it used.
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


class Message(Struct, frozen=True, kw_only=True):
    """One message. ``parent`` is the message it follows; the first one has none."""

    id: str
    role: Role
    text: str
    thinking: str = ""
    parent: str | None = None
    stamp: AnswerStamp | None = None


class ChatSummary(Struct, frozen=True, kw_only=True):
    """A line of the chat list. An empty title means that the chat has none yet.

    ``excerpt`` is the piece of text that a search found.
    """

    id: str
    title: str
    excerpt: str = ""


class KeptChat(Struct, frozen=True, kw_only=True):
    """A chat as it is kept: every message after its parent, and the end of the shown path."""

    messages: tuple[Message, ...] = ()
    leaf: str | None = None


class ChatStore(Protocol):
    """Where conversations are kept.

    Every method may block and raise a ``ContenoxError``. All are called on one thread, in the
    order in which things happened; a message is put before the engine sees it.
    """

    def summaries(self) -> tuple[ChatSummary, ...]:
        """Returns all chats, the most recently used first."""

    def search(self, typed: str) -> tuple[ChatSummary, ...]:
        """Returns the chats whose title or text matches, the best first. Any text is valid."""

    def messages(self, chat_id: str) -> KeptChat:
        """Returns all messages of a chat."""

    def put_chat(self, chat: ChatSummary) -> None:
        """Creates the chat, or renames it."""

    def put_message(self, chat_id: str, message: Message) -> None:
        """Inserts the message, or replaces the one with its id."""

    def extend_message(self, chat_id: str, message_id: str, text: str, thinking: str) -> None:
        """Appends to a message while its answer is running."""

    def show_branch(self, chat_id: str, message_id: str) -> None:
        """Keeps that the shown path runs through a message."""

    def close(self) -> None:
        """Ends what is still being written."""

    def remove_chat(self, chat_id: str) -> None:
        """Moves the chat to where ``restore_chat`` finds it."""

    def restore_chat(self, chat_id: str) -> None:
        """Undoes ``remove_chat``."""


def new_id() -> str:
    """Returns an id that no other chat or message has."""
    return uuid.uuid4().hex


class Conversation:
    """The messages of one chat, with the path that is shown."""

    def __init__(self, chat_id: str, title: str = "") -> None:
        self.id = chat_id
        self.title = title
        self._messages: dict[str, Message] = {}
        self._leaf: str | None = None

    def summary(self) -> ChatSummary:
        return ChatSummary(id=self.id, title=self.title)

    def add(self, role: Role, text: str = "", *, parent: str | None = None) -> Message:
        """Adds a message after ``parent`` and makes it the end of the shown path."""
        message = Message(id=new_id(), role=role, text=text, parent=parent)
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

    def prompt(self, leaf: str) -> tuple[ChatMessage, ...]:
        """What the model gets: the path to ``leaf`` without empty answers."""
        return tuple(
            ChatMessage(role=message.role, content=message.text)
            for message in self.path_to(leaf)
            if message.text or message.role is not Role.ASSISTANT
        )


class MemoryChats:
    """A ``ChatStore`` that forgets everything when the program ends."""

    def __init__(self) -> None:
        self._chats: dict[str, ChatSummary] = {}
        self._messages: dict[str, dict[str, Message]] = {}
        self._removed: set[str] = set()

    def summaries(self) -> tuple[ChatSummary, ...]:
        kept = [chat for chat in self._chats.values() if chat.id not in self._removed]
        return tuple(reversed(kept))

    def search(self, typed: str) -> tuple[ChatSummary, ...]:
        sought = typed.casefold()
        found = []
        for chat in self.summaries():
            texts = (message.text for message in self._messages.get(chat.id, {}).values())
            hit = next((text for text in texts if sought in text.casefold()), None)
            if hit is not None or sought in chat.title.casefold():
                found.append(ChatSummary(id=chat.id, title=chat.title, excerpt=hit or ""))
        return tuple(found)

    def messages(self, chat_id: str) -> KeptChat:
        messages = tuple(self._messages.get(chat_id, {}).values())
        return KeptChat(messages=messages, leaf=messages[-1].id if messages else None)

    def show_branch(self, chat_id: str, message_id: str) -> None:
        """The window's own path is all there is."""

    def close(self) -> None:
        """Nothing is being written."""

    def put_chat(self, chat: ChatSummary) -> None:
        self._chats[chat.id] = chat

    def put_message(self, chat_id: str, message: Message) -> None:
        self._messages.setdefault(chat_id, {})[message.id] = message
        # The chat that was used last comes last here and first in the list.
        self._chats[chat_id] = self._chats.pop(chat_id)

    def extend_message(self, chat_id: str, message_id: str, text: str, thinking: str) -> None:
        old = self._messages[chat_id][message_id]
        self._messages[chat_id][message_id] = msgspec.structs.replace(
            old, text=old.text + text, thinking=old.thinking + thinking
        )

    def remove_chat(self, chat_id: str) -> None:
        self._removed.add(chat_id)

    def restore_chat(self, chat_id: str) -> None:
        self._removed.discard(chat_id)

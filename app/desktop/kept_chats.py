"""The conversations of the window in the program's own chat store.

Chats and messages have one name in both. Every method blocks until the store has done it, may raise
a ``ContenoxError``, and is called on one thread, in the order in which things happened.
"""

from pathlib import Path
from typing import Final

import msgspec

from app.chats import records
from app.chats.store import ChatStore
from app.core.errors import UserError
from app.desktop import kept_stamps as stamps
from app.desktop.conversation import (
    ChatSummary,
    KeptChat,
    Marks,
    Message,
)
from app.workflows.context_pins import Pins

_LISTED_AT_MOST: Final = 1000
_NO_WISHES: Final = records.SamplingFields()


class KeptChats:
    """The store in the window's words."""

    def __init__(self, store: ChatStore) -> None:
        self._store = store
        self.pins = Pins(store)
        # How much of a running answer's text and thinking is stored.
        self._running: dict[str, tuple[int, int]] = {}

    def close(self) -> None:
        """Ends what is still being written."""
        self._store.close()

    # --- The list ------------------------------------------------------------------------------

    def summaries(self) -> tuple[ChatSummary, ...]:
        """Returns all chats: pinned ones, then the most recently used first."""
        page = self._store.conversations(limit=_LISTED_AT_MOST).result()
        return tuple(
            ChatSummary(id=chat.id, title=chat.title, pinned=chat.pinned)
            for chat in page.conversations
        )

    def search(self, typed: str) -> tuple[ChatSummary, ...]:
        """Returns the chats whose title or text matches, the best first. Any text is valid."""
        found: dict[str, ChatSummary] = {}
        for hit in self._store.search(typed).result():
            name, title = hit.conversation_id, hit.title
            known = found.setdefault(
                name, ChatSummary(id=name, title=title.text, title_marks=title.highlights)
            )
            if hit.message_id is not None and known.found is None:
                found[name] = _with_excerpt(known, hit.message_id, hit.excerpt)
        return tuple(found.values())

    def rename(self, chat_id: str, title: str) -> None:
        """Gives a chat its title for good; an empty one follows the first message again."""
        self._store.rename(chat_id, title).result()

    def pin(self, chat_id: str, pinned: bool) -> None:
        self._store.pin(chat_id, pinned).result()

    def remove_chat(self, chat_id: str) -> None:
        """Moves the chat to where ``restore_chat`` finds it, for 30 days."""
        if self._find(chat_id) is not None:
            self._store.delete_conversation(chat_id).result()

    def restore_chat(self, chat_id: str) -> None:
        if self._find(chat_id) is not None:
            self._store.undelete_conversation(chat_id).result()

    # --- One chat ------------------------------------------------------------------------------

    def load(self, chat_id: str) -> KeptChat:
        """Returns all of a chat, with every branch."""
        conversation = self._store.conversation(chat_id).result()
        return KeptChat(
            messages=tuple(stamps.shown(one) for one in self._store.all_branches(chat_id).result()),
            leaf=conversation.active_leaf_id,
            draft=self._store.draft(chat_id).result(),
            settings=conversation.settings,
        )

    def begin_chat(self, chat_id: str, settings: records.ChatSettings) -> None:
        """Creates the chat if it isn't there; it is answered with ``settings`` from now on."""
        kept = self._find(chat_id)
        if kept is None:
            self._store.create_conversation(settings, conversation_id=chat_id).result()
        elif kept.deleted_at_ms is not None:
            self._store.undelete_conversation(chat_id).result()
        if kept is not None and kept.settings != settings:
            self._store.configure(chat_id, settings).result()

    def configure(self, chat_id: str, settings: records.ChatSettings) -> None:
        """Keeps what the chat is answered with; one that isn't there yet brings it along later."""
        if self._find(chat_id) is not None:
            self._store.configure(chat_id, settings).result()

    def save_draft(self, chat_id: str, text: str, settings: records.ChatSettings) -> None:
        """Keeps a text that isn't sent. It makes a chat of its own, which goes away with it, unless
        files are pinned to it."""
        if text:
            self.begin_chat(chat_id, settings)
        kept = self._find(chat_id)
        if kept is None:
            return
        self._store.save_draft(chat_id, text).result()
        if not text and not kept.title and not self._store.files(chat_id).result():
            self._store.delete_conversation(chat_id).result()

    # --- Messages ------------------------------------------------------------------------------

    def put_question(self, chat_id: str, message: Message, beside: str | None) -> None:
        """Stores what the person sent, unless it is there: after its parent, or ``beside`` another
        message at the same place."""
        if self._has(message.id):
            return
        if beside is not None:
            self._store.edit(beside, message.text, edited_id=message.id).result()
            return
        if message.parent is not None:
            self._store.activate(message.parent).result()
        self._store.send(chat_id, message.text, message_id=message.id).result()

    def open_answer(self, message: Message, settings: records.SamplingFields = _NO_WISHES) -> None:
        """Begins an answer, or opens one again that ended early."""
        start = stamps.start_of(message.stamp, settings)
        if message.text or message.thinking or self._has(message.id):
            self._store.continue_answer(message.id, start).result()
        else:
            assert message.parent is not None, "an answer follows a question"
            self._store.begin_answer(message.parent, start, answer_id=message.id).result()
        self._running[message.id] = (len(message.text), len(message.thinking))

    def extend_answer(self, message_id: str, text: str, thinking: str) -> None:
        """Appends to a running answer."""
        if text or thinking:
            stored = self._running[message_id]
            self._store.append(message_id, text, thinking).result()
            self._running[message_id] = (stored[0] + len(text), stored[1] + len(thinking))

    def end_answer(self, message: Message) -> None:
        """Stores what is missing of an answer, and how it ended."""
        if message.id not in self._running:  # it failed before it began
            self.open_answer(message)
        text_length, thinking_length = self._running[message.id]
        self.extend_answer(
            message.id, message.text[text_length:], message.thinking[thinking_length:]
        )
        assert message.stamp is not None, "an answer that ended is stamped"
        self._store.finish_answer(message.id, stamps.end_of(message.stamp)).result()
        del self._running[message.id]

    def show_branch(self, message_id: str) -> None:
        """Keeps that the shown path runs through a message."""
        self._store.activate(message_id).result()

    def delete_message(self, message_id: str) -> records.Deletion:
        """Deletes a message and all below it."""
        return self._store.delete_message(message_id).result()

    def undelete_message(self, deletion_id: str) -> None:
        self._store.undelete_message(deletion_id).result()

    # --- Presets and exchange ------------------------------------------------------------------

    def presets(self) -> tuple[records.Preset, ...]:
        return self._store.presets().result()

    def save_preset(self, preset: records.Preset) -> records.Preset:
        return self._store.save_preset(preset).result()

    def delete_preset(self, preset_id: str) -> None:
        self._store.delete_preset(preset_id).result()

    def markdown(self, chat_id: str) -> str:
        """The shown path as Markdown."""
        return self._store.markdown(chat_id).result()

    def export_markdown(self, chat_id: str, target: Path) -> None:
        self._store.export_markdown(target, chat_id).result()

    def export_json(self, chat_id: str, target: Path) -> None:
        """Writes the whole chat, with every branch, so that it can be imported again."""
        self._store.export_json(target, (chat_id,)).result()

    def import_json(self, source: Path) -> tuple[str, ...]:
        """Stores the chats of an exported file; those that are here already come as copies."""
        try:
            return self._store.import_json(source).result()
        except UserError as error:
            if error.code != "import_already_here":
                raise
        return self._store.import_json(source, as_copies=True).result()

    def _find(self, chat_id: str) -> records.Conversation | None:
        try:
            return self._store.conversation(chat_id).result()
        except UserError as error:
            if error.code != "conversation_not_found":
                raise
            return None

    def _has(self, message_id: str) -> bool:
        try:
            self._store.message(message_id).result()
        except UserError as error:
            if error.code != "message_not_found":
                raise
            return False
        return True


def _with_excerpt(chat: ChatSummary, message: str, excerpt: records.Excerpt) -> ChatSummary:
    """Adds where a text matched; one that says no more than the title isn't shown twice."""
    text, marks = _one_line(excerpt)
    if text == " ".join(chat.title.split()):
        text, marks = "", ()
    return msgspec.structs.replace(chat, excerpt=text, excerpt_marks=marks, found=message)


def _one_line(excerpt: records.Excerpt) -> tuple[str, Marks]:
    """The excerpt with single spaces, and its highlights in what became of it."""
    line = ""
    places = []
    for character in excerpt.text:
        places.append(len(line))
        if not character.isspace():
            line += character
        elif line and not line.endswith(" "):
            line += " "
    places.append(len(line))
    return line.rstrip(), tuple((places[start], places[end]) for start, end in excerpt.highlights)

"""The chats that the window knows: which are there, which is shown, what is drafted in each."""

from collections.abc import Callable
from typing import Any

import msgspec
from PySide6.QtCore import QObject, Signal

from app.chats.records import ChatSettings, Deletion
from app.core.errors import ErrorRecord
from app.desktop.background import Worker
from app.desktop.conversation import ChatSummary, Conversation, KeptChat, new_id
from app.desktop.kept_chats import KeptChats


class OpenChats(QObject):
    """Loads a chat when it is first shown; an opened one stays, with an answer that may run."""

    listed = Signal()  # the list of chats is another now
    shown = Signal(object)  # Conversation
    message_deleted = Signal(object)  # Deletion
    store_failed = Signal(object)  # ErrorRecord

    def __init__(self, chats: KeptChats, worker: Worker, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._chats = chats
        self._worker = worker
        self._open: dict[str, Conversation] = {}
        self._typed = ""
        self._listed_once = False
        self.summaries: tuple[ChatSummary, ...] = ()
        self.current = self._begin()

    def _begin(self) -> Conversation:
        conversation = Conversation(new_id())
        self._open[conversation.id] = conversation
        return conversation

    # --- The list ------------------------------------------------------------------------------

    def refresh(self) -> None:
        """Starts listing the kept chats, or those that the search finds."""
        typed, chats = self._typed, self._chats
        work = (lambda: chats.search(typed)) if typed else chats.summaries
        self._worker.run(work, lambda found: self._on_listed(typed, found), self._on_failed)

    def search(self, typed: str) -> None:
        """Lists only the chats in which ``typed`` is found; all of them when it is empty."""
        self._typed = typed.strip()
        self.refresh()

    def rename(self, chat_id: str, title: str) -> None:
        """Gives a chat another title; an empty one follows its first message again."""
        chats = self._chats
        self._worker.run(lambda: chats.rename(chat_id, title), self._relist, self._on_failed)

    def pin(self, chat_id: str, pinned: bool) -> None:
        """Keeps a chat at the top of the list, or lets it go."""
        chats = self._chats
        self._worker.run(lambda: chats.pin(chat_id, pinned), self._relist, self._on_failed)

    def remove(self, chat_id: str) -> None:
        """Deletes a chat so that ``restore`` can undo it."""
        chats = self._chats
        self._worker.run(lambda: chats.remove_chat(chat_id), self._relist, self._on_failed)
        if chat_id == self.current.id:
            self.current = self._begin()
            self.shown.emit(self.current)

    def restore(self, chat_id: str) -> None:
        """Undoes ``remove``."""
        chats = self._chats
        self._worker.run(lambda: chats.restore_chat(chat_id), self._relist, self._on_failed)

    # --- The shown chat ------------------------------------------------------------------------

    def new(self) -> None:
        """Shows an empty chat. It is kept when its first message is written."""
        if self.current.last is not None or self.current.draft:
            self.current = self._begin()
        self.shown.emit(self.current)

    def begin_beside(
        self, other: Conversation, settings: ChatSettings, begun: Callable[[Conversation], None]
    ) -> None:
        """Shows a new chat with the pinned files of ``other``, and hands it to ``begun``."""
        chats, new = self._chats, Conversation(new_id())
        new.settings = settings

        def copy() -> None:
            chats.begin_chat(new.id, settings)
            chats.pins.copy(other.id, new.id)

        def show(_: None) -> None:
            self._open[new.id] = self.current = new
            self.shown.emit(new)
            begun(new)

        self._worker.run(copy, show, self._on_failed)

    def move_away(self, chat: Conversation, message_id: str) -> None:
        """Deletes a message that nothing follows: it was sent in another chat."""
        chats = self._chats
        chat.take_back(message_id)
        self._worker.run(lambda: chats.delete_message(message_id), failed=self._on_failed)

    def adopt(self, conversation: Conversation) -> None:
        """Takes in a chat that began elsewhere, so that it can be shown."""
        self._open[conversation.id] = conversation

    def show(self, chat_id: str) -> None:
        """Shows a chat, once its messages are here."""
        if chat_id == self.current.id:
            return
        known = self._open.get(chat_id)
        if known is not None:
            self.current = known
            self.shown.emit(known)
            return
        chats = self._chats

        def show_loaded(kept: KeptChat) -> None:
            conversation = Conversation(chat_id)
            self._open[chat_id] = self.current = conversation
            self._show_loaded(conversation, kept)

        self._worker.run(lambda: chats.load(chat_id), show_loaded, self._on_failed)

    def show_branch(self, message_id: str) -> None:
        """Shows and keeps another branch of the shown chat."""
        chats = self._chats
        self.current.show_branch(message_id)
        self._worker.run(lambda: chats.show_branch(message_id), failed=self._on_failed)

    def keep_draft(self, text: str) -> None:
        """Keeps what is written in the shown chat and not sent."""
        chat, chats = self.current, self._chats
        if text == chat.draft:
            return
        lists_it = chat.last is None and not (text and chat.draft)
        chat.draft = text
        chat_id, settings = chat.id, chat.settings
        self._worker.run(
            lambda: chats.save_draft(chat_id, text, settings),
            self._relist if lists_it else None,
            self._on_failed,
        )

    def configure(self, **changes: Any) -> None:
        """Changes what the shown chat is answered with."""
        chat, chats = self.current, self._chats
        settings: ChatSettings = msgspec.structs.replace(chat.settings, **changes)
        if settings == chat.settings:
            return
        chat.settings = settings
        self._worker.run(lambda: chats.configure(chat.id, settings), failed=self._on_failed)

    def delete_message(self, message_id: str) -> None:
        """Deletes a message of the shown chat and all below it."""
        chat, chats = self.current, self._chats

        def delete() -> tuple[Deletion, KeptChat]:
            return chats.delete_message(message_id), chats.load(chat.id)

        def show(done: tuple[Deletion, KeptChat]) -> None:
            deletion, kept = done
            self._show_loaded(chat, kept)
            self.message_deleted.emit(deletion)

        self._worker.run(delete, show, self._on_failed)

    def undelete_message(self, deletion: Deletion) -> None:
        """Undoes ``delete_message``."""
        chats = self._chats
        chat = self._open[deletion.conversation_id]

        def undelete() -> KeptChat:
            chats.undelete_message(deletion.id)
            return chats.load(chat.id)

        self._worker.run(undelete, lambda kept: self._show_loaded(chat, kept), self._on_failed)

    # --- What the store says -------------------------------------------------------------------

    def _show_loaded(self, conversation: Conversation, kept: KeptChat) -> None:
        conversation.load(kept)
        if conversation is self.current:
            self.shown.emit(conversation)

    def forget(self) -> None:
        """Reads everything anew: the store has gone back to another state."""
        self._open.clear()
        self.current = Conversation(new_id())
        self._open[self.current.id] = self.current
        self.shown.emit(self.current)
        self.refresh()

    def _relist(self, _nothing: Any) -> None:
        self.refresh()

    def _on_listed(self, typed: str, summaries: tuple[ChatSummary, ...]) -> None:
        if typed != self._typed:  # something else is sought by now
            return
        self.summaries = summaries
        self.listed.emit()
        if not self._listed_once:
            self._listed_once = True
            self._reopen_draft()

    def _reopen_draft(self) -> None:
        """A message that was being written in a new chat when the program ended is shown again."""
        begun = next((chat for chat in self.summaries if not chat.title and not chat.pinned), None)
        if begun is not None and self.current.last is None and not self.current.draft:
            self.show(begun.id)

    def _on_failed(self, error: ErrorRecord) -> None:
        self.store_failed.emit(error)

"""The chats that the window knows: which are there, which is shown, what is drafted in each."""

from typing import Any

from PySide6.QtCore import QObject, Signal

from app.core.errors import ErrorRecord
from app.desktop.background import Worker
from app.desktop.conversation import ChatStore, ChatSummary, Conversation, KeptChat, new_id


class OpenChats(QObject):
    """Loads a chat when it is first shown; an opened one stays, with an answer that may run."""

    listed = Signal()  # the list of chats is another now
    shown = Signal(object)  # Conversation
    store_failed = Signal(object)  # ErrorRecord

    def __init__(self, chats: ChatStore, worker: Worker, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._chats = chats
        self._worker = worker
        self._open: dict[str, Conversation] = {}
        self._typed = ""
        self._drafts: dict[str, str] = {}
        self.summaries: tuple[ChatSummary, ...] = ()
        self.current = Conversation(new_id())
        self._open[self.current.id] = self.current

    def refresh(self) -> None:
        """Starts listing the kept chats, or those that the search finds."""
        typed, chats = self._typed, self._chats
        work = (lambda: chats.search(typed)) if typed else chats.summaries
        self._worker.run(work, lambda found: self._on_listed(typed, found), self._on_failed)

    def search(self, typed: str) -> None:
        """Lists only the chats in which ``typed`` is found; all of them when it is empty."""
        self._typed = typed.strip()
        self.refresh()

    def find(self, chat_id: str) -> Conversation | None:
        """An opened chat."""
        return self._open.get(chat_id)

    def new(self) -> None:
        """Shows an empty chat. It is kept when its first message is sent."""
        if self.current.last is not None:
            self.current = Conversation(new_id())
            self._open[self.current.id] = self.current
        self.shown.emit(self.current)

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
        title = next((chat.title for chat in self.summaries if chat.id == chat_id), "")

        def show_loaded(kept: KeptChat) -> None:
            self._on_loaded(Conversation(chat_id, title), kept)

        self._worker.run(lambda: chats.messages(chat_id), show_loaded, self._on_failed)

    def show_branch(self, message_id: str) -> None:
        """Shows and keeps another branch of the shown chat."""
        chats, chat_id = self._chats, self.current.id
        self.current.show_branch(message_id)
        self._worker.run(lambda: chats.show_branch(chat_id, message_id), failed=self._on_failed)

    def rename(self, chat_id: str, title: str) -> None:
        """Gives a chat another title."""
        known = self._open.get(chat_id)
        if known is not None:
            known.title = title
        chats = self._chats
        self._worker.run(lambda: chats.put_chat(ChatSummary(id=chat_id, title=title)), self._relist)

    def remove(self, chat_id: str) -> None:
        """Deletes a chat so that ``restore`` can undo it."""
        chats = self._chats
        self._worker.run(lambda: chats.remove_chat(chat_id), self._relist, self._on_failed)
        if chat_id == self.current.id:
            self.current = Conversation(new_id())
            self._open[self.current.id] = self.current
            self.shown.emit(self.current)

    def restore(self, chat_id: str) -> None:
        """Undoes ``remove``."""
        chats = self._chats
        self._worker.run(lambda: chats.restore_chat(chat_id), self._relist, self._on_failed)

    def draft(self) -> str:
        """What is written in the shown chat and not sent."""
        return self._drafts.get(self.current.id, "")

    def keep_draft(self, text: str) -> None:
        self._drafts[self.current.id] = text

    def _relist(self, _nothing: Any) -> None:
        self.refresh()

    def _on_listed(self, typed: str, summaries: tuple[ChatSummary, ...]) -> None:
        if typed != self._typed:  # something else is sought by now
            return
        self.summaries = summaries
        self.listed.emit()

    def _on_loaded(self, conversation: Conversation, kept: KeptChat) -> None:
        for message in kept.messages:
            conversation.put(message)
        if kept.leaf is not None:
            conversation.show_only_to(kept.leaf)
        self._open[conversation.id] = conversation
        self.current = conversation
        self.shown.emit(conversation)

    def _on_failed(self, error: ErrorRecord) -> None:
        self.store_failed.emit(error)

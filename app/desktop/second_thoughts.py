"""Taking something back: a message that is deleted, an answer that went round in circles."""

from PySide6.QtCore import QObject, Slot

from app.chats.records import Deletion
from app.desktop import wording
from app.desktop.announce import announce
from app.desktop.banner import Banner, BannerKind
from app.desktop.main_window import MainWindow
from app.desktop.open_chats import OpenChats
from app.desktop.theme import Theme
from app.desktop.turn import TurnRunner
from app.desktop.turn_records import Change
from app.engine.outcome import FinishReason


class SecondThoughts(QObject):
    """Says what was taken back, and offers the way back or another try."""

    def __init__(
        self, window: MainWindow, runner: TurnRunner, chats: OpenChats, theme: Theme
    ) -> None:
        super().__init__(window)
        self._window = window
        self._runner = runner
        self._chats = chats
        self._theme = theme
        self._deleting: str | None = None
        self._deleted: Deletion | None = None
        self._looped: str | None = None
        window.transcript.delete_asked.connect(self._on_delete)
        chats.message_deleted.connect(self._on_deleted)
        runner.answer_finished.connect(self._on_finished)

    @Slot(str)
    def _on_delete(self, message_id: str) -> None:
        chat = self._chats.current.id
        if self._runner.running_in(chat):  # its answer ends first
            self._deleting = message_id
            self._runner.stop_in(chat)
        else:
            self._chats.delete_message(message_id)

    @Slot(object)
    def _on_deleted(self, deletion: Deletion) -> None:
        self._deleted = deletion
        if deletion.conversation_id == self._chats.current.id:
            headline = wording.deleted(deletion.message_count)
            sentence = self.tr("This can be undone for 30 days.")
            banner = self._show(BannerKind.DONE, headline, sentence, self.tr("Undo"))
            banner.pressed.connect(self._on_undelete)

    @Slot()
    def _on_undelete(self) -> None:
        if self._deleted is not None:
            self._chats.undelete_message(self._deleted)
            self._deleted = None

    @Slot(object)
    def _on_finished(self, change: Change) -> None:
        deleting, self._deleting = self._deleting, None
        if change.chat != self._chats.current.id:
            return
        stamp = change.message.stamp
        if deleting is not None:
            self._chats.delete_message(deleting)
        elif stamp is not None and stamp.reason is FinishReason.REPETITION:
            self._looped = change.message.id
            headline, sentence = wording.went_in_circles()
            banner = self._show(BannerKind.NOTICE, headline, sentence, self.tr("Try again"))
            banner.pressed.connect(self._on_vary)

    @Slot()
    def _on_vary(self) -> None:
        """The same question with more chance may do better."""
        if self._looped is not None:
            self._runner.regenerate(self._chats.current, self._looped, varied=True)

    def _show(self, kind: BannerKind, headline: str, sentence: str, button: str) -> Banner:
        banner = Banner(self._theme, kind, headline, sentence, button=button)
        self._window.transcript.show_banner(banner)
        announce(self._window, headline)
        return banner

"""Keeps what is being written: at most half a second of it is lost when the program is killed."""

from typing import Final

from PySide6.QtCore import QObject, QTimer, Slot

from app.desktop.composer import Composer
from app.desktop.lifecycle import TurnState
from app.desktop.open_chats import OpenChats
from app.desktop.turn_records import Activity

_AFTER_MS: Final = 500


class DraftKeeper(QObject):
    """Stores the text of the input while it changes; not the change of an earlier message."""

    def __init__(self, composer: Composer, chats: OpenChats, parent: QObject) -> None:
        super().__init__(parent)
        self._composer = composer
        self._chats = chats
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_AFTER_MS)
        self._timer.timeout.connect(self.keep)
        composer.field.textChanged.connect(self._on_text_changed)

    @Slot()
    def _on_text_changed(self) -> None:
        if not self._timer.isActive():  # a timer that each key restarts would never end
            self._timer.start()

    @Slot()
    def keep(self) -> None:
        """Stores the text as it is now."""
        self._timer.stop()
        if not self._composer.editing:
            self._chats.keep_draft(self._composer.text)

    @Slot(object)
    def heed(self, activity: Activity) -> None:
        """The end of the program is the last chance."""
        if activity.state is TurnState.CLOSING:
            self.keep()

"""News from other threads for the window: the newest for each address, ten times a second."""

import contextlib
import threading
from typing import Final, Generic, TypeVar

from PySide6.QtCore import QObject, Qt, QTimer, Signal, Slot

_UPDATE_MS: Final = 100

T = TypeVar("T")


class Mailbox(QObject, Generic[T]):
    """``put`` may be called from any thread, at any rate; ``due`` comes on the window's."""

    due = Signal(object)  # dict[object, T]
    _stirred = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._guard = threading.Lock()
        self._news: dict[object, T] = {}
        self._told = False
        self._closed = False
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_UPDATE_MS)
        self._timer.timeout.connect(self._on_due)
        self._stirred.connect(self._on_stirred, Qt.ConnectionType.QueuedConnection)

    def put(self, address: object, news: T) -> None:
        """Replaces what was there for ``address`` and has not been fetched yet."""
        with self._guard:
            if self._closed:
                return
            self._news[address] = news
            told, self._told = self._told, True
        if not told:
            with contextlib.suppress(RuntimeError):  # the window went away just now
                self._stirred.emit()

    def drop(self, address: object) -> None:
        """Forgets what is there for ``address``."""
        with self._guard:
            self._news.pop(address, None)

    def close(self) -> None:
        """Takes nothing any more."""
        with self._guard:
            self._closed = True
        self._timer.stop()

    @Slot()
    def _on_stirred(self) -> None:
        if not self._closed and not self._timer.isActive():
            self._timer.start()

    @Slot()
    def _on_due(self) -> None:
        with self._guard:
            news, self._news = self._news, {}
            self._told = False
        if news:
            self.due.emit(news)

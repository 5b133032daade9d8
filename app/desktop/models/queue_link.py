"""The window's end of the download queue: opens it when it is needed, steers it, hears from it."""

from collections.abc import Callable
from typing import Final

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from app.core.errors import ErrorRecord
from app.desktop.background import Worker
from app.desktop.models.mailbox import Mailbox
from app.desktop.models.ports import Download, Downloads, ModelsServices
from app.models.download_state import ACTIVE

_POLL_MS: Final = 500


class QueueLink(QObject):
    """Every call to the queue is made on one worker thread, in the order of the presses."""

    told = Signal(object)  # tuple[Download, ...]
    failed = Signal(object)  # ErrorRecord

    def __init__(self, services: ModelsServices, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._services = services
        self._worker = Worker("downloads", self)
        self._mailbox: Mailbox[Download] = Mailbox(self)
        self._mailbox.due.connect(self._on_news)
        self._queue: Downloads | None = None  # the worker's
        self._ours = False
        self._rests = False  # the worker's
        self._moves = False
        self._poller = QTimer(self)
        self._poller.setInterval(_POLL_MS)
        self._poller.timeout.connect(self._on_poll)

    def resume_left(self) -> None:
        """Goes on with what an earlier start left, if it left anything."""
        has_downloads = self._services.has_downloads

        def work() -> tuple[Download, ...]:
            return self._opened().downloads() if self._queue or has_downloads() else ()

        self._worker.run(work, self._tell, self._on_failed)

    def steer(self, move: Callable[[Downloads], Download]) -> None:
        """Makes a move; the queue is opened for it if it isn't open."""
        self._worker.run(lambda: (move(self._opened()),), self._tell, self._on_failed)

    def rest(self, then: Callable[[], None]) -> None:
        """Closes the queue until ``wake``; ``then`` runs on the window's thread once it rests.

        What is pressed meanwhile is noted, and begins after that.
        """

        def work() -> None:
            self._rests = True
            self._close_queue()

        self._worker.run(work, lambda _: then(), self._on_failed)

    def wake(self) -> None:
        """Ends the rest; what ran before goes on."""

        def work() -> None:
            self._rests = False
            self._close_queue()  # one that was opened meanwhile would not begin by itself

        self._worker.run(work, lambda _: self.resume_left(), self._on_failed)

    def close(self, timeout_s: float) -> None:
        """Closes the queue; what ran goes on at the next start."""
        self._poller.stop()
        self._mailbox.close()
        self._worker.run(self._close_queue)
        self._worker.close(timeout_s)

    # --- On the worker -------------------------------------------------------------------------

    def _opened(self) -> Downloads:
        """What was opened is known at once, so that it is closed whatever comes next."""
        if self._queue is None:
            self._queue = self._services.open_downloads(self._hear)
            self._ours = not self._rests and self._queue.start()
        return self._queue

    def _look(self) -> tuple[Download, ...]:
        """Takes the queue over too, once another program that ran it has ended."""
        queue = self._queue
        if queue is None:  # it rests meanwhile
            return ()
        self._ours = not self._rests and queue.start()
        return queue.downloads()

    def _close_queue(self) -> None:
        queue, self._queue = self._queue, None
        if queue is not None:
            queue.close()

    def _hear(self, download: Download) -> None:
        """On a thread of the queue."""
        self._mailbox.put((download.model, download.variant), download)

    # --- On the window's thread ----------------------------------------------------------------

    @Slot(object)
    def _on_news(self, news: dict[object, Download]) -> None:
        self._tell(tuple(news.values()))

    def _tell(self, downloads: tuple[Download, ...]) -> None:
        self.told.emit(downloads)
        self._poll_if_needed()

    def set_moving(self, *, moves: bool) -> None:
        """Hears whether any download runs."""
        self._moves = moves
        self._poll_if_needed()

    def _poll_if_needed(self) -> None:
        """Another program's queue tells nothing, and neither does a stream that stalls."""
        if self._queue is not None and (self._moves or not self._ours):
            if not self._poller.isActive():
                self._poller.start()
        else:
            self._poller.stop()

    @Slot()
    def _on_poll(self) -> None:
        self._worker.run(self._look, self._tell, self._on_failed)

    def _on_failed(self, error: ErrorRecord) -> None:
        self.failed.emit(error)


def runs(download: Download) -> bool:
    """Whether bytes may be arriving."""
    return download.state in ACTIVE

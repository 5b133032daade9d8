"""The starter on its way: it needs no Hub and no queue, and looks like any other download."""

import threading

from msgspec import Struct
from PySide6.QtCore import QObject, Signal, Slot

from app.core.errors import ErrorRecord
from app.desktop.background import Worker
from app.desktop.models.mailbox import Mailbox
from app.desktop.models.ports import GetStarter, Key, StarterStep
from app.models.download_state import DownloadState
from app.models.identity import Stopped


class StarterDownload(Struct, frozen=True):
    """The starter in the words of the queue."""

    model: str
    variant: str
    done_bytes: int = 0
    total_bytes: int = 0
    state: DownloadState = DownloadState.RUNNING
    bytes_per_s: float | None = None
    eta_s: float | None = None
    reason: ErrorRecord | None = None


class StarterFetch(QObject):
    """Gets the starter once at a time."""

    told = Signal(object)  # tuple[Download, ...]
    ended = Signal(object, bool)  # Key, whether it is installed now

    def __init__(self, get: GetStarter, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._get = get
        self._worker = Worker("starter", self)
        self._stop = threading.Event()
        self._mailbox: Mailbox[StarterDownload] = Mailbox(self)
        self._mailbox.due.connect(self._on_news)
        self.runs = False  # also while a cancelled one comes to its end

    def start(self, key: Key) -> None:
        """Begins, unless it runs already; ``key`` is the row that was pressed."""
        if self.runs:
            return
        self.runs = True
        self._stop.clear()
        self.told.emit((StarterDownload(*key),))
        get, stop = self._get, self._stop.is_set

        def work() -> bool:
            try:
                get(lambda step: self._hear(key, step), stop)
            except Stopped:
                return False
            return True

        def failed(error: ErrorRecord) -> None:
            self.runs = False
            self._mailbox.drop(key)
            self.told.emit((StarterDownload(*key, state=DownloadState.FAILED, reason=error),))

        def done(whole: bool) -> None:
            self.runs = False
            self._mailbox.drop(key)
            self.ended.emit(key, whole)

        self._worker.run(work, done, failed)

    def _hear(self, key: Key, step: StarterStep) -> None:
        """On the worker."""
        if not self._stop.is_set():
            total = step.total_bytes or 0
            self._mailbox.put(key, StarterDownload(*key, step.done_bytes, total))

    def cancel(self, key: Key) -> None:
        """Stops it soon; the row says so at once."""
        self._stop.set()
        self._mailbox.drop(key)
        self.told.emit((StarterDownload(*key, state=DownloadState.CANCELLED),))

    @Slot(object)
    def _on_news(self, news: dict[object, StarterDownload]) -> None:
        if self.runs:
            self.told.emit(tuple(news.values()))

    def close(self, timeout_s: float) -> None:
        """Stops it; what was whole stays."""
        self._stop.set()
        self._mailbox.close()
        self._worker.close(timeout_s)

"""Long work on the files of models: checking one, importing one, moving all. One at a time."""

import threading
from collections.abc import Callable

from PySide6.QtCore import QObject, Signal, Slot

from app.core.errors import ErrorRecord
from app.desktop.background import Worker
from app.desktop.models.mailbox import Mailbox
from app.desktop.models.ports import Key, Shelf
from app.desktop.models.row_state import Amount
from app.models.identity import Stopped


class Hashing(QObject):
    """Runs on a thread of its own, and stops when asked."""

    progressed = Signal(object, object)  # Key, Amount
    ended = Signal(object, bool)  # Key, whether every byte was right (else it was stopped)
    spoilt = Signal(object, object)  # Key, ErrorRecord

    def __init__(self, shelf: Shelf, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._shelf = shelf
        self._worker = Worker("model files", self)
        self._stop = threading.Event()
        self._mailbox: Mailbox[Amount] = Mailbox(self)
        self._mailbox.due.connect(self._on_news)
        self._key: Key | None = None

    @property
    def is_checking(self) -> bool:
        """Whether a model is being checked, or waits to be."""
        return self._key is not None

    def check(self, key: Key, total_bytes: int) -> None:
        """Hashes every file of a model, unless another one is being checked."""
        if self.is_checking:
            return
        self._key = key
        self.progressed.emit(key, Amount(0, total_bytes))

        def report(done_bytes: int, total_bytes: int) -> None:
            self._mailbox.put(key, Amount(done_bytes, total_bytes))

        def failed(error: ErrorRecord) -> None:
            self._finish(key)
            self.spoilt.emit(key, error)

        def done(whole: object) -> None:
            self._finish(key)
            self.ended.emit(key, bool(whole))

        shelf = self._shelf

        def work(stop: Callable[[], bool]) -> bool:
            shelf.verify(key, report, stop)
            return True

        self.run(work, done, failed)

    def _finish(self, key: Key) -> None:
        self._key = None
        self._mailbox.drop(key)

    def run(
        self,
        work: Callable[[Callable[[], bool]], object],
        done: Callable[[object], None],
        failed: Callable[[ErrorRecord], None],
    ) -> None:
        """Runs ``work`` with its stop question; ``done`` gets ``None`` if it was stopped."""
        self._stop.clear()
        stop = self._stop.is_set

        def guarded() -> object:
            try:
                return work(stop)
            except Stopped:
                return None

        self._worker.run(guarded, done, failed)

    def stop(self) -> None:
        """Ends what runs, soon."""
        self._stop.set()

    @Slot(object)
    def _on_news(self, news: dict[object, Amount]) -> None:
        for key, amount in news.items():
            if key == self._key:
                self.progressed.emit(key, amount)

    def close(self, timeout_s: float) -> None:
        self._stop.set()
        self._mailbox.close()
        self._worker.close(timeout_s)

"""The one place of the window that knows all rows, and steers what happens to them.

Everything slow runs on worker threads of its own kind, so that hashing a model never holds up a
press on Pause. What happens on the queue's threads reaches the window at most ten times a second.
"""

import threading
from collections.abc import Callable, Iterable
from typing import Final

from msgspec import Struct, structs
from PySide6.QtCore import QObject, Qt, QTimer, Signal, Slot

from app.core.errors import ErrorRecord
from app.desktop.background import Worker
from app.desktop.models.ports import (
    Download,
    Downloads,
    Key,
    ModelRow,
    ModelsServices,
    Presence,
    Source,
    StarterStep,
    StoreFacts,
)
from app.desktop.models.row_state import Amount, Line, RowState
from app.models.download_state import ACTIVE, DownloadState
from app.models.identity import Stopped

_UPDATE_MS: Final = 100
_POLL_MS: Final = 500


class _StarterDownload(Struct, frozen=True):
    """The starter on its way, in the words of the queue."""

    model: str
    variant: str
    done_bytes: int = 0
    total_bytes: int = 0
    state: DownloadState = DownloadState.RUNNING
    bytes_per_s: float | None = None
    eta_s: float | None = None
    reason: ErrorRecord | None = None


class ModelStock(QObject):
    """Rows, downloads and running checks, as the GUI thread sees them."""

    lines_listed = Signal(object)  # tuple[Line, ...]: what there is may have changed
    lines_changed = Signal(object)  # tuple[Line, ...]: only these changed
    store_measured = Signal(object)  # StoreFacts
    installed = Signal(object)  # Key: a download has become a model
    removed = Signal(object)  # Line: a model was deleted, and can come back
    verified = Signal(object)  # Line: every byte is what it was
    verify_failed = Signal(object, object)  # Key, ErrorRecord
    failed = Signal(object)  # ErrorRecord
    _stirred = Signal()

    def __init__(self, services: ModelsServices, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._services = services
        self._lines: dict[Key, Line] = {}
        self._rows: dict[Key, ModelRow] = {}  # as the shelf gave them
        self._downloads: dict[Key, Download] = {}
        self._checks: dict[Key, Amount] = {}
        self._damaged: dict[Key, ErrorRecord] = {}
        self._arriving: dict[Key, Download] = {}
        self.store: StoreFacts | None = None
        self._queue: Downloads | None = None
        self._ours = False
        self._opening = False
        self._closing = False
        self._lister = Worker("model list", self)
        self._steerer = Worker("downloads", self)
        self._hasher = Worker("model check", self)
        self._starter = Worker("starter", self)
        self.starter_runs = False  # also while a cancelled one comes to its end
        self._stop_starter = threading.Event()
        self._stop_check = threading.Event()
        self._guard = threading.Lock()
        self._news: dict[Key, Download] = {}
        self._check_news: dict[Key, Amount] = {}
        self._told = False
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_UPDATE_MS)
        self._timer.timeout.connect(self._flush)
        self._poller = QTimer(self)
        self._poller.setInterval(_POLL_MS)
        self._poller.timeout.connect(self._on_poll)
        self._stirred.connect(self._on_stirred, Qt.ConnectionType.QueuedConnection)

    # --- Looking -------------------------------------------------------------------------------

    @property
    def lines(self) -> tuple[Line, ...]:
        """All rows in the order of the list."""
        return tuple(self._lines.values())

    def line(self, key: Key) -> Line | None:
        return self._lines.get(key)

    def refresh(self) -> None:
        """Lists again: the disk, the memory or the list itself may have changed."""
        shelf = self._services.shelf
        self._lister.run(shelf.rows, self._on_rows, self.failed.emit)
        self._lister.run(shelf.store, self._on_store)

    def ask(
        self,
        work: Callable[[], object],
        done: Callable[[object], None],
        failed: Callable[[ErrorRecord], None] | None = None,
    ) -> None:
        """Runs something that reads the disk beside the listing."""
        self._lister.run(work, done, failed)

    # --- The queue -----------------------------------------------------------------------------

    def resume_left(self) -> None:
        """Goes on with what an earlier start left in the queue, if it left anything."""
        self._steerer.run(self._services.has_downloads, self._on_queue_found)

    def _on_queue_found(self, found: bool) -> None:
        if found:
            self.open_queue()

    def open_queue(self) -> None:
        """Begins to run the queue, unless another program of this data root does."""
        if self._opening:
            return
        self._opening = True
        self._steerer.run(self._open, self._on_opened, self.failed.emit)

    def _open(self) -> tuple[Download, ...]:
        """On the worker. What was opened is known at once, so that ``close`` can close it."""
        queue = self._services.open_downloads(self._hear)
        self._queue = queue
        self._ours = queue.start()
        return queue.downloads()

    def _on_opened(self, downloads: tuple[Download, ...]) -> None:
        self._take(downloads)
        self._poll_if_needed()

    def _poll_if_needed(self) -> None:
        """Looks by itself while another program runs the queue, which tells nothing, and while
        something runs: a stream that stalls tells nothing either.
        """
        moves = any(download.state in ACTIVE for download in self._downloads.values())
        if self._queue is None or self._closing or (self._ours and not moves):
            self._poller.stop()
        elif not self._poller.isActive():
            self._poller.start()

    @Slot()
    def _on_poll(self) -> None:
        """Takes the queue over too, once the other program has ended."""
        self._steerer.run(self._look, self._on_looked)

    def _look(self) -> tuple[Download, ...]:
        queue = self._queue
        if queue is None:  # it rests meanwhile
            return ()
        self._ours = queue.start()
        return queue.downloads()

    def _on_looked(self, downloads: tuple[Download, ...]) -> None:
        self._take(downloads)

    def get(self, key: Key) -> None:
        """Queues a download; one that was paused or cancelled goes on.

        A damaged model is put aside first: the queue goes by the manifest, which is right.
        """
        line = self._lines.get(key)
        if line is not None and line.row.source is Source.STARTER:
            self._get_starter(key)
        elif line is not None and line.state is RowState.DAMAGED:
            self._lister.run(
                lambda: self._services.shelf.delete(key),
                lambda _: self._get_again(key),
                self.failed.emit,
            )
        else:
            self._steer(lambda queue: queue.get(*key))

    def _get_again(self, key: Key) -> None:
        self._gone(key)
        self.refresh()
        self._steer(lambda queue: queue.get(*key))

    def _gone(self, key: Key) -> None:
        """The disk no longer has it; the list says so before it is read again."""
        self._damaged.pop(key, None)
        self._downloads.pop(key, None)
        if key in self._rows:
            self._rows[key] = structs.replace(self._rows[key], presence=Presence.ABSENT)
        self._publish((key,))

    def _get_starter(self, key: Key) -> None:
        """The starter comes by another way than the queue, and looks the same."""
        if self.starter_runs:
            return
        self.starter_runs = True
        self._stop_starter.clear()
        self.show_starter(0, None)
        get, stop = self._services.get_starter, self._stop_starter.is_set

        def work() -> bool:
            try:
                get(lambda step: self._hear_starter(key, step), stop)
            except Stopped:
                return False
            return True

        def failed(error: ErrorRecord) -> None:
            self.starter_runs = False
            self._take((_StarterDownload(*key, state=DownloadState.FAILED, reason=error),))

        def done(whole: bool) -> None:
            self.starter_runs = False
            self.hide_starter()
            if whole:
                self.came(key)

        self._starter.run(work, done, failed)

    def _hear_starter(self, key: Key, step: StarterStep) -> None:
        total = step.total_bytes or 0
        if self._stop_starter.is_set():
            return
        with self._guard:
            self._news[key] = _StarterDownload(*key, step.done_bytes, total)
        self._stir()

    def show_starter(self, done_bytes: int, total_bytes: int | None) -> None:
        """Shows that the starter is on its way, whoever gets it."""
        for key, row in self._rows.items():
            if row.source is Source.STARTER and row.presence is not Presence.INSTALLED:
                self._take((_StarterDownload(*key, done_bytes, total_bytes or 0),))

    def hide_starter(self) -> None:
        """The starter is no longer on its way."""
        keys = tuple(key for key, row in self._rows.items() if row.source is Source.STARTER)
        for key in keys:
            self._downloads.pop(key, None)
        self._publish(keys)

    def pause(self, key: Key) -> None:
        self._steer(lambda queue: queue.pause(*key))

    def resume(self, key: Key, *, accept_change: bool = False) -> None:
        if self._is_starter(key):
            self._get_starter(key)
            return
        self._steer(lambda queue: queue.resume(*key, accept_change=accept_change))

    def cancel(self, key: Key) -> None:
        if self._is_starter(key):
            self._stop_starter.set()
            with self._guard:
                self._news.pop(key, None)
            self.hide_starter()
            return
        self._steer(lambda queue: queue.cancel(*key))

    def _is_starter(self, key: Key) -> bool:
        return key in self._rows and self._rows[key].source is Source.STARTER

    def pause_all(self) -> None:
        """Pauses everything that moves."""
        for key, download in self._downloads.items():
            if download.state not in (DownloadState.INSTALLED, DownloadState.CANCELLED):
                self.pause(key)

    def _steer(self, move: Callable[[Downloads], Download]) -> None:
        self.open_queue()

        def work() -> Download | None:
            return None if self._queue is None else move(self._queue)

        self._steerer.run(work, self._on_steered, self.failed.emit)

    def _on_steered(self, download: Download | None) -> None:
        if download is not None:
            self._take((download,))

    def _hear(self, download: Download) -> None:
        """On a thread of the queue."""
        with self._guard:
            self._news[download.model, download.variant] = download
        self._stir()

    def _stir(self) -> None:
        with self._guard:
            if self._told or self._closing:
                return
            self._told = True
        self._stirred.emit()

    @Slot()
    def _on_stirred(self) -> None:
        if not self._timer.isActive() and not self._closing:
            self._timer.start()

    @Slot()
    def _flush(self) -> None:
        with self._guard:
            news, self._news = self._news, {}
            checks, self._check_news = self._check_news, {}
            self._told = False
        for key, amount in checks.items():
            if key in self._checks:
                self._checks[key] = amount
        self._take(news.values())
        self._publish(checks)

    def _take(self, downloads: Iterable[Download]) -> None:
        """Puts what the queue says into the lines; a finished download asks the disk first."""
        changed: list[Key] = []
        for download in downloads:
            key = (download.model, download.variant)
            before = self._downloads.get(key)
            self._downloads[key] = download
            changed.append(key)
            arrived = download.state is DownloadState.INSTALLED
            if arrived and before is not None and before.state is not DownloadState.INSTALLED:
                self._arriving[key] = before  # shown until the disk was asked
                self._lister.run(self._services.shelf.rows, self._arrival(key), self.failed.emit)
                self._lister.run(self._services.shelf.store, self._on_store)
        self._publish(changed)
        self._poll_if_needed()

    def _arrival(self, key: Key) -> Callable[[tuple[ModelRow, ...]], None]:
        def listed(rows: tuple[ModelRow, ...]) -> None:
            self._arriving.pop(key, None)
            self._on_rows(rows)
            self.installed.emit(key)

        return listed

    # --- Models on the disk --------------------------------------------------------------------

    def verify(self, key: Key) -> None:
        """Hashes every file of a model; one at a time, and it can be stopped."""
        line = self._lines.get(key)
        if line is None or self._checks:
            return
        self._stop_check.clear()
        self._checks[key] = Amount(0, line.row.size_bytes)
        self._publish((key,))
        shelf, stop = self._services.shelf, self._stop_check.is_set

        def report(done_bytes: int, total_bytes: int) -> None:
            with self._guard:
                self._check_news[key] = Amount(done_bytes, total_bytes)
            self._stir()

        def work() -> bool:
            try:
                shelf.verify(key, report, stop)
            except Stopped:
                return False
            return True

        def failed(error: ErrorRecord) -> None:
            self._damaged[key] = error
            self._end_check(key)
            self.verify_failed.emit(key, error)

        def done(whole: bool) -> None:
            if whole:
                self._damaged.pop(key, None)
            self._end_check(key)
            if whole and key in self._lines:
                self.verified.emit(self._lines[key])

        self._hasher.run(work, done, failed)

    def _end_check(self, key: Key) -> None:
        self._checks.pop(key, None)
        self._publish((key,))

    def stop_verify(self) -> None:
        self._stop_check.set()

    def delete(self, key: Key) -> None:
        """Puts a model aside; it can come back until the program quits."""
        line = self._lines[key]

        def done(_: object) -> None:
            self._gone(key)
            self.refresh()
            self.removed.emit(line)

        self._lister.run(lambda: self._services.shelf.delete(key), done, self.failed.emit)

    def undelete(self, key: Key) -> None:
        self._lister.run(
            lambda: self._services.shelf.undelete(key),
            lambda _: self.came(key),
            self.failed.emit,
        )

    def came(self, key: Key) -> None:
        """A model came in by another way than the queue."""
        self._lister.run(self._services.shelf.rows, self._arrival(key), self.failed.emit)
        self._lister.run(self._services.shelf.store, self._on_store)

    def run_long(
        self,
        work: Callable[[Callable[[], bool]], object],
        done: Callable[[object], None],
        failed: Callable[[ErrorRecord], None],
    ) -> None:
        """Runs an import or a move after what is being hashed; ``stop_verify`` ends it."""
        self._stop_check.clear()
        stop = self._stop_check.is_set

        def guarded() -> object:
            try:
                return work(stop)
            except Stopped:
                return None

        self._hasher.run(guarded, done, failed)

    def rest_queue(self, then: Callable[[], None]) -> None:
        """Closes the queue, which writes into the store; ``then`` runs once it rests."""
        self._poller.stop()
        self._steerer.run(self._close_queue, lambda _: then(), self.failed.emit)

    def reopen_queue(self) -> None:
        """Lets the queue go on, with the store where it is now."""
        self._opening = False
        self.resume_left()

    # --- Ending --------------------------------------------------------------------------------

    def close(self, timeout_s: float = 1.0) -> None:
        """Stops the queue and whatever hashes. A job that doesn't end is left behind."""
        self._closing = True
        self._stop_check.set()
        self._stop_starter.set()
        self._timer.stop()
        self._poller.stop()
        self._steerer.run(self._close_queue)
        self._steerer.close(timeout_s)
        self._lister.run(self._services.shelf.close)
        self._lister.close(0.5)
        for worker in (self._hasher, self._starter):
            worker.close(0.3)

    def _close_queue(self) -> None:
        queue, self._queue = self._queue, None
        if queue is not None:
            queue.close()

    # --- Publishing ----------------------------------------------------------------------------

    def _on_rows(self, rows: tuple[ModelRow, ...]) -> None:
        self._rows = {row.key: row for row in rows}
        self._lines = {row.key: self._line(row) for row in rows}
        self.lines_listed.emit(self.lines)

    def _on_store(self, store: StoreFacts) -> None:
        self.store = store
        self.store_measured.emit(store)

    def _publish(self, keys: Iterable[Key]) -> None:
        changed: list[Line] = []
        for key in keys:
            line = self._lines.get(key)
            if line is not None:
                new = self._line(self._rows[key])
                if new != line:
                    self._lines[key] = new
                    changed.append(new)
        if changed:
            self.lines_changed.emit(tuple(changed))

    def _line(self, row: ModelRow) -> Line:
        key = row.key
        if key in self._damaged and row.presence is Presence.INSTALLED:
            row = structs.replace(row, presence=Presence.DAMAGED, problem=self._damaged[key])
        download = self._arriving.get(key) or self._downloads.get(key)
        return Line(row=row, download=download, check=self._checks.get(key))

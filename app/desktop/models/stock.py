"""The one place of the window that knows all rows, and who steers what happens to each.

Everything slow runs on worker threads of its own kind, so that hashing a model never holds up a
press on Pause. What happens on other threads reaches the window at most ten times a second.
"""

from collections.abc import Callable, Iterable

from msgspec import structs
from PySide6.QtCore import QObject, Signal, Slot

from app.core.errors import ErrorRecord
from app.desktop.background import Worker
from app.desktop.models.hashing import Hashing
from app.desktop.models.ports import (
    Download,
    Key,
    ModelRow,
    ModelsServices,
    Presence,
    Source,
    StoreFacts,
)
from app.desktop.models.queue_link import QueueLink, runs
from app.desktop.models.row_state import Amount, Line, RowState
from app.desktop.models.starter_fetch import StarterDownload, StarterFetch
from app.models.download_state import DownloadState, Move, allows


class ModelStock(QObject):
    """Rows, downloads and running checks, as the GUI thread sees them."""

    lines_listed = Signal(object)  # tuple[Line, ...]: what there is may have changed
    lines_changed = Signal(object)  # tuple[Line, ...]: only these changed
    store_measured = Signal(object)  # StoreFacts
    installed = Signal(object)  # Key: a model is here that wasn't
    removed = Signal(object)  # Line: a model was deleted, and can come back
    verified = Signal(object)  # Line: every byte is what it was
    failed = Signal(object)  # ErrorRecord
    going_on_changed = Signal(bool)  # whether any download runs, waits or is queued

    def __init__(self, services: ModelsServices, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._shelf = services.shelf
        self._lines: dict[Key, Line] = {}
        self._rows: dict[Key, ModelRow] = {}  # as the shelf gave them
        self._downloads: dict[Key, Download] = {}
        self._checks: dict[Key, Amount] = {}
        self._damaged: dict[Key, ErrorRecord] = {}
        self._arriving: dict[Key, Download] = {}  # done, and the disk hasn't been asked yet
        self._goes_on = False
        self.store: StoreFacts | None = None
        self._lister = Worker("model list", self)
        self.queue = QueueLink(services, self)
        self.starter = StarterFetch(services.get_starter, self)
        self.files = Hashing(services.shelf, self)
        self.queue.told.connect(self._take)
        self.queue.failed.connect(self.failed)
        self.starter.told.connect(self._take)
        self.starter.ended.connect(self._on_starter_ended)
        self.files.progressed.connect(self._on_check_progressed)
        self.files.ended.connect(self._on_check_ended)
        self.files.spoilt.connect(self._on_spoilt)

    # --- Looking -------------------------------------------------------------------------------

    @property
    def lines(self) -> tuple[Line, ...]:
        """All rows in the order of the list."""
        return tuple(self._lines.values())

    def line(self, key: Key) -> Line | None:
        return self._lines.get(key)

    def refresh(self) -> None:
        """Lists again: the disk, the memory or the list itself may have changed."""
        self._lister.run(self._shelf.rows, self._on_rows, self.failed.emit)
        self._lister.run(self._shelf.store, self._on_store)

    def ask(
        self,
        work: Callable[[], object],
        done: Callable[[object], None],
        failed: Callable[[ErrorRecord], None] | None = None,
    ) -> None:
        """Runs something that reads the disk beside the listing."""
        self._lister.run(work, done, failed)

    # --- Getting -------------------------------------------------------------------------------

    def get(self, key: Key) -> None:
        """Queues a download; one that was paused or cancelled goes on.

        A damaged model is put aside first: the queue goes by the manifest, which is right.
        """
        line = self._lines.get(key)
        if self._is_starter(key):
            self.starter.start(key)
        elif line is not None and line.state is RowState.DAMAGED:
            shelf = self._shelf
            self._lister.run(
                lambda: shelf.delete(key), lambda _: self._get_again(key), self.failed.emit
            )
        else:
            self.queue.steer(lambda queue: queue.get(*key))

    def _get_again(self, key: Key) -> None:
        self._gone(key)
        self.refresh()
        self.queue.steer(lambda queue: queue.get(*key))

    def pause(self, key: Key) -> None:
        self.queue.steer(lambda queue: queue.pause(*key))

    def resume(self, key: Key, *, accept_change: bool = False) -> None:
        if self._is_starter(key):
            self.starter.start(key)
        else:
            self.queue.steer(lambda queue: queue.resume(*key, accept_change=accept_change))

    def cancel(self, key: Key) -> None:
        if self._is_starter(key):
            self.starter.cancel(key)
        else:
            self.queue.steer(lambda queue: queue.cancel(*key))

    def _is_starter(self, key: Key) -> bool:
        return key in self._rows and self._rows[key].source is Source.STARTER

    def show_starter(self, done_bytes: int, total_bytes: int | None) -> None:
        """Shows that the starter is on its way, where the first screen gets it."""
        self._take(
            StarterDownload(*key, done_bytes, total_bytes or 0)
            for key, row in self._rows.items()
            if row.source is Source.STARTER and row.presence is not Presence.INSTALLED
        )

    def hide_starter(self) -> None:
        """The starter is no longer on its way."""
        keys = tuple(key for key in self._rows if self._is_starter(key))
        for key in keys:
            self._downloads.pop(key, None)
        self._publish(keys)
        self._tell_what_goes_on()

    @Slot(object, bool)
    def _on_starter_ended(self, key: Key, whole: bool) -> None:
        self.hide_starter()
        if whole:
            self.came(key)

    @Slot(object)
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
                self._arriving[key] = before
                self.came(key)
        self._publish(changed)
        self._tell_what_goes_on()

    def _tell_what_goes_on(self) -> None:
        downloads = self._downloads.values()
        self.queue.set_moving(moves=any(runs(each) for each in downloads))
        going_on = any(allows(each.state, Move.PAUSE) for each in downloads)
        if going_on is not self._goes_on:
            self._goes_on = going_on
            self.going_on_changed.emit(going_on)

    def pause_all(self) -> None:
        """Pauses every download that goes on; the starter, which is small, is let be."""
        for key, download in self._downloads.items():
            if allows(download.state, Move.PAUSE) and not self._is_starter(key):
                self.pause(key)

    def came(self, key: Key) -> None:
        """A model may be here that wasn't: asks the disk, then says so."""

        def listed(rows: tuple[ModelRow, ...]) -> None:
            self._arriving.pop(key, None)
            self._on_rows(rows)
            self.installed.emit(key)

        def failed(error: ErrorRecord) -> None:
            self._arriving.pop(key, None)
            self.failed.emit(error)

        self._lister.run(self._shelf.rows, listed, failed)
        self._lister.run(self._shelf.store, self._on_store)

    # --- Models on the disk --------------------------------------------------------------------

    def verify(self, key: Key) -> None:
        """Hashes every file of a model; one at a time, and it can be stopped."""
        line = self._lines.get(key)
        if line is not None:
            self.files.check(key, line.row.size_bytes)

    @Slot(object, object)
    def _on_check_progressed(self, key: Key, amount: Amount) -> None:
        self._checks[key] = amount
        self._publish((key,))

    @Slot(object, bool)
    def _on_check_ended(self, key: Key, whole: bool) -> None:
        if whole:
            self._damaged.pop(key, None)
        self._checks.pop(key, None)
        self._publish((key,))
        if whole and key in self._lines:
            self.verified.emit(self._lines[key])

    @Slot(object, object)
    def _on_spoilt(self, key: Key, error: ErrorRecord) -> None:
        self._damaged[key] = error
        self._checks.pop(key, None)
        self._publish((key,))
        self.failed.emit(error)

    def delete(self, key: Key) -> None:
        """Puts a model aside; it can come back until the program quits."""
        line, shelf = self._lines[key], self._shelf

        def done(_: object) -> None:
            self._gone(key)
            self.refresh()
            self.removed.emit(line)

        self._lister.run(lambda: shelf.delete(key), done, self.failed.emit)

    def undelete(self, key: Key) -> None:
        """Brings a deleted model back."""
        shelf = self._shelf
        self._lister.run(lambda: shelf.undelete(key), lambda _: self.came(key), self.failed.emit)

    def _gone(self, key: Key) -> None:
        """The disk no longer has it; the list says so before it is read again."""
        self._damaged.pop(key, None)
        self._downloads.pop(key, None)
        if key in self._rows:
            self._rows[key] = structs.replace(self._rows[key], presence=Presence.ABSENT)
        self._publish((key,))

    # --- Ending and publishing -----------------------------------------------------------------

    def close(self, timeout_s: float = 1.0) -> None:
        """Stops the queue and whatever hashes. A job that doesn't end is left behind."""
        self.files.stop()
        self.queue.close(timeout_s)
        self.files.close(0.2)
        self.starter.close(0.2)
        self._lister.run(self._shelf.close)
        self._lister.close(0.5)

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

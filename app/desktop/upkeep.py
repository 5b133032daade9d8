"""Keeps the chat store in order while the window is open: daily copies, damage, going back."""

from pathlib import Path
from typing import Final

from PySide6.QtCore import QObject, Qt, QTimer, Signal

from app.chats.records import Backup, DamagedRow
from app.chats.store import ChatStore
from app.core.errors import ErrorRecord
from app.desktop.futures import FutureFollower

_FIRST_AFTER_MS: Final = 5_000
_EVERY_MS: Final = 3_600_000
# What the store says while the program closes is no news.
_EXPECTED: Final = frozenset({"backup_abandoned", "chats_closed"})


class StoreUpkeep(QObject):
    """Asks the store and tells what it did. Lives in the GUI thread and never waits."""

    mending_began = Signal()
    damage_found = Signal(object)  # Damage
    database_missed = Signal(object)  # Backup: the newest copy of chats that are gone
    maintenance_failed = Signal(object)  # ErrorRecord
    backups_listed = Signal(object)  # tuple[Backup, ...]
    rows_listed = Signal(object)  # tuple[DamagedRow, ...]
    restored = Signal(object, object)  # Backup that is shown now, Backup of the state before
    restore_failed = Signal(object)  # ErrorRecord
    _mending = Signal()
    _damaged = Signal(object)

    def __init__(self, store: ChatStore, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._store = store
        self._futures = FutureFollower(self)
        self._timer = QTimer(self)
        self._timer.timeout.connect(self.maintain)
        self.restoring = False
        # The store calls on its own thread; these cross to this one.
        self._mending.connect(self.mending_began, Qt.ConnectionType.QueuedConnection)
        self._damaged.connect(self.damage_found, Qt.ConnectionType.QueuedConnection)
        store.observe(on_mending=self._mending.emit, on_damage=self._damaged.emit)

    def start(self) -> None:
        """Looks at what opening the store did, and begins the hourly maintenance."""
        self._futures.follow(self._store.opened(), self._on_opened)
        self._timer.start(_FIRST_AFTER_MS)

    def close(self) -> None:
        self._timer.stop()
        self._futures.close()
        self._store.observe()

    def maintain(self) -> None:
        """Removes what expired, and makes today's copy unless there is one."""
        self._timer.setInterval(_EVERY_MS)
        self._futures.follow(self._store.maintain(), self._on_maintained, self._on_failed)

    def list_backups(self) -> None:
        """Starts listing the copies, and the rows that were mended."""
        self._futures.follow(self._store.backups(), self.backups_listed.emit, self._on_failed)
        self._futures.follow(self._store.damaged_rows(), self._on_rows)

    def restore(self, backup: Backup) -> None:
        """Goes back to ``backup``; the state before becomes a copy of its own."""
        if self.restoring:
            return
        self.restoring = True

        def done(before: Backup) -> None:
            self.restoring = False
            self.restored.emit(backup, before)
            self.list_backups()

        self._futures.follow(self._store.restore(Path(backup.path)), done, self._on_restore_failed)

    def _on_opened(self, opened: object) -> None:
        offered = getattr(opened, "offered", None)
        if offered is not None:
            self.database_missed.emit(offered)

    def _on_maintained(self, backup: Backup | None) -> None:
        if backup is not None:
            self.list_backups()

    def _on_rows(self, rows: tuple[DamagedRow, ...]) -> None:
        self.rows_listed.emit(rows)

    def _on_failed(self, error: ErrorRecord) -> None:
        if error.code not in _EXPECTED:
            self.maintenance_failed.emit(error)

    def _on_restore_failed(self, error: ErrorRecord) -> None:
        self.restoring = False
        self.restore_failed.emit(error)

"""The settings while the program runs: read once, changed in memory, written behind."""

from typing import Any

import msgspec
from PySide6.QtCore import QObject, Signal

from app.core.errors import ErrorRecord
from app.core.settings import Settings, SettingsFile
from app.desktop.background import Worker


class Preferences(QObject):
    """The one copy of the settings that the window goes by."""

    changed = Signal(object)  # Settings
    save_failed = Signal(object)  # ErrorRecord

    def __init__(self, file: SettingsFile, worker: Worker, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._file = file
        self._worker = worker
        # One small file, read before the first window is painted: it decides how that looks.
        self.current: Settings = file.load()

    def change(self, **fields: Any) -> None:
        """Changes the named settings, and writes those on the worker."""
        new = msgspec.structs.replace(self.current, **fields)
        if new == self.current:
            return
        self.current, before = new, self.current
        file = self._file
        self._worker.run(lambda: file.change(before, **fields), failed=self._on_failed)
        self.changed.emit(new)

    def reread(self) -> None:
        """Takes over what another part of the program has written."""
        self._worker.run(self._file.load, self._on_read)

    def _on_read(self, settings: Settings) -> None:
        if settings != self.current:
            self.current = settings
            self.changed.emit(settings)

    def _on_failed(self, error: ErrorRecord) -> None:
        self.save_failed.emit(error)

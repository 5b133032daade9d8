"""Garbage collection from a timer of the GUI thread.

Python collects on whichever thread crosses the threshold. A collection on a worker thread would
destroy widgets there, which Qt doesn't survive.
"""

import gc
from typing import Final

from PySide6.QtCore import QObject, QTimer, Slot

_EVERY_MS: Final = 2000


class GuiGarbageCollector(QObject):
    """Turns the automatic collection off until ``close``."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        gc.disable()
        self._timer = QTimer(self)
        self._timer.setInterval(_EVERY_MS)
        self._timer.timeout.connect(self._collect)
        self._timer.start()

    def close(self) -> None:
        self._timer.stop()
        gc.enable()

    @Slot()
    def _collect(self) -> None:
        """Collects as much as the counts ask for, the way the interpreter would."""
        counts, thresholds = gc.get_count(), gc.get_threshold()
        for generation in (2, 1, 0):
            if thresholds[generation] and counts[generation] > thresholds[generation]:
                gc.collect(generation)
                return

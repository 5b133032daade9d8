"""Garbage collection from a timer of the GUI thread.

Python collects on whichever thread crosses the threshold. A collection on a worker thread would
destroy widgets there, which Qt doesn't survive.
"""

import gc
from collections.abc import Callable
from typing import Final

from PySide6.QtCore import QObject, QTimer, Slot

# Often, so that there is little to look at each time: every two seconds one took 30 ms, which is
# a stutter in a stream.
_EVERY_MS: Final = 200


class GuiGarbageCollector(QObject):
    """Turns the automatic collection off until ``close``.

    Args:
        busy: whether an answer is being shown; the long collection waits until it is not.
    """

    def __init__(self, busy: Callable[[], bool], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._busy = busy
        gc.disable()
        self._timer = QTimer(self)
        self._timer.setInterval(_EVERY_MS)
        self._timer.timeout.connect(self._collect)

    def start(self) -> None:
        """Begins collecting; what exists by now stays for good and is never looked at again."""
        gc.freeze()
        self._timer.start()

    def close(self) -> None:
        self._timer.stop()
        gc.unfreeze()
        gc.enable()

    @Slot()
    def _collect(self) -> None:
        """Collects as much as the counts ask for, the way the interpreter would."""
        counts, thresholds = gc.get_count(), gc.get_threshold()
        for generation in (1, 0) if self._busy() else (2, 1, 0):
            if thresholds[generation] and counts[generation] > thresholds[generation]:
                gc.collect(generation)
                return

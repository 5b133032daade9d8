"""The most memory that this process ever held, and how much of that one model is to blame for."""

import sys
from pathlib import Path
from typing import Final

import psutil

from app.engine.outcome import SlotState

_STATUS: Final = Path("/proc/self/status")


def read_peak_rss() -> int | None:
    """The peak of this process's resident memory in bytes; ``None`` where the system tells none.

    Linux: ``VmHWM``. ``getrusage`` would count what a parent held before the process began anew.
    """
    if sys.platform == "win32":
        return int(psutil.Process().memory_info().peak_wset)
    try:
        for line in _STATUS.read_text(encoding="ascii", errors="replace").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    except (OSError, ValueError, IndexError):
        return None
    return None


class PeakMemory:
    """Tells the peak of a loaded model, if it is its own.

    A peak never falls in the life of a process. So it belongs to a model only if it rose while the
    model was loaded or used; after a larger model nothing can be told about a smaller one.
    """

    def __init__(self) -> None:
        self._before: int | None = None

    def after(self, state: SlotState) -> int | None:
        """The model's peak once it is loaded and after each answer; else ``None``."""
        if state is SlotState.LOADING:
            self._before = read_peak_rss()
        if state is not SlotState.READY or self._before is None:
            return None
        peak = read_peak_rss()
        return peak if peak is not None and peak > self._before else None

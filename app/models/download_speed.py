"""How fast a download is, over the last ten seconds and no longer."""

from collections import deque
from typing import Final

_WINDOW_S: Final = 10.0
_STEP_S: Final = 0.25


class SpeedMeter:
    """Counts bytes against a clock that the caller reads."""

    def __init__(self) -> None:
        self._points: deque[tuple[float, int]] = deque()
        self._total = 0

    def add(self, count: int, now_s: float) -> None:
        """Bytes that arrived from the network."""
        self._total += count
        if not self._points or now_s - self._points[-1][0] >= _STEP_S:
            self._points.append((now_s, self._total))
        while len(self._points) > 1 and now_s - self._points[0][0] > _WINDOW_S:
            self._points.popleft()

    def bytes_per_s(self, now_s: float) -> float | None:
        """The mean over the window; ``None`` until there is a second's worth to judge by.

        A stall shows: without new bytes the value falls to 0 within the window.
        """
        recent = [point for point in self._points if now_s - point[0] <= _WINDOW_S]
        if not self._points or now_s - self._points[0][0] < 1.0:
            return None
        if not recent:
            return 0.0
        start_s, start_total = recent[0]
        elapsed = now_s - start_s
        return (self._total - start_total) / elapsed if elapsed >= 1.0 else None

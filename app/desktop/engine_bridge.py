"""Carries the engine's events from its reader threads to the GUI thread, at most 30 times a second.

The engine may stream a hundred deltas a second; a window that repaints for each of them stutters.
What arrives between two repaints is merged: text is joined, of progress only the newest stays.
"""

import threading
from collections import deque
from collections.abc import Callable, Sequence
from typing import Final

import msgspec
from PySide6.QtCore import QElapsedTimer, QObject, Qt, QTimer, Signal, Slot

from app.desktop.services import Engine
from app.engine.protocol import Delta, LoadProgress, PrefillProgress, Request
from app.workflows.cpu_retry import TurnEvent

_MIN_GAP_MS: Final = 34  # 30 updates a second


class EngineBridge(QObject):
    """The engine as the GUI thread sees it."""

    event_arrived = Signal(object)
    notice_arrived = Signal(object)
    _woken = Signal()
    _noticed = Signal(object)

    def __init__(
        self,
        open_engine: Callable[[Callable[[object], None]], Engine],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._arrived: deque[TurnEvent] = deque()
        self._lock = threading.Lock()
        self._wake_pending = False
        self._since_drain = QElapsedTimer()
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._drain)
        self._woken.connect(self._on_woken, Qt.ConnectionType.QueuedConnection)
        self._noticed.connect(self.notice_arrived, Qt.ConnectionType.QueuedConnection)
        self._engine = open_engine(self._on_notice)

    def submit(self, request: Request) -> None:
        """Sends a request; its events come out of ``event_arrived``."""
        self._engine.submit(request, self._on_event)

    def cancel(self, request_id: str) -> None:
        """Asks for the end of a request."""
        self._engine.cancel(request_id)

    def close(self, timeout_s: float = 2.0) -> None:
        """Ends the engine process. Blocks up to ``timeout_s``: the window must be gone by then."""
        self._timer.stop()
        self._engine.close(timeout_s)

    def end(self, timeout_s: float) -> threading.Thread:
        """As ``close``, on a thread of its own that is returned."""
        self._timer.stop()
        thread = threading.Thread(
            target=self._engine.close, args=(timeout_s,), name="engine-end", daemon=True
        )
        thread.start()
        return thread

    def _on_event(self, event: TurnEvent) -> None:
        """Called on a reader thread."""
        with self._lock:
            self._arrived.append(event)
            if self._wake_pending:
                return
            self._wake_pending = True
        self._emit(self._woken.emit)

    def _on_notice(self, notice: object) -> None:
        """Called on a reader thread."""
        self._emit(lambda: self._noticed.emit(notice))

    @staticmethod
    def _emit(emit: Callable[[], None]) -> None:
        try:
            emit()
        except RuntimeError:
            # The window is gone; the engine's last words have no reader.
            return

    @Slot()
    def _on_woken(self) -> None:
        waited_ms = self._since_drain.elapsed() if self._since_drain.isValid() else _MIN_GAP_MS
        if waited_ms >= _MIN_GAP_MS:
            self._drain()
        elif not self._timer.isActive():
            self._timer.start(_MIN_GAP_MS - waited_ms)

    @Slot()
    def _drain(self) -> None:
        with self._lock:
            events = list(self._arrived)
            self._arrived.clear()
            self._wake_pending = False
        self._since_drain.start()
        for event in merged(events):
            self.event_arrived.emit(event)


def merged(events: Sequence[TurnEvent]) -> list[TurnEvent]:
    """Joins neighbours that a reader needs as one; the order of everything else stays."""
    result: list[TurnEvent] = []
    for event in events:
        last = result[-1] if result else None
        if isinstance(event, Delta) and isinstance(last, Delta) and _same_stream(event, last):
            result[-1] = msgspec.structs.replace(last, text=last.text + event.text)
        elif _supersedes(event, last):
            result[-1] = event
        else:
            result.append(event)
    return result


def _same_stream(one: Delta, other: Delta) -> bool:
    return (one.request, one.generation, one.kind) == (other.request, other.generation, other.kind)


def _supersedes(event: TurnEvent, last: TurnEvent | None) -> bool:
    return (
        isinstance(event, LoadProgress | PrefillProgress)
        and type(last) is type(event)
        and event.request == last.request
    )

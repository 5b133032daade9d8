"""Work that may block, done in order on a thread of its own, with results on the GUI thread."""

import contextlib
import threading
from collections.abc import Callable
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Any

from PySide6.QtCore import QObject, Qt, Signal, Slot

from app.core.errors import Bug, ContenoxError, ErrorRecord


@dataclass(frozen=True, slots=True)
class _Job:
    work: Callable[[], Any]
    done: Callable[[Any], None] | None
    failed: Callable[[ErrorRecord], None] | None


@dataclass(frozen=True, slots=True)
class _Outcome:
    job: _Job
    value: Any = None
    error: ErrorRecord | None = None


class Worker(QObject):
    """One thread and its queue. Jobs run in the order in which they were given.

    The thread is a daemon: a driver that hangs in a job can't keep the program from ending.
    """

    _ended = Signal(object)

    def __init__(self, name: str, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._queue: SimpleQueue[_Job | None] = SimpleQueue()
        self._closed = False
        # A bound slot of an object of the GUI thread: the callbacks run there.
        self._ended.connect(self._on_ended, Qt.ConnectionType.QueuedConnection)
        self._thread = threading.Thread(
            target=_work, args=(self._queue, self._ended.emit), name=name, daemon=True
        )
        self._thread.start()

    def run(
        self,
        work: Callable[[], Any],
        done: Callable[[Any], None] | None = None,
        failed: Callable[[ErrorRecord], None] | None = None,
    ) -> None:
        """Queues ``work``; ``done`` gets its value or ``failed`` its error on the GUI thread."""
        if not self._closed:
            self._queue.put(_Job(work, done, failed))

    def close(self, timeout_s: float = 1.0) -> bool:
        """Lets the queued jobs end, waits at most ``timeout_s``; says whether all of them did."""
        if not self._closed:
            self._closed = True
            self._queue.put(None)
        self._thread.join(timeout_s)
        return not self._thread.is_alive()

    @Slot(object)
    def _on_ended(self, outcome: _Outcome) -> None:
        if self._closed:
            return
        if outcome.error is not None:
            if outcome.job.failed is not None:
                outcome.job.failed(outcome.error)
        elif outcome.job.done is not None:
            outcome.job.done(outcome.value)


def _work(queue: SimpleQueue[_Job | None], report: Callable[[_Outcome], None]) -> None:
    while (job := queue.get()) is not None:
        outcome = _outcome_of(job)
        # The window may be gone when a slow job ends; its result has no reader then.
        with contextlib.suppress(RuntimeError):
            report(outcome)


def _outcome_of(job: _Job) -> _Outcome:
    try:
        return _Outcome(job, value=job.work())
    except ContenoxError as error:
        return _Outcome(job, error=error.record())
    except Exception as error:  # noqa: BLE001  a job's bug must reach the person, not end the thread
        return _Outcome(job, error=Bug.unexpected(error).record())

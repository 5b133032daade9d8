"""The thread that sets formulas and colours code, so that the window's own stays free."""

import threading
from collections.abc import Callable
from functools import partial
from queue import SimpleQueue
from typing import Any, Final

from PySide6.QtCore import QObject, Qt, Signal, Slot

from app.desktop.markdown.math import SetFormula, set_formula

_KEPT_FORMULAS: Final = 2_000

Job = Callable[[], Any]
Done = Callable[[Any], None]


class RenderingThread(QObject):
    """Runs jobs one after the other and hands each result over in the thread of this object.

    The thread starts with the first job and ends with ``close``. One of it serves all views.
    """

    _finished = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._jobs: SimpleQueue[tuple[Job, Done] | None] = SimpleQueue()
        self._thread: threading.Thread | None = None
        self._waiting = 0
        self._closed = False
        self._formulas: dict[tuple[str, bool], SetFormula | None] = {}
        self._finished.connect(self._on_finished, Qt.ConnectionType.QueuedConnection)

    def formula(self, tex: str, display: bool, done: Done) -> SetFormula | None:
        """Returns the formula if it is known; otherwise ``done(formula)`` is called later."""
        key = (tex, display)
        if key in self._formulas:
            return self._formulas[key]

        def deliver(formula: SetFormula | None) -> None:
            while len(self._formulas) >= _KEPT_FORMULAS:
                del self._formulas[next(iter(self._formulas))]
            self._formulas[key] = formula
            done(formula)

        self.submit(partial(set_formula, tex, display), deliver)
        return None

    @property
    def is_idle(self) -> bool:
        """Whether every job's result has been handed over."""
        return self._waiting == 0

    def submit(self, job: Job, done: Done) -> None:
        """Runs ``job()`` in the thread, then ``done(result)`` here; nothing after ``close``.

        ``job`` must not touch a Qt object and must not raise.
        """
        if self._closed:
            return
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="rendering", daemon=True)
            self._thread.start()
        self._waiting += 1
        self._jobs.put((job, done))

    def close(self) -> None:
        """Drops the jobs that wait and ends the thread after the one that runs."""
        self._closed = True
        if self._thread is not None:
            self._jobs.put(None)
            self._thread.join()
            self._thread = None

    def _run(self) -> None:
        while (entry := self._jobs.get()) is not None:
            job, done = entry
            if self._closed:
                continue
            self._finished.emit((done, job()))

    @Slot(object)
    def _on_finished(self, outcome: tuple[Done, Any]) -> None:
        self._waiting -= 1
        if not self._closed:
            done, result = outcome
            done(result)

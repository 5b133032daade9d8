"""One certification at a time, on a worker thread, that can be stopped and goes on later."""

import threading
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal, Slot

from app.certify.certificate import Certificate
from app.core.errors import ErrorRecord
from app.desktop.background import Worker
from app.desktop.measured.ports import MeasureServices
from app.models.identity import Stopped
from app.workflows.certified import Candidate

if TYPE_CHECKING:
    from app.certify.certifier import Step


class Measuring(QObject):
    """Says what it does; a stop keeps what is finished."""

    began = Signal(object)  # Candidate
    stepped = Signal(object)  # Step
    ended = Signal(object)  # Certificate | None: None was stopped
    failed = Signal(object)  # ErrorRecord
    _told = Signal(object)

    def __init__(self, services: MeasureServices, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._services = services
        self._stop = threading.Event()
        self._worker: Worker | None = None
        self.running: Candidate | None = None
        self._told.connect(self._on_told, Qt.ConnectionType.QueuedConnection)

    def start(self, candidate: Candidate, *, quick: bool) -> None:
        """Begins, or goes on where an earlier run was stopped. Does nothing while one runs."""
        if self.running is not None:
            return
        self.running = candidate
        self._stop.clear()
        if self._worker is None:
            self._worker = Worker("measuring", self)
        certify, report, stop = self._services.certify, self._told.emit, self._stop

        def run() -> Certificate | None:
            try:
                return certify(candidate, quick=quick, report=report, stop=stop.is_set)
            except Stopped:
                return None

        self.began.emit(candidate)
        self._worker.run(run, self._on_ended, self._on_failed)

    @Slot()
    def stop(self) -> None:
        """Asks for the end; the step that runs is done again another time."""
        self._stop.set()

    @property
    def stopping(self) -> bool:
        return self.running is not None and self._stop.is_set()

    def close(self) -> None:
        """Leaves a step that doesn't end behind; its thread is a daemon."""
        self._stop.set()
        if self._worker is not None:
            self._worker.close(0.3)

    @Slot(object)
    def _on_told(self, step: "Step") -> None:
        if self.running is not None:
            self.stepped.emit(step)

    def _on_ended(self, certificate: Certificate | None) -> None:
        self.running = None
        self.ended.emit(certificate)

    def _on_failed(self, error: ErrorRecord) -> None:
        self.running = None
        self.failed.emit(error)

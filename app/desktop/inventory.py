"""What there is to choose from: the models and devices, and how the first model gets here."""

import threading
from typing import Final

from PySide6.QtCore import QObject, Qt, QTimer, Signal, Slot

from app.core.errors import ErrorRecord
from app.desktop.background import Worker
from app.desktop.lifecycle import Action, Happening, allows
from app.desktop.services import DesktopServices, ModelEntry
from app.desktop.turn import TurnRunner
from app.hardware.readings import DeviceInventory
from app.models.identity import Stopped

_LOOK_EVERY_MS: Final = 20_000
"""A look costs less than a millisecond, so the person finds the right devices after a sleep."""


class Inventory(QObject):
    """Lists on worker threads of its own: a probe that hangs must not hold up the models."""

    models_listed = Signal(object)  # tuple[ModelEntry, ...]
    devices_listed = Signal(object)  # DeviceInventory
    listing_failed = Signal(object)  # ErrorRecord
    fetch_progressed = Signal(object)  # FetchProgress
    fetch_failed = Signal(object)  # ErrorRecord
    _progressed = Signal(object)

    def __init__(
        self, services: DesktopServices, runner: TurnRunner, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._services = services
        self._stop = threading.Event()
        self._runner = runner
        self._models = Worker("models", self)
        self._devices = Worker("devices", self)
        self._looker = QTimer(self)
        self._looker.setInterval(_LOOK_EVERY_MS)
        self._looker.timeout.connect(self.look_around)
        self._progressed.connect(self.fetch_progressed, Qt.ConnectionType.QueuedConnection)

    def refresh(self) -> None:
        """Starts listing both, and looking from time to time whether the devices changed."""
        self._list_models()
        self._list_devices()
        self._looker.start()

    def fetch_starter(self) -> None:
        """Installs the first model, then lists again."""
        if not allows(self._runner.state, Action.FETCH_STARTER):
            return
        self._runner.happened(Happening.FETCH_STARTED)
        ensure, report, stop = self._services.ensure_starter, self._progressed.emit, self._stop
        stop.clear()

        def fetch() -> bool:
            try:
                ensure(report, stop.is_set)
            except Stopped:
                return False
            return True

        self._models.run(fetch, self._on_fetched, self._on_fetch_failed)

    def stop_fetching(self) -> None:
        """Asks for the end of the installation; what it has downloaded stays for the next one."""
        self._stop.set()

    def close(self) -> None:
        """Leaves what still runs behind; the threads are daemons."""
        self._stop.set()
        self._looker.stop()
        self._models.close(timeout_s=0.2)
        self._devices.close(timeout_s=0.2)

    def refresh_models(self) -> None:
        """Lists the models again: one came or went."""
        self._list_models()

    @Slot()
    def look_around(self) -> None:
        """Lists the devices again if the machine slept or got others."""
        self._devices.run(self._services.look_around, self._on_looked)

    def _on_looked(self, changed: bool) -> None:
        if changed:
            self._list_devices()

    def _list_devices(self) -> None:
        self._devices.run(self._services.list_devices, self._on_devices, self._on_listing_failed)

    def _list_models(self) -> None:
        self._models.run(self._services.list_models, self._on_models, self._on_models_failed)

    def _on_models(self, models: tuple[ModelEntry, ...]) -> None:
        # First the choice, then the state: a state "idle" promises that a model is chosen.
        self.models_listed.emit(models)
        self._runner.happened(Happening.MODELS_FOUND if models else Happening.NO_MODELS_FOUND)

    def _on_models_failed(self, error: ErrorRecord) -> None:
        self.models_listed.emit(())
        self._runner.happened(Happening.NO_MODELS_FOUND)
        self.listing_failed.emit(error)

    def _on_devices(self, inventory: DeviceInventory) -> None:
        self.devices_listed.emit(inventory)

    def _on_listing_failed(self, error: ErrorRecord) -> None:
        self.listing_failed.emit(error)

    def _on_fetched(self, whole: bool) -> None:
        self._runner.happened(Happening.FETCH_DONE if whole else Happening.FETCH_FAILED)
        if whole:
            self._list_models()

    def _on_fetch_failed(self, error: ErrorRecord) -> None:
        self._runner.happened(Happening.FETCH_FAILED)
        self.fetch_failed.emit(error)

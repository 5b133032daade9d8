"""Everything that can be done with models, built for one data root: both skins use it."""

import contextlib
from collections.abc import Callable
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec
from msgspec import Struct

from app.core.errors import ContenoxError, UserError
from app.core.paths import DataRoot
from app.core.settings import SettingsFile
from app.hardware.expected_speed import ExpectedSpeed, expected_speed
from app.hardware.host import read_memory
from app.hardware.readings import DeviceInventory
from app.models.carry import carry, carry_bytes
from app.models.catalog import Catalog, load_catalog
from app.models.download_lock import WriterLock
from app.models.download_state import ACTIVE, DownloadState
from app.models.download_store import DownloadStore
from app.models.hub_endpoint import HubEndpoint, NetworkSwitch
from app.models.identity import never_stop
from app.models.import_model import import_source
from app.models.import_source import find_sources
from app.models.library import InstalledModel, Library
from app.models.remembered import ModelMemory
from app.models.trash import Trash
from app.workflows.download_setup import LOCK_FILE, STORE_FILE, open_downloads
from app.workflows.download_view import DownloadView
from app.workflows.engine_notes import EngineNotes
from app.workflows.machine_rates import RATES_FILE, KeptRates
from app.workflows.model_list import ModelList
from app.workflows.model_move import StoreMove
from app.workflows.observed_peaks import PEAKS_FILE, ObservedPeaks

if TYPE_CHECKING:
    from app.workflows.downloads import Downloads

MEMORY_FILE: Final = "models-seen.json"

Report = Callable[["ModelProgress"], None]


class ModelProgress(Struct, frozen=True, kw_only=True):
    """How far a long job on one model is; what is copied counts twice, as it is read back."""

    model: str
    done_bytes: int
    total_bytes: int


class ModelServices:
    """The models of one data root. Nothing is read before it is needed.

    Args:
        data_root: the user's folder tree.
        settings_file: the settings.
        library: the installed models.
        list_devices: the devices of this machine; blocks.
        held_bytes: what the engine holds now, and would give back before a load.
        read_catalog: reads the curated list.
        measured: the tokens/s of an installed model, where a certificate that holds has them.
    """

    def __init__(
        self,
        data_root: DataRoot,
        settings_file: SettingsFile,
        library: Library,
        list_devices: Callable[[], DeviceInventory],
        held_bytes: Callable[[], int] = lambda: 0,
        read_catalog: Callable[[], Catalog] = load_catalog,
        measured: Callable[[InstalledModel], float | None] = lambda _: None,
    ) -> None:
        self._root = data_root
        self._settings_file = settings_file
        self.library = library
        self._list_devices = list_devices
        self._held_bytes = held_bytes
        self._read_catalog = read_catalog
        self._measured = measured
        self.rates = KeptRates(data_root.cache / RATES_FILE)
        self.memory = ModelMemory(data_root.path / MEMORY_FILE)
        self.peaks = ObservedPeaks(data_root.path / PEAKS_FILE)
        self.notes = EngineNotes(library, self.peaks)
        self.trash = Trash(library)
        self.network = NetworkSwitch()

    @cached_property
    def catalog(self) -> Catalog:
        """The curated list. Raises ``DataFault`` ``catalog_invalid``."""
        return self._read_catalog()

    @cached_property
    def table(self) -> ModelList:
        """All models with their verdicts."""
        return ModelList(
            self.library,
            self.memory,
            self.catalog,
            self.peaks,
            self._list_devices,
            self._held_bytes,
            read_memory,
            self.rates.known,
            self._measured,
        )

    def expected(self, model: InstalledModel) -> ExpectedSpeed | None:
        """What can be expected of ``model`` on the processor, if that was probed."""
        rates = self.rates.known()
        if rates is None:
            return None
        row = self.table.row(model.name, model.variant)
        weights = row.fit.weights_bytes or model.size_bytes
        return expected_speed(rates, model.backend, weights, row.parameters, row.active_parameters)

    def require_store(self) -> None:
        """Looks whether the models that are here can be seen.

        Raises:
            EnvironmentFault: ``store_missing``, the drive of the models is away, or
                ``store_unreadable``.
        """
        self.library.require_readable()
        self.memory.require(self.library.store)

    def find(self, name: str, backend: str | None = None) -> InstalledModel:
        """Finds an installed model as ``Library.find`` does.

        Raises:
            UserError: ``model_not_found``; ``model_not_installed`` for one of the curated list,
                with the way to get it.
            DataFault: the named model is there, but broken.
        """
        try:
            return self.library.find(name, backend)
        except UserError as error:
            raise self._not_installed(name, backend) or error from error.__cause__

    def _not_installed(self, name: str, backend: str | None) -> UserError | None:
        base, _, chosen = name.casefold().partition("/")
        with contextlib.suppress(ContenoxError):  # it isn't in the list, or there is no list
            model, variant = self.catalog.find(base, backend or chosen or None)
            named = f"{model.name}/{variant.name}" if backend or chosen else model.name
            return UserError(
                "model_not_installed",
                f"{named} is in the list of models, but it isn't installed here.",
                f"Get it with: contenox models get {named}",
            )
        return None

    def open_downloads(
        self, on_change: Callable[[DownloadView], None] = lambda _: None
    ) -> "Downloads":
        """The downloads; nothing runs before ``start``. The caller closes them.

        Raises:
            UserError: ``endpoint_refused``.
            EnvironmentFault: as ``require_store``.
        """
        self.require_store()
        self.network.off = self._settings_file.load().offline
        endpoint = HubEndpoint.from_environment(switch=self.network)
        return open_downloads(self._root, self.library, self.catalog, endpoint, on_change)

    def known_downloads(self) -> tuple[DownloadView, ...]:
        """What is in the queue, whoever runs it; empty where nothing was ever downloaded.

        What a killed program was downloading is queued: that is what the next start makes of it.
        """
        if not (self._root.path / STORE_FILE).exists():
            return ()
        endpoint = HubEndpoint(offline=True)
        views = open_downloads(self._root, self.library, self.catalog, endpoint).downloads()
        if self.someone_downloads():
            return views
        return tuple(
            msgspec.structs.replace(view, state=DownloadState.QUEUED)
            if view.state in ACTIVE
            else view
            for view in views
        )

    def someone_downloads(self) -> bool:
        """Whether a program of this data root runs the downloads now."""
        lock = WriterLock(self._root.path / LOCK_FILE)
        if not lock.acquire():
            return True
        lock.release()
        return False

    def recover_downloads(self) -> bool:
        """Queues what a killed program left running; false if a program runs the downloads now."""
        lock = WriterLock(self._root.path / LOCK_FILE)
        if not lock.acquire():
            return False
        try:
            DownloadStore(self._root.path / STORE_FILE).recover()
        finally:
            lock.release()
        return True

    def verify(
        self,
        model: InstalledModel,
        report: Report = lambda _: None,
        stop: Callable[[], bool] = never_stop,
    ) -> None:
        """Hashes every file of ``model``.

        Raises:
            DataFault: names the file that is damaged or missing.
            Stopped: ``stop`` said so.
        """
        self.library.verify(model, _counter(model.full_name, model.size_bytes, report), stop)

    def import_from(
        self,
        path: Path,
        name: str | None = None,
        report: Report = lambda _: None,
        stop: Callable[[], bool] = never_stop,
    ) -> tuple[InstalledModel, ...]:
        """Imports a GGUF file, an OpenVINO folder, an exported model, or a folder of those.

        Raises:
            ContenoxError: as ``find_sources`` and ``import_source``.
            Stopped: ``stop`` said so.
        """
        self.require_store()
        sources = find_sources(path, version("openvino"))
        if name is not None and (len(sources) > 1 or sources[0].exported is not None):
            raise UserError(
                "name_not_free",
                "A model that was exported keeps its name.",
                "Leave --name out.",
            )
        imported = []
        for source in sources:
            on_bytes = _counter(source.suggested_name, source.work_bytes, report)
            model = import_source(self.library, source, self.catalog, name, on_bytes, stop)
            imported.append(model)
        return tuple(imported)

    def export_to(
        self,
        model: InstalledModel,
        folder: Path,
        report: Report = lambda _: None,
        stop: Callable[[], bool] = never_stop,
    ) -> InstalledModel:
        """Copies ``model`` below ``folder``, verified, so that ``import_from`` can read it.

        Raises:
            UserError: ``export_target``.
            DataFault: the model is damaged.
            EnvironmentFault: ``disk_full``, ``file_too_large``, ``copy_differs`` or unwritable.
            Stopped: ``stop`` said so; the next export goes on.
        """
        folder = folder.expanduser().absolute()
        store = self.library.store.resolve()
        if folder.resolve() == store or store in folder.resolve().parents or folder.is_file():
            raise UserError(
                "export_target",
                f"A model can't be exported to {folder}.",
                "Choose a folder outside the model store, on a USB stick for example.",
            )
        on_bytes = _counter(model.full_name, carry_bytes(model), report)
        return carry(model, Library(folder), on_bytes=on_bytes, stop=stop)

    def store_move(self) -> StoreMove:
        """What moves the store to another place."""
        lock = WriterLock(self._root.path / LOCK_FILE)
        return StoreMove(self._root, self._settings_file, self.library, self.memory, lock)

    def close(self) -> None:
        """Empties the trash. Never raises."""
        self.trash.empty()


def _counter(name: str, total_bytes: int, report: Report) -> Callable[[int], None]:
    """Turns sizes of pieces into progress records."""
    done = 0

    def on_bytes(count: int) -> None:
        nonlocal done
        done = min(done + count, total_bytes)
        report(ModelProgress(model=name, done_bytes=done, total_bytes=total_bytes))

    return on_bytes

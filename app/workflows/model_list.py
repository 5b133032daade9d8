"""All models in one table: those of the curated list, those that are installed, those whose drive
is away, and those that are broken. Both skins show it.
"""

import shutil
from collections.abc import Callable, Iterable
from functools import cached_property
from pathlib import Path

import msgspec
from msgspec import Struct

from app.core.errors import ContenoxError, UserError
from app.hardware.budget import MemoryBudget
from app.hardware.expected_speed import MachineRates, expected_speed
from app.hardware.host import HostMemory, read_cpu_name
from app.hardware.readings import CPU, DeviceInventory, DeviceReading, ProbeOutcome
from app.models.catalog import Catalog, Model, Variant
from app.models.download_disk import DEFAULT_RESERVE_BYTES
from app.models.download_state import FINISHED
from app.models.library import InstalledModel, Library
from app.models.remembered import ModelMemory
from app.workflows.download_view import DownloadView
from app.workflows.load_preparation import budget_for_load
from app.workflows.model_fit import (
    FitFigures,
    FitHere,
    Unknown,
    figures_of_installed,
    figures_of_row,
    judge,
)
from app.workflows.model_row import (
    ModelRow,
    RowState,
    away_row,
    broken_row,
    installed_row,
    listed_row,
)
from app.workflows.observed_peaks import ObservedPeaks


class DiskUse(Struct, frozen=True, kw_only=True):
    """The volume of the store; its figures are absent where the drive is away.

    ``reserve_bytes`` is what a download leaves free.
    """

    store: str
    models_bytes: int
    reserve_bytes: int
    free_bytes: int | None = None
    total_bytes: int | None = None


class ModelList:
    """Puts the table together. Reads files; never the network, and no device unless told to.

    Args:
        library: the installed models.
        memory: what is known of drives that are away.
        catalog: the curated list.
        peaks: what models really took here.
        list_devices: the devices; called only for another device than the CPU.
        held_bytes: what the engine holds now, and would give back before a load.
        read_free: the machine's memory.
        rates: what the processor can do, if that was measured.
        measured: the tokens/s that an installed model writes here, if they were measured.
    """

    def __init__(
        self,
        library: Library,
        memory: ModelMemory,
        catalog: Catalog,
        peaks: ObservedPeaks,
        list_devices: Callable[[], DeviceInventory],
        held_bytes: Callable[[], int],
        read_free: Callable[[], HostMemory],
        rates: Callable[[], MachineRates | None] = lambda: None,
        measured: Callable[[InstalledModel], float | None] = lambda _: None,
    ) -> None:
        self._library = library
        self._memory = memory
        self._catalog = catalog
        self._peaks = peaks
        self._list_devices = list_devices
        self._held_bytes = held_bytes
        self._read_free = read_free
        self._rates = rates
        self._measured = measured

    def rows(
        self,
        *,
        device: str = CPU,
        context_tokens: int | None = None,
        downloads: Iterable[DownloadView] = (),
    ) -> tuple[ModelRow, ...]:
        """Every row of the list, in its order, then what else is installed, away or broken.

        Raises:
            UserError: ``device_unknown``.
            EnvironmentFault: ``no_memory_telemetry``.
        """
        budget = self._budget(device)
        whole, broken = self._library.survey()
        away = self._memory.observe(self._library.store, whole, broken=bool(broken))
        views = {
            (view.model, view.variant): view for view in downloads if view.state not in FINISHED
        }
        there = {(model.name, model.variant): model for model in whole}
        spoilt = {(model.name, model.variant): model for model in broken}
        gone = {(model.name, model.variant): model for model in away}
        speed_on = self._rates() if device == CPU else None
        rows = []
        for model, variant, figures in self._listed:
            key = (model.name, variant.name)
            fit = judge(figures, budget, context_tokens)
            row = listed_row(model, variant, fit)
            if key in there:
                installed = there.pop(key)
                row = self._installed(installed, budget, context_tokens, row)
            elif key in spoilt:
                row = broken_row(spoilt.pop(key), row)
            elif key in gone:
                row = away_row(gone.pop(key), fit, row)
            rows.append(msgspec.structs.replace(row, download=views.get(key)))
        rows += [self._installed(one, budget, context_tokens, None) for one in there.values()]
        rows += [broken_row(one, None) for one in spoilt.values()]
        rows += [away_row(one, None, None) for one in gone.values()]
        return tuple(_expecting(row, speed_on) for row in rows)

    def row(self, name: str, variant: str | None = None, device: str = CPU) -> ModelRow:
        """One row by name, alias or ``name/variant``; the installed variant comes first.

        Raises:
            UserError: ``model_unknown``.
        """
        wanted = name.casefold()
        names = {alias: model.name for model in self._catalog.models for alias in model.aliases}
        wanted = names.get(wanted, wanted)
        found = [
            row
            for row in self.rows(device=device)
            if wanted in (row.name, row.full_name) and variant in (None, row.variant, row.backend)
        ]
        if not found:
            raise UserError(
                "model_unknown",
                f"There is no model {name!r} here, neither in the curated list nor installed.",
                "Choose a name that 'contenox models list' shows.",
            )
        return min(found, key=lambda row: row.state is RowState.AVAILABLE)

    def forget(self, row: ModelRow) -> None:
        """Forgets a model whose drive will not come back."""
        self._memory.forget(self._library.store, row.full_name)

    def disk(self) -> DiskUse:
        """What the models take, and what is free beside them."""
        store = self._library.store
        used = sum(model.size_bytes for model in self._library.installed())
        use = DiskUse(store=str(store), models_bytes=used, reserve_bytes=DEFAULT_RESERVE_BYTES)
        if self._memory.away(store):
            return use
        volume = shutil.disk_usage(_existing(store))
        return msgspec.structs.replace(use, free_bytes=volume.free, total_bytes=volume.total)

    @cached_property
    def _listed(self) -> tuple[tuple[Model, Variant, FitFigures | Unknown], ...]:
        """The list with its figures, which stay what they are as long as the program runs."""
        return tuple(
            (model, variant, figures_of_row(model, variant))
            for model, variant in self._catalog.rows()
        )

    def _budget(self, device: str) -> MemoryBudget:
        return budget_for_load(self._reading(device), self._read_free(), self._held_bytes())

    def _reading(self, device: str) -> DeviceReading:
        if device == CPU:
            inventory = DeviceInventory.cpu_only(read_cpu_name(), ProbeOutcome.COMPLETE, "")
        else:
            inventory = self._list_devices()
        reading = inventory.find(device)
        if reading is None:
            there = ", ".join(one.id for one in inventory.selectable())
            raise UserError(
                "device_unknown",
                f"This machine has no device {device!r} that can run models.",
                f"Choose one of: {there}.",
            )
        return reading

    def _installed(
        self,
        model: InstalledModel,
        budget: MemoryBudget,
        context: int | None,
        listed: ModelRow | None,
    ) -> ModelRow:
        row = installed_row(model, self._fit(model, budget, context), listed)
        return msgspec.structs.replace(row, tokens_per_s=self._speed(model))

    def _speed(self, model: InstalledModel) -> float | None:
        """A profile or certificate that can't be read hides no row."""
        try:
            return self._measured(model)
        except ContenoxError:
            return None

    def _fit(self, model: InstalledModel, budget: MemoryBudget, context: int | None) -> FitHere:
        peaks = self._peaks.of(model.digest, budget.device)
        return judge(figures_of_installed(model), budget, context, peaks)


def _expecting(row: ModelRow, rates: MachineRates | None) -> ModelRow:
    """``row`` with the speed to expect on the processor, until it was measured."""
    if rates is None or row.tokens_per_s is not None:
        return row
    expected = expected_speed(
        rates,
        row.backend,
        row.fit.weights_bytes or row.size_bytes,
        row.parameters,
        row.active_parameters,
    )
    return msgspec.structs.replace(row, expected=expected)


def _existing(folder: Path) -> Path:
    """``folder`` or the nearest one above it that exists."""
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    return folder

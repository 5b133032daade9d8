"""The list of devices that can run a model: the automatic choice, the CPU, each GPU by name."""

from collections.abc import Mapping

from PySide6.QtCore import QCoreApplication, Signal, Slot
from PySide6.QtGui import QStandardItemModel
from PySide6.QtWidgets import QWidget

from app.desktop.chooser import Chooser
from app.desktop.theme import Theme
from app.hardware.readings import CPU, DeviceInventory, DeviceReading, DeviceState, ProbeOutcome

# Qt's extractor knows this name.
translate = QCoreApplication.translate


class DeviceChooser(Chooser):
    """Usable at once with the automatic choice; the devices join when they are known."""

    chosen = Signal(object)  # DeviceReading | None, by a person

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, translate("DeviceChooser", "Device"), parent)
        self._devices: tuple[DeviceReading, ...] = ()
        self.addItem(self.tr("Automatic"))
        self.setToolTip(self.tr("Looking for devices"))
        self.activated.connect(self._on_activated)

    def set_inventory(self, inventory: DeviceInventory, preferred: str | None) -> None:
        """Lists the devices; one that can't be used is explained, not offered."""
        self._devices = inventory.selectable()
        self.clear()
        self.addItem(self.tr("Automatic"))
        for device in self._devices:
            self.addItem(_title(device))
        ids = [device.id for device in self._devices]
        self.setCurrentIndex(ids.index(preferred) + 1 if preferred in ids else 0)
        unavailable = inventory.unavailable_gpu()
        sentences = (
            _why_cpu_only(inventory.outcome),
            "" if unavailable is None else _why_no_gpu(unavailable.state),
        )
        hint = "\n".join(sentence for sentence in sentences if sentence)
        self.setToolTip(hint or self.tr("The device that runs the model"))

    def refuse(self, failed: Mapping[str, str], *, cpu_only: bool) -> None:
        """Offers no device that the chosen model can't run on, with the reason; all others again.

        Args:
            failed: what the model got wrong, by the device.
            cpu_only: it is a model of llama.cpp, which is built for the CPU alone.
        """
        model = self.model()
        assert isinstance(model, QStandardItemModel), "what a combo box makes for itself"
        for place, device in enumerate(self._devices, start=1):
            why = ""
            if device.id in failed:
                why = self.tr("The model failed its checks there.") + f"\n{failed[device.id]}"
            elif cpu_only and device.id != CPU:
                why = self.tr("Models of llama.cpp run on the CPU only here.")
            item = model.item(place)
            item.setEnabled(not why)
            item.setToolTip(why)

    @property
    def current(self) -> DeviceReading | None:
        """The chosen device; ``None`` is the automatic choice."""
        index = self.currentIndex() - 1
        return self._devices[index] if 0 <= index < len(self._devices) else None

    @Slot()
    def _on_activated(self) -> None:
        self.chosen.emit(self.current)


def _title(device: DeviceReading) -> str:
    name = device.full_name
    for noise in ("(R)", "(TM)", "(r)", "(tm)"):
        name = name.replace(noise, "")
    name = " ".join(name.split())
    if len(name) > 34:
        name = name[:33].rstrip() + "…"
    return f"{device.id} · {name}" if name and name != device.id else device.id


def _why_no_gpu(state: DeviceState) -> str:
    """Why there is no GPU; empty for a device that can be used."""
    return {
        DeviceState.PLUGIN_MISSING: translate(
            "DeviceChooser", "OpenVINO's GPU plug-in isn't installed, so only the CPU can be used."
        ),
        DeviceState.PLUGIN_FAILED: translate(
            "DeviceChooser",
            "OpenVINO's GPU plug-in is installed but can't be loaded; usually the graphics driver"
            " with its OpenCL library is missing.",
        ),
        DeviceState.NO_DEVICE: translate(
            "DeviceChooser", "OpenVINO's GPU plug-in works and finds no GPU that it supports."
        ),
    }.get(state, "")


def _why_cpu_only(outcome: ProbeOutcome) -> str:
    """Why no device but the CPU could be read; empty where all were."""
    return {
        ProbeOutcome.FAILED: translate(
            "DeviceChooser", "OpenVINO could not be asked for its devices; only the CPU is used."
        ),
        ProbeOutcome.TIMED_OUT: translate(
            "DeviceChooser",
            "Reading the devices did not end, which usually is a hanging graphics driver; only the"
            " CPU is used.",
        ),
        ProbeOutcome.CRASHED: translate(
            "DeviceChooser",
            "Reading the devices failed, which usually is a crash in the graphics driver; only the"
            " CPU is used.",
        ),
        ProbeOutcome.UNREADABLE: translate(
            "DeviceChooser",
            "Reading the devices gave an answer that can't be understood; only the CPU is used.",
        ),
    }.get(outcome, "")

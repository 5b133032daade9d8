"""The devices of this machine, and on which of them a model runs."""

import threading
from collections.abc import Callable

from app.core.settings import SettingsFile
from app.hardware.host import read_cpu_name
from app.hardware.readings import (
    CPU,
    DeviceInventory,
    DeviceReading,
    ProbeOutcome,
    cpu_reading,
)
from app.hardware.selection import (
    CertifiedDevice,
    DeviceChoice,
    DeviceWishes,
    choose_device,
    choose_for_llama,
)
from app.hardware.selector import Selector
from app.models.library import InstalledModel
from app.models.profile import Profile

Passed = Callable[[InstalledModel, Profile], tuple[CertifiedDevice, ...]]


class MachineDevices:
    """Reads the devices when they are first needed, and again after ``forget``.

    Args:
        probe: reads them; blocks for up to half a minute.
        settings_file: has the device that was chosen for all models.
        passed: the devices on which a model passed its checks.
    """

    def __init__(
        self, probe: Callable[[], DeviceInventory], settings_file: SettingsFile, passed: Passed
    ) -> None:
        self._probe = probe
        self._settings_file = settings_file
        self._passed = passed
        self._probing = threading.Lock()  # two probes at once would tell nothing more
        self._inventory: DeviceInventory | None = None

    def read(self) -> DeviceInventory:
        """All devices. Blocks if they weren't read yet. Any thread."""
        with self._probing:
            found = self._inventory
            if found is None:
                found = self._inventory = self._probe()
            return found

    def forget(self) -> None:
        """The machine slept, or its devices changed."""
        self._inventory = None

    def choose(self, model: InstalledModel, profile: Profile, wanted: str | None) -> DeviceChoice:
        """Decides where ``model`` runs, and says why.

        Raises:
            UserError: a device that was named can't be used.
        """
        by_hand = wanted or self._settings_file.load().default_device
        if model.backend == "llama":
            return choose_for_llama(by_hand)
        wishes = DeviceWishes.collect(by_hand=by_hand, profile=getattr(profile, "device", None))
        certified = self._passed(model, profile) if _is_automatic(wishes) else ()
        elsewhere = any(one.device != CPU for one in certified)
        inventory = self.read() if elsewhere else self._inventory_for(wishes)
        return choose_device(wishes, inventory, certified)

    def reading(self, device: str) -> DeviceReading:
        """What is known about a device that was chosen."""
        known = self.read().devices if device != CPU else ()
        found = (one for one in known if one.id == device)
        return next(found, cpu_reading(read_cpu_name()))

    def _inventory_for(self, wishes: DeviceWishes) -> DeviceInventory:
        """All devices, or the CPU alone where nobody asked for more: that costs no probe."""
        spoken = wishes.first()
        if spoken is not None:
            _, said_by, text = spoken
            if Selector.parse(text, said_by=said_by).device != CPU:
                return self.read()
        return DeviceInventory.cpu_only(read_cpu_name(), ProbeOutcome.COMPLETE, "")


def _is_automatic(wishes: DeviceWishes) -> bool:
    spoken = wishes.first()
    return spoken is None or Selector.parse(spoken[2], said_by=spoken[1]).device is None

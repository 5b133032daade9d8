"""Whether the machine slept, and which graphics devices and drivers it has: cheap to ask.

Asked for before the engine is used, so that nothing has to be told by the system. Reading it takes
less than a millisecond and loads no library; what the devices can do is another question.
"""

import ctypes
import sys
import time
from pathlib import Path
from typing import Final

from msgspec import Struct

_SLEPT_S: Final = 2.0
"""Two clocks read one after the other differ by less, without any sleep."""
_NODES: Final = Path("/dev/dri")
_DRIVERS: Final = (Path("/sys/module/i915"), Path("/sys/module/xe"), Path("/etc/OpenCL/vendors"))
_DISPLAY_CLASS: Final = (
    r"SYSTEM\CurrentControlSet\Control\Class\{4d36e968-e325-11ce-bfc1-08002be10318}"
)
_MOST_DEVICES: Final = 32


class Surroundings(Struct, frozen=True, kw_only=True):
    """``asleep_s``: all seconds of sleep since the start of the system. ``graphics``: devices and
    drivers, as the system names them.
    """

    asleep_s: float
    graphics: tuple[str, ...]

    def slept_since(self, before: "Surroundings") -> bool:
        return self.asleep_s - before.asleep_s > _SLEPT_S


def read_surroundings() -> Surroundings:
    """Never raises; what can't be read is left out."""
    return Surroundings(asleep_s=_asleep_s(), graphics=_graphics())


if sys.platform == "win32":
    import winreg

    def _asleep_s() -> float:
        """One clock goes on in sleep, the other doesn't."""
        kernel = ctypes.WinDLL("kernel32")
        kernel.GetTickCount64.restype = ctypes.c_uint64
        awake_100ns = ctypes.c_uint64()
        if not kernel.QueryUnbiasedInterruptTime(ctypes.byref(awake_100ns)):
            return 0.0
        return float(kernel.GetTickCount64()) / 1e3 - awake_100ns.value / 1e7

    def _graphics() -> tuple[str, ...]:
        found = []
        for number in range(_MOST_DEVICES):
            try:
                key = winreg.OpenKey(winreg.HKEY_LOCAL_MACHINE, f"{_DISPLAY_CLASS}\\{number:04d}")
                with key:
                    names = ("DriverDesc", "DriverVersion")
                    values = [str(winreg.QueryValueEx(key, name)[0]) for name in names]
            except OSError:
                continue
            found.append(" ".join(values))
        return tuple(found)

else:

    def _asleep_s() -> float:
        """One clock goes on in sleep, the other doesn't."""
        if not hasattr(time, "CLOCK_BOOTTIME"):
            return 0.0
        return time.clock_gettime(time.CLOCK_BOOTTIME) - time.clock_gettime(time.CLOCK_MONOTONIC)

    def _graphics() -> tuple[str, ...]:
        found = []
        for folder in (_NODES, *_DRIVERS):
            try:
                found += [
                    one.name if folder is _NODES else f"{one.name} {int(one.stat().st_mtime)}"
                    for one in folder.iterdir()
                ]
            except OSError:
                continue
        return tuple(sorted(found))

"""The machine itself: processor, memory, power. Nothing here starts a shell or another program."""

import sys
from enum import StrEnum
from pathlib import Path
from typing import Final

import psutil
from msgspec import Struct

_CPUINFO: Final = Path("/proc/cpuinfo")
_UNKNOWN_CPU: Final = "Processor"


class HostMemory(Struct, frozen=True, kw_only=True):
    """``available_bytes`` can be given to programs without swapping, right now."""

    total_bytes: int
    available_bytes: int


class PowerSource(StrEnum):
    """``UNKNOWN`` is also what a machine without a battery reports on some systems."""

    MAINS = "mains"
    BATTERY = "battery"
    UNKNOWN = "unknown"


class Power(Struct, frozen=True, kw_only=True):
    """``charge_percent`` is absent where there is no battery."""

    source: PowerSource
    charge_percent: float | None = None


class Host(Struct, frozen=True, kw_only=True):
    """``physical_cores`` is at least 1 and at most ``logical_cores``."""

    cpu_name: str
    physical_cores: int
    logical_cores: int
    memory: HostMemory
    power: Power


def read_host() -> Host:
    """Reads everything once."""
    logical = psutil.cpu_count(logical=True) or 1
    physical = psutil.cpu_count(logical=False) or logical
    return Host(
        cpu_name=read_cpu_name(),
        physical_cores=min(physical, logical),
        logical_cores=logical,
        memory=read_memory(),
        power=read_power(),
    )


def read_memory() -> HostMemory:
    """Reads how much memory the machine has and how much of it is available now."""
    memory = psutil.virtual_memory()
    return HostMemory(total_bytes=memory.total, available_bytes=memory.available)


def private_bytes(pid: int | None) -> int:
    """The memory that the end of a process would give back; 0 if there is no such process."""
    if pid is None:
        return 0
    try:
        memory = psutil.Process(pid).memory_info()
    except psutil.Error:
        return 0
    # Windows tells it; elsewhere it is what isn't shared with files and other processes.
    private: int = getattr(memory, "private", memory.rss - getattr(memory, "shared", 0))
    return max(private, 0)


def read_power() -> Power:
    """Reads whether the machine runs on its battery."""
    try:
        battery = psutil.sensors_battery() if hasattr(psutil, "sensors_battery") else None
    except (OSError, RuntimeError, ValueError):
        # Some drivers expose a battery that can't be read.
        return Power(source=PowerSource.UNKNOWN)
    if battery is None:
        return Power(source=PowerSource.MAINS)
    return _power_of(battery.percent, battery.power_plugged)


def _power_of(charge_percent: float, is_plugged: bool | None) -> Power:
    # psutil's type information leaves out the None, which is what an unknown state gives.
    if is_plugged is None:
        return Power(source=PowerSource.UNKNOWN, charge_percent=charge_percent)
    source = PowerSource.MAINS if is_plugged else PowerSource.BATTERY
    return Power(source=source, charge_percent=charge_percent)


def read_cpu_name() -> str:
    """The name that the processor gives itself, or a plain word where the system tells none."""
    return " ".join(_raw_cpu_name().split()) or _UNKNOWN_CPU


def _name_in_cpuinfo(path: Path) -> str:
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    for line in text.splitlines():
        key, _, value = line.partition(":")
        if key.strip() == "model name":
            return value
    return ""


if sys.platform == "win32":
    import winreg

    def _raw_cpu_name() -> str:
        try:
            with winreg.OpenKey(
                winreg.HKEY_LOCAL_MACHINE, r"HARDWARE\DESCRIPTION\System\CentralProcessor\0"
            ) as key:
                return str(winreg.QueryValueEx(key, "ProcessorNameString")[0])
        except OSError:
            return ""

else:

    def _raw_cpu_name() -> str:
        return _name_in_cpuinfo(_CPUINFO)

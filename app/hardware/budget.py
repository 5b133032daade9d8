"""How much memory a device may give to a model (rule OV-3)."""

from typing import Final

from msgspec import Struct

from app.core.errors import EnvironmentFault
from app.core.units import MIB
from app.hardware.host import HostMemory
from app.hardware.readings import DeviceReading

_RESERVE_FLOOR_BYTES: Final = 512 * MIB
_DISCRETE_RESERVE_SHARE: Final = 10
"""One tenth of a graphics card; the screen lives there too."""
_RESERVE_CAP_SHARE: Final = 4
"""Never more than a quarter, which matters on small devices."""


class MemoryBudget(Struct, frozen=True, kw_only=True):
    """What is free on a device now, and how much of that stays untouched.

    ``borrowed_from_host``: the device didn't say what is free, so the machine's memory counts.
    """

    device: str
    total_bytes: int
    free_bytes: int
    reserve_bytes: int
    shared_with_host: bool
    borrowed_from_host: bool = False

    @property
    def usable_bytes(self) -> int:
        return max(self.free_bytes - self.reserve_bytes, 0)


def memory_budget(reading: DeviceReading, host: HostMemory) -> MemoryBudget:
    """Works out the budget of a device.

    A device that shares the machine's memory and reports no free memory, or zero, has what the
    machine has available, capped at the device's total. One that reports free memory has no more
    than the machine has available either: it is the same memory.

    Raises:
        EnvironmentFault: ``no_memory_telemetry`` for a discrete GPU that doesn't report its memory.
    """
    if not reading.has_telemetry:
        raise EnvironmentFault(
            "no_memory_telemetry",
            f"{reading.full_name or reading.id} doesn't report how much memory it has and how much "
            "of it is free, so it can't be known whether a model fits.",
            "Choose another device, or update the graphics driver.",
        )
    if not reading.shared_with_host:
        total, free = reading.total_bytes or 0, reading.free_bytes or 0
        floor = max(_RESERVE_FLOOR_BYTES, total // _DISCRETE_RESERVE_SHARE)
        return MemoryBudget(
            device=reading.id,
            total_bytes=total,
            free_bytes=min(free, total),
            reserve_bytes=min(floor, total // _RESERVE_CAP_SHARE),
            shared_with_host=False,
        )
    total = _positive_or(reading.total_bytes, host.total_bytes)
    reported = _positive_or(reading.free_bytes, host.available_bytes)
    return MemoryBudget(
        device=reading.id,
        total_bytes=total,
        free_bytes=max(min(reported, host.available_bytes, total), 0),
        reserve_bytes=min(_RESERVE_FLOOR_BYTES, total // _RESERVE_CAP_SHARE),
        shared_with_host=True,
        borrowed_from_host=not (reading.free_bytes and reading.free_bytes > 0),
    )


def _positive_or(value: int | None, otherwise: int) -> int:
    return value if value is not None and value > 0 else otherwise

"""Says on which machine a figure was measured; no figure goes without it."""

import os
import platform

import msgspec

from app.hardware.host import read_host


class Machine(msgspec.Struct, frozen=True, kw_only=True):
    """The machine, and how busy it was when the measurement began."""

    cpu: str
    logical_cores: int
    memory_bytes: int
    system: str
    python: str
    load_average: float | None


def this_machine() -> Machine:
    host = read_host()
    return Machine(
        cpu=host.cpu_name,
        logical_cores=os.cpu_count() or 0,
        memory_bytes=host.memory.total_bytes,
        system=platform.platform(terse=True),
        python=platform.python_version(),
        load_average=os.getloadavg()[0] if hasattr(os, "getloadavg") else None,
    )

"""What a machine offers to run models on, as plain records.

The records are filled by ``engine/backends/openvino_devices.py`` in a short-lived process and read
by everything that selects, budgets or shows devices. An NPU is never a ``DeviceReading``: the
paged-attention path can't run on it, so it may appear as a name for diagnostics and nowhere else.
"""

from enum import StrEnum
from typing import Final, Self

from msgspec import Struct

CPU: Final = "CPU"
GPU: Final = "GPU"


class DeviceKind(StrEnum):
    """``UNKNOWN_GPU`` is the GPU row of a machine whose GPU can't be asked what it is."""

    CPU = "cpu"
    INTEGRATED_GPU = "integrated_gpu"
    DISCRETE_GPU = "discrete_gpu"
    UNKNOWN_GPU = "unknown_gpu"


class DeviceState(StrEnum):
    """Whether a device can be selected, and if not, where it stops.

    ``NO_DEVICE``: OpenVINO's GPU plug-in works and finds no GPU that it supports.
    ``PLUGIN_MISSING``: the plug-in isn't installed. ``PLUGIN_FAILED``: it is, and can't be loaded
    (usually no graphics driver), or fails when it is asked for its devices.
    """

    AVAILABLE = "available"
    NO_DEVICE = "no_device"
    PLUGIN_MISSING = "plugin_missing"
    PLUGIN_FAILED = "plugin_failed"


class DeviceReading(Struct, frozen=True, kw_only=True):
    """One device. ``explanation`` is a sentence for a person where the state needs one.

    ``id`` is OpenVINO's name (``CPU``, ``GPU``, ``GPU.1``). ``total_bytes`` and ``free_bytes`` are
    what the device itself reports, absent where it reports nothing; ``detail`` holds the library's
    own words for the diagnostic bundle. ``shared_with_host``: its memory is the machine's memory.
    """

    id: str
    full_name: str
    kind: DeviceKind
    total_bytes: int | None = None
    free_bytes: int | None = None
    shared_with_host: bool = False
    driver_version: str | None = None
    state: DeviceState = DeviceState.AVAILABLE
    explanation: str = ""
    detail: str = ""

    @property
    def is_gpu(self) -> bool:
        return self.kind is not DeviceKind.CPU

    @property
    def has_telemetry(self) -> bool:
        """Whether memory on it can be budgeted.

        A device that shares the machine's memory always can; a discrete one only if it reports
        both how much it has and how much of it is free.
        """
        return self.shared_with_host or bool(
            self.total_bytes
            and self.total_bytes > 0
            and self.free_bytes is not None
            and self.free_bytes > 0
        )


class ProbeOutcome(StrEnum):
    """How reading the devices ended. ``FAILED``: OpenVINO itself couldn't be loaded or asked."""

    COMPLETE = "complete"
    FAILED = "failed"
    CRASHED = "crashed"
    TIMED_OUT = "timed_out"
    UNREADABLE = "unreadable"


class DeviceInventory(Struct, frozen=True, kw_only=True):
    """All devices of a machine. The CPU is always among them.

    ``explanation`` says what happened when ``outcome`` isn't complete. ``npu_name`` is for
    diagnostics only.
    """

    devices: tuple[DeviceReading, ...]
    outcome: ProbeOutcome = ProbeOutcome.COMPLETE
    explanation: str = ""
    runtime_version: str | None = None
    npu_name: str | None = None

    @classmethod
    def cpu_only(cls, cpu_name: str, outcome: ProbeOutcome, explanation: str) -> Self:
        """The inventory of a machine whose devices couldn't be read."""
        return cls(devices=(cpu_reading(cpu_name),), outcome=outcome, explanation=explanation)

    def selectable(self) -> tuple[DeviceReading, ...]:
        """The devices that a person may choose, the CPU first."""
        return tuple(one for one in self.devices if one.state is DeviceState.AVAILABLE)

    def gpus(self) -> tuple[DeviceReading, ...]:
        """The GPUs that work, in OpenVINO's order."""
        return tuple(one for one in self.selectable() if one.is_gpu)

    def unavailable_gpu(self) -> DeviceReading | None:
        """The row that explains why there is no GPU, if there is one."""
        rows = (one for one in self.devices if one.state is not DeviceState.AVAILABLE)
        return next(rows, None)

    def find(self, device: str) -> DeviceReading | None:
        """The working device called ``device``; ``GPU`` and ``GPU.0`` name the same one.

        OpenVINO lists a single GPU as ``GPU`` and several as ``GPU.0``, ``GPU.1``.
        """
        names = {device, *({GPU, "GPU.0"} if device in (GPU, "GPU.0") else ())}
        return next((one for one in self.selectable() if one.id in names), None)


def cpu_reading(full_name: str, *, total_bytes: int | None = None) -> DeviceReading:
    """The row of the CPU, which shares the machine's memory and is always available."""
    return DeviceReading(
        id=CPU,
        full_name=full_name,
        kind=DeviceKind.CPU,
        total_bytes=total_bytes,
        shared_with_host=True,
    )

"""Asks OpenVINO for its devices. Runs in the short-lived process of ``engine/device_probe.py``.

A graphics driver can crash or hang in here, which is why nothing else calls ``read_inventory``.
What it returns is plain; the states are told apart by what exists and what answers, not by the
words of an error.
"""

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, Protocol

from app.hardware.host import read_cpu_name, read_memory
from app.hardware.readings import (
    GPU,
    DeviceInventory,
    DeviceKind,
    DeviceReading,
    DeviceState,
    cpu_reading,
)

# The names of OpenVINO's properties. AVAILABLE_DEVICE_MEM_SIZE and GPU_DRIVER_VERSION occur in the
# GPU plug-in but not in its list of supported properties (2026.4.1), so no answer is expected to be
# the usual case for them.
_FULL_NAME: Final = "FULL_DEVICE_NAME"
_TYPE: Final = "DEVICE_TYPE"
_TOTAL_BYTES: Final = "GPU_DEVICE_TOTAL_MEM_SIZE"
_FREE_BYTES: Final = "AVAILABLE_DEVICE_MEM_SIZE"
_DRIVER: Final = "GPU_DRIVER_VERSION"
_INDEXES: Final = "AVAILABLE_DEVICES"
_NPU: Final = "NPU"

_MAX_DETAIL: Final = 600


class PropertyReader(Protocol):
    """The two calls of ``openvino.Core`` that this module needs."""

    @property
    def available_devices(self) -> Sequence[str]: ...

    def get_property(self, device: str, name: str, /) -> Any: ...


def read_inventory() -> DeviceInventory:
    """Loads OpenVINO and reads all devices.

    Raises:
        ImportError, RuntimeError: OpenVINO can't be loaded or can't list its devices.
    """
    import openvino

    libraries = Path(openvino.__file__).parent / "libs"
    return read_devices(
        openvino.Core(),
        has_gpu_plugin=any(libraries.glob("*openvino_intel_gpu_plugin.*")),
        runtime_version=str(openvino.get_version()),
    )


def read_devices(
    core: PropertyReader, *, has_gpu_plugin: bool, runtime_version: str
) -> DeviceInventory:
    """Reads the devices through ``core``.

    Args:
        has_gpu_plugin: whether the file of the GPU plug-in is installed.
    """
    names = list(core.available_devices)
    gpus = tuple(_gpu(core, name) for name in names if name == GPU or name.startswith(f"{GPU}."))
    if not gpus:
        gpus = (_no_gpu(core, has_gpu_plugin=has_gpu_plugin),)
    cpu = cpu_reading(read_cpu_name(), total_bytes=read_memory().total_bytes)
    npus = [name for name in names if name.split(".")[0] == _NPU]
    return DeviceInventory(
        devices=(cpu, *gpus),
        runtime_version=runtime_version,
        npu_name=(_text(core, npus[0], _FULL_NAME) or _NPU) if npus else None,
    )


def _gpu(core: PropertyReader, name: str) -> DeviceReading:
    kind = _KIND_BY_TYPE.get((_text(core, name, _TYPE) or "").rpartition(".")[2].upper())
    return DeviceReading(
        id=name,
        full_name=_text(core, name, _FULL_NAME) or name,
        # Unknown is treated as discrete: then its memory must be reported to be used.
        kind=kind or DeviceKind.DISCRETE_GPU,
        total_bytes=_bytes(core, name, _TOTAL_BYTES),
        free_bytes=_bytes(core, name, _FREE_BYTES),
        shared_with_host=kind is DeviceKind.INTEGRATED_GPU,
        driver_version=_text(core, name, _DRIVER),
    )


_KIND_BY_TYPE: Final = {
    "INTEGRATED": DeviceKind.INTEGRATED_GPU,
    "DISCRETE": DeviceKind.DISCRETE_GPU,
}


def _no_gpu(core: PropertyReader, *, has_gpu_plugin: bool) -> DeviceReading:
    if not has_gpu_plugin:
        return _gpu_row(
            DeviceState.PLUGIN_MISSING,
            "OpenVINO's GPU plug-in isn't installed, so only the CPU can be used.",
        )
    try:
        core.get_property(GPU, _INDEXES)
    except RuntimeError as error:
        return _gpu_row(
            DeviceState.PLUGIN_FAILED,
            "OpenVINO's GPU plug-in is installed but can't be loaded; usually the graphics driver "
            "with its OpenCL library is missing.",
            detail=str(error),
        )
    return _gpu_row(
        DeviceState.NO_DEVICE,
        "OpenVINO's GPU plug-in works and finds no GPU that it supports.",
    )


def _gpu_row(state: DeviceState, explanation: str, *, detail: str = "") -> DeviceReading:
    return DeviceReading(
        id=GPU,
        full_name="",
        kind=DeviceKind.UNKNOWN_GPU,
        state=state,
        explanation=explanation,
        detail=re.sub(r"\s+", " ", detail).strip()[:_MAX_DETAIL],
    )


def _read(core: PropertyReader, device: str, name: str, convert: Callable[[Any], Any]) -> Any:
    try:
        return convert(core.get_property(device, name))
    except (RuntimeError, TypeError, ValueError):
        # Whether a property exists depends on device, driver and version; absent is an answer.
        return None


def _text(core: PropertyReader, device: str, name: str) -> str | None:
    text = _read(core, device, name, str)
    return " ".join(text.split()) or None if isinstance(text, str) else None


def _bytes(core: PropertyReader, device: str, name: str) -> int | None:
    value = _read(core, device, name, int)
    return value if isinstance(value, int) and value >= 0 else None

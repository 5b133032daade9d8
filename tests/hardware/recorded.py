"""Recorded answers of OpenVINO about devices that the machines of this project don't have."""

from pathlib import Path
from typing import Any

import msgspec

from app.core.units import GIB
from app.engine.backends.openvino_devices import read_devices
from app.hardware.host import HostMemory
from app.hardware.readings import DeviceInventory

_FOLDER = Path(__file__).parent / "readings"

NAMES = tuple(sorted(path.stem for path in _FOLDER.glob("*.json")))


class Recording(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A file of ``readings``; it says where its values come from and which are assumed."""

    recorded_from: str
    assumed: str
    available_devices: tuple[str, ...]
    properties: dict[str, dict[str, Any]]

    def get_property(self, device: str, name: str, /) -> Any:
        try:
            return self.properties[device][name]
        except KeyError:
            raise RuntimeError(f"Cannot get unsupported property: {name}") from None


def recording(name: str) -> Recording:
    return msgspec.json.decode((_FOLDER / f"{name}.json").read_bytes(), type=Recording)


def inventory(name: str) -> DeviceInventory:
    return read_devices(recording(name), has_gpu_plugin=True, runtime_version="2026.4.1")


def host_memory(available_gib: int, total_gib: int = 64) -> HostMemory:
    return HostMemory(total_bytes=total_gib * GIB, available_bytes=available_gib * GIB)

"""OpenVINO opens its plugins by file name beside ``openvino.dll``; no import names them."""

from pathlib import Path

from contenox_build.contents import openvino_parts
from PyInstaller.utils.hooks import get_package_paths

_libraries = Path(get_package_paths("openvino")[1]) / "libs"
_parts = openvino_parts(path.name for path in _libraries.iterdir())

binaries = [(str(_libraries / name), "openvino/libs") for name in _parts if name != "cache.json"]
datas = [(str(_libraries / name), "openvino/libs") for name in _parts if name == "cache.json"]

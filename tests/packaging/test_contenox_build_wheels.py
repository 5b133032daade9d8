"""The closure check on wheels: laid out as in a package, so that it finds what a package lacks."""

import importlib
import zipfile
from pathlib import Path
from typing import Any, Final

import pytest

from tests.packaging.pe_files import write_pe

pytest.importorskip("pefile")

errors: Any = importlib.import_module("contenox_build.errors")
wheels: Any = importlib.import_module("contenox_build.wheels")

RUNTIME: Final = (14, 51, 0, 0)
OPENVINO: Final = {
    "openvino/_pyopenvino.pyd": ["openvino.dll", "python313.dll"],
    "openvino/libs/openvino.dll": ["tbb12.dll", "msvcp140.dll"],
    "openvino/libs/tbb12.dll": ["kernel32.dll"],
    "openvino/libs/openvino_intel_npu_plugin.dll": ["ze_loader.dll"],
    "openvino/frontend/jax/py_jax_frontend.pyd": ["openvino_jax_frontend.dll"],
}
QT: Final = {
    "PySide6/QtCore.pyd": ["Qt6Core.dll"],
    "PySide6/QtQml.pyd": ["Qt6Qml.dll"],
    "PySide6/Qt6Core.dll": ["msvcp140.dll"],
    "PySide6/Qt6Charts.dll": ["Qt6Nowhere.dll"],
    "PySide6/designer.exe": ["Qt6Nowhere.dll"],
    "PySide6/msvcp140.dll": ["kernel32.dll"],
}


def _wheel(folder: Path, name: str, files: dict[str, list[str]], **options: Any) -> None:
    folder.mkdir(exist_ok=True)
    with zipfile.ZipFile(folder / f"{name}-1-cp313-cp313-win_amd64.whl", "w") as archive:
        for path, imports in files.items():
            archive.write(write_pe(folder / "scratch.dll", imports, **options), path)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "wheels"
    _wheel(place, "openvino", OPENVINO)
    _wheel(place, "PySide6_Essentials", QT)
    _wheel(
        place,
        "msvc_runtime",
        {"msvc_runtime-1.data/data/msvcp140.dll": []},
        version=RUNTIME,
    )
    # Builds only: what it lacks is of no interest.
    _wheel(place, "pyinstaller", {"PyInstaller/run.dll": ["nowhere.dll"]})
    return place


def test_wheels_in_order_are_found_in_order(folder: Path) -> None:
    assert wheels.check_wheels(folder) == []


@pytest.mark.parametrize("gone", ["openvino/libs/tbb12.dll", "openvino/libs/openvino.dll"])
def test_a_library_that_a_wheel_lost_is_missed(folder: Path, gone: str) -> None:
    _wheel(folder, "openvino", {path: names for path, names in OPENVINO.items() if path != gone})
    told = [finding.text for finding in wheels.check_wheels(folder)]
    assert told == [f"imports {gone.rpartition('/')[2]}, which is not in the package"]


def test_a_run_time_older_than_a_compiler_is_told(folder: Path) -> None:
    _wheel(folder, "openvino", OPENVINO, linker=(14, 99))
    told = [finding.text for finding in wheels.check_wheels(folder)]
    assert told == ["was made by 14.99; the run time is 14.51"]


def test_a_new_part_of_openvino_is_told(folder: Path) -> None:
    _wheel(folder, "openvino", OPENVINO | {"openvino/libs/openvino_new.dll": []})
    with pytest.raises(errors.PackagingError, match=r"openvino_new\.dll"):
        wheels.check_wheels(folder)


def test_a_folder_without_wheels_is_told(tmp_path: Path) -> None:
    with pytest.raises(errors.PackagingError, match="holds none"):
        wheels.check_wheels(tmp_path)

"""The closure check on the pinned wheels for Windows, where no package can be built.

    python packaging/contenox_build wheels FOLDER

FOLDER holds the wheels of the lock file; missing ones are downloaded by pip. Their programs and
libraries are laid out as PyInstaller lays them out, by the same lists, and checked as a package is.
Not in there, and so not checked: Python itself, its own modules, the programs, llama.cpp.
"""

import os
import re
import shutil
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Final

from contenox_build.closure import INTERNAL, Finding
from contenox_build.commands import run
from contenox_build.contents import (
    QT_MODULES,
    VC_RUNTIME_SHIPPED,
    is_excluded,
    is_wanted,
    openvino_parts,
)
from contenox_build.distributions import SHIPPED, WINDOWS_ONLY
from contenox_build.errors import PackagingError
from contenox_build.findings import check_names, check_programs
from contenox_build.pe import SUFFIXES, read_all
from contenox_build.project import PYTHON, WINDOWS_LOCK

# They come with Python.
OF_PYTHON: Final = frozenset({"python3.dll", f"python{PYTHON[0]}{PYTHON[1]}.dll"})

_OPENVINO: Final = "openvino/libs/"
_QT_LIBRARY: Final = re.compile(r"PySide6/(Qt6(\w+)|pyside6\.abi3)\.dll$")


def download(folder: Path) -> None:
    """Lets pip download what the lock file names, for Windows."""
    target = [f"--python-version={PYTHON[0]}{PYTHON[1]}", "--implementation=cp"]
    options = ["--require-hashes", "--no-deps", "--only-binary=:all:", "--platform=win_amd64"]
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "download"]
    log = folder / "download.log"
    run([*pip, *options, *target, "-d", str(folder), "-r", str(WINDOWS_LOCK)], os.environ, log)


def check_wheels(folder: Path) -> list[Finding]:
    """Lays out the wheels in ``folder`` and returns what is wrong.

    Raises:
        PackagingError: there are none, or OpenVINO brings a part that nobody decided about.
    """
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch)
        wheels = [wheel for wheel in sorted(folder.glob("*.whl")) if _ships(wheel)]
        if not wheels:
            raise PackagingError(f"{folder} holds none of the wheels that go into the package.")
        for wheel in wheels:
            _lay_out(wheel, root / INTERNAL)
        files = list(read_all(root))
        found = [*check_names(root), *check_programs(files, release=False)]
    missing_python = tuple(f"imports {name}, which is not in the package" for name in OF_PYTHON)
    return [finding for finding in found if finding.text not in missing_python]


def _ships(wheel: Path) -> bool:
    name = wheel.name.partition("-")[0].lower().replace("_", "-")
    return name in SHIPPED + WINDOWS_ONLY


def _lay_out(wheel: Path, internal: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        for name, place in _places(names):
            target = internal / place
            target.parent.mkdir(parents=True, exist_ok=True)
            with archive.open(name) as source, target.open("wb") as copy:
                shutil.copyfileobj(source, copy)


def _places(names: list[str]) -> Iterator[tuple[str, str]]:
    """Each member of a wheel that goes into the package, and where it comes to lie."""
    libraries = [name.removeprefix(_OPENVINO) for name in names if name.startswith(_OPENVINO)]
    openvino = set(openvino_parts(libraries))
    for name in names:
        path = PurePosixPath(name)
        if path.name.lower() in VC_RUNTIME_SHIPPED and ".data/data/" in name:
            yield name, path.name
        if path.suffix.lower() not in SUFFIXES - {".exe"} or not is_wanted(name, windows=True):
            continue
        if is_excluded(".".join(path.parent.parts)):
            continue
        if name.startswith(_OPENVINO) and path.name not in openvino:
            continue
        library = _QT_LIBRARY.match(name)
        if library and library[2] and f"Qt{library[2]}" not in QT_MODULES:
            continue
        if ".data/" in name or (name.startswith("PySide6/") and _is_elsewhere(path, library)):
            continue
        yield name, name


def _is_elsewhere(path: PurePosixPath, library: re.Match[str] | None) -> bool:
    """Whether a file of Qt's wheel is one that PyInstaller takes for no module of ours."""
    return not (library or path.suffix == ".pyd" or "plugins" in path.parts)

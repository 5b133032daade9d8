"""A Windows CPython out of the package registry, laid out in a folder.

The wheel ``panda3d`` has python.org's own libraries; the modules written in Python are the same on
every system and come from a Python 3.13 of this machine.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from contenox_build.commands import run
from contenox_build.errors import PackagingError
from contenox_build.project import PACKAGING, PYTHON, WINDOWS_LOCK

SOURCES: Final = PACKAGING / "wine"
COMPILER: Final = "x86_64-w64-mingw32-gcc"
# Without these bytes of a time stamp two builds are the same.
STAMPLESS: Final = "-Wl,--no-insert-timestamp"
SIGNER: Final = "CN=Python Software Foundation"

_DLL: Final = f"python{PYTHON[0]}{PYTHON[1]}.dll"
_LEFT_OUT: Final = shutil.ignore_patterns(
    "__pycache__", "config-*", "idlelib", "lib-dynload", "site-packages", "test", "turtledemo"
)
# Wine 8 lacks a function that this module needs; ``platform`` does without it.
_BROKEN: Final = frozenset({"_wmi.pyd"})
_LIBRARIES: Final = frozenset({"libffi-8.dll", "libcrypto-3.dll", "libssl-3.dll", "sqlite3.dll"})
_STDLIB: Final = """
import json, sys, sysconfig
print(json.dumps([sys.version.split()[0], sysconfig.get_path("stdlib")]))
"""


def standard_library() -> tuple[str, Path]:
    """Version and folder of the modules of a Python of the same minor version on this machine.

    Raises:
        PackagingError: there is none.
    """
    wanted = f"{PYTHON[0]}.{PYTHON[1]}"
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"), "versions")
    kept = sorted(pyenv.glob(f"{wanted}*/bin/python"), reverse=True)
    for candidate in (f"python{wanted}", *map(str, kept)):
        try:
            done = subprocess.run([candidate, "-c", _STDLIB], capture_output=True, check=False)
            version, folder = json.loads(done.stdout)
        except (OSError, ValueError):
            continue
        if version.startswith(f"{wanted}."):
            return version, Path(folder)
    raise PackagingError(
        f"Python for Wine needs the modules of a Python {wanted} and this machine has none; "
        f"install one, for example with: pyenv install {wanted}"
    )


def download(target: Path, log: Path) -> None:
    """Lets pip fetch what the Windows Python is made of.

    Raises:
        PackagingError: it can't be reached or isn't the pinned one.
    """
    _pip("download", SOURCES / "requirements.txt", log, "-d", target)


def install_locked(site_packages: Path, log: Path) -> None:
    """Installs what the lock file names for Windows.

    Raises:
        PackagingError: as ``download``.
    """
    # pip compares with the Python that runs it, not with the one it installs for.
    options = ["--ignore-requires-python", "--no-compile", "--target", site_packages]
    _pip("install", WINDOWS_LOCK, log, *options)


def lay_out(wheels: Path, library: Path, target: Path, log: Path) -> None:
    """Makes a Python that starts, without any package, at ``target``.

    Raises:
        PackagingError: a library isn't signed by python.org, or can't be made.
    """
    modules, extensions = target / "Lib", target / "DLLs"
    shutil.copytree(library, modules, ignore=_LEFT_OUT)
    (modules / "site-packages").mkdir()
    extensions.mkdir()
    with zipfile.ZipFile(next(wheels.glob("panda3d-*.whl"))) as wheel:
        for name in wheel.namelist():
            file = name.removeprefix("deploy_libs/")
            if file == _DLL:
                unpack(wheel, name, target / file)
            elif name != file and _is_extension(file):
                unpack(wheel, name, extensions / file)
    check_signed((target / _DLL, extensions / "_ctypes.pyd"))
    _compile_launchers(target, log)


def unpack(archive: zipfile.ZipFile, name: str, target: Path) -> None:
    with archive.open(name) as source, target.open("wb") as copy:
        shutil.copyfileobj(source, copy)


def check_signed(files: Iterable[Path]) -> None:
    """Whether the files carry the signature of the Python Software Foundation.

    Raises:
        PackagingError: one doesn't.
    """
    for file in files:
        text = _output(["osslsigncode", "verify", "-in", str(file)])
        # No chain of certificates is trusted here, so the command fails; it compares the contents.
        current = re.search(r"Current message digest\s*: (\w+)", text)
        calculated = re.search(r"Calculated message digest\s*: (\w+)", text)
        same = current and calculated and current[1] == calculated[1]
        if SIGNER not in text or not same:
            raise PackagingError(f"{file.name} is not as the {SIGNER[3:]} signed it.")


def _output(command: list[str]) -> str:
    """What a command prints; nothing if it isn't installed."""
    try:
        done = subprocess.run(command, capture_output=True, check=False)
    except OSError:
        return ""
    return done.stdout.decode("utf-8", "replace")


def _is_extension(file: str) -> bool:
    if file in _LIBRARIES:
        return True
    # "cp313t": for a Python without its global lock.
    return file.endswith(".pyd") and "313t" not in file and file not in _BROKEN


def _pip(command: str, requirements: Path, log: Path, *options: str | Path) -> None:
    place = ["--platform=win_amd64", f"--python-version={PYTHON[0]}{PYTHON[1]}"]
    pins = ["--implementation=cp", "--only-binary=:all:", "--no-deps", "--require-hashes"]
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", command]
    run([*pip, *place, *pins, "-r", requirements, *options], os.environ, log)


def _compile_launchers(target: Path, log: Path) -> None:
    """Makes ``python.exe`` and ``python3.dll``, which the wheel lacks."""
    scratch = target / "made"
    scratch.mkdir()
    exports = _output(["gendef", "-", str(target / _DLL)])
    names = re.findall(r"^([A-Za-z_]\w*)", exports.partition("EXPORTS")[2], re.MULTILINE)
    if not names:
        raise PackagingError(f"gendef finds no functions in {_DLL}; install mingw-w64-tools.")
    stem = _DLL.removesuffix(".dll")
    plain, forwards = scratch / f"{stem}.def", scratch / "python3.def"
    plain.write_text(exports, encoding="utf-8")
    lines = (f"{name}={stem}.{name}\n" for name in names)
    forwards.write_text("LIBRARY python3.dll\nEXPORTS\n" + "".join(lines), encoding="utf-8")
    imports = scratch / f"lib{stem}.a"
    tool = "x86_64-w64-mingw32-dlltool"
    run([tool, "-d", plain, "-l", imports, "-D", _DLL], os.environ, log)
    program = ["-municode", "-O1", "-s", STAMPLESS, "-o", target / "python.exe"]
    run([COMPILER, *program, SOURCES / "python.c", imports], os.environ, log)
    library = ["-shared", "-nostdlib", "-s", STAMPLESS, "-Wl,--entry=0"]
    run([COMPILER, *library, "-o", target / "python3.dll", forwards], os.environ, log)
    shutil.rmtree(scratch)

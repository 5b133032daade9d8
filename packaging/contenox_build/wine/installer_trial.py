"""Installs, upgrades, goes back, repairs and uninstalls under Wine; foreign files stay untouched.

An earlier version of a few files is installed first, then the real package over it.
"""

import os
import shutil
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from contenox_build import project
from contenox_build.archive import files_below, sha256_of
from contenox_build.commands import run
from contenox_build.environment import reproducible
from contenox_build.errors import PackagingError
from contenox_build.installer import build_installer
from contenox_build.wine.rig import Rig, windows_path, wine
from contenox_build.wine.windows_python import COMPILER, SOURCES, STAMPLESS

EARLIER: Final = "0.0.9"
# Letters outside ASCII, blanks, and as long as a careful person's folder may be.
PLACE: Final = "Prüfung Ünïcode 漢字 " + "lang " * 12 + "ende"
STILL_RUNS: Final = 3

_KEY: Final = r"HKCU\Software\Microsoft\Windows\CurrentVersion\Uninstall\Contenox"
_RUN_KEY: Final = r"HKCU\Software\Microsoft\Windows\CurrentVersion\Run"
_CALL: Final = "import subprocess, sys; sys.exit(subprocess.call(sys.argv[1]))"
_FINISH_S: Final = 300.0


@dataclass(frozen=True, slots=True)
class Trial:
    """Where things lie. ``package`` is the real one, ``installer`` was made from it."""

    rig: Rig
    package: Path
    installer: Path
    work: Path

    @property
    def place(self) -> Path:
        return self.rig.local_data / "Programs" / PLACE

    @property
    def start_menu(self) -> Path:
        roaming = self.rig.local_data.parent / "Roaming"
        return roaming / "Microsoft" / "Windows" / "Start Menu" / "Programs" / "Contenox"

    def windows(self, program: Path, *arguments: str, timeout_s: float = _FINISH_S) -> int:
        """Runs a program of Windows; returns its exit code."""
        return subprocess.run(
            [wine(), str(program), *arguments],
            env=self.rig.environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=timeout_s,
            check=False,
        ).returncode

    def installing(self, installer: Path, *options: str) -> subprocess.Popen[bytes]:
        """Starts an installation."""
        local = "\\".join(self.place.relative_to(self.rig.drive).parts)
        # The installer takes everything behind /D, blanks too, and wants it last and bare; Wine
        # would put quotes around it, so a Windows program makes the command line.
        line = f'"{windows_path(installer)}" {" ".join(["/S", *options])} /D=C:\\{local}'
        return subprocess.Popen(
            [*self.rig.python, "-I", "-c", _CALL, line],
            env=self.rig.environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )

    def install(self, installer: Path, *options: str) -> int:
        with self.installing(installer, *options) as process:
            process.communicate(timeout=_FINISH_S)
        return process.returncode

    def uninstall(self) -> int:
        """Takes it away, the models too."""
        code = self.windows(self.place / "uninstall.exe", "/S", "/MODELS")
        # It goes on as a copy of itself, which can delete it.
        _wait(lambda: not (self.place / "uninstall.exe").exists(), "The uninstaller doesn't end")
        return code

    def registry(self, name: str, key: str = _KEY) -> str | None:
        """A text of the registry, or nothing."""
        done = subprocess.run(
            [wine(), "reg", "query", key, "/v", name],
            env=self.rig.environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            check=False,
        )
        text = done.stdout.decode("utf-8", "replace")
        return text.partition("REG_SZ")[2].strip() or None


def run_all(trial: Trial) -> None:
    """Every step, in an order that a person's computer could see.

    Raises:
        PackagingError: something is not as it must be.
    """
    earlier = _earlier(trial)
    for name, step in (
        ("the earlier version is installed", lambda: _first(trial, earlier)),
        ("the upgrade keeps it beside the new one, and foreign files", lambda: _upgrade(trial)),
        ("one start goes back, and another one comes back", lambda: _back(trial)),
        ("an installation killed halfway leaves the old version whole", lambda: _killed(trial)),
        ("the same version again keeps the previous one", lambda: _repair(trial)),
        ("a running window is ended first", lambda: _running(trial)),
        ("the uninstaller takes what was written, and nothing else", lambda: _gone(trial)),
    ):
        began = time.monotonic()
        step()
        print(f"   {time.monotonic() - began:5.1f} s  installer: {name}", flush=True)


def _earlier(trial: Trial) -> Path:
    folder = trial.work / "earlier"
    (folder / "_internal").mkdir(parents=True, exist_ok=True)
    (folder / "_internal" / "only before.txt").write_text("old", encoding="utf-8")
    for name in (project.WINDOW, project.CONSOLE):
        made = ["-O1", "-s", STAMPLESS, "-o", folder / f"{name}.exe"]
        run([COMPILER, *made, SOURCES / "program.c"], os.environ, trial.rig.log)
    target = trial.work / f"contenox-{EARLIER}-setup.exe"
    environment = dict(os.environ) | reproducible(os.environ)
    build_installer(
        folder, target, version=EARLIER, environment=environment, work=trial.work / "nsis"
    )
    return target


def _first(trial: Trial, earlier: Path) -> None:
    shutil.rmtree(trial.place, ignore_errors=True)
    _demand(trial.install(earlier, "/AUTOSTART") == 0, "The earlier version isn't installed")
    _demand(trial.registry("DisplayVersion") == EARLIER, "Windows isn't told the version")
    started = trial.registry("Contenox", _RUN_KEY) or ""
    _demand(started.endswith('contenox-desktop.exe" --in-tray'), f"Autostart is {started!r}")
    _demand(_names(trial.start_menu) == ["Contenox.lnk"], "The Start menu has other entries")
    (trial.place / "mine.txt").write_text("mine", encoding="utf-8")
    (trial.place / "current" / "notes.txt").write_text("mine", encoding="utf-8")
    data = trial.rig.local_data / "Contenox"
    data.mkdir(exist_ok=True)
    (data / "settings.json").write_text("{}", encoding="utf-8")


def _upgrade(trial: Trial) -> None:
    _demand(trial.install(trial.installer) == 0, "The upgrade fails")
    _is_whole(trial)
    _demand(trial.registry("DisplayVersion") == project.version(), "Windows has the old version")
    previous = trial.place / "previous"
    _demand((previous / "_internal" / "only before.txt").is_file(), "The old version is gone")
    _demand((previous / "notes.txt").is_file(), "A foreign file is gone")
    links = ["Back to the previous version.lnk", "Contenox.lnk"]
    _demand(_names(trial.start_menu) == links, f"The Start menu has {_names(trial.start_menu)}")
    started = trial.registry("Contenox", _RUN_KEY)
    _demand(started is not None, "Who starts with Windows no longer does")


def _back(trial: Trial) -> None:
    rollback = trial.place / "rollback.exe"
    for version, here in ((EARLIER, False), (project.version(), True)):
        _demand(trial.windows(rollback, "/S") == 0, "Going back fails")
        _demand(trial.registry("DisplayVersion") == version, f"Windows isn't told {version}")
        shown = (trial.place / "current" / "_internal" / "base_library.zip").is_file()
        _demand(shown == here, "The versions were not exchanged")
    _is_whole(trial)


def _killed(trial: Trial) -> None:
    with trial.installing(trial.installer) as process:
        _wait(lambda: len(_names(trial.place / "new")) > 1, "Nothing is unpacked")
        name = trial.installer.name
        trial.windows(Path("taskkill"), "/F", "/IM", name)
        process.communicate(timeout=_FINISH_S)
    _demand((trial.place / "new").is_dir(), "It was finished before it was killed")
    _is_whole(trial)


def _repair(trial: Trial) -> None:
    damaged = trial.place / "current" / "contenox.exe"
    damaged.write_bytes(b"damaged")
    _demand(trial.install(trial.installer) == 0, "A repair fails")
    _is_whole(trial)
    _demand(not (trial.place / "new").exists(), "What was unpacked halfway is still there")
    previous = trial.place / "previous" / "_internal" / "only before.txt"
    _demand(previous.is_file(), "A repair costs the previous version")


def _running(trial: Trial) -> None:
    window = subprocess.Popen(
        [wine(), str(trial.place / "current" / f"{project.WINDOW}.exe")],
        env=trial.rig.environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        lock = trial.rig.local_data / "Contenox" / "window.lock"
        _wait(lock.exists, "The installed window doesn't open")
        # It listens a moment after it holds the lock.
        _demand(trial.install(trial.installer) == 0, "A running window stops the installation")
        _demand(window.wait(20) == 0, "The window was not ended in order")
    finally:
        if window.poll() is None:
            window.kill()
            window.wait()
    _is_whole(trial)


def _gone(trial: Trial) -> None:
    compiled = trial.rig.local_data / "Contenox" / "cache" / "compiled.blob"
    compiled.parent.mkdir(exist_ok=True)
    compiled.write_bytes(b"x")
    _demand(trial.uninstall() == 0, "The uninstaller fails")
    _demand(not compiled.exists(), "What was compiled from models is still there")
    left = [path.relative_to(trial.place).as_posix() for path in files_below(trial.place)]
    _demand(left == ["mine.txt", "previous/notes.txt"], f"Left are {left}")
    _demand(trial.registry("DisplayVersion") is None, "Windows still lists the program")
    _demand(trial.registry("Contenox", _RUN_KEY) is None, "It still starts with Windows")
    _demand(not trial.start_menu.exists(), "The Start menu still has it")
    settings = trial.rig.local_data / "Contenox" / "settings.json"
    _demand(settings.is_file(), "Settings are gone")


def _is_whole(trial: Trial) -> None:
    """What is installed is the package, byte for byte, without what makes it portable."""
    wanted = {path.relative_to(trial.package): path for path in files_below(trial.package)}
    del wanted[Path(project.PORTABLE_FLAG)]
    current = trial.place / "current"
    found = {path.relative_to(current): path for path in files_below(current)}
    found.pop(Path("files.txt"), None)
    differing = sorted(map(str, wanted.keys() ^ found.keys()))
    _demand(not differing, f"The installed files are others: {differing[:5]}")
    for name, path in wanted.items():
        _demand(sha256_of(path) == sha256_of(found[name]), f"{name} is installed damaged")


def _names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []


def _demand(holds: bool, otherwise: str) -> None:
    if not holds:
        raise PackagingError(f"{otherwise}.")


def _wait(ready: object, otherwise: str) -> None:
    assert callable(ready)
    ends = time.monotonic() + 60.0
    while not ready():
        _demand(time.monotonic() < ends, otherwise)
        time.sleep(0.05)

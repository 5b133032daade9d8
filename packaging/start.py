"""Sets everything up on a fresh machine and opens the window, or runs the tests.

    python packaging/start.py          installs, gets the starter model, opens the window
    python packaging/start.py test     installs, gets the starter model, runs the tests
    python packaging/start.py install  only installs what both need

Needs Python with pip and nothing else; standard library only. Everything goes into the virtual
environment it is started in, or into ``.venv`` beside this checkout. Runs again in seconds: what is
installed is known by a hash of the files that decide it.
"""

import ctypes.util
import hashlib
import os
import platform
import shutil
import subprocess
import sys
import venv
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LOCK = ROOT / "packaging" / "requirements.txt"
QUESTION = "What is the capital of France?"
OLDEST, NEWEST = (3, 11), (3, 13)

# All tests run two at a time; a file as a whole in one process, where its models are loaded once.
ALL_TESTS = ("-n", "2", "--dist", "loadfile")

# What Qt opens at run time on Linux, and the Debian package that has it.
QT_LIBRARIES = {
    "EGL": "libegl1",
    "GL": "libgl1",
    "xkbcommon": "libxkbcommon0",
    "xkbcommon-x11": "libxkbcommon-x11-0",
    "dbus-1": "libdbus-1-3",
    "fontconfig": "libfontconfig1",
    "xcb-cursor": "libxcb-cursor0",
    "xcb-icccm": "libxcb-icccm4",
    "xcb-image": "libxcb-image0",
    "xcb-keysyms": "libxcb-keysyms1",
    "xcb-randr": "libxcb-randr0",
    "xcb-render-util": "libxcb-render-util0",
    "xcb-shape": "libxcb-shape0",
    "xcb-xkb": "libxcb-xkb1",
}
# The window needs a font to draw with.
FONT_FOLDERS = ("/usr/share/fonts", "/usr/local/share/fonts")


def main(arguments: Sequence[str]) -> int:
    task = arguments[0] if arguments else "run"
    if task not in ("run", "test", "install"):
        print(__doc__, file=sys.stderr)
        return 2
    problem = python_problem() or qt_problem()
    if problem:
        print(problem, file=sys.stderr)
        return 1
    python = environment()
    install(python)
    has_llama = build_llama(python, required=bool(os.environ.get("CONTENOX_REQUIRE_LLAMA")))
    if task == "install":
        return 0
    if task == "test":
        return run_tests(python, arguments[1:], has_llama=has_llama)
    return run_program(python)


# --- what the system lacks ---


def python_problem() -> str | None:
    here = sys.version_info[:2]
    if OLDEST <= here <= NEWEST:
        return None
    return (
        f"This is Python {here[0]}.{here[1]}; Contenox needs 3.11, 3.12 or 3.13."
        " Start this script with one of them, for example: python3.13 packaging/start.py"
    )


def qt_problem() -> str | None:
    if platform.system() != "Linux":
        return None
    missing = sorted(
        {
            package
            for name, package in QT_LIBRARIES.items()
            if ctypes.util.find_library(name) is None
        }
    )
    if not any(
        Path(folder).is_dir() and any(Path(folder).rglob("*.ttf")) for folder in FONT_FOLDERS
    ):
        missing.append("fonts-dejavu-core")
    if not missing:
        return None
    sudo = "" if os.geteuid() == 0 else "sudo "
    return (
        "The window needs system libraries that are missing. Install them and start again:\n"
        f"  {sudo}apt-get update && {sudo}apt-get install -y --no-install-recommends "
        + " ".join(missing)
    )


def compiler_problem() -> str | None:
    if platform.system() == "Windows":
        # The build script looks for Visual Studio itself.
        return None
    if shutil.which("c++") or shutil.which("g++") or shutil.which("clang++"):
        return None
    sudo = "" if os.geteuid() == 0 else "sudo "
    return f"no C++ compiler; install one with: {sudo}apt-get install -y g++"


def has_display() -> bool:
    if platform.system() != "Linux":
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


# --- set up ---


def environment() -> Path:
    """Returns the Python of the environment to install into, which is made if need be."""
    if sys.prefix != sys.base_prefix:
        return Path(sys.executable)
    folder = ROOT / ".venv"
    python = folder / ("Scripts/python.exe" if platform.system() == "Windows" else "bin/python")
    if not python.exists():
        say(f"making a virtual environment in {folder}")
        venv.create(folder, with_pip=True)
    return python


def install(python: Path) -> None:
    stamp = python.parent.parent / "contenox-installed.txt"
    wanted = fingerprint(LOCK, ROOT / "pyproject.toml")
    if stamp.exists() and stamp.read_text() == wanted:
        return
    say("installing the packages (about 600 MB, once)")
    pip = [str(python), "-m", "pip", "--disable-pip-version-check", "install", "-q"]
    run([*pip, "--require-hashes", "--only-binary", ":all:", "-r", str(LOCK)])
    run([*pip, "--no-deps", "--no-build-isolation", "-e", str(ROOT)])
    stamp.write_text(wanted)


def build_llama(python: Path, *, required: bool) -> bool:
    """Builds the llama.cpp libraries once; returns whether that backend is there."""
    problem = compiler_problem()
    if problem is None:
        done = subprocess.run([python, ROOT / "packaging/llama/build_llama.py"], check=False)
        if done.returncode == 0:
            return True
        problem = "its build failed, see above"
    message = f"The llama.cpp backend is left out: {problem}"
    if required:
        sys.exit(message)
    print(message + " (OpenVINO works without it.)", file=sys.stderr)
    return False


def fingerprint(*files: Path) -> str:
    digest = hashlib.sha256(str(ROOT).encode())
    for file in files:
        digest.update(file.read_bytes())
    return digest.hexdigest()


# --- run ---


def run_program(python: Path) -> int:
    if subprocess.run([python, "-m", "app", "starter"], cwd=ROOT, check=False).returncode != 0:
        return 1
    if has_display():
        say(f'opening the window; to chat here instead: contenox chat "{QUESTION}"')
        return subprocess.run([python, "-m", "app"], cwd=ROOT, check=False).returncode
    say(f'there is no display, so the console answers: contenox chat "{QUESTION}"')
    return subprocess.run([python, "-m", "app", "chat", QUESTION], cwd=ROOT, check=False).returncode


def run_tests(python: Path, arguments: Sequence[str], *, has_llama: bool) -> int:
    extra = {"CONTENOX_REQUIRE_LLAMA": "1"} if has_llama else {}
    return subprocess.run(
        [python, "-m", "pytest", *(arguments or ALL_TESTS)],
        cwd=ROOT,
        env=os.environ | extra,
        check=False,
    ).returncode


def run(command: Sequence[str]) -> None:
    if subprocess.run(command, cwd=ROOT, check=False).returncode != 0:
        sys.exit("The installation failed; the message above says why. Mend it and start again.")


def say(text: str) -> None:
    print(f"== {text}", flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

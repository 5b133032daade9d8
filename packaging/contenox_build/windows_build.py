"""The steps on Windows before the package: Python, compiler, environment, llama.cpp."""

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from contenox_build import project, source_tree
from contenox_build.commands import run, say
from contenox_build.environment import cleaned
from contenox_build.errors import PackagingError
from contenox_build.visual_studio import find_visual_studio

WORK: Final = project.ROOT / "build" / "windows"
_MARKER: Final = "contenox-installed.txt"


def check_python(version: tuple[int, int, int], bits: int) -> None:
    """The build uses exactly one Python, since its parts go into the package.

    Raises:
        PackagingError: this is another one.
    """
    if version != project.PYTHON or bits != 64:
        wanted = ".".join(map(str, project.PYTHON))
        here = ".".join(map(str, version))
        raise PackagingError(
            f"The package is built with Python {wanted} for x64 and this is {here} ({bits} bit); "
            f"install it with: winget install Python.Python.3.13 --version {wanted}"
        )


def prepare(environment: Mapping[str, str], work: Path = WORK) -> Path:
    """Makes the environment of the build; returns its Python.

    It is kept, and made anew when the lock file or the Python changes.
    """
    folder = work / "venv"
    python = folder / "Scripts" / "python.exe"
    marker = folder / _MARKER
    wanted = f"{sys.version} {hashlib.sha256(project.WINDOWS_LOCK.read_bytes()).hexdigest()}"
    if marker.is_file() and marker.read_text(encoding="utf-8") == wanted:
        return python
    say("The environment, from the lock file")
    shutil.rmtree(folder, ignore_errors=True)
    log = work / "build.log"
    run([sys.executable, "-I", "-m", "venv", folder], environment, log)
    pip: list[str | Path] = [
        python,
        "-m",
        "pip",
        "--disable-pip-version-check",
        "install",
        "--no-deps",
    ]
    options = ["--require-hashes", "--only-binary", ":all:"]
    run([*pip, *options, "-r", project.WINDOWS_LOCK], environment, log)
    marker.write_text(wanted, encoding="utf-8")
    return python


def build(arguments: list[str], platform: str = sys.platform) -> int:
    """Prepares everything and hands over to ``package`` in the new environment.

    Args:
        arguments: those of the command ``package``.

    Raises:
        PackagingError: something is missing, or a step failed.
    """
    if platform != "win32":
        raise PackagingError(
            "The Windows package is built on Windows; here only its parts can be tried, with: "
            "python packaging/contenox_build package"
        )
    check_python(sys.version_info[:3], 64 if sys.maxsize > 2**32 else 32)
    environment = cleaned(os.environ)
    say("Visual Studio")
    studio = find_visual_studio(environment)
    print(f"   {studio.folder}, C++ tools {studio.tools_version}", flush=True)
    python = prepare(environment)
    say("llama.cpp, for each kind of processor (about 10 minutes, once)")
    script = project.PACKAGING / "llama" / "build_llama.py"
    run([python, script, "--all-variants"], studio.environment, WORK / "build.log")
    # git lies on the PATH of whoever started this, and on no other.
    source = source_tree.describe()
    found = ["--compiler-tools", studio.tools_version, "--commit", source.commit]
    found += ["--modified"] if source.modified else []
    return hand_over(python, ["package", *arguments, *found], environment)


def hand_over(python: Path, arguments: list[str], environment: Mapping[str, str]) -> int:
    """Runs a command of this package with ``python``; what it prints is seen."""
    folder = project.PACKAGING / "contenox_build"
    command = [str(python), "-I", str(folder), *arguments]
    return subprocess.run(command, env=dict(environment), check=False).returncode

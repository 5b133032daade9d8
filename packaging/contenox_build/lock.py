"""Makes ``requirements-windows.txt`` anew; needs uv, and runs on any platform."""

import os
import shutil
import tempfile
from pathlib import Path
from typing import Final

from contenox_build.commands import run
from contenox_build.errors import PackagingError
from contenox_build.project import PACKAGING, PYTHON, ROOT

# Never installed where the package is built: one calls home, the other is switched off.
LEFT_OUT: Final = ("openvino-telemetry", "hf-xet")


def command(target: Path) -> list[str]:
    """The command line of uv."""
    left_out = [word for name in LEFT_OUT for word in ("--no-emit-package", name)]
    return [
        "uv",
        "pip",
        "compile",
        "--quiet",
        "--python-platform=x86_64-pc-windows-msvc",
        f"--python-version={PYTHON[0]}.{PYTHON[1]}",
        "--generate-hashes",
        "--only-binary=:all:",
        "--no-emit-index-url",
        "--no-header",
        *left_out,
        str(ROOT / "pyproject.toml"),
        str(PACKAGING / "contenox_build" / "windows.in"),
        f"--output-file={target}",
    ]


def write_lock(target: Path) -> None:
    """Resolves the newest versions that the pins allow.

    Raises:
        PackagingError: uv is missing or finds no solution.
    """
    if shutil.which("uv") is None:
        raise PackagingError(
            "The lock file is made by uv; install it with: python -m pip install uv"
        )
    with tempfile.TemporaryDirectory() as scratch:
        run(command(target), os.environ, Path(scratch) / "lock.log")

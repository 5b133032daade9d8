"""Where things lie in the source tree, and the version, which is written in one place only."""

import re
from pathlib import Path
from typing import Final

from contenox_build.errors import PackagingError

ROOT: Final = Path(__file__).resolve().parents[2]
PACKAGING: Final = ROOT / "packaging"
SPEC: Final = PACKAGING / "contenox.spec"
WINDOWS_LOCK: Final = PACKAGING / "requirements-windows.txt"
WINDOWS_RESOURCES: Final = ROOT / "resources" / "windows"

WINDOW: Final = "contenox-desktop"
CONSOLE: Final = "contenox"
# What is unpacked from the zip is portable; the installer leaves this file out.
PORTABLE_FLAG: Final = "portable.flag"

# Later patch versions of 3.13 would do, but two of them make two different packages.
PYTHON: Final = (3, 13, 11)

# The time that goes into archives and executables, unless SOURCE_DATE_EPOCH says another one.
EPOCH: Final = 1_767_225_600  # 2026-01-01T00:00:00Z


def version() -> str:
    """The program's version, read without importing the program."""
    text = (ROOT / "app" / "__init__.py").read_text(encoding="utf-8")
    found = re.search(r'^__version__ = "([^"]+)"$', text, re.MULTILINE)
    if found is None:
        raise PackagingError("app/__init__.py has no __version__ line; restore it.")
    return found[1]

"""Signs what has no signature yet, with Windows' own signtool."""

import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from contenox_build.commands import run
from contenox_build.errors import PackagingError

TIMESTAMP_VARIABLE: Final = "CONTENOX_TIMESTAMP_URL"
# A command line has an end: so many files are signed at once.
_BATCH: Final = 40


def find_signtool(environment: Mapping[str, str]) -> Path:
    """The newest signtool of the installed Windows kits.

    Raises:
        PackagingError: there is none.
    """
    kits = Path(environment.get("PROGRAMFILES(X86)", "C:/Program Files (x86)")) / "Windows Kits"
    found = sorted(
        kits.glob("10/bin/10.*/x64/signtool.exe"),
        key=lambda path: [int(part) for part in path.parts[-3].split(".")],
    )
    if not found:
        raise PackagingError(
            "Signing needs signtool.exe; add the Windows SDK in the Visual Studio Installer."
        )
    return found[-1]


def command(signtool: Path, certificate: str, timestamp: str) -> list[str]:
    """The command line that files are added to."""
    chosen = ["/sha1", certificate] if certificate else ["/a"]
    stamped = ["/tr", timestamp, "/td", "SHA256"] if timestamp else []
    return [str(signtool), "sign", "/fd", "SHA256", *chosen, *stamped]


def line(certificate: str, environment: Mapping[str, str]) -> str:
    """The command line as one text, for NSIS, which signs what it makes.

    Raises:
        PackagingError: there is no signtool.
    """
    words = command(
        find_signtool(environment), certificate, environment.get(TIMESTAMP_VARIABLE, "")
    )
    return subprocess.list2cmdline(words)


def sign(
    files: Sequence[Path], certificate: str, environment: Mapping[str, str], log: Path
) -> None:
    """Signs ``files``, time-stamped by the service that ``CONTENOX_TIMESTAMP_URL`` names."""
    signtool = find_signtool(environment)
    words = command(signtool, certificate, environment.get(TIMESTAMP_VARIABLE, ""))
    for first in range(0, len(files), _BATCH):
        run([*words, *files[first : first + _BATCH]], environment, log)

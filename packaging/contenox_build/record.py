"""What a package was built from and with, written beside it."""

import dataclasses
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from contenox_build.errors import PackagingError

FORMAT: Final = 2
MICROSOFT: Final = "MSVC"


@dataclass(frozen=True, slots=True)
class BuildRecord:
    """The record of one build. Hashes are those before signing, which two builds share."""

    version: str
    commit: str
    modified: bool
    """Whether the source tree held changes that are in no commit."""
    platform: str
    python: str
    epoch: int
    lock_sha256: str
    starter_sha256: str
    llama_version: str
    llama_compiler: str
    """``MSVC ...`` in a release; another compiler is a stand-in that -Verify refuses."""
    compiler_tools: str
    """The version of Visual Studio's C++ tools, empty elsewhere."""
    signed: bool
    size_bytes: int
    size_without_starter_bytes: int
    distributions: tuple[str, ...] = ()
    stand_ins: tuple[str, ...] = ()
    """What is not as in a release, each in a few words; -Verify refuses a package with any."""
    files: dict[str, str] = field(default_factory=dict)
    format: int = FORMAT


def write_record(record: BuildRecord, target: Path) -> None:
    text = json.dumps(dataclasses.asdict(record), indent=1, sort_keys=True) + "\n"
    target.write_text(text, encoding="utf-8", newline="\n")


def read_record(source: Path) -> BuildRecord:
    """Reads a record.

    Raises:
        PackagingError: it can't be read, or is of another version of this script.
    """
    try:
        values = json.loads(source.read_text(encoding="utf-8"))
        for name in ("distributions", "stand_ins"):
            values[name] = tuple(values[name])
        record = BuildRecord(**values)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise PackagingError(
            f"{source} is no build record that can be read; build the package again."
        ) from error
    if record.format != FORMAT:
        raise PackagingError(f"{source} was written by another version of this script.")
    return record

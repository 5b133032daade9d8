"""Reads a Windows program or library as far as the checks need it; needs pefile."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

SUFFIXES: Final = frozenset({".exe", ".dll", ".pyd"})
X86_64: Final = 0x8664
_CODEVIEW: Final = 2  # IMAGE_DEBUG_TYPE_CODEVIEW


@dataclass(frozen=True, slots=True)
class PeFile:
    """One program or library. Names of imported libraries are in lower case."""

    path: str
    """Relative to the package, with ``/``."""
    machine: int
    linker: tuple[int, int]
    imports: tuple[str, ...]
    delayed: tuple[str, ...]
    file_version: tuple[int, int, int, int] | None
    signed: bool
    debug_paths: tuple[str, ...]

    @property
    def name(self) -> str:
        return self.path.rpartition("/")[2].lower()

    @property
    def folder(self) -> str:
        return self.path.rpartition("/")[0].lower()


def read_all(folder: Path) -> Iterator[PeFile]:
    """Reads each program and library below ``folder``."""
    for path in sorted(folder.rglob("*")):
        if path.suffix.lower() in SUFFIXES and path.is_file():
            yield read(path, path.relative_to(folder).as_posix())


def read(file: Path, path: str) -> PeFile:
    """Reads ``file``, which lies at ``path`` in the package."""
    import pefile  # type: ignore[import-untyped,unused-ignore]

    wanted = ("IMPORT", "DELAY_IMPORT", "DEBUG", "RESOURCE")
    parsed = pefile.PE(str(file), fast_load=True)
    try:
        numbers = [pefile.DIRECTORY_ENTRY[f"IMAGE_DIRECTORY_ENTRY_{name}"] for name in wanted]
        parsed.parse_data_directories(numbers)
        security = parsed.OPTIONAL_HEADER.DATA_DIRECTORY[
            pefile.DIRECTORY_ENTRY["IMAGE_DIRECTORY_ENTRY_SECURITY"]
        ]
        return PeFile(
            path=path,
            machine=parsed.FILE_HEADER.Machine,
            linker=(
                parsed.OPTIONAL_HEADER.MajorLinkerVersion,
                parsed.OPTIONAL_HEADER.MinorLinkerVersion,
            ),
            imports=_names(parsed, "DIRECTORY_ENTRY_IMPORT"),
            delayed=_names(parsed, "DIRECTORY_ENTRY_DELAY_IMPORT"),
            file_version=_file_version(parsed),
            signed=security.Size > 0,
            debug_paths=tuple(_debug_paths(parsed)),
        )
    finally:
        parsed.close()


def _names(parsed: Any, table: str) -> tuple[str, ...]:
    return tuple(entry.dll.decode("ascii").lower() for entry in getattr(parsed, table, ()))


def _file_version(parsed: Any) -> tuple[int, int, int, int] | None:
    for info in getattr(parsed, "VS_FIXEDFILEINFO", ()):
        high, low = info.FileVersionMS, info.FileVersionLS
        return (high >> 16, high & 0xFFFF, low >> 16, low & 0xFFFF)
    return None


def _debug_paths(parsed: Any) -> Iterator[str]:
    for entry in getattr(parsed, "DIRECTORY_ENTRY_DEBUG", ()):
        if entry.struct.Type == _CODEVIEW and entry.entry is not None:
            name: bytes = getattr(entry.entry, "PdbFileName", b"")
            yield name.rstrip(b"\0").decode("utf-8", "replace")

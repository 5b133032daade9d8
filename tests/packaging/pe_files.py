"""Makes small programs for Windows, with the imports, version and signature that a test asks for.

The layout is that of Microsoft's description of the PE format: one section holds the import table,
the delayed one and the version resource.
"""

import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Final

_BASE: Final = 0x1000  # where the section lies in memory
_RAW: Final = 0x400  # and in the file
_RT_VERSION: Final = 16
_DIRECTORIES: Final = 16
_IMPORT, _RESOURCE, _SECURITY, _DELAYED = 1, 2, 4, 13


def write_pe(
    path: Path,
    imports: Sequence[str] = (),
    *,
    delayed: Sequence[str] = (),
    version: tuple[int, int, int, int] | None = None,
    linker: tuple[int, int] = (14, 44),
    machine: int = 0x8664,
    signed: bool = False,
) -> Path:
    """Writes a program to ``path``, whose folder is made."""
    section = bytearray(8)
    directories = {
        _IMPORT: _import_table(section, imports),
        _DELAYED: _delayed_table(section, delayed),
        _RESOURCE: _version_resource(section, version),
    }
    section += bytes(-len(section) % 0x200)
    if signed:
        directories[_SECURITY] = (_RAW + len(section), 8)
    table = b"".join(
        struct.pack("<II", *directories.get(index, (0, 0))) for index in range(_DIRECTORIES)
    )
    size = 0x1000 + len(section)
    optional = struct.pack(
        "<HBBIIIIIQIIHHHHHHIIIIHHQQQQII",
        *(0x20B, *linker, 0, len(section), 0, 0, 0, 0x1_8000_0000, 0x1000, 0x200),
        *(6, 0, 0, 0, 6, 0, 0, size + -size % 0x1000, _RAW, 0, 3, 0x160),
        *(0x100000, 0x1000, 0x100000, 0x1000, 0, _DIRECTORIES),
    )
    header = struct.pack("<HHIIIHH", machine, 1, 0, 0, 0, len(optional) + len(table), 0x2022)
    one = struct.pack(
        "<8sIIIIIIHHI", b".rdata", len(section), _BASE, len(section), _RAW, 0, 0, 0, 0, 0x40000040
    )
    dos = b"MZ" + bytes(58) + struct.pack("<I", 64)
    data = dos + b"PE\0\0" + header + optional + table + one
    data += bytes(_RAW - len(data)) + section + (bytes(8) if signed else b"")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def _place(section: bytearray, data: bytes) -> int:
    """Adds ``data`` and returns its address in memory."""
    section += bytes(-len(section) % 8)
    address = _BASE + len(section)
    section += data
    return address


def _one_function(section: bytearray) -> int:
    """A list of one imported function, by its number."""
    return _place(section, struct.pack("<QQ", 1 << 63 | 1, 0))


def _import_table(section: bytearray, names: Sequence[str]) -> tuple[int, int]:
    entries = b""
    for name in names:
        functions = _one_function(section)
        text = _place(section, name.encode("ascii") + b"\0")
        entries += struct.pack("<IIIII", functions, 0, 0, text, functions)
    return (_place(section, entries + bytes(20)), len(entries) + 20) if names else (0, 0)


def _delayed_table(section: bytearray, names: Sequence[str]) -> tuple[int, int]:
    entries = b""
    for name in names:
        functions = _one_function(section)
        text = _place(section, name.encode("ascii") + b"\0")
        entries += struct.pack("<IIIIIIII", 1, text, 0, functions, functions, 0, 0, 0)
    return (_place(section, entries + bytes(32)), len(entries) + 32) if names else (0, 0)


def _version_resource(
    section: bytearray, version: tuple[int, int, int, int] | None
) -> tuple[int, int]:
    if version is None:
        return (0, 0)
    major, minor, build, revision = version
    high, low = major << 16 | minor, build << 16 | revision
    fixed = struct.pack("<13I", 0xFEEF04BD, 0x10000, high, low, high, low, *([0] * 7))
    key = "VS_VERSION_INFO".encode("utf-16-le") + b"\0\0"
    info = struct.pack("<HHH", 40 + len(fixed), len(fixed), 0) + key + bytes(2) + fixed
    address = _place(section, info)
    # Three levels, for kind, number and language, each with one entry.
    level = struct.pack("<IIHHHH", 0, 0, 0, 0, 0, 1)
    tree = level + struct.pack("<II", _RT_VERSION, 0x8000_0000 | 24)
    tree += level + struct.pack("<II", 1, 0x8000_0000 | 48)
    tree += level + struct.pack("<II", 0x409, 72)
    tree += struct.pack("<IIII", address, len(info), 0, 0)
    return _place(section, tree), len(tree)

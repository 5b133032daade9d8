"""Makes ``resources/windows/contenox.ico`` from the program's SVG; needs PySide6.

    python packaging/contenox_build icon

The result is checked in: drawing differs a little between versions of Qt, and a build shall not.
"""

import struct
from pathlib import Path
from typing import Final

# What Windows asks for at 100 to 400 % scaling, in lists, on the task bar and as large icons.
SIZES: Final = (16, 20, 24, 32, 40, 48, 64, 96, 128, 256)

_HEADER: Final = struct.Struct("<HHH")
_ENTRY: Final = struct.Struct("<BBBBHHII")


def write_icon(svg: Path, target: Path) -> None:
    """Draws ``svg`` in every size and writes them as one icon file."""
    target.write_bytes(icon_bytes([(size, draw(svg, size)) for size in SIZES]))


def draw(svg: Path, size: int) -> bytes:
    """Draws ``svg`` as a PNG of ``size`` by ``size`` pixels."""
    from PySide6.QtCore import QBuffer, QByteArray, QIODevice
    from PySide6.QtGui import QImage, QPainter
    from PySide6.QtSvg import QSvgRenderer

    image = QImage(size, size, QImage.Format.Format_ARGB32)
    image.fill(0)
    painter = QPainter(image)
    QSvgRenderer(str(svg)).render(painter)
    painter.end()
    data = QByteArray()
    buffer = QBuffer(data)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")  # type: ignore[call-overload]  # the stubs want bytes, Qt wants str
    buffer.close()
    return bytes(data.data())


def icon_bytes(images: list[tuple[int, bytes]]) -> bytes:
    """An icon file of PNG images, each with its size in pixels."""
    offset = _HEADER.size + _ENTRY.size * len(images)
    entries, data = [], []
    for size, png in images:
        # A side of 256 is written as 0.
        entries.append(_ENTRY.pack(size % 256, size % 256, 0, 0, 1, 32, len(png), offset))
        data.append(png)
        offset += len(png)
    return b"".join([_HEADER.pack(0, 1, len(images)), *entries, *data])


def icon_sizes(data: bytes) -> list[int]:
    """The sizes in an icon file."""
    count = _HEADER.unpack_from(data)[2]
    sides = [
        _ENTRY.unpack_from(data, _HEADER.size + _ENTRY.size * index)[0] for index in range(count)
    ]
    return [side or 256 for side in sides]

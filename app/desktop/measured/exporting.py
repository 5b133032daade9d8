"""What was measured, as a file: the picture, the certificates, or a page to read."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import msgspec
from PySide6.QtCore import QMargins, QPoint, QRect
from PySide6.QtGui import QImage, QPainter, QRegion
from PySide6.QtWidgets import QWidget

from app.certify.certificate import Certificate
from app.certify.render import render_export
from app.core.errors import EnvironmentFault
from app.core.files import write_atomic

SUFFIXES: Final = ("png", "json", "md")
_MARGIN: Final = 20
_SCALE: Final = 2  # a picture for print and for sharp screens


def write_certificates(certificates: Sequence[Certificate], target: Path) -> None:
    """Writes JSON where the name of ``target`` says so, else Markdown; raises as ``write_atomic``.

    Blocks.
    """
    if target.suffix.lower() == ".json":
        text = msgspec.json.format(msgspec.json.encode(list(certificates)), indent=2) + b"\n"
    else:
        text = render_export(certificates).encode()
    write_atomic(target, text)


def paint(widget: QWidget) -> QImage:
    """``widget`` as it is shown, twice as sharp. On the GUI thread."""
    size = widget.size().grownBy(QMargins(_MARGIN, _MARGIN, _MARGIN, _MARGIN))
    image = QImage(size * _SCALE, QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(_SCALE)
    painter = QPainter(image)
    painter.fillRect(QRect(QPoint(), size), widget.palette().window())
    corner = QPoint(_MARGIN, _MARGIN)
    widget.render(painter, corner, QRegion(), QWidget.RenderFlag.DrawChildren)
    painter.end()
    return image


def write_picture(image: QImage, target: Path) -> None:
    """Writes a PNG. Blocks.

    Raises:
        EnvironmentFault: ``export_failed``.
    """
    if not image.save(str(target), "PNG"):  # type: ignore[call-overload]  # its types want bytes
        raise EnvironmentFault(
            "export_failed",
            f"The picture couldn't be written to {target}.",
            "Choose a folder that you may write to.",
        )

"""Paints formulas in a line of text so that they stand on its baseline."""

from typing import Final

from PySide6.QtCore import QByteArray, QRectF, QSizeF, Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetrics,
    QImage,
    QPainter,
    QPyTextObject,
    QTextCharFormat,
    QTextDocument,
    QTextFormat,
)
from PySide6.QtSvg import QSvgRenderer

from app.desktop.markdown.math import INK, SetFormula

FORMULA_OBJECT: Final = QTextFormat.ObjectTypes.UserObject.value + 1
# The formula font looks smaller than interface fonts of the same size.
FORMULA_SCALE: Final = 1.12
_NUMBER: Final = QTextFormat.Property.UserProperty.value + 1


class FormulaPainter(QPyTextObject):
    """Draws the formulas of one document.

    Qt lets an object stand on the baseline or stand with its middle half an x-height above it. A
    formula that hangs little below the baseline takes the first and hangs into the space between
    the lines; a deep one takes the second, in a box that is padded until its baseline fits.
    """

    def __init__(self, colour: QColor, ratio: float) -> None:
        super().__init__()
        self._colour = colour
        self._ratio = ratio
        self._entries: list[tuple[QImage, QSizeF, float]] = []  # picture, box, its place in it

    def clear(self) -> None:
        self._entries = []

    def add(
        self, formula: SetFormula, scale: float, font: QFont, room: float | None
    ) -> QTextCharFormat:
        """Returns the format of the character that stands for ``formula``.

        ``room`` is how far it may hang below the line of text without needing space there; a
        formula that stands alone has none to care for.
        """
        above, below = (formula.height - formula.depth) * scale, formula.depth * scale
        metrics = QFontMetrics(font)
        look = QTextCharFormat()
        look.setFont(font)
        look.setObjectType(FORMULA_OBJECT)
        look.setProperty(_NUMBER, len(self._entries))
        height, top = above, 0.0
        if room is None:
            height = above + below
        elif below > metrics.descent() + room:
            half_x = metrics.xHeight() / 2
            height = max(2 * above - half_x, 2 * below + half_x)
            top = (height + half_x) / 2 - above
            look.setVerticalAlignment(QTextCharFormat.VerticalAlignment.AlignMiddle)
        picture = self._picture(formula, scale)
        self._entries.append((picture, QSizeF(formula.width * scale, height), top))
        return look

    def _picture(self, formula: SetFormula, scale: float) -> QImage:
        width, height = formula.width * scale, formula.height * scale
        image = QImage(
            max(1, round(width * self._ratio + 0.49)),
            max(1, round(height * self._ratio + 0.49)),
            QImage.Format.Format_ARGB32_Premultiplied,
        )
        image.setDevicePixelRatio(self._ratio)
        image.fill(Qt.GlobalColor.transparent)
        painter = QPainter(image)
        svg = formula.svg.replace(INK, self._colour.name())
        renderer = QSvgRenderer(QByteArray(svg.encode()))
        renderer.render(painter, QRectF(0, 0, width, height))
        painter.end()
        return image

    def intrinsicSize(  # noqa: N802  # Qt's name
        self, _document: QTextDocument, _position: int, look: QTextFormat
    ) -> QSizeF:
        number = int(look.property(_NUMBER))
        return self._entries[number][1] if number < len(self._entries) else QSizeF(0, 0)

    def drawObject(  # noqa: N802  # Qt's name
        self,
        painter: QPainter,
        area: QRectF | object,
        _document: QTextDocument,
        _position: int,
        look: QTextFormat,
    ) -> None:
        number = int(look.property(_NUMBER))
        if number < len(self._entries) and isinstance(area, QRectF):
            picture, _, top = self._entries[number]
            ratio = picture.devicePixelRatio()
            # On whole pixels of the screen: between two of them it would be blurred.
            x = round(area.x() * ratio) / ratio
            y = round((area.y() + top) * ratio) / ratio
            size = picture.deviceIndependentSize()
            painter.drawImage(QRectF(x, y, size.width(), size.height()), picture)

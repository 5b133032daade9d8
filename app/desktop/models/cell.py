"""Paints one cell: a mark, a line or two of text, a bar."""

from typing import Final

from PySide6.QtCore import (
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPointF,
    QRect,
    QRectF,
    QSize,
    Qt,
)
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPen
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from app.desktop.models.table_model import Column, Role, Tone
from app.desktop.theme import Theme

_MARGIN: Final = 12
_MARK: Final = 9
_GAP: Final = 7
_BAR: Final = 5
_PADDING: Final = 9
_SMALLER: Final = 0.9


class CellDelegate(QStyledItemDelegate):
    """All columns share it, so that lines of text stand on the same height everywhere."""

    def __init__(self, theme: Theme, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._theme = theme

    def sizeHint(  # noqa: N802  Qt's name
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> QSize:
        """As high as two lines, whatever the scaling."""
        height = option.fontMetrics.height() + QFontMetrics(_smaller(option.font)).height()
        text = str(index.data() or "")
        width = option.fontMetrics.horizontalAdvance(text) + 2 * _MARGIN + _MARK + _GAP
        return QSize(width, height + 2 * _PADDING + 2)

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        colours = self._theme.colours
        state = option.state
        rect: QRect = option.rect
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if state & QStyle.StateFlag.State_Selected:
            painter.fillRect(rect, QColor(colours.question))
        painter.fillRect(QRect(rect.left(), rect.bottom(), rect.width(), 1), QColor(colours.border))
        if state & QStyle.StateFlag.State_HasFocus and index.column() == Column.NAME:
            painter.fillRect(
                QRect(rect.left(), rect.top(), 3, rect.height()), QColor(colours.accent)
            )
        inner = rect.adjusted(_MARGIN, 0, -_MARGIN, -1)
        self._paint_content(painter, option, index, inner)
        painter.restore()

    def _paint_content(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
        inner: QRect,
    ) -> None:
        tone = Tone(index.data(Role.TONE) or 0)
        text = str(index.data() or "")
        second, fraction = index.data(Role.SECOND), index.data(Role.FRACTION)
        font = QFont(option.font)
        marked = index.column() in (Column.FITS, Column.STATE) and bool(text) and fraction is None
        if marked:
            paint_mark(
                painter,
                self._theme,
                tone,
                QPointF(inner.left() + _MARK / 2, inner.center().y() + 1),
            )
            inner = inner.adjusted(_MARK + _GAP, 0, 0, 0)
        if second is not None:
            self._two_lines(painter, font, inner, text, str(second))
        elif fraction is not None:
            self._bar(painter, font, inner, text, float(fraction), tone)
        else:
            self._one_line(painter, font, inner, text, tone, index)

    def _one_line(
        self,
        painter: QPainter,
        font: QFont,
        inner: QRect,
        text: str,
        tone: Tone,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        faint = tone is Tone.FAINT or index.column() == Column.BACKEND
        painter.setFont(font)
        painter.setPen(QColor(self._theme.colours.muted if faint else self._theme.colours.text))
        alignment = index.data(Qt.ItemDataRole.TextAlignmentRole)
        if index.column() == Column.GOOD_AT:
            flags = int(Qt.TextFlag.TextWordWrap | Qt.AlignmentFlag.AlignLeft)
            painter.setFont(_smaller(font))
            metrics = QFontMetrics(_smaller(font))
            room = metrics.boundingRect(QRect(0, 0, inner.width(), 10_000), flags, text)
            if room.height() <= 2 * metrics.lineSpacing() + 2:
                painter.drawText(inner, flags | Qt.AlignmentFlag.AlignVCenter, text)
                return
            _two_elided(painter, metrics, inner, text)
            return
        shown = QFontMetrics(font).elidedText(text, Qt.TextElideMode.ElideRight, inner.width())
        painter.drawText(inner, alignment, shown)

    def _two_lines(
        self, painter: QPainter, font: QFont, inner: QRect, first: str, second: str
    ) -> None:
        strong, small = QFont(font), _smaller(font)
        strong.setWeight(QFont.Weight.DemiBold)
        upper, lower = QFontMetrics(strong), QFontMetrics(small)
        top = inner.center().y() - (upper.height() + lower.height() + 2) // 2
        elide = Qt.TextElideMode.ElideRight
        painter.setFont(strong)
        painter.setPen(QColor(self._theme.colours.text))
        painter.drawText(
            inner.left(), top + upper.ascent(), upper.elidedText(first, elide, inner.width())
        )
        painter.setFont(small)
        painter.setPen(QColor(self._theme.colours.muted))
        painter.drawText(
            inner.left(),
            top + upper.height() + 2 + lower.ascent(),
            lower.elidedText(second, elide, inner.width()),
        )

    def _bar(
        self, painter: QPainter, font: QFont, inner: QRect, text: str, fraction: float, tone: Tone
    ) -> None:
        colours = self._theme.colours
        metrics = QFontMetrics(font)
        top = inner.center().y() - (metrics.height() + _BAR + 5) // 2
        painter.setFont(font)
        painter.setPen(QColor(colours.text))
        shown = metrics.elidedText(text, Qt.TextElideMode.ElideRight, inner.width())
        painter.drawText(inner.left(), top + metrics.ascent(), shown)
        bar = QRectF(inner.left(), top + metrics.height() + 5, inner.width(), _BAR)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(colours.hover))
        painter.drawRoundedRect(bar, _BAR / 2, _BAR / 2)
        bar.setWidth(max(float(_BAR), bar.width() * fraction) if fraction > 0 else 0.0)
        painter.setBrush(tone_colour(self._theme, Tone.GOOD if tone is Tone.PLAIN else tone))
        painter.drawRoundedRect(bar, _BAR / 2, _BAR / 2)


def paint_mark(painter: QPainter, theme: Theme, tone: Tone, centre: QPointF) -> None:
    """A full, half or empty ring: the shape says the same as the colour."""
    half = _MARK / 2
    ring = QRectF(centre.x() - half, centre.y() - half, _MARK, _MARK)
    colour = tone_colour(theme, tone)
    painter.setPen(QPen(colour, 1.6))
    painter.setBrush(colour if tone is Tone.GOOD else Qt.BrushStyle.NoBrush)
    painter.drawEllipse(ring)
    if tone is Tone.CAREFUL:
        painter.setBrush(colour)
        painter.drawPie(ring, 90 * 16, 180 * 16)


def tone_colour(theme: Theme, tone: Tone) -> QColor:
    colours = theme.colours
    return QColor(
        {
            Tone.GOOD: colours.accent,
            Tone.CAREFUL: colours.careful,
            Tone.BAD: colours.error_text,
        }.get(tone, colours.muted)
    )


def _smaller(font: QFont) -> QFont:
    small = QFont(font)
    small.setPointSizeF(font.pointSizeF() * _SMALLER)
    return small


def _two_elided(painter: QPainter, metrics: QFontMetrics, inner: QRect, text: str) -> None:
    """Breaks ``text`` after the last word that fits, and cuts the second line."""
    words = text.split()
    first = words[0]
    used = 1
    while used < len(words):
        longer = f"{first} {words[used]}"
        if metrics.horizontalAdvance(longer) > inner.width():
            break
        first, used = longer, used + 1
    rest = " ".join(words[used:])
    top = inner.center().y() - metrics.lineSpacing()
    elide = Qt.TextElideMode.ElideRight
    painter.drawText(inner.left(), top + metrics.ascent(), first)
    painter.drawText(
        inner.left(),
        top + metrics.lineSpacing() + metrics.ascent(),
        metrics.elidedText(rest, elide, inner.width()),
    )

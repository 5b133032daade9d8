"""How full the context is, as a narrow bar: its parts, and what of them is read already."""

from typing import Final

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPainterPath, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QWidget

from app.core.errors import ErrorRecord
from app.desktop import wording
from app.desktop.context import words
from app.desktop.context.parts import ContextShown, Group, Part, parts_of
from app.desktop.theme import Theme

_BAR_WIDTH: Final = 132
_BAR_SHORTEST: Final = 24
_BAR_HEIGHT: Final = 7
_GAP: Final = 10
_MARGIN: Final = 5
_UNREAD_ALPHA: Final = 105  # of 255: what is still to be read is paler
_NARROWEST: Final = 1.5  # pixels: what is there can be seen


def colour_of(theme: Theme, group: Group) -> QColor:
    """The colour of a part, in the bar as in the panel."""
    colours = theme.colours
    return QColor(
        {
            Group.INSTRUCTIONS: colours.careful,
            Group.FILES: colours.accent,
            Group.HISTORY: colours.muted,
            Group.TURN: colours.text,
        }[group]
    )


class ContextBar(QAbstractButton):
    """A button that opens the panel; it says in words what it shows in colours."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._parts: tuple[Part, ...] = ()
        self._reserve = 0
        self._context = 0
        self._figure = ""
        self._fits = True
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAccessibleName(self.tr("Context"))
        theme.changed.connect(self.update)
        self.hide()

    def show_context(self, shown: ContextShown | None) -> None:
        """Shows what the next turn takes; nothing while there is nothing to show."""
        self.setVisible(shown is not None)
        if shown is None:
            return
        report = shown.report
        self._parts = parts_of(report)
        self._reserve = report.reserve_tokens
        self._context = report.context_tokens
        self._fits = report.fits
        self._figure = words.used(report.prompt_tokens, report.context_tokens)
        sentence = words.bar(report, self._parts, shown.talk)
        self.setToolTip(sentence)
        self.setAccessibleDescription(sentence)
        self.updateGeometry()
        self.update()

    def show_refusal(self, error: ErrorRecord) -> None:
        """Says that the next turn is too long even to be counted."""
        self._parts, self._reserve, self._context = (), 1, 1
        self._fits = False
        self._figure = self.tr("Too long")
        sentence = "\n".join((wording.error_line(error), wording.error_code(error)))
        self.setToolTip(sentence)
        self.setAccessibleDescription(sentence)
        self.updateGeometry()
        self.update()
        self.show()

    @property
    def figure(self) -> str:
        """The words beside the bar."""
        return self._figure

    def sizeHint(self) -> QSize:  # noqa: N802  Qt's name
        height = self.fontMetrics().height() + 2 * _MARGIN
        return QSize(_BAR_WIDTH + self._beside_track(), height)

    def minimumSizeHint(self) -> QSize:  # noqa: N802  Qt's name
        """In a narrow window the words stay, and the bar is shorter."""
        hint = self.sizeHint()
        return QSize(hint.width() - _BAR_WIDTH + _BAR_SHORTEST, hint.height())

    def _beside_track(self) -> int:
        """Pixels of the width that the track doesn't have: the words and the room around them."""
        return _GAP + self.fontMetrics().horizontalAdvance(self._figure) + 2 * _MARGIN

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802  Qt's name
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        colours = self._theme.colours
        if self.hasFocus() or self.underMouse():
            painter.setPen(QColor(colours.accent) if self.hasFocus() else Qt.PenStyle.NoPen)
            painter.setBrush(QColor(colours.hover))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), 7, 7)
        length = max(0, min(_BAR_WIDTH, self.width() - self._beside_track()))
        track = QRectF(_MARGIN, (self.height() - _BAR_HEIGHT) / 2, length, _BAR_HEIGHT)
        if self.isRightToLeft():
            track.moveRight(self.width() - _MARGIN)
        self._paint_parts(painter, track)
        painter.setPen(QColor(colours.muted if self._fits else colours.error_text))
        align = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        if self.isRightToLeft():
            align = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        painter.drawText(self.rect().adjusted(_MARGIN, 0, -_MARGIN, 0), align, self._figure)

    def _paint_parts(self, painter: QPainter, track: QRectF) -> None:
        colours = self._theme.colours
        outline = QPainterPath()
        outline.addRoundedRect(track, _BAR_HEIGHT / 2, _BAR_HEIGHT / 2)
        painter.save()
        painter.setClipPath(outline)
        contrast = self._theme.high_contrast
        painter.fillRect(track, QColor(colours.window if contrast else colours.border))
        full = max(self._context, sum(one.tokens for one in self._parts) + self._reserve, 1)
        left = track.left()
        for one in self._parts:
            colour = colour_of(self._theme, one.group)
            width = max(_NARROWEST, one.tokens / full * track.width())
            read = width * one.reused_tokens / one.tokens if one.tokens else 0.0
            painter.fillRect(QRectF(left, track.top(), read, track.height()), colour)
            colour.setAlpha(_UNREAD_ALPHA)
            painter.fillRect(QRectF(left + read, track.top(), width - read, track.height()), colour)
            left += width
        reserve = QRectF(left, track.top(), self._reserve / full * track.width(), track.height())
        painter.fillRect(reserve, QColor(colours.hover))
        hatching = QColor(colours.muted)
        hatching.setAlpha(_UNREAD_ALPHA)
        painter.fillRect(reserve, QBrush(hatching, Qt.BrushStyle.BDiagPattern))
        painter.restore()
        if contrast:  # the border's colour is the text's, so it can only be a line
            painter.setPen(QColor(colours.border))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(track, _BAR_HEIGHT / 2, _BAR_HEIGHT / 2)

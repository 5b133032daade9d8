"""Text that is shown as it was written: what the person sent, and what the model thought."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QPoint, QSizeF, Qt, QUrl, Signal, Slot
from PySide6.QtGui import (
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPalette,
    QResizeEvent,
    QTextCursor,
    QWheelEvent,
)
from PySide6.QtWidgets import QFrame, QTextBrowser, QTextEdit, QWidget

from app.desktop.markdown.rendering import RenderingThread
from app.desktop.markdown.selection import SharedSelection, TextPoint
from app.desktop.theme import Theme


@dataclass(frozen=True, slots=True)
class Paper:
    """What all messages of a transcript are written on."""

    theme: Theme
    rendering: RenderingThread
    selection: SharedSelection


class PlainText(QTextBrowser):
    """As high as its content; selectable together with the messages around it."""

    height_changed = Signal()

    def __init__(
        self, parent: QWidget | None = None, selection: SharedSelection | None = None
    ) -> None:
        super().__init__(parent)
        self._selection = selection or SharedSelection(lambda: [self])
        self.setObjectName("text")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setOpenLinks(False)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.document().setDocumentMargin(0)
        self.document().documentLayout().documentSizeChanged.connect(self._fit)
        self.setTabChangesFocus(True)
        self._faded: tuple[tuple[tuple[int, int], ...], float] = ((), 1.0)
        self._fit(self.document().size())

    def append(self, text: str) -> None:
        """Appends to the last paragraph (Qt's own ``append`` begins another)."""
        # A cursor of its own: what the person has selected stays selected.
        cursor = QTextCursor(self.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        cursor.insertText(text)

    def fade(self, ranges: Sequence[tuple[int, int]], strength: float) -> None:
        """Shows the characters of ``ranges`` in a paler colour, all others as they were."""
        self._faded = tuple(ranges), strength
        pale = self.palette().color(QPalette.ColorRole.Text)
        pale.setAlphaF(strength)
        selections = []
        text = self.toPlainText()
        for start, end in ranges:
            one = QTextEdit.ExtraSelection()
            one.cursor = QTextCursor(self.document())
            one.cursor.setPosition(_utf16_length(text[:start]))
            one.cursor.setPosition(_utf16_length(text[:end]), QTextCursor.MoveMode.KeepAnchor)
            one.format.setForeground(pale)
            selections.append(one)
        self.setExtraSelections(selections)

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802  Qt's name
        super().changeEvent(event)
        if event.type() is QEvent.Type.PaletteChange and self._faded[0]:
            self.fade(*self._faded)

    def width_for(self, available: int) -> int:
        """The width that the text needs when it may take ``available`` pixels."""
        document = self.document().clone()
        document.setTextWidth(available)
        width = math.ceil(document.idealWidth()) + 1
        document.deleteLater()
        return min(width, available)

    def loadResource(self, _kind: int, _name: QUrl | str) -> None:  # noqa: N802  Qt's name
        """Nothing is ever fetched by showing a text."""
        return

    def wheelEvent(self, event: QWheelEvent) -> None:  # noqa: N802  Qt's name
        event.ignore()  # the transcript scrolls, not a message

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802  Qt's name
        super().resizeEvent(event)
        self._fit(self.document().size())

    @Slot(QSizeF)
    def _fit(self, size: QSizeF) -> None:
        height = max(math.ceil(size.height()), self.fontMetrics().lineSpacing())
        if height != self.minimumHeight():
            self.setFixedHeight(height)
            self.height_changed.emit()

    # --- Selection, as ``SharedSelection`` asks for it -----------------------------------------

    def point_at(self, position: QPoint) -> TextPoint:
        """The place in the text nearest to a point of the view."""
        return TextPoint(0, 0, self.cursorForPosition(position).position())

    def from_screen(self, screen: QPoint) -> QPoint:
        """A point of the screen as one of the view."""
        return self.viewport().mapFromGlobal(screen)

    def vertical_distance(self, screen: QPoint) -> int:
        """How far a point of the screen is above (negative) or below the view."""
        y = self.mapFromGlobal(screen).y()
        return y if y < 0 else max(0, y - self.height())

    def select(self, start: TextPoint | None, end: TextPoint | None) -> None:
        """Shows a range of the text as selected, or none."""
        cursor = self.textCursor()
        if start is None or end is None:
            cursor.clearSelection()
        else:
            length = self.document().characterCount() - 1
            cursor.setPosition(min(start.position, length))
            last = length if end.section > 0 else min(end.position, length)
            cursor.setPosition(last, QTextCursor.MoveMode.KeepAnchor)
        self.setTextCursor(cursor)

    def selected_text(self) -> str:
        """The selected part as plain text."""
        # Qt marks the ends of paragraphs with a character of its own.
        return self.textCursor().selectedText().replace("\u2029", "\n")

    def selected_markdown(self) -> str:
        """The selected part; what a person wrote is taken as it is."""
        return self.selected_text()

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802  Qt's name
        if event.button() is Qt.MouseButton.LeftButton:
            self._selection.begin(self, self.point_at(event.position().toPoint()))
        self.setFocus(Qt.FocusReason.MouseFocusReason)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802  Qt's name
        if event.buttons() & Qt.MouseButton.LeftButton:
            self._selection.extend_to(event.globalPosition().toPoint())

    def mouseReleaseEvent(self, _event: QMouseEvent) -> None:  # noqa: N802  Qt's name
        """The selection stays; there is no link to follow."""

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802  Qt's name
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy_selection()
        elif event.matches(QKeySequence.StandardKey.SelectAll):
            self._selection.select_all(self)
        else:
            super().keyPressEvent(event)

    def copy_selection(self) -> None:
        """Copies what is selected, in this message and around it."""
        text = self._selection.text()
        if text:
            QGuiApplication.clipboard().setText(text)


def _utf16_length(text: str) -> int:
    """How Qt counts: a character beyond the first 65,536 is two."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2

"""The text of one message: selectable, as high as its content, never loading anything."""

import math
from typing import Protocol

from PySide6.QtCore import QSizeF, Qt, QUrl, Signal, Slot
from PySide6.QtGui import QResizeEvent, QTextCursor, QWheelEvent
from PySide6.QtWidgets import QFrame, QTextBrowser, QWidget


class TextView(Protocol):
    """What shows a message's text."""

    def set_markdown(self, text: str) -> None:
        """Shows ``text`` in place of everything."""

    def append_streaming(self, text: str) -> None:
        """Appends ``text``; only what follows the last finished block is laid out again."""


class PlainText(QTextBrowser):
    """Shows the text as it is written."""

    height_changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("text")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setOpenLinks(False)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.document().setDocumentMargin(0)
        self.document().documentLayout().documentSizeChanged.connect(self._fit)
        self.setTabChangesFocus(True)
        self._fit(self.document().size())

    def set_markdown(self, text: str) -> None:
        self.setPlainText(text)

    def append_streaming(self, text: str) -> None:
        # A cursor of its own: what the person has selected stays selected.
        cursor = QTextCursor(self.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        cursor.insertText(text)

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

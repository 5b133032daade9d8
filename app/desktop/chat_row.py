"""Paints a row of the chat list: the title, and under it what a search found, with its marks."""

from typing import Final

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPointF, QRect, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QTextCharFormat, QTextLayout, QTextOption
from PySide6.QtWidgets import (
    QApplication,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from app.desktop.conversation import ChatSummary, Marks
from app.desktop.theme import Theme

_CONTEXT: Final = 12  # characters before the first mark that stay in sight
_CUT: Final = "…"


def from_first_mark(text: str, marks: Marks) -> tuple[str, Marks]:
    """Cuts the beginning off, at a word, so that the first mark is in sight."""
    if not marks or marks[0][0] <= _CONTEXT:
        return text, marks
    space = text.find(" ", marks[0][0] - _CONTEXT, marks[0][0])
    start = space + 1 if space >= 0 else marks[0][0] - _CONTEXT
    moved = tuple((begin - start + len(_CUT), end - start + len(_CUT)) for begin, end in marks)
    return _CUT + text[start:], moved


class ChatRow(QStyledItemDelegate):
    """Needs a model whose ``chat_at`` gives the summary of a row."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        self.initStyleOption(option, index)
        widget = option.widget
        style = widget.style() if widget is not None else QApplication.style()
        room = style.subElementRect(QStyle.SubElement.SE_ItemViewItemText, option, widget)
        option.text = ""
        style.drawControl(QStyle.ControlElement.CE_ItemViewItem, option, painter, widget)
        chat: ChatSummary = index.model().chat_at(index)  # type: ignore[attr-defined]
        title = chat.title or str(index.data(Qt.ItemDataRole.EditRole))
        metrics: QFontMetrics = option.fontMetrics
        height = metrics.height()
        lines = 2 if chat.excerpt else 1
        top = room.top() + (room.height() - lines * height) // 2
        line = QRect(room.left(), top, room.width(), height)
        colours = self._theme.colours
        self._paint_line(painter, option, line, (title, chat.title_marks), colours.text)
        if chat.excerpt:
            found = from_first_mark(chat.excerpt, chat.excerpt_marks)
            line.translate(0, height)
            self._paint_line(painter, option, line, found, colours.muted)

    def _paint_line(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        room: QRect,
        marked: tuple[str, Marks],
        colour: str,
    ) -> None:
        text, marks = marked
        font, metrics = option.font, option.fontMetrics
        shown = metrics.elidedText(text, Qt.TextElideMode.ElideRight, room.width())
        kept = len(text) if shown == text else max(0, len(shown) - len(_CUT))
        layout = QTextLayout(shown, font)
        direction = QTextOption()
        direction.setTextDirection(option.direction)
        direction.setWrapMode(QTextOption.WrapMode.NoWrap)
        layout.setTextOption(direction)
        layout.setFormats(self._formats(marks, kept))
        layout.beginLayout()
        line = layout.createLine()
        line.setLineWidth(room.width())
        layout.endLayout()
        painter.save()
        painter.setPen(QColor(colour))
        layout.draw(painter, QPointF(room.topLeft()))
        painter.restore()

    def _formats(self, marks: Marks, length: int) -> list[QTextLayout.FormatRange]:
        """Colour alone, so that a mark doesn't move the text beside it."""
        formats = []
        for start, end in marks:
            if start >= length:
                continue
            look = QTextCharFormat()
            look.setBackground(QColor(self._theme.colours.selection))
            look.setForeground(QColor(self._theme.colours.on_selection))
            one = QTextLayout.FormatRange()
            one.start, one.length, one.format = start, min(end, length) - start, look
            formats.append(one)
        return formats

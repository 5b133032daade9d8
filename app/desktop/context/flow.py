"""Small things side by side, in as many lines as they need."""

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import QLayout, QLayoutItem, QWidget


class FlowLayout(QLayout):
    """Breaks the line like text does; Qt has no such layout of its own."""

    def __init__(self, parent: QWidget | None = None, spacing: int = 6) -> None:
        super().__init__(parent)
        self._items: list[QLayoutItem] = []
        self.setContentsMargins(0, 0, 0, 0)
        self.setSpacing(spacing)

    def addItem(self, item: QLayoutItem) -> None:  # noqa: N802  Qt's name
        self._items.append(item)

    def count(self) -> int:
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:  # noqa: N802  Qt's name
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:  # noqa: N802  Qt's name
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def expandingDirections(self) -> Qt.Orientation:  # noqa: N802  Qt's name
        return Qt.Orientation(0)

    def hasHeightForWidth(self) -> bool:  # noqa: N802  Qt's name
        return True

    def heightForWidth(self, width: int) -> int:  # noqa: N802  Qt's name
        return self._place(QRect(0, 0, width, 0), move=False)

    def setGeometry(self, rect: QRect) -> None:  # noqa: N802  Qt's name
        super().setGeometry(rect)
        self._place(rect, move=True)

    def sizeHint(self) -> QSize:  # noqa: N802  Qt's name
        return self.minimumSize()

    def minimumSize(self) -> QSize:  # noqa: N802  Qt's name
        size = QSize()
        for item in self._items:
            size = size.expandedTo(item.minimumSize())
        return size

    def _place(self, rect: QRect, *, move: bool) -> int:
        """Puts the items into ``rect``; returns the height that they take."""
        left, top, line = rect.x(), rect.y(), 0
        for item in self._items:
            size = item.sizeHint()
            if left > rect.x() and left + size.width() > rect.right() + 1:
                left, top, line = rect.x(), top + line + self.spacing(), 0
            if move:
                item.setGeometry(QRect(QPoint(left, top), size))
            left += size.width() + self.spacing()
            line = max(line, size.height())
        return top + line - rect.y()

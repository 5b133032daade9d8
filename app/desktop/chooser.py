"""A flat drop-down list with the program's own arrow."""

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QComboBox, QWidget

from app.desktop.theme import Theme


class Chooser(QComboBox):
    """As wide as its shown entry. A style sheet takes the style's arrow away; this draws one."""

    def __init__(self, theme: Theme, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setAccessibleName(name)
        self.view().setAccessibleName(name)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        theme.changed.connect(self.update)
        self.currentIndexChanged.connect(self.updateGeometry)

    def sizeHint(self) -> QSize:  # noqa: N802  Qt's name
        """As wide as the shown entry: the longest one would push the others away."""
        metrics = self.fontMetrics()
        width = metrics.horizontalAdvance(self.currentText()) + 48
        return QSize(width, super().sizeHint().height())

    def minimumSizeHint(self) -> QSize:  # noqa: N802  Qt's name
        return QSize(72, super().minimumSizeHint().height())

    def showPopup(self) -> None:  # noqa: N802  Qt's name
        """The list is as wide as its longest entry, whatever the width of the button."""
        self.view().setMinimumWidth(self.view().sizeHintForColumn(0) + 32)
        super().showPopup()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802  Qt's name
        super().paintEvent(event)
        if not self.isEnabled():
            return
        side = 12
        x = 10 if self.layoutDirection() is Qt.LayoutDirection.RightToLeft else self.width() - 22
        painter = QPainter(self)
        self._theme.icon("chevron").paint(
            painter, QRect(x, (self.height() - side) // 2, side, side)
        )
        painter.end()

"""Rows of a name and a value that can be selected and copied."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QGridLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget


def plain_label(text: str, name: str = "", parent: QWidget | None = None) -> QLabel:
    """A label that wraps, shows its text as it is, and lets it be copied."""
    label = QLabel(text, parent)
    if name:
        label.setObjectName(name)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(True)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return label


class ElidedLabel(QLabel):
    """One line that is cut in its middle where it doesn't fit; the whole is in the hint."""

    def __init__(self, text: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._whole = text
        self.setToolTip(text)
        self.setObjectName("fact")
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.setText(text)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802  Qt's name
        super().resizeEvent(event)
        elide = Qt.TextElideMode.ElideMiddle
        self.setText(self.fontMetrics().elidedText(self._whole, elide, self.width()))


class FactGrid(QWidget):
    """Names with values beside or below them; filled anew for each model.

    ``numbers``: the values stand on the right. ``stacked``: each value stands below its name.
    """

    def __init__(
        self, parent: QWidget | None = None, *, numbers: bool = False, stacked: bool = False
    ) -> None:
        super().__init__(parent)
        self._numbers = numbers
        self._stacked = stacked
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(14)
        self._grid.setVerticalSpacing(7 if not (numbers or stacked) else 4)
        self._grid.setColumnStretch(0 if numbers or stacked else 1, 1)

    def clear(self) -> None:
        """Takes all rows away."""
        while (item := self._grid.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()

    def add(self, name: str, value: str | QWidget) -> None:
        """Adds a row; a value may be a widget such as a link."""
        row = self._grid.rowCount()
        if self._stacked:
            below = plain_label(value, "muted") if isinstance(value, str) else value
            pair = QWidget(self)
            lines = QVBoxLayout(pair)
            lines.setContentsMargins(0, 0, 0, 5)
            lines.setSpacing(0)
            lines.addWidget(plain_label(name, "fact", pair))
            lines.addWidget(below)
            self._grid.addWidget(pair, row, 0)
            return
        title = QLabel(name, self)
        title.setObjectName("muted")
        top = Qt.AlignmentFlag.AlignTop
        self._grid.addWidget(title, row, 0, top)
        shown = plain_label(value, "fact", self) if isinstance(value, str) else value
        if isinstance(shown, QLabel):
            shown.setAccessibleName(f"{name}: {shown.text()}")
            if self._numbers:
                shown.setWordWrap(False)
                shown.setAlignment(Qt.AlignmentFlag.AlignRight | top)
        self._grid.addWidget(shown, row, 1, top)

    def texts(self) -> tuple[str, ...]:
        """All that is shown, row by row; for tests and the clipboard."""
        return tuple(label.text() for label in self.findChildren(QLabel) if not label.isHidden())

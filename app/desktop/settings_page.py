"""A page of the settings window: headings, rows and muted sentences in one column that scrolls."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QScrollArea, QVBoxLayout, QWidget


class SettingsPage(QScrollArea):
    """Fills itself from the top."""

    def __init__(self, title: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.title = title
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.column = QVBoxLayout()
        self.column.setContentsMargins(28, 20, 28, 20)
        self.column.setSpacing(6)
        self.column.setAlignment(Qt.AlignmentFlag.AlignTop)
        page = QWidget()
        page.setObjectName("page")
        page.setLayout(self.column)
        self.setWidget(page)
        self._last = QHBoxLayout()
        self.section(title)

    def section(self, title: str) -> None:
        """Begins a group of rows."""
        if self.column.count():
            self.column.addSpacing(18)
        label = QLabel(title, self)
        label.setObjectName("heading")
        self.column.addWidget(label)

    def row(self, title: str, widget: QWidget) -> None:
        """A sentence with something to press or choose at its end."""
        label = QLabel(title, self)
        label.setWordWrap(True)
        label.setBuddy(widget)
        if not widget.accessibleName():
            widget.setAccessibleName(title)
        across = self._last = QHBoxLayout()
        across.addWidget(label, 1)
        across.addWidget(widget)
        self.column.addLayout(across)

    def beside(self, widget: QWidget) -> None:
        """Puts another thing to press at the end of the last row."""
        self._last.addWidget(widget)

    def muted(self, text: str) -> QLabel:
        """Adds an explanation, or a value that can be copied."""
        label = QLabel(text, self)
        label.setObjectName("muted")
        label.setWordWrap(True)
        label.setTextFormat(Qt.TextFormat.PlainText)
        label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.column.addWidget(label)
        return label

"""What an empty chat shows: a welcome and three things to try."""

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget


class Greeting(QWidget):
    """Invites to write; a suggestion is put into the input, not sent."""

    chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        title = QLabel(self.tr("What would you like to know?"), self)
        title.setObjectName("title")
        lead = QLabel(self.tr("The model runs on this computer. Nothing leaves it."), self)
        lead.setObjectName("lead")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 96, 0, 0)
        layout.setSpacing(8)
        for label in (title, lead):
            label.setAlignment(Qt.AlignmentFlag.AlignHCenter)
            label.setWordWrap(True)
            layout.addWidget(label)
        layout.addSpacing(16)
        row = QHBoxLayout()
        row.setSpacing(10)
        row.addStretch(1)
        for text in (
            self.tr("Explain a word"),
            self.tr("Draft a polite e-mail"),
            self.tr("Write a Python function"),
        ):
            button = QPushButton(text, self)
            button.clicked.connect(self._on_clicked)
            row.addWidget(button)
        row.addStretch(1)
        layout.addLayout(row)

    @Slot()
    def _on_clicked(self) -> None:
        button = self.sender()
        if isinstance(button, QPushButton):
            self.chosen.emit(button.text() + ": ")

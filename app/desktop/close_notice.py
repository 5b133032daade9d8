"""Says once what closing the window does, and offers the other choice."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QDialog, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget


class CloseNotice(QDialog):
    """Two buttons, two choices; Esc takes back the closing."""

    keep_chosen = Signal()
    quit_chosen = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Keep running?"))
        self.setMinimumWidth(420)
        heading = QLabel(self.tr("Contenox keeps running in the tray"), self)
        heading.setObjectName("heading")
        text = QLabel(
            self.tr(
                "Closing the window leaves the icon beside the clock, so that the next question "
                "needs no waiting. Windows may hide it behind the small arrow there. "
                "You can change this in the settings."
            ),
            self,
        )
        text.setWordWrap(True)
        keep = QPushButton(self.tr("Keep it in the tray"), self)
        keep.setObjectName("primary")
        keep.setDefault(True)
        keep.clicked.connect(self.keep_chosen)
        keep.clicked.connect(self.accept)
        leave = QPushButton(self.tr("Quit when I close the window"), self)
        leave.clicked.connect(self.quit_chosen)
        leave.clicked.connect(self.accept)
        buttons = QHBoxLayout()
        buttons.setSpacing(10)
        buttons.addStretch(1)
        buttons.addWidget(leave)
        buttons.addWidget(keep)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(24, 22, 24, 20)
        layout.setSpacing(10)
        layout.addWidget(heading)
        layout.addWidget(text)
        layout.addSpacing(10)
        layout.addLayout(buttons)
        self.keep, self.leave = keep, leave

"""The row of filters above the table."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from app.desktop.models.filtering import Chip


class ChipRow(QWidget):
    """Buttons that stay down. What they mean together is the filter's rule."""

    changed = Signal(object)  # frozenset[Chip]

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.buttons: dict[Chip, QPushButton] = {}
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(6)
        for chip, text, hint in (
            (Chip.FITS, self.tr("Fits here"), self.tr("Models that fit into the free memory")),
            (Chip.INSTALLED, self.tr("Installed"), self.tr("Models that are here or on their way")),
            (Chip.SMALL, self.tr("Small"), self.tr("Downloads of at most 2 GB")),
            (Chip.CHAT, self.tr("Chat"), self.tr("Models for conversation")),
            (Chip.CODING, self.tr("Coding"), self.tr("Models for programming")),
            (Chip.REASONING, self.tr("Reasoning"), self.tr("Models that think step by step")),
        ):
            button = QPushButton(text, self)
            button.setObjectName("chip")
            button.setCheckable(True)
            button.setToolTip(hint)
            button.setAccessibleDescription(hint)
            button.toggled.connect(self._on_toggled)
            self.buttons[chip] = button
            layout.addWidget(button)
        layout.addStretch(1)

    @property
    def chosen(self) -> frozenset[Chip]:
        return frozenset(chip for chip, button in self.buttons.items() if button.isChecked())

    def clear(self) -> None:
        """Lets all of them up."""
        for button in self.buttons.values():
            button.setChecked(False)

    def _on_toggled(self) -> None:
        self.changed.emit(self.chosen)

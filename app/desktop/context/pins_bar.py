"""The pinned files of the shown chat, above the input: each with its tokens and a way out."""

from collections.abc import Mapping

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QSizePolicy, QWidget

from app.desktop.context import words
from app.desktop.context.flow import FlowLayout
from app.desktop.icon_button import IconButton
from app.desktop.theme import Theme
from app.workflows.context_pins import Pin, PinState

_WIDEST_NAME = 180


class PinChip(QFrame):
    """One file. What changed outside since it was pinned can be read again."""

    removal_asked = Signal(str)
    renewal_asked = Signal(str)

    def __init__(self, theme: Theme, pin: Pin, tokens: int | None, parent: QWidget) -> None:
        super().__init__(parent)
        self.pin = pin
        self.setObjectName("pin")
        self.setProperty("state", str(pin.state))
        self.label = QLabel(self)
        self.label.setTextFormat(Qt.TextFormat.PlainText)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(9, 2, 3, 2)
        layout.setSpacing(2)
        layout.addWidget(self.label)
        self.renew: IconButton | None = None
        if pin.state is PinState.CHANGED:
            again = self.tr("Read {name} again").format(name=pin.name)
            self.renew = IconButton(theme, "again", again, self, size=13)
            self.renew.clicked.connect(self._on_renew)
            layout.addWidget(self.renew)
        away = self.tr("Unpin {name}").format(name=pin.name)
        self.remove = IconButton(theme, "close", away, self, size=13)
        self.remove.clicked.connect(self._on_remove)
        layout.addWidget(self.remove)
        self.set_tokens(tokens)

    def set_tokens(self, tokens: int | None) -> None:
        """Says how much of the context the file takes, once that is counted."""
        name = self.fontMetrics().elidedText(
            self.pin.name, Qt.TextElideMode.ElideMiddle, _WIDEST_NAME
        )
        self.label.setText(words.pin_label(name, self.pin, tokens))
        sentence = words.pin_sentence(self.pin, tokens)
        self.label.setAccessibleName(sentence)
        self.setToolTip(sentence)

    @Slot()
    def _on_remove(self) -> None:
        self.removal_asked.emit(self.pin.id)

    @Slot()
    def _on_renew(self) -> None:
        self.renewal_asked.emit(self.pin.source)


class PinsBar(QWidget):
    """Hidden while nothing is pinned."""

    removal_asked = Signal(str)  # the pin
    renewal_asked = Signal(str)  # its path

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._flow = FlowLayout(self)
        self._tokens: dict[tuple[str, str], int | None] = {}
        self.chips: list[PinChip] = []
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.setAccessibleName(self.tr("Pinned files"))
        self.reading = QLabel(self.tr("Reading…"), self)
        self.reading.setObjectName("muted")
        self.reading.hide()
        self.hide()

    def show_reading(self, reading: bool) -> None:
        """Says that files are being read: a PDF takes a while."""
        self._flow.removeWidget(self.reading)
        self.reading.setVisible(reading)
        if reading:
            self._flow.addWidget(self.reading)
        self.setVisible(reading or bool(self.chips))
        self._fit()

    def show_pins(self, pins: tuple[Pin, ...]) -> None:
        """Shows the files of a chat in place of all others."""
        for chip in self.chips:
            self._flow.removeWidget(chip)
            chip.hide()
            chip.deleteLater()
        self.chips = []
        for pin in pins:
            chip = PinChip(self._theme, pin, self._tokens.get((pin.kind, pin.name)), self)
            chip.removal_asked.connect(self.removal_asked)
            chip.renewal_asked.connect(self.renewal_asked)
            self.chips.append(chip)
            self._flow.addWidget(chip)
            chip.show()
        self.setVisible(bool(pins))
        self._fit()

    def set_tokens(self, tokens: Mapping[tuple[str, str], int | None]) -> None:
        """How many tokens each file takes, by its segment's kind and name."""
        self._tokens = dict(tokens)
        for chip in self.chips:
            chip.set_tokens(self._tokens.get((chip.pin.kind, chip.pin.name)))
        self._fit()

    def sizeHint(self) -> QSize:  # noqa: N802  Qt's name
        return QSize(self.width(), self._flow.heightForWidth(self.width()))

    def resizeEvent(self, event: object) -> None:  # noqa: N802  Qt's name
        self._fit()

    def _fit(self) -> None:
        self.setFixedHeight(max(1, self._flow.heightForWidth(max(1, self.width()))))
        self.updateGeometry()

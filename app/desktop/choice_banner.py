"""A banner that asks: some ways on, each a button, and whether to do the same from now on."""

from collections.abc import Sequence

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QCheckBox, QGridLayout, QPushButton, QWidget

from app.desktop.banner import Banner, BannerKind
from app.desktop.theme import Theme

_IN_A_ROW = 2


class ChoiceBanner(Banner):
    """``choices`` are pairs of a key and a button's text; the first is the one advised."""

    chosen = Signal(str, bool)  # the key, and whether to remember it

    def __init__(
        self,
        theme: Theme,
        headline: str,
        sentence: str,
        choices: Sequence[tuple[str, str]],
        *,
        code: str = "",
        remember: str = "",
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(theme, BannerKind.NOTICE, headline, sentence, code=code, parent=parent)
        self.buttons: dict[str, QPushButton] = {}
        grid = QGridLayout()
        grid.setContentsMargins(0, 8, 0, 0)
        grid.setSpacing(8)
        for place, (key, text) in enumerate(choices):
            button = QPushButton(text, self)
            button.setProperty("key", key)
            if place == 0:
                button.setObjectName("primary")
            button.clicked.connect(self._on_clicked)
            self.buttons[key] = button
            grid.addWidget(button, place // _IN_A_ROW, place % _IN_A_ROW)
        self.words.addLayout(grid)
        self.remember: QCheckBox | None = None
        if remember:
            self.remember = QCheckBox(remember, self)
            self.words.addWidget(self.remember)

    @Slot()
    def _on_clicked(self) -> None:
        button = self.sender()
        if isinstance(button, QPushButton):
            kept = self.remember is not None and self.remember.isChecked()
            self.chosen.emit(str(button.property("key")), kept)

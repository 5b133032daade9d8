"""A calm box in the conversation that says what happened and offers one way on."""

from enum import StrEnum

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from app.core.errors import ErrorRecord
from app.desktop import wording
from app.desktop.theme import Theme


class BannerKind(StrEnum):
    DONE = "done"
    NOTICE = "notice"
    ERROR = "error"


class Banner(QFrame):
    """A headline, a sentence, a code for whoever asks for help, and at most one button."""

    pressed = Signal()

    def __init__(
        self,
        theme: Theme,
        kind: BannerKind,
        headline: str,
        sentence: str,
        *,
        code: str = "",
        button: str = "",
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setObjectName("banner")
        self.setProperty("kind", str(kind))
        self.headline = headline
        self.setAccessibleName(f"{headline} {sentence}")
        mark = QLabel(self)
        colours = theme.colours
        colour = colours.error_text if kind is BannerKind.ERROR else colours.muted
        icon = "check" if kind is BannerKind.DONE else "warning"
        mark.setPixmap(theme.icon(icon, colour=colour).pixmap(22, 22))
        mark.setAlignment(Qt.AlignmentFlag.AlignTop)
        words = self.words = QVBoxLayout()
        words.setSpacing(4)
        words.addWidget(_label(headline, "heading"))
        words.addWidget(_label(sentence, "body"))
        if code:
            words.addWidget(_label(code, "muted"))
        layout = QHBoxLayout(self)
        layout.setContentsMargins(16, 14, 16, 14)
        layout.setSpacing(12)
        layout.addWidget(mark)
        layout.addLayout(words, 1)
        self.button: QPushButton | None = None
        if button:
            self.button = QPushButton(button, self)
            self.button.clicked.connect(self.pressed)
            layout.addWidget(self.button, 0, Qt.AlignmentFlag.AlignVCenter)


def error_banner(
    theme: Theme,
    error: ErrorRecord,
    *,
    kept_text: bool = False,
    button: str = "",
    parent: QWidget | None = None,
) -> Banner:
    """An error as everybody is told of it: what happened, what to do, and the code."""
    headline, sentence = wording.error_sentences(error, kept_text=kept_text)
    code = wording.error_code(error)
    return Banner(
        theme, BannerKind.ERROR, headline, sentence, code=code, button=button, parent=parent
    )


class BannerPlace(QVBoxLayout):
    """Where a window shows one banner at a time."""

    def __init__(self) -> None:
        super().__init__()
        self.banner: Banner | None = None

    def show_banner(self, banner: Banner | None) -> None:
        """Shows a banner in the place of the one before, or none."""
        if self.banner is not None:
            self.removeWidget(self.banner)
            self.banner.hide()
            self.banner.deleteLater()
        self.banner = banner
        if banner is not None:
            self.addWidget(banner)


def _label(text: str, name: str) -> QLabel:
    label = QLabel(text)
    label.setObjectName(name)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(True)
    label.setTextInteractionFlags(
        Qt.TextInteractionFlag.TextSelectableByMouse
        | Qt.TextInteractionFlag.TextSelectableByKeyboard
    )
    label.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    return label

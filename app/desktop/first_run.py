"""The screen of a machine without a model: one card, one button, a progress bar."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QProgressBar,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from app.core.errors import ErrorRecord
from app.desktop import wording
from app.desktop.banner import Banner, BannerKind
from app.desktop.lifecycle import Action, TurnState, allows
from app.desktop.services import FetchProgress
from app.desktop.theme import Theme


class FirstRun(QWidget):
    """Offers the first model and shows how it arrives."""

    fetch_asked = Signal()
    stop_asked = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("page")
        self._theme = theme
        self._banner: Banner | None = None
        mark = QLabel(self)
        mark.setPixmap(theme.mark("contenox").pixmap(64, 64))
        title = QLabel(self.tr("Welcome to Contenox"), self)
        title.setObjectName("title")
        lead = QLabel(
            self.tr("Chat with a language model on this computer. Nothing leaves it."),
            self,
        )
        lead.setObjectName("lead")
        self._column = QVBoxLayout()
        self._column.setSpacing(10)
        self._column.addStretch(2)
        for label in (mark, title, lead):
            label.setAlignment(Qt.AlignmentFlag.AlignHCenter)
            label.setWordWrap(label is not mark)
            self._column.addWidget(label)
        self._column.addSpacing(20)
        self._column.addWidget(self._card())
        self._column.addStretch(3)
        across = QHBoxLayout(self)
        across.addStretch(1)
        holder = QWidget(self)
        holder.setMaximumWidth(520)
        holder.setLayout(self._column)
        across.addWidget(holder, 1000)
        across.addStretch(1)

    def _card(self) -> QFrame:
        card = QFrame(self)
        card.setObjectName("card")
        name = QLabel("SmolLM2 135M", card)
        name.setObjectName("heading")
        facts = QLabel(
            self.tr("98 MB, fast on every computer. Small: good for a first try, not for facts."),
            card,
        )
        facts.setWordWrap(True)
        self.button = QPushButton(self.tr("Get and chat"), card)
        self.button.setObjectName("primary")
        self.button.setDefault(True)
        self.button.clicked.connect(self.fetch_asked)
        self.cancel = QPushButton(self.tr("Cancel"), card)
        self.cancel.clicked.connect(self.stop_asked)
        self.cancel.hide()
        self._bar = QProgressBar(card)
        self._bar.setTextVisible(False)
        self._bar.setAccessibleName(self.tr("Progress"))
        self._stage = QLabel(card)
        self._stage.setObjectName("muted")
        self._bar.hide()
        self._stage.hide()
        layout = QVBoxLayout(card)
        layout.setContentsMargins(24, 20, 24, 20)
        layout.setSpacing(10)
        for widget in (name, facts, self._bar, self._stage):
            layout.addWidget(widget)
        layout.addSpacing(4)
        layout.addWidget(self.button)
        layout.addWidget(self.cancel)
        return card

    def set_state(self, state: TurnState) -> None:
        """Shows the button or the bar."""
        fetching = state is TurnState.FETCHING
        # A hidden widget gives the focus to whatever comes next; it belongs to the one button.
        had_focus = self.button.hasFocus() or self.cancel.hasFocus()
        self.button.setEnabled(allows(state, Action.FETCH_STARTER))
        self.button.setVisible(not fetching)
        self.cancel.setVisible(allows(state, Action.STOP_FETCHING))
        if had_focus:
            (self.cancel if fetching else self.button).setFocus()
        self._bar.setVisible(fetching)
        self._stage.setVisible(fetching)
        if fetching:
            self._bar.setRange(0, 0)
            self._stage.setText("")
            self._drop_banner()

    def set_progress(self, progress: FetchProgress) -> None:
        """Shows how far it is; an unknown size moves without an end."""
        self._stage.setText(wording.fetch_sentence(progress))
        if progress.total_bytes:
            self._bar.setRange(0, 1000)
            self._bar.setValue(round(progress.done_bytes / progress.total_bytes * 1000))
        else:
            self._bar.setRange(0, 0)

    @property
    def stage_text(self) -> str:
        """What is being done, as it is shown."""
        return self._stage.text()

    def show_error(self, error: ErrorRecord) -> None:
        """Says why there is still no model; the button tries again."""
        self._drop_banner()
        self._banner = Banner(
            self._theme, BannerKind.ERROR, error.message, error.remedy, code=error.code, parent=self
        )
        self._column.insertWidget(self._column.count() - 1, self._banner)

    def _drop_banner(self) -> None:
        if self._banner is not None:
            self._column.removeWidget(self._banner)
            self._banner.hide()
            self._banner.deleteLater()
            self._banner = None

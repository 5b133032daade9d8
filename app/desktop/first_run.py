"""The screen of a machine without a model: three cards that were chosen for it, one press each."""

from typing import Final

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from app.core.errors import ErrorRecord
from app.desktop import wording
from app.desktop.banner import Banner, error_banner
from app.desktop.lifecycle import Action, TurnState, allows
from app.desktop.models import facts
from app.desktop.models.card import ModelCard
from app.desktop.models.ports import Key, Source
from app.desktop.models.row_state import ON_ITS_WAY, Line, Press
from app.desktop.services import FetchProgress
from app.desktop.theme import Theme

_SIDE_BY_SIDE: Final = 800
"""Below this width the cards stand one below the other."""
_WIDEST: Final = 1040
_ONE_CARD: Final = 420


class FirstRun(QWidget):
    """Offers the first models and shows how they arrive.

    The starter's card is there from the beginning and works without a network; the others come
    when the list has been read.
    """

    fetch_asked = Signal()
    stop_asked = Signal()
    get_asked = Signal(object)  # Key
    steered = Signal(object, object)  # Press, Key
    all_asked = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("page")
        self._theme = theme
        self._banner: Banner | None = None
        self._state = TurnState.LOOKING
        self.starter = ModelCard(theme, self)
        self.starter.get_asked.connect(self.fetch_asked)
        self.starter.pressed.connect(self._on_starter_pressed)
        self.button, self.cancel = self.starter.button, self.starter.cancel
        self.button.setDefault(True)
        self.starter.show_words(
            self.tr("Ready at once"),
            "SmolLM2 135M",
            self.tr("Fast on every computer. Small: good for a first try, not for facts."),
            self.tr("{size} to download").format(size="98 MB"),
        )
        self.others: list[ModelCard] = []
        self._row = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._row.setSpacing(16)
        self._row.addWidget(self.starter)
        self._build(theme)

    def _build(self, theme: Theme) -> None:
        mark = QLabel(self)
        mark.setPixmap(theme.mark("contenox").pixmap(56, 56))
        title = QLabel(self.tr("Welcome to Contenox"), self)
        title.setObjectName("title")
        lead = QLabel(
            self.tr("Chat with a language model on this computer. Nothing leaves it."), self
        )
        lead.setObjectName("lead")
        self.all_button = QPushButton(self.tr("See all models"), self)
        self.all_button.setObjectName("link")
        self.all_button.setCursor(Qt.CursorShape.PointingHandCursor)
        self.all_button.clicked.connect(self.all_asked)
        self.all_button.hide()
        self._column = QVBoxLayout()
        self._column.setContentsMargins(24, 16, 24, 24)
        self._column.setSpacing(10)
        self._column.addStretch(2)
        for label in (mark, title, lead):
            label.setAlignment(Qt.AlignmentFlag.AlignHCenter)
            label.setWordWrap(label is not mark)
            self._column.addWidget(label)
        self._column.addSpacing(16)
        self._cards = QWidget(self)
        self._cards.setLayout(self._row)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._cards.setMaximumWidth(_ONE_CARD)
        across = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        across.addStretch(1)
        across.addWidget(self._cards, 1000)
        across.addStretch(1)
        self._column.addLayout(across)
        self._column.addWidget(self.all_button, 0, Qt.AlignmentFlag.AlignHCenter)
        self._column.addStretch(3)
        page = QWidget()
        page.setObjectName("page")
        page.setLayout(self._column)
        scroll = QScrollArea(self)
        scroll.setWidgetResizable(True)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        scroll.setWidget(page)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(scroll)

    # --- The cards -----------------------------------------------------------------------------

    def set_cards(self, lines: tuple[Line, ...]) -> None:
        """Shows the chosen models: the starter in its card, the others beside it."""
        self.all_button.setVisible(bool(lines))
        rest = [line for line in lines if line.row.source is not Source.STARTER]
        for line in lines:
            if line.row.source is Source.STARTER:
                self.starter.show_line(self.tr("Ready at once"), line)
        if [line.key for line in rest] != [card.line.key for card in self.others if card.line]:
            self._rebuild(len(rest))
        offered = [line for line in rest if line.state not in ON_ITS_WAY]
        best = max(offered, key=lambda line: line.row.size_bytes) if len(offered) > 1 else None
        for card, line in zip(self.others, rest, strict=True):
            tag = self.tr("The best that fits here") if line is best else self.tr("Light")
            card.show_line(tag if line in offered else self.tr("On its way"), line)
            self._show_download(card, line)
        self._arrange()

    @property
    def keys(self) -> frozenset[Key]:
        """The models that are shown."""
        cards = (self.starter, *self.others)
        return frozenset(card.line.key for card in cards if card.line is not None)

    def update_lines(self, lines: tuple[Line, ...]) -> None:
        """Takes over what changed."""
        for line in lines:
            for card in self.others:
                if card.line is not None and card.line.key == line.key:
                    card.line = line
                    self._show_download(card, line)

    def _rebuild(self, count: int) -> None:
        for card in self.others:
            self._row.removeWidget(card)
            card.hide()
            card.deleteLater()
        self.others = [ModelCard(self._theme, self) for _ in range(count)]
        for card in self.others:
            self._connect(card)
            self._row.addWidget(card)

    def _connect(self, card: ModelCard) -> None:
        """Each card asks for its own model."""

        def get() -> None:
            if card.line is not None:
                self.get_asked.emit(card.line.key)

        def steer(press: Press) -> None:
            if card.line is not None:
                self.steered.emit(press, card.line.key)

        card.get_asked.connect(get)
        card.pressed.connect(steer)

    @staticmethod
    def _show_download(card: ModelCard, line: Line) -> None:
        reason, remedy = facts.why(line)
        amount = line.amount
        under_way = line.state in ON_ITS_WAY
        words = f"{facts.state(line)} · {facts.progress(line)}" if under_way else ""
        stage = "\n".join(part for part in (words, reason, remedy) if part)
        card.show_progress(amount.fraction if amount is not None else None, stage)
        card.show_presses(line.presses if under_way else ())

    # --- The starter ---------------------------------------------------------------------------

    def set_state(self, state: TurnState) -> None:
        """Shows the starter's button or its bar."""
        fetching = state is TurnState.FETCHING
        changed, self._state = state is not self._state, state
        may_fetch = allows(state, Action.FETCH_STARTER)
        if may_fetch:  # before it can get the focus
            self.button.setEnabled(True)
        stop = (Press.CANCEL,) if allows(state, Action.STOP_FETCHING) else ()
        self.starter.show_presses(stop, getting=fetching)
        self.button.setEnabled(may_fetch)  # one that is switched off has lost the focus already
        if fetching and changed:
            self.starter.show_progress(None, "", moving=True)
            self._drop_banner()
        elif not fetching:
            self.starter.show_progress(None, "")

    def set_progress(self, progress: FetchProgress) -> None:
        """Shows how far the starter is; an unknown size moves without an end."""
        total = progress.total_bytes
        fraction = progress.done_bytes / total if total else None
        self.starter.show_progress(
            fraction, wording.fetch_sentence(progress), moving=fraction is None
        )

    @property
    def stage_text(self) -> str:
        """What is being done for the starter, as it is shown."""
        return self.starter.stage_text

    @Slot(object)
    def _on_starter_pressed(self, press: object) -> None:
        if press is Press.CANCEL:
            self.stop_asked.emit()

    # --- Errors and size -----------------------------------------------------------------------

    def show_error(self, error: ErrorRecord) -> None:
        """Says why there is still no model; the buttons try again."""
        self._drop_banner()
        self._banner = error_banner(self._theme, error, parent=self)
        self._column.insertWidget(self._column.count() - 1, self._banner)

    def _drop_banner(self) -> None:
        if self._banner is not None:
            self._column.removeWidget(self._banner)
            self._banner.hide()
            self._banner.deleteLater()
            self._banner = None

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802  Qt's name
        super().resizeEvent(event)
        self._arrange()

    def _arrange(self) -> None:
        beside = self.width() >= _SIDE_BY_SIDE and bool(self.others)
        direction = QBoxLayout.Direction.LeftToRight if beside else QBoxLayout.Direction.TopToBottom
        if self._row.direction() is not direction:
            self._row.setDirection(direction)
        self._cards.setMaximumWidth(_WIDEST if beside else _ONE_CARD)
        for place in range(self._row.count()):
            self._row.setStretch(place, 1)

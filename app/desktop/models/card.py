"""One of the models that a first start offers."""

from PySide6.QtCore import QPointF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QProgressBar,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from app.desktop.models import facts
from app.desktop.models.cell import paint_mark
from app.desktop.models.fact_grid import plain_label
from app.desktop.models.ports import Verdict
from app.desktop.models.row_state import Line, Press
from app.desktop.models.table_model import Tone
from app.desktop.theme import Theme

_TONES = {
    Verdict.FITS: Tone.GOOD,
    Verdict.TIGHT: Tone.CAREFUL,
    Verdict.DOES_NOT_FIT: Tone.BAD,
    Verdict.UNKNOWN: Tone.FAINT,
}


class VerdictMark(QWidget):
    """The same full, half or empty ring as in the table."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._tone = Tone.FAINT
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Preferred)
        theme.changed.connect(self.update)

    def set_verdict(self, verdict: Verdict) -> None:
        self._tone = _TONES[verdict]
        self.update()

    def sizeHint(self) -> QSize:  # noqa: N802  Qt's name
        return QSize(12, self.fontMetrics().height())

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802  Qt's name
        del event
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        paint_mark(painter, self._theme, self._tone, QPointF(6, self.height() / 2))
        painter.end()


class ModelCard(QFrame):
    """Says what a model is, whether it fits, and gets it with one press."""

    get_asked = Signal()
    pressed = Signal(object)  # Press: pause, resume or cancel

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("card")
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self.line: Line | None = None
        self._tag = plain_label("", "tag", self)
        self._title = plain_label("", "cardTitle", self)
        self._good_at = plain_label("", "", self)
        self._good_at.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        self._size = plain_label("", "fact", self)
        self._mark = VerdictMark(theme, self)
        self._verdict = plain_label("", "fact", self)
        self._sum = plain_label("", "muted", self)
        self._speed = plain_label("", "muted", self)
        self._bar = QProgressBar(self)
        self._bar.setTextVisible(False)
        self._bar.setAccessibleName(self.tr("Progress"))
        self._stage = plain_label("", "muted", self)
        self.button = QPushButton(self.tr("Get and chat"), self)
        self.button.setObjectName("primary")
        self.button.clicked.connect(self.get_asked)
        self.pause = QPushButton(self.tr("Pause"), self)
        self.pause.clicked.connect(lambda: self.pressed.emit(Press.PAUSE))
        self.resume = QPushButton(self.tr("Resume"), self)
        self.resume.clicked.connect(lambda: self.pressed.emit(Press.RESUME))
        self.cancel = QPushButton(self.tr("Cancel"), self)
        self.cancel.clicked.connect(lambda: self.pressed.emit(Press.CANCEL))
        self._build()
        self.show_progress(None, "")
        self.show_presses(())

    def _build(self) -> None:
        fits = QHBoxLayout()
        fits.setSpacing(7)
        fits.addWidget(self._mark)
        fits.addWidget(self._verdict, 1)
        steer = QHBoxLayout()
        steer.setSpacing(6)
        for button in (self.pause, self.resume, self.cancel):
            steer.addWidget(button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(22, 18, 22, 20)
        layout.setSpacing(8)
        layout.addWidget(self._tag)
        layout.addWidget(self._title)
        layout.addWidget(self._good_at)
        layout.addSpacing(6)
        layout.addWidget(self._size)
        layout.addLayout(fits)
        layout.addWidget(self._sum)
        layout.addWidget(self._speed)
        layout.addStretch(1)
        layout.addSpacing(6)
        layout.addWidget(self._bar)
        layout.addWidget(self._stage)
        layout.addWidget(self.button)
        layout.addLayout(steer)

    # --- What it is ----------------------------------------------------------------------------

    def show_words(self, tag: str, title: str, good_at: str, size: str) -> None:
        """What is known before the list is read."""
        self._tag.setText(tag)
        self._title.setText(title)
        self._good_at.setText(good_at)
        self._size.setText(size)
        self._show_fit(None)
        self.button.setAccessibleName(self.tr("Get {model} and chat").format(model=title))

    def show_line(self, tag: str, line: Line) -> None:
        """Shows a model of the list."""
        self.line = line
        row = line.row
        size = self.tr("{size} to download").format(size=facts.size(row))
        self.show_words(tag, row.title, row.good_at, size)
        self._show_fit(line)

    def _show_fit(self, line: Line | None) -> None:
        for widget in (self._mark, self._verdict, self._sum):
            widget.setVisible(line is not None)
        speed = self.tr("Speed: not measured yet")
        if line is not None:
            fit = line.row.fit
            self._mark.set_verdict(fit.verdict)
            self._verdict.setText(facts.fit_headline(fit))
            self._sum.setText(facts.fit_sum(fit))
            if line.row.tokens_per_s is not None:
                speed = self.tr("{rate} tokens/s measured").format(rate=facts.speed(line.row))
            elif line.row.expected is not None:
                speed = self.tr("{rate} tokens/s").format(rate=facts.speed(line.row))
        self._speed.setText(speed)

    # --- How far it is -------------------------------------------------------------------------

    def show_progress(self, fraction: float | None, stage: str, *, moving: bool = False) -> None:
        """Shows a bar, or hides it. ``moving``: nothing tells how much there is to do."""
        shown = fraction is not None or moving
        self._bar.setVisible(shown)
        self._stage.setVisible(bool(stage))
        self._stage.setText(stage)
        if moving:
            self._bar.setRange(0, 0)
        elif fraction is not None:
            self._bar.setRange(0, 1000)
            self._bar.setValue(round(fraction * 1000))

    def show_presses(self, presses: tuple[Press, ...], *, getting: bool = False) -> None:
        """Shows the buttons of a download, or the one that begins it."""
        # A hidden widget gives the focus to whatever comes next; it belongs to this card.
        buttons = (self.button, self.pause, self.resume, self.cancel)
        focused = next((button for button in buttons if button.hasFocus()), None)
        self.button.setVisible(not presses and not getting)
        self.pause.setVisible(Press.PAUSE in presses)
        self.resume.setVisible(Press.RESUME in presses)
        self.cancel.setVisible(Press.CANCEL in presses)
        if focused is not None and focused.isHidden():
            left = (button for button in (self.button, self.cancel) if not button.isHidden())
            next(left, focused).setFocus()

    @property
    def stage_text(self) -> str:
        """What is being done, as it is shown."""
        return self._stage.text()

    @property
    def texts(self) -> tuple[str, ...]:
        """All that is shown, for tests."""
        return tuple(label.text() for label in self.findChildren(QLabel) if not label.isHidden())

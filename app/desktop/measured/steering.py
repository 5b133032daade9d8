"""The row above the pictures: what to measure and for how long, or how far it is."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QElapsedTimer, Qt, Signal, Slot
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QMenu,
    QProgressBar,
    QPushButton,
    QSizePolicy,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from app.desktop.chooser import Chooser
from app.desktop.measured import words
from app.desktop.theme import Theme
from app.workflows.certified import Candidate

if TYPE_CHECKING:
    from app.certify.certifier import Step


class Steering(QStackedWidget):
    """The choice with its buttons; while something is measured, its progress and Stop."""

    measure_asked = Signal(object, bool)  # Candidate, quick
    stop_asked = Signal()
    candidate_chosen = Signal(object)  # Candidate
    export_asked = Signal(str)  # a suffix of exporting.SUFFIXES

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._expected_s: float | None = None
        self._since = QElapsedTimer()
        self._since.start()
        self.addWidget(self._choice_row())
        self.addWidget(self._progress_row())
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def _choice_row(self) -> QWidget:
        row = QWidget(self)
        self.choice = Chooser(self._theme, self.tr("What to measure"), row)
        self.choice.currentIndexChanged.connect(self._on_choice)
        self.quick = QPushButton(row)
        self.quick.clicked.connect(lambda: self._ask(quick=True))
        self.full = QPushButton(row)
        self.full.setObjectName("primary")
        self.full.clicked.connect(lambda: self._ask(quick=False))
        self.export = QPushButton(self.tr("Export"), row)
        menu = QMenu(self.export)
        for text, suffix in (
            (self.tr("The pictures (PNG)…"), "png"),
            (self.tr("The certificates (JSON)…"), "json"),
            (self.tr("A page to read (Markdown)…"), "md"),
        ):
            menu.addAction(text).triggered.connect(self._exporter(suffix))
        self.export.setMenu(menu)
        across = QHBoxLayout(row)
        across.setContentsMargins(0, 0, 0, 0)
        across.setSpacing(10)
        across.addWidget(self.choice)
        across.addWidget(self.quick)
        across.addWidget(self.full)
        across.addStretch(1)
        across.addWidget(self.export)
        self.set_expected(None, None)
        return row

    def _progress_row(self) -> QWidget:
        row = QWidget(self)
        self.doing = QLabel(row)
        self.doing.setObjectName("strong")
        self.doing.setTextFormat(Qt.TextFormat.PlainText)
        self.left = QLabel(row)
        self.left.setObjectName("muted")
        self.bar = QProgressBar(row)
        self.bar.setTextVisible(False)
        self.stop = QPushButton(self.tr("Stop"), row)
        self.stop.clicked.connect(self.stop_asked)
        above = QHBoxLayout()
        above.addWidget(self.doing)
        above.addStretch(1)
        above.addWidget(self.left)
        words_and_bar = QVBoxLayout()
        words_and_bar.setSpacing(6)
        words_and_bar.addLayout(above)
        words_and_bar.addWidget(self.bar)
        across = QHBoxLayout(row)
        across.setContentsMargins(0, 0, 0, 0)
        across.setSpacing(14)
        across.addLayout(words_and_bar, 1)
        across.addWidget(self.stop)
        return row

    # --- Showing -------------------------------------------------------------------------------

    def set_candidates(self, candidates: tuple[Candidate, ...]) -> None:
        """What can be measured; the chosen one stays chosen."""
        chosen = self.candidate
        self.choice.blockSignals(True)
        self.choice.clear()
        for one in candidates:
            self.choice.addItem(words.candidate(one), one)
        self.choice.setCurrentIndex(candidates.index(chosen) if chosen in candidates else 0)
        self.choice.blockSignals(False)
        self.choice.updateGeometry()
        for widget in (self.choice, self.quick, self.full):
            widget.setEnabled(bool(candidates))
        self._on_choice()

    @property
    def candidate(self) -> Candidate | None:
        found = self.choice.currentData()
        return found if isinstance(found, Candidate) else None

    def set_expected(self, quick_s: float | None, full_s: float | None) -> None:
        """How long both runs take, where it can be told."""
        minute = self.tr("Quick check (about a minute)")
        self.quick.setText(
            minute if quick_s is None else words.button(self.tr("Quick check"), quick_s)
        )
        self.full.setText(words.button(self.tr("Certify"), full_s))

    def show_running(self, candidate: Candidate) -> None:
        """Shows progress in the place of the choice."""
        self.doing.setText(words.candidate(candidate))
        self.left.setText("")
        self._expected_s = None
        self.bar.setRange(0, 0)
        self.stop.setEnabled(True)
        self.setCurrentIndex(1)
        self.stop.setFocus()

    def show_step(self, candidate: Candidate, step: "Step") -> None:
        """How far it is."""
        self.doing.setText(f"{words.candidate(candidate)}: {words.step(step)}")
        self.bar.setRange(0, step.total)
        self.bar.setValue(step.number)
        self.bar.setAccessibleName(words.step(step))
        if step.expected_s is not None and step.expected_s != self._expected_s:
            self._expected_s = step.expected_s
            self._since.restart()
        if self._expected_s is not None:
            left = self._expected_s - self._since.elapsed() / 1000
            text = self.tr("about {time} left").format(time=words.about(left))
            self.left.setText(text if left > 0 else self.tr("longer than expected"))

    def show_stopping(self) -> None:
        self.stop.setEnabled(False)
        self.left.setText(self.tr("Stopping"))

    def show_choice(self) -> None:
        """Nothing runs any more."""
        self.setCurrentIndex(0)

    # --- Presses -------------------------------------------------------------------------------

    @Slot()
    def _on_choice(self) -> None:
        candidate = self.candidate
        if candidate is not None:
            self.candidate_chosen.emit(candidate)

    def _ask(self, *, quick: bool) -> None:
        candidate = self.candidate
        if candidate is not None:
            self.measure_asked.emit(candidate, quick)

    def _exporter(self, suffix: str) -> Callable[[], None]:
        return lambda: self.export_asked.emit(suffix)

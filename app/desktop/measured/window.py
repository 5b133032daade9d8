"""The window of measurements: what to measure, the pictures, the table."""

from collections.abc import Callable
from typing import Final

from PySide6.QtCore import QElapsedTimer, Qt, Signal, Slot
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QMenu,
    QProgressBar,
    QPushButton,
    QSplitter,
    QStackedWidget,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from app.certify.certifier import Step
from app.desktop.banner import Banner
from app.desktop.chooser import Chooser
from app.desktop.measured import words
from app.desktop.measured.charts import Charts, series_colours
from app.desktop.measured.table_model import Column, MeasuredOrder, MeasuredTable
from app.desktop.theme import Theme
from app.workflows.measured import Candidate, Measured

_WIDTHS: Final = {
    Column.MODEL: 240,
    Column.DEVICE: 76,
    Column.LEVEL: 104,
    Column.DECODE: 80,
    Column.PREFILL: 84,
    Column.RATIO: 76,
    Column.MEMORY: 84,
    Column.CONTEXT: 80,
    Column.DATE: 100,
}


class MeasuredWindow(QWidget):
    """Stays open beside the chat. What a press does is decided in ``desk.py``."""

    measure_asked = Signal(object, bool)  # Candidate, quick
    stop_asked = Signal()
    candidate_chosen = Signal(object)  # Candidate
    export_asked = Signal(str)  # a suffix of exporting.SUFFIXES

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent, Qt.WindowType.Window)
        self.setObjectName("page")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._theme = theme
        self._rows: tuple[Measured, ...] = ()
        self._expected_s: float | None = None
        self._since = QElapsedTimer()
        self._since.start()
        self._banner: Banner | None = None
        self.setWindowTitle(self.tr("Measured on this computer"))
        self.setWindowIcon(theme.mark("contenox"))
        self.setMinimumSize(640, 480)
        room = self.screen().availableSize()
        self.resize(min(1260, room.width() - 40), min(860, room.height() - 60))
        self._build()
        theme.changed.connect(self._repaint)
        shortcut = QShortcut(QKeySequence("Escape"), self)
        shortcut.activated.connect(self.close)

    # --- Building ------------------------------------------------------------------------------

    def _build(self) -> None:
        self._steering = QStackedWidget(self)
        self._steering.addWidget(self._choice_row())
        self._steering.addWidget(self._progress_row())
        self._steering.setSizePolicy(
            self._steering.sizePolicy().horizontalPolicy(), self.sizePolicy().verticalPolicy().Fixed
        )
        self.machine = QLabel(self)
        self.machine.setObjectName("muted")
        self.machine.setTextFormat(Qt.TextFormat.PlainText)
        self.machine.setWordWrap(True)
        self.legend = QLabel(self)
        self.legend.setTextFormat(Qt.TextFormat.RichText)
        self.legend.setWordWrap(True)
        self.table_model = MeasuredTable(self)
        self.view = self._table()
        self._notices = QVBoxLayout()
        self.charts = Charts(self)
        self.picture = QWidget(self)
        drawn = QVBoxLayout(self.picture)
        drawn.setContentsMargins(0, 0, 0, 0)
        drawn.setSpacing(8)
        drawn.addWidget(self.legend)
        drawn.addWidget(self.charts, 1)
        drawn.addWidget(self.machine)
        frame = QFrame(self)
        frame.setObjectName("sheet")
        inside = QVBoxLayout(frame)
        inside.setContentsMargins(1, 1, 1, 1)
        inside.addWidget(self.view)
        both = QSplitter(Qt.Orientation.Vertical, self)
        both.setChildrenCollapsible(False)
        both.setHandleWidth(12)
        both.addWidget(self.picture)
        both.addWidget(frame)
        both.setStretchFactor(0, 3)
        both.setStretchFactor(1, 1)
        self._pages = QStackedWidget(self)
        self._pages.addWidget(both)
        self._pages.addWidget(self._empty_page())
        layout = QVBoxLayout(self)
        layout.setContentsMargins(20, 16, 20, 16)
        layout.setSpacing(12)
        layout.addWidget(self._steering)
        layout.addLayout(self._notices)
        layout.addWidget(self._pages, 1)

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

    def _table(self) -> QTableView:
        view = QTableView(self)
        view.setObjectName("measured")
        view.setModel(MeasuredOrder(self.table_model, self))
        view.setAccessibleName(self.tr("Certificates"))
        view.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        view.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        view.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        view.setShowGrid(False)
        view.setWordWrap(False)
        view.setTabKeyNavigation(False)
        view.setSortingEnabled(True)
        view.sortByColumn(Column.MODEL, Qt.SortOrder.AscendingOrder)
        view.verticalHeader().hide()
        view.verticalHeader().setDefaultSectionSize(34)
        header = view.horizontalHeader()
        header.setHighlightSections(False)
        header.setStretchLastSection(True)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        for column, width in _WIDTHS.items():
            view.setColumnWidth(column, width)
        view.setMinimumHeight(116)
        return view

    def _empty_page(self) -> QWidget:
        page = QWidget(self)
        title = QLabel(self.tr("Nothing was measured here yet"), page)
        title.setObjectName("title")
        text = QLabel(
            self.tr(
                "Choose a model above. The quick check takes about a minute and says whether its"
                " answers are sound on this computer, and how fast they come. Certifying takes"
                " longer and measures more thoroughly, at every depth of the context."
            ),
            page,
        )
        text.setObjectName("lead")
        text.setWordWrap(True)
        text.setMaximumWidth(560)
        for label in (title, text):
            label.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        layout = QVBoxLayout(page)
        layout.setSpacing(10)
        layout.addStretch(2)
        layout.addWidget(title)
        # An alignment in its place would take the height of its lines away.
        across = QHBoxLayout()
        across.addStretch(1)
        across.addWidget(text, 1000)
        across.addStretch(1)
        layout.addLayout(across)
        layout.addStretch(3)
        return page

    # --- Showing -------------------------------------------------------------------------------

    def set_rows(self, rows: tuple[Measured, ...]) -> None:
        """Shows the certificates in pictures and table."""
        self._rows = rows
        self._pages.setCurrentIndex(0 if rows else 1)
        self.export.setEnabled(bool(rows))
        self._repaint()

    @Slot()
    def _repaint(self) -> None:
        rows, colours = self._rows, self._theme.colours
        series = series_colours(len(rows), colours)
        self.legend.setText(words.legend(rows, series))
        self.charts.show_rows(rows, colours)
        self.table_model.set_rows(rows, colours, series)
        newest = max((one.certificate for one in rows), key=lambda one: one.date, default=None)
        self.machine.setText("" if newest is None else words.machine(newest.machine, newest))

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

    def choose(self, candidate: Candidate) -> None:
        """Chooses what to measure, if it is in the list."""
        for place in range(self.choice.count()):
            if self.choice.itemData(place) == candidate:
                self.choice.setCurrentIndex(place)

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
        self.show_banner(None)
        self.doing.setText(words.candidate(candidate))
        self.left.setText("")
        self._expected_s = None
        self.bar.setRange(0, 0)
        self.stop.setEnabled(True)
        self._steering.setCurrentIndex(1)
        self.stop.setFocus()

    def show_step(self, candidate: Candidate, step: Step) -> None:
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
        self._steering.setCurrentIndex(0)

    def show_banner(self, banner: Banner | None) -> None:
        """Shows one notice below the choice, in the place of the one before."""
        if self._banner is not None:
            self._notices.removeWidget(self._banner)
            self._banner.hide()
            self._banner.deleteLater()
        self._banner = banner
        if banner is not None:
            self._notices.addWidget(banner)

    @property
    def banner(self) -> Banner | None:
        return self._banner

    def bring_to_front(self) -> None:
        self.show()
        self.raise_()
        self.activateWindow()

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

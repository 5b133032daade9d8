"""The window of measurements: what to measure, the pictures, the table."""

from typing import Final

from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QSplitter,
    QStackedWidget,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from app.desktop.banner import Banner, BannerPlace
from app.desktop.measured import words
from app.desktop.measured.charts import Charts, series_colours
from app.desktop.measured.steering import Steering
from app.desktop.measured.table_model import Column, MeasuredOrder, MeasuredTable
from app.desktop.tables import make_sortable
from app.desktop.theme import Theme
from app.workflows.certified import Measured

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

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent, Qt.WindowType.Window)
        self.setObjectName("page")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._theme = theme
        self._rows: tuple[Measured, ...] = ()
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
        self.steering = Steering(self._theme, self)
        self.machine = QLabel(self)
        self.machine.setObjectName("muted")
        self.machine.setTextFormat(Qt.TextFormat.PlainText)
        self.machine.setWordWrap(True)
        self.legend = QLabel(self)
        self.legend.setTextFormat(Qt.TextFormat.RichText)
        self.legend.setWordWrap(True)
        self.table_model = MeasuredTable(self)
        self.view = self._table()
        self._notices = BannerPlace()
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
        layout.addWidget(self.steering)
        layout.addLayout(self._notices)
        layout.addWidget(self._pages, 1)

    def _table(self) -> QTableView:
        view = QTableView(self)
        view.setObjectName("measured")
        view.setModel(MeasuredOrder(self.table_model, self))
        view.setAccessibleName(self.tr("Certificates"))
        make_sortable(view, Column.MODEL)
        view.verticalHeader().setDefaultSectionSize(34)
        header = view.horizontalHeader()
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
        self.steering.export.setEnabled(bool(rows))
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

    def show_banner(self, banner: Banner | None) -> None:
        """Shows one notice below the choice, in the place of the one before."""
        self._notices.show_banner(banner)

    @property
    def banner(self) -> Banner | None:
        return self._notices.banner

    def bring_to_front(self) -> None:
        self.show()
        self.raise_()
        self.activateWindow()

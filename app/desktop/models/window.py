"""The Models window: filters and search, the table, the details, the disk."""

from typing import Final

from PySide6.QtCore import QModelIndex, Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent, QKeySequence, QResizeEvent, QShortcut, QShowEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QFrame,
    QHBoxLayout,
    QLabel,
    QMenu,
    QPushButton,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from app.desktop.banner import Banner, BannerPlace
from app.desktop.models import facts
from app.desktop.models.chips import ChipRow
from app.desktop.models.details import DetailPane
from app.desktop.models.disk_bar import DiskBar
from app.desktop.models.filtering import ModelFilter
from app.desktop.models.model_view import ModelView
from app.desktop.models.ports import Key, StoreFacts
from app.desktop.models.row_state import Line
from app.desktop.models.table_model import ModelTable
from app.desktop.search_field import SearchField
from app.desktop.theme import Theme

_SIDE_BY_SIDE: Final = 820
"""Below this width the details stand under the table."""
_PANE_WIDEST: Final = 360
_UNBOUND: Final = 16_777_215  # Qt's own word for no limit


class ModelsWindow(QWidget):
    """Stays open beside the chat. What a press does is decided in ``desk.py``."""

    pressed = Signal(object, object)  # Press, Line
    line_chosen = Signal(object)  # Line | None
    import_folder_asked = Signal()
    import_file_asked = Signal()
    move_asked = Signal()

    def __init__(
        self,
        theme: Theme,
        parent: QWidget | None = None,
        *,
        can_import: bool = False,
        can_move: bool = False,
    ) -> None:
        # A window rather than a dialog: Enter in the search field must not press "Get".
        super().__init__(parent, Qt.WindowType.Window)
        self.setObjectName("page")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._theme = theme
        self.setWindowTitle(self.tr("Models"))
        self.setWindowIcon(theme.mark("contenox"))
        self.setMinimumSize(520, 360)
        room = self.screen().availableSize()
        self.resize(min(1340, room.width() - 40), min(760, room.height() - 60))
        self.table = ModelTable(self)
        self.filter = ModelFilter(self.table, self)
        self.details = DetailPane(theme, self)
        self.details.pressed.connect(self.pressed)
        self.chips = ChipRow(self)
        self.chips.changed.connect(self._on_chips)
        self.search = SearchField(self)
        self.search.setPlaceholderText(self.tr("Search models"))
        self.search.setAccessibleName(self.tr("Search models"))
        self.search.left.connect(self._to_table)
        self.search.textChanged.connect(self._on_search)
        self.view = ModelView(theme, self.filter, self)
        self.view.selectionModel().currentRowChanged.connect(self._on_row)
        self._pages = QStackedWidget(self)
        self._pages.addWidget(self.view)
        self._pages.addWidget(self._nothing_page())
        self._build(can_import=can_import, can_move=can_move)
        shortcut = QShortcut(QKeySequence("Ctrl+F"), self)
        shortcut.activated.connect(self._to_search)

    # --- Building ------------------------------------------------------------------------------

    def _build(self, *, can_import: bool, can_move: bool) -> None:
        top = self._top = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        top.setSpacing(12)
        top.addWidget(self.chips, 1)
        finding = QHBoxLayout()
        finding.setSpacing(12)
        finding.addWidget(self.search, 1)
        self.import_button = self._import_button()
        self.import_button.setVisible(can_import)
        finding.addWidget(self.import_button)
        top.addLayout(finding, 1)
        left = QVBoxLayout()
        left.setContentsMargins(20, 16, 20, 12)
        left.setSpacing(12)
        left.addLayout(top)
        self._notices = BannerPlace()
        left.addLayout(self._notices)
        frame = QFrame(self)
        frame.setObjectName("sheet")
        inside = QVBoxLayout(frame)
        inside.setContentsMargins(1, 1, 1, 1)
        inside.addWidget(self._pages)
        left.addWidget(frame, 1)
        left.addLayout(self._disk_row(can_move=can_move))
        self._across = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        self._across.setContentsMargins(0, 0, 0, 0)
        self._across.setSpacing(0)
        self._across.addLayout(left, 1)
        self._across.addWidget(self.details)

    def _import_button(self) -> QPushButton:
        button = QPushButton(self.tr("Import"), self)
        menu = QMenu(button)
        menu.addAction(self.tr("A model's folder…"), self.import_folder_asked.emit)
        menu.addAction(self.tr("A GGUF file…"), self.import_file_asked.emit)
        button.setMenu(menu)
        return button

    def _disk_row(self, *, can_move: bool) -> QHBoxLayout:
        self.disk = DiskBar(self._theme, self)
        self._disk_text = QLabel(self)
        self._disk_text.setObjectName("muted")
        self.move_button = QPushButton(self.tr("Move the models…"), self)
        self.move_button.clicked.connect(self.move_asked)
        self.move_button.setVisible(can_move)
        across = QHBoxLayout()
        across.setSpacing(12)
        across.addWidget(self.disk, 1)
        across.addWidget(self._disk_text)
        across.addWidget(self.move_button)
        return across

    def _nothing_page(self) -> QWidget:
        page = QWidget(self)
        words = QLabel(self.tr("No model matches"), page)
        words.setObjectName("lead")
        words.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self.show_all = QPushButton(self.tr("Show all models"), page)
        self.show_all.clicked.connect(self._on_show_all)
        layout = QVBoxLayout(page)
        layout.addStretch(2)
        layout.addWidget(words)
        layout.addWidget(self.show_all, 0, Qt.AlignmentFlag.AlignHCenter)
        layout.addStretch(3)
        return page

    # --- Showing -------------------------------------------------------------------------------

    def set_lines(self, lines: tuple[Line, ...]) -> None:
        """Lists ``lines``; the chosen row stays chosen, or else the first one is."""
        self.table.set_lines(lines)
        self.view.fit_rows()
        self._after_filter()
        shown = self.details.key
        self.choose(shown)

    def update_lines(self, lines: tuple[Line, ...]) -> None:
        """Repaints the rows that changed."""
        self.table.update_lines(lines)
        for line in lines:
            if line.key == self.details.key:
                moved = self.details.line is None or self.details.line.state is not line.state
                self.details.show_line(line)
                if moved:  # it may stand elsewhere in the table now
                    self.view.scrollTo(self.view.currentIndex())

    def choose(self, key: Key | None) -> None:
        """Chooses the row of ``key``; without one, the first row."""
        index = (
            QModelIndex() if key is None else self.filter.mapFromSource(self.table.index_of(key))
        )
        if not index.isValid() and self.filter.rowCount():
            index = self.filter.index(0, 0)
        if index.isValid():
            self.view.setCurrentIndex(index)
            self.view.scrollTo(index)
            line = self.filter.line_at(index)
            if self.details.line != line:
                self.details.show_line(line)
                self.line_chosen.emit(line)
        else:
            self.details.show_line(None)

    def set_store(self, store: StoreFacts) -> None:
        self.disk.set_store(store)
        self._disk_text.setText(facts.disk(store))

    def show_banner(self, banner: Banner | None) -> None:
        """Shows one notice above the table, in the place of the one before."""
        self._notices.show_banner(banner)

    def show_job(self, job: QWidget) -> None:
        """Shows what takes long, above the table; it goes by itself."""
        self.show_banner(None)
        self._notices.addWidget(job)

    @property
    def banner(self) -> Banner | None:
        return self._notices.banner

    def bring_to_front(self) -> None:
        """Shows the window in front of the chat."""
        self.show()
        self.raise_()
        self.activateWindow()
        self.view.setFocus()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802  Qt's name
        """Escape closes the window, wherever nothing nearer takes it."""
        if event.key() == Qt.Key.Key_Escape:
            self.close()
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802  Qt's name
        super().resizeEvent(event)
        self._arrange()

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802  Qt's name
        super().showEvent(event)
        self._arrange()

    def _arrange(self) -> None:
        """Gives the width to what matters most; the rest is in the details."""
        beside = self.width() >= _SIDE_BY_SIDE
        direction = QBoxLayout.Direction.LeftToRight if beside else QBoxLayout.Direction.TopToBottom
        self._across.setDirection(direction)
        self._top.setDirection(direction)
        self.details.setMaximumWidth(_PANE_WIDEST if beside else _UNBOUND)
        self.details.setMaximumHeight(_UNBOUND if beside else max(180, self.height() * 2 // 5))
        self._across.activate()

    # --- Presses -------------------------------------------------------------------------------

    @Slot(QModelIndex, QModelIndex)
    def _on_row(self, index: QModelIndex, _before: QModelIndex) -> None:
        line = self.filter.line_at(index) if index.isValid() else None
        if line is None or line.key != self.details.key:
            self.details.show_line(line)
            self.line_chosen.emit(line)

    @Slot(object)
    def _on_chips(self, chips: object) -> None:
        assert isinstance(chips, frozenset)
        self.filter.set_chips(chips)
        self._after_filter()

    @Slot(str)
    def _on_search(self, text: str) -> None:
        self.filter.set_words(text)
        self._after_filter()

    def _after_filter(self) -> None:
        nothing = self.table.rowCount() > 0 and not self.filter.rowCount()
        self._pages.setCurrentIndex(1 if nothing else 0)
        self.details.setVisible(not nothing and self.details.line is not None)
        if not nothing and not self.view.currentIndex().isValid():
            self.choose(self.details.key)

    @Slot()
    def _on_show_all(self) -> None:
        self.search.clear()
        self.chips.clear()
        self.view.setFocus()

    @Slot()
    def _to_search(self) -> None:
        self.search.setFocus()
        self.search.selectAll()

    @Slot()
    def _to_table(self) -> None:
        self.view.setFocus()

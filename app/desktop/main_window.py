"""The window: the chat list, the choosers, the transcript, the input and the status line."""

from typing import Final

from PySide6.QtCore import QByteArray, Qt, Signal
from PySide6.QtGui import (
    QAction,
    QCloseEvent,
    QDragEnterEvent,
    QDropEvent,
    QKeyEvent,
    QKeySequence,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QHBoxLayout,
    QMainWindow,
    QMenu,
    QStackedWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from app.desktop.chat_list import ChatList
from app.desktop.composer import Composer, has_files
from app.desktop.context.bar import ContextBar
from app.desktop.context.pins_bar import PinsBar
from app.desktop.device_chooser import DeviceChooser
from app.desktop.first_run import FirstRun
from app.desktop.icon_button import IconButton
from app.desktop.lifecycle import Action, TurnState, allows
from app.desktop.markdown.rendering import RenderingThread
from app.desktop.model_chooser import ModelChooser
from app.desktop.notices import Notices
from app.desktop.preset_chooser import PresetChooser
from app.desktop.status_line import StatusLine
from app.desktop.theme import Theme
from app.desktop.transcript import SIDE_MARGIN, WIDEST, Transcript
from app.desktop.turn_records import Activity

_NARROW: Final = 720  # below this width the chat list would leave too little for the text


class MainWindow(QMainWindow):
    """Layout and shortcuts. What happens on a press is decided in ``desk.py``."""

    close_asked = Signal()
    quit_asked = Signal()
    new_chat_asked = Signal()
    settings_asked = Signal()
    models_asked = Signal()
    pin_files_asked = Signal()
    pin_folder_asked = Signal()
    files_dropped = Signal(object)  # list[QUrl]
    context_asked = Signal()
    measured_asked = Signal()

    def __init__(self, theme: Theme, rendering: RenderingThread) -> None:
        super().__init__()
        self.setWindowTitle("Contenox")
        self.setWindowIcon(theme.mark("contenox"))
        self.setMinimumSize(360, 320)
        self.resize(1040, 760)
        self.chat_list = ChatList(theme, self)
        self._side_wanted = True
        self.models = ModelChooser(theme, self)
        self.devices = DeviceChooser(theme, self)
        self.presets = PresetChooser(theme, self)
        self.transcript = Transcript(theme, rendering, self)
        self.first_run = FirstRun(theme, self)
        self.composer = Composer(theme, self)
        self.pins = PinsBar(theme, self)
        self.composer.add_above(self.pins)
        self.pin_button = self._make_pin_button(theme)
        self.composer.add_beside(self.pin_button)
        self.composer.files_given.connect(self.files_dropped)
        self.setAcceptDrops(True)
        self.context_bar = ContextBar(theme, self)
        self.context_bar.clicked.connect(self.context_asked)
        self.status = StatusLine(self)
        self.notices = Notices(theme, self)
        self._pages = QStackedWidget(self)
        self._chat = self._chat_page()
        self._pages.addWidget(self._chat)
        self._pages.addWidget(self.first_run)
        self._build(theme)
        self._add_shortcuts()
        self.chat_list.new_asked.connect(self.new_chat_asked)
        self.chat_list.left.connect(self._to_input)
        self.composer.setFocus()

    def _build(self, theme: Theme) -> None:
        side = self._side = IconButton(theme, "sidebar", self.tr("Show or hide the chats"), self)
        side.clicked.connect(self._toggle_side)
        settings = IconButton(theme, "settings", self.tr("Settings (Ctrl+,)"), self)
        settings.clicked.connect(self.settings_asked)
        models = self.models_button = IconButton(theme, "models", self.tr("Models (Ctrl+M)"), self)
        models.clicked.connect(self.models_asked)
        measured = self.measured_button = IconButton(
            theme, "measure", self.tr("Measured on this computer (Ctrl+E)"), self
        )
        measured.clicked.connect(self.measured_asked)
        top = QHBoxLayout()
        top.setContentsMargins(12, 8, 12, 8)
        top.setSpacing(4)
        top.addWidget(side)
        top.addWidget(self.models)
        top.addWidget(self.devices)
        top.addWidget(self.presets)
        top.addStretch(1)
        top.addWidget(measured)
        top.addWidget(models)
        top.addWidget(settings)
        right = QVBoxLayout()
        right.setContentsMargins(0, 0, 0, 0)
        right.setSpacing(0)
        right.addLayout(top)
        right.addWidget(self.notices)
        right.addWidget(self._pages, 1)
        across = QHBoxLayout()
        across.setContentsMargins(0, 0, 0, 0)
        across.setSpacing(0)
        across.addWidget(self.chat_list)
        across.addLayout(right, 1)
        page = QWidget(self)
        page.setObjectName("page")
        page.setLayout(across)
        self.setCentralWidget(page)

    def _make_pin_button(self, theme: Theme) -> IconButton:
        button = IconButton(theme, "pin", self.tr("Pin files to this chat"), self)
        menu = QMenu(button)
        menu.addAction(self.tr("Files…"), self.pin_files_asked.emit)
        menu.addAction(self.tr("A folder…"), self.pin_folder_asked.emit)
        button.setMenu(menu)
        button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        return button

    def _chat_page(self) -> QWidget:
        below = QVBoxLayout()
        below.setContentsMargins(0, 0, 0, 0)
        below.setSpacing(4)
        below.addWidget(self.composer)
        last = QHBoxLayout()
        last.setSpacing(8)
        last.addWidget(self.status, 1)
        last.addWidget(self.context_bar)
        below.addLayout(last)
        self.status.setContentsMargins(14, 0, 0, 0)
        middle = QWidget()
        middle.setMaximumWidth(WIDEST)
        middle.setLayout(below)
        across = QHBoxLayout()
        across.setContentsMargins(SIDE_MARGIN, 4, SIDE_MARGIN, 10)
        across.addStretch(1)
        across.addWidget(middle, 1000)
        across.addStretch(1)
        page = QWidget()
        layout = QVBoxLayout(page)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.transcript, 1)
        layout.addLayout(across)
        return page

    def _add_shortcuts(self) -> None:
        for keys, signal in (
            ("Ctrl+N", self.new_chat_asked),
            ("Ctrl+Q", self.quit_asked),
            ("Ctrl+,", self.settings_asked),
            ("Ctrl+M", self.models_asked),
            ("Ctrl+E", self.measured_asked),
        ):
            action = QAction(self)
            action.setShortcut(QKeySequence(keys))
            action.triggered.connect(signal)
            self.addAction(action)
        for keys, slot in (
            ("Ctrl+L", self._to_input),
            ("Ctrl+B", self._toggle_side),
        ):
            action = QAction(self)
            action.setShortcut(QKeySequence(keys))
            action.triggered.connect(slot)
            self.addAction(action)

    def set_activity(self, activity: Activity) -> None:
        """Shows what is happening and what can be done."""
        state = activity.state
        self.status.set_activity(activity)
        self.composer.set_state(state)
        self.first_run.set_state(state)
        for chooser in (self.models, self.devices):
            chooser.setEnabled(allows(state, Action.CHOOSE_MODEL))
        if state is not TurnState.CLOSING:
            self._show_page(first_run=state in (TurnState.NO_MODEL, TurnState.FETCHING))

    def _show_page(self, *, first_run: bool) -> None:
        """The first run has one screen with one button; nothing else is there to be pressed."""
        if first_run == (self._pages.currentWidget() is self.first_run):
            return
        self._pages.setCurrentWidget(self.first_run if first_run else self._chat)
        for widget in (self.models, self.devices, self.presets, self._side):
            widget.setVisible(not first_run)
        roomy = self._side_wanted and self.width() >= _NARROW
        self.chat_list.setVisible(roomy and not first_run)
        (self.first_run.button if first_run else self.composer).setFocus()

    def raise_to_front(self) -> None:
        """Shows the window in front of others, wherever it was."""
        self.setWindowState(self.windowState() & ~Qt.WindowState.WindowMinimized)
        self.show()
        self.raise_()
        self.activateWindow()
        self._to_input()

    def geometry_text(self) -> str:
        """The window's place, for the settings."""
        return bytes(self.saveGeometry().toBase64().data()).decode("ascii")

    def restore_geometry_text(self, text: str) -> None:
        """Restores what ``geometry_text`` gave; a screen that is gone moves the window."""
        self.restoreGeometry(QByteArray.fromBase64(QByteArray(text.encode("ascii"))))

    def _to_input(self) -> None:
        self.composer.setFocus()

    def _toggle_side(self) -> None:
        self._side_wanted = not self.chat_list.isVisible()
        self._show_side(shown=self._side_wanted)

    def _show_side(self, *, shown: bool) -> None:
        """What is typed on goes into the input, if the list had the keys and goes away."""
        if not shown and self.chat_list.isAncestorOf(self.focusWidget()):
            self._to_input()
        self.chat_list.setVisible(shown)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802  Qt's name
        """Escape means the answer, wherever nothing nearer takes it."""
        if event.key() == Qt.Key.Key_Escape:
            self.composer.escape()
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802  Qt's name
        """A narrow window gives the chat list's place to the text; a wide one gives it back."""
        super().resizeEvent(event)
        was, narrow = event.oldSize().width() < _NARROW, event.size().width() < _NARROW
        if was != narrow and self._pages.currentWidget() is self._chat:
            self._show_side(shown=self._side_wanted and not narrow)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:  # noqa: N802  Qt's name
        """Files may be dropped anywhere on a chat."""
        if has_files(event.mimeData()) and self._pages.currentWidget() is self._chat:
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:  # noqa: N802  Qt's name
        event.acceptProposedAction()
        self.files_dropped.emit(event.mimeData().urls())

    def closeEvent(self, event: QCloseEvent) -> None:  # noqa: N802  Qt's name
        event.ignore()  # closing hides or quits; both are the program's decision
        self.close_asked.emit()

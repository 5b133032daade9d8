"""The settings, as rows over what ``core/settings.py`` declares. A change counts at once."""

from collections.abc import Callable
from pathlib import Path
from typing import Final

import msgspec
from PySide6.QtCore import QCoreApplication, QLocale, Qt, QUrl, Signal
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QFileDialog,
    QHBoxLayout,
    QListWidget,
    QPushButton,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from app.core.settings import Settings
from app.desktop.chooser import Chooser
from app.desktop.contacts_page import ContactsTable
from app.desktop.preferences import Preferences
from app.desktop.settings_page import SettingsPage
from app.desktop.theme import Theme

NOT_SHOWN: Final = frozenset(
    # The first two are chosen in the window itself, the others are the program's own notes.
    {"default_model", "default_device", "close_to_tray_told", "window_geometry"}
)
LANGUAGES: Final = (("English", "en"), ("Deutsch", "de"))
_IDLE_MINUTES: Final = (1, 5, 15, 60)
_THINKING_TOKENS: Final = (512, 1024, 2048, 4096, 8192)
KEYS: Final = ("Ctrl+Alt+Space", "Ctrl+Shift+Space", "Alt+Shift+Q")


class SettingsWindow(QDialog):
    """Stays open beside the chat. Its pages are chosen at the side."""

    autostart_chosen = Signal(bool)
    store_move_asked = Signal(str)  # the folder that all models shall be in

    def __init__(
        self,
        theme: Theme,
        preferences: Preferences,
        data_root: Path,
        *,
        autostart: bool | None,
        hotkeys: bool,
        can_move: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._can_move = can_move
        self._theme = theme
        self._preferences = preferences
        self._data_root = data_root
        self.rows: dict[str, QWidget] = {}
        self.setWindowTitle(self.tr("Settings"))
        self.resize(860, 580)
        self.names = QListWidget(self)
        self.names.setAccessibleName(self.tr("Pages of the settings"))
        self.names.setFixedWidth(190)
        self._stack = QStackedWidget(self)
        self.names.currentRowChanged.connect(self._stack.setCurrentIndex)
        self._page = self._add_window_page(autostart=autostart, hotkeys=hotkeys)
        self._page = self._add_model_page()
        side = QWidget(self)
        side.setObjectName("side")
        side.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        column = QVBoxLayout(side)
        column.setContentsMargins(10, 16, 10, 16)
        column.addWidget(self.names)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(side)
        layout.addWidget(self._stack, 1)
        self.names.setCurrentRow(0)

    def add_page(self, page: SettingsPage) -> None:
        """Puts another page at the end."""
        self._stack.addWidget(page)
        self.names.addItem(page.title)

    def show_page(self, page: SettingsPage) -> None:
        """Turns to ``page``."""
        self.names.setCurrentRow(self._stack.indexOf(page))

    # --- Pages ---------------------------------------------------------------------------------

    def _add_window_page(self, *, autostart: bool | None, hotkeys: bool) -> SettingsPage:
        page = self._page = SettingsPage(self.tr("Window"), self)
        self.add_page(page)
        looks = (
            (self.tr("Like the system"), "system"),
            (self.tr("Light"), "light"),
            (self.tr("Dark"), "dark"),
        )
        self._choice("appearance", self.tr("Colours"), looks)
        languages = ((self.tr("Like the system"), None), *LANGUAGES)
        self._choice("language", self.tr("Language (from the next start)"), languages)
        page.section(self.tr("Tray"))
        self._switch("close_to_tray", self.tr("Closing the window keeps Contenox in the tray"))
        if autostart is not None:
            box = QCheckBox(self.tr("Start with the computer, in the tray"), self)
            box.setChecked(autostart)
            box.toggled.connect(self.autostart_chosen)
            page.column.addWidget(box)
        keys = ((self.tr("None"), None), *((key, key) for key in KEYS))
        self._choice("quick_question_keys", self.tr("Keys for the quick question"), keys)
        if not hotkeys:
            self.rows["quick_question_keys"].setEnabled(False)
            page.muted(self.tr("This system gives no program such keys."))
        return page

    def _add_model_page(self) -> SettingsPage:
        page = self._page = SettingsPage(self.tr("Models and data"), self)
        self.add_page(page)
        times = tuple(
            (self.tr("{count} min").format(count=minutes), minutes * 60)
            for minutes in _IDLE_MINUTES
        )
        times = (*times, (self.tr("Never"), 0))
        self._choice("idle_unload_s", self.tr("Free the model's memory when unused for"), times)
        budgets = tuple((QLocale().toString(tokens), tokens) for tokens in _THINKING_TOKENS)
        budgets = (*budgets, (self.tr("No limit"), 0))
        self._choice("thinking_budget_tokens", self.tr("Tokens a model may think"), budgets)
        retry = self.tr("When another device fails, answer once on the CPU")
        self._switch("retry_on_cpu", retry)
        page.muted(self.tr("Only where the model is certified on the CPU for that length."))
        page.section(self.tr("Folders"))
        move = QPushButton(self.tr("Move the models…"), self)
        move.clicked.connect(self._choose_store)
        move.setEnabled(self._can_move)
        self._row("model_store", self.tr("Folder of the models"), move)
        show = QPushButton(self.tr("Open folder"), self)
        show.setAccessibleName(self.tr("Open the folder of the models"))
        show.clicked.connect(self._open_store)
        page.beside(show)
        self._folder = page.muted("")
        self._show_store(self._preferences.current.model_store)
        self._preferences.changed.connect(self._on_changed)
        show = QPushButton(self.tr("Open folder"), self)
        show.setAccessibleName(self.tr("Open the data folder"))
        show.clicked.connect(self._open_data)
        page.column.addSpacing(8)
        self._row("", self.tr("Folder of chats and settings"), show)
        page.muted(str(self._data_root))
        return page

    def add_network_page(self, read_contacts: Callable[[], None]) -> ContactsTable:
        """The offline switch and the table of contacts; ``read_contacts`` is asked to fill it."""
        page = self._page = SettingsPage(self.tr("Network"), self)
        self.add_page(page)
        self._switch("offline", self.tr("Offline: refuse every connection"))
        page.muted(self.tr("Models that are here work as always. Downloads wait until it is off."))
        page.section(self.tr("Contacted servers"))
        page.muted(
            self.tr("Every server that this program has ever contacted. Nothing else was sent.")
        )
        table = ContactsTable(self)
        page.column.addWidget(table, 1)
        again = QPushButton(self.tr("Read again"), self)
        again.clicked.connect(read_contacts)
        page.column.addWidget(again, 0, Qt.AlignmentFlag.AlignLeading)
        read_contacts()
        return table

    # --- Rows ----------------------------------------------------------------------------------

    def _row(self, name: str, title: str, widget: QWidget) -> None:
        if name:
            widget.setToolTip(described(name))
            self.rows[name] = widget
        self._page.row(title, widget)

    def _switch(self, name: str, title: str) -> None:
        box = QCheckBox(title, self)
        box.setToolTip(described(name))
        box.setChecked(getattr(self._preferences.current, name))
        box.toggled.connect(self._setter(name))
        self.rows[name] = box
        self._page.column.addWidget(box)

    def _choice(self, name: str, title: str, entries: tuple[tuple[str, object], ...]) -> QComboBox:
        box = Chooser(self._theme, title, self)
        for text, value in entries:
            box.addItem(text, value)
        values = [value for _, value in entries]
        now = getattr(self._preferences.current, name)
        if now not in values:  # set by hand in the file: shown, and kept until another is chosen
            values.append(now)
            box.addItem(str(now))
        box.setCurrentIndex(values.index(now))
        change = self._setter(name)
        box.activated.connect(lambda index: change(values[index]))
        self._row(name, title, box)
        return box

    def _setter(self, name: str) -> Callable[[object], None]:
        return lambda value: self._preferences.change(**{name: value})

    def _choose_store(self) -> None:
        dialog = QFileDialog(self, self.tr("Choose the new folder of the models"))
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(self.store_move_asked)
        dialog.open()

    def _show_store(self, folder: str | None) -> None:
        self._folder.setText(folder or str(self._data_root / "models"))

    def _on_changed(self, settings: Settings) -> None:
        self._show_store(settings.model_store)

    def _open_store(self) -> None:
        QDesktopServices.openUrl(QUrl.fromLocalFile(self._folder.text()))

    def _open_data(self) -> None:
        QDesktopServices.openUrl(QUrl.fromLocalFile(str(self._data_root)))


def described(name: str) -> str:
    """The declared help of a setting, in the person's language."""
    for field in msgspec.inspect.type_info(Settings).fields:  # type: ignore[attr-defined]
        if field.name == name:
            extra = getattr(field.type, "extra_json_schema", None) or {}
            return QCoreApplication.translate("settings", extra.get("description", ""))
    return ""

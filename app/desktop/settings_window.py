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
    QLabel,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from app.core.settings import Settings
from app.desktop.chooser import Chooser
from app.desktop.preferences import Preferences
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
    """Stays open beside the chat."""

    autostart_chosen = Signal(bool)

    def __init__(
        self,
        theme: Theme,
        preferences: Preferences,
        data_root: Path,
        *,
        autostart: bool | None,
        hotkeys: bool,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        self._preferences = preferences
        self._data_root = data_root
        self.rows: dict[str, QWidget] = {}
        self.setWindowTitle(self.tr("Settings"))
        self.resize(600, 560)
        self._column = QVBoxLayout()
        self._column.setContentsMargins(28, 20, 28, 20)
        self._column.setSpacing(6)
        self._add_window_rows()
        self._add_tray_rows(autostart=autostart, hotkeys=hotkeys)
        self._add_model_rows()
        self._add_network_rows()
        self._column.addStretch(1)
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

    # --- Sections ------------------------------------------------------------------------------

    def _add_window_rows(self) -> None:
        self._section(self.tr("Window"))
        looks = (
            (self.tr("Like the system"), "system"),
            (self.tr("Light"), "light"),
            (self.tr("Dark"), "dark"),
        )
        self._choice("appearance", self.tr("Colours"), looks)
        languages = ((self.tr("Like the system"), None), *LANGUAGES)
        self._choice("language", self.tr("Language (from the next start)"), languages)

    def _add_tray_rows(self, *, autostart: bool | None, hotkeys: bool) -> None:
        self._section(self.tr("Tray"))
        self._switch("close_to_tray", self.tr("Closing the window keeps Contenox in the tray"))
        if autostart is not None:
            box = QCheckBox(self.tr("Start with the computer, in the tray"), self)
            box.setChecked(autostart)
            box.toggled.connect(self.autostart_chosen)
            self._column.addWidget(box)
        keys = ((self.tr("None"), None), *((key, key) for key in KEYS))
        self._choice("quick_question_keys", self.tr("Keys for the quick question"), keys)
        if not hotkeys:
            self.rows["quick_question_keys"].setEnabled(False)
            self._column.addWidget(_muted(self.tr("This system gives no program such keys.")))

    def _add_model_rows(self) -> None:
        self._section(self.tr("Models and data"))
        times = tuple(
            (self.tr("{count} min").format(count=minutes), minutes * 60)
            for minutes in _IDLE_MINUTES
        )
        times = (*times, (self.tr("Never"), 0))
        self._choice("idle_unload_s", self.tr("Free the model's memory when unused for"), times)
        budgets = tuple((QLocale().toString(tokens), tokens) for tokens in _THINKING_TOKENS)
        budgets = (*budgets, (self.tr("No limit"), 0))
        self._choice("thinking_budget_tokens", self.tr("Tokens a model may think"), budgets)
        self._folder = QLabel(self)
        self._folder.setObjectName("muted")
        self._folder.setWordWrap(True)
        self._show_store(self._preferences.current.model_store)
        choose = QPushButton(self.tr("Choose…"), self)
        choose.clicked.connect(self._choose_store)
        self._row("model_store", self.tr("Folder of the models"), choose)
        self._column.addWidget(self._folder)
        show = QPushButton(self.tr("Open"), self)
        show.setAccessibleName(self.tr("Open the data folder"))
        show.clicked.connect(self._open_data)
        self._row("", self.tr("Folder of chats and settings"), show)
        self._column.addWidget(_muted(str(self._data_root)))

    def _add_network_rows(self) -> None:
        self._section(self.tr("Network"))
        self._switch("offline", self.tr("Offline: refuse every connection"))

    # --- Rows ----------------------------------------------------------------------------------

    def _section(self, title: str) -> None:
        if self._column.count():
            self._column.addSpacing(18)
        label = QLabel(title, self)
        label.setObjectName("heading")
        self._column.addWidget(label)

    def _row(self, name: str, title: str, widget: QWidget) -> None:
        label = QLabel(title, self)
        label.setBuddy(widget)
        if not widget.accessibleName():
            widget.setAccessibleName(title)
        if name:
            widget.setToolTip(described(name))
            self.rows[name] = widget
        across = QHBoxLayout()
        across.addWidget(label, 1)
        across.addWidget(widget)
        self._column.addLayout(across)

    def _switch(self, name: str, title: str) -> None:
        box = QCheckBox(title, self)
        box.setToolTip(described(name))
        box.setChecked(getattr(self._preferences.current, name))
        box.toggled.connect(self._setter(name))
        self.rows[name] = box
        self._column.addWidget(box)

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
        dialog = QFileDialog(self, self.tr("Folder of the models"))
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(self._on_store_chosen)
        dialog.open()

    def _on_store_chosen(self, folder: str) -> None:
        self._preferences.change(model_store=folder)
        self._show_store(folder)

    def _show_store(self, folder: str | None) -> None:
        self._folder.setText(folder or str(self._data_root / "models"))

    def _open_data(self) -> None:
        QDesktopServices.openUrl(QUrl.fromLocalFile(str(self._data_root)))


def described(name: str) -> str:
    """The declared help of a setting, in the person's language."""
    for field in msgspec.inspect.type_info(Settings).fields:  # type: ignore[attr-defined]
        if field.name == name:
            extra = getattr(field.type, "extra_json_schema", None) or {}
            return QCoreApplication.translate("settings", extra.get("description", ""))
    return ""


def _muted(text: str) -> QLabel:
    label = QLabel(text)
    label.setObjectName("muted")
    label.setWordWrap(True)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return label

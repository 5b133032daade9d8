"""What makes the program at home on a desktop: settings, autostart, the quick question's keys."""

from PySide6.QtCore import QObject, Qt, Signal, Slot

from app.core.errors import ContenoxError
from app.core.settings import Settings
from app.desktop.autostart import Autostart, system_autostart
from app.desktop.background import Worker
from app.desktop.backups_page import BackupsPage
from app.desktop.contacts_page import ContactsTable
from app.desktop.conversation import Conversation
from app.desktop.desk import Desk
from app.desktop.diagnostics_page import DiagnosticsPage
from app.desktop.hotkey import NoHotkey, WindowsHotkey, system_hotkey
from app.desktop.main_window import MainWindow
from app.desktop.markdown.rendering import RenderingThread
from app.desktop.preferences import Preferences
from app.desktop.quick_question import QuickQuestion
from app.desktop.services import DesktopServices
from app.desktop.settings_window import SettingsWindow
from app.desktop.theme import Theme
from app.desktop.tray import Tray
from app.desktop.turn import TurnRunner
from app.desktop.upkeep import StoreUpkeep
from app.models.ledger import Contact

_SCHEMES = {
    "light": Qt.ColorScheme.Light,
    "dark": Qt.ColorScheme.Dark,
    "system": Qt.ColorScheme.Unknown,
}


class Citizen(QObject):
    """Applies the settings that reach outside the window."""

    raise_asked = Signal()
    store_move_asked = Signal(str)  # the folder

    def __init__(
        self,
        window: MainWindow,
        desk: Desk,
        tray: Tray,
        runner: TurnRunner,
        preferences: Preferences,
        theme: Theme,
        rendering: RenderingThread,
        services: DesktopServices,
        upkeep: StoreUpkeep | None,
    ) -> None:
        super().__init__(window)
        self._window = window
        self._desk = desk
        self._preferences = preferences
        self._theme = theme
        self._data_root = services.data_root
        self._around = services.around
        self._can_move = services.models is not None and services.models.move_store is not None
        self._upkeep = upkeep
        self._worker: Worker | None = None  # started when the settings are first opened
        self.contacts: ContactsTable | None = None
        self._autostart: Autostart = system_autostart()
        self._hotkey: WindowsHotkey | NoHotkey = system_hotkey()
        self._keys: str | None = None
        self.settings: SettingsWindow | None = None
        self.quick = QuickQuestion(theme, rendering, runner)
        self.quick.open_asked.connect(self._on_open_as_chat)
        self._hotkey.signals.pressed.connect(self.show_quick_question)
        window.settings_asked.connect(self.show_settings)
        tray.quick_asked.connect(self.show_quick_question)
        preferences.changed.connect(self._apply)
        self._apply(preferences.current)

    @Slot(object)
    def _apply(self, settings: Settings) -> None:
        self._theme.prefer(_SCHEMES[settings.appearance])
        self._around.apply_settings(settings)
        if settings.quick_question_keys != self._keys:
            self._keys = settings.quick_question_keys
            self._hotkey.set_keys(self._keys)

    @Slot()
    def show_settings(self) -> None:
        """Opens the settings, or brings them to the front."""
        if self.settings is None:
            self.settings = SettingsWindow(
                self._theme,
                self._preferences,
                self._data_root,
                autostart=self._autostart.enabled(),
                hotkeys=self._hotkey.supported,
                can_move=self._can_move,
                parent=self._window,
            )
            self._add_pages(self.settings)
            self.settings.autostart_chosen.connect(self._on_autostart)
            self.settings.store_move_asked.connect(self.store_move_asked)
            self.settings.finished.connect(self._on_settings_closed)
        self.settings.show()
        self.settings.raise_()
        self.settings.activateWindow()

    def _add_pages(self, settings: SettingsWindow) -> None:
        if self._worker is None:
            self._worker = Worker("settings-pages", self)
        if self._upkeep is not None:
            self.backups = BackupsPage(self.tr("Backups"), self._upkeep, settings)
            settings.add_page(self.backups)
        self.contacts = settings.add_network_page(self._read_contacts)
        self.diagnostics = DiagnosticsPage(
            self.tr("Diagnostics"), self._around, self._worker, settings
        )
        settings.add_page(self.diagnostics)

    @Slot()
    def _read_contacts(self) -> None:
        if self._worker is not None:
            self._worker.run(self._around.contacts, self._on_contacts, self._desk.show_error)

    def _on_contacts(self, contacts: tuple[Contact, ...]) -> None:
        if self.contacts is not None:
            self.contacts.show_contacts(contacts)

    @Slot()
    def show_quick_question(self) -> None:
        """Opens the small window, ready to be typed into."""
        self.quick.ask()

    def close(self) -> None:
        self._hotkey.set_keys(None)
        self.quick.hide()
        self.quick.deleteLater()
        if self.settings is not None:
            self.settings.close()
        if self._worker is not None:
            self._worker.close(0.1)

    @Slot(bool)
    def _on_autostart(self, enabled: bool) -> None:
        try:
            self._autostart.set_enabled(enabled)
        except ContenoxError as error:
            self._desk.show_error(error.record())

    @Slot()
    def _on_settings_closed(self) -> None:
        if self.settings is not None:
            self.settings.deleteLater()
            self.settings = None
            self.contacts = None

    @Slot(object)
    def _on_open_as_chat(self, conversation: Conversation) -> None:
        self._desk.open_conversation(conversation)
        self.raise_asked.emit()

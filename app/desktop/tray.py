"""The tray icon: idle, working, or something wants attention."""

from enum import StrEnum

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QSystemTrayIcon

from app.desktop.theme import Theme


class TrayState(StrEnum):
    IDLE = "idle"
    WORKING = "working"
    ATTENTION = "attention"


class Tray(QObject):
    """Shown whether a tray is there or not: Qt adds the icon when one appears later."""

    open_asked = Signal()
    new_chat_asked = Signal()
    quick_asked = Signal()
    unload_asked = Signal()
    pause_downloads_asked = Signal()
    quit_asked = Signal()

    def __init__(self, theme: Theme, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._icons = {state: theme.mark(f"tray-{state}") for state in TrayState}
        self._texts = {
            TrayState.IDLE: self.tr("Contenox"),
            TrayState.WORKING: self.tr("Contenox is working"),
            TrayState.ATTENTION: self.tr("Contenox needs your attention"),
        }
        self.menu = QMenu()
        for text, signal in (
            (self.tr("Open"), self.open_asked),
            (self.tr("New chat"), self.new_chat_asked),
            (self.tr("Quick question"), self.quick_asked),
        ):
            self._add(text, signal)
        self.menu.addSeparator()
        self._unload = self._add("", self.unload_asked)
        self._unload.setVisible(False)
        self._pause = self._add(self.tr("Pause downloads"), self.pause_downloads_asked)
        self._pause.setVisible(False)
        self._add(self.tr("Quit"), self.quit_asked)
        self._icon = QSystemTrayIcon(self._icons[TrayState.IDLE], self)
        self._icon.setContextMenu(self.menu)
        self._icon.activated.connect(self._on_activated)
        self._icon.messageClicked.connect(self.open_asked)
        self.state = TrayState.IDLE
        self.set_state(TrayState.IDLE)
        self._icon.show()

    def _add(self, text: str, signal: object) -> QAction:
        action = QAction(text, self.menu)
        action.triggered.connect(signal)
        self.menu.addAction(action)
        return action

    def set_loaded(self, model: str) -> None:
        """Names the model that holds memory, and offers to free it; empty when there is none."""
        self._unload.setText(self.tr("Unload {model}").format(model=model))
        self._unload.setVisible(bool(model))

    def set_downloading(self, downloading: bool) -> None:
        """Offers to pause the downloads while there are some that go on."""
        self._pause.setVisible(downloading)

    @staticmethod
    def available() -> bool:
        """Whether there is a tray now that the icon can be found in."""
        return QSystemTrayIcon.isSystemTrayAvailable()

    def set_state(self, state: TrayState) -> None:
        self.state = state
        self._icon.setIcon(self._icons[state])
        self._icon.setToolTip(self._texts[state])

    def notify(self, title: str, text: str) -> None:
        """Shows a notification; a click on it opens the window."""
        self._icon.showMessage(title, text, self._icons[TrayState.IDLE])

    def close(self) -> None:
        self._icon.hide()
        self.menu.close()
        self.menu.deleteLater()

    @Slot(QSystemTrayIcon.ActivationReason)
    def _on_activated(self, reason: QSystemTrayIcon.ActivationReason) -> None:
        clicks = QSystemTrayIcon.ActivationReason
        if reason in (clicks.Trigger, clicks.DoubleClick):
            self.open_asked.emit()

"""The program with its window: builds the objects, runs the event loop, takes everything down."""

import logging
import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from PySide6.QtCore import QObject, Qt, QTimer, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QMessageBox

from app.core.errors import ErrorRecord
from app.core.paths import resources_dir
from app.core.windows import be_one_program_on_the_taskbar
from app.desktop import wording
from app.desktop.background import Worker
from app.desktop.chat_care import ChatCare
from app.desktop.citizen import Citizen
from app.desktop.close_notice import CloseNotice
from app.desktop.context.context_desk import ContextDesk
from app.desktop.desk import Desk
from app.desktop.engine_bridge import EngineBridge
from app.desktop.exchange import Exchange
from app.desktop.garbage import GuiGarbageCollector
from app.desktop.inventory import Inventory
from app.desktop.language import speak
from app.desktop.lifecycle import BUSY, TurnState
from app.desktop.main_window import MainWindow
from app.desktop.markdown.rendering import RenderingThread
from app.desktop.measured.station import MeasuredStation
from app.desktop.models.station import ModelsStation
from app.desktop.open_chats import OpenChats
from app.desktop.preferences import Preferences
from app.desktop.preset_choice import PresetChoice
from app.desktop.services import DesktopServices
from app.desktop.signals import QuitSignals
from app.desktop.single_instance import SingleInstance
from app.desktop.theme import Theme
from app.desktop.tray import Tray, TrayState
from app.desktop.turn import TurnRunner
from app.desktop.turn_records import Activity, Change
from app.desktop.upkeep import StoreUpkeep
from app.engine.outcome import SlotState
from app.engine.protocol import Ready, StateChanged, Unload, new_request_id

_log = logging.getLogger(__name__)

_QUIT_WITHIN_S: Final = 2.6
_AT_THE_LATEST_S: Final = 2.8
_ENGINE_S: Final = 1.2  # for its leave; it is killed then, and gone within a moment


class Desktop(QObject):
    """Everything that lives as long as the window. Built and closed on the GUI thread."""

    def __init__(self, app: QApplication, services: DesktopServices) -> None:
        super().__init__(app)
        self._app = app
        self._closed = False
        self._garbage = GuiGarbageCollector(self._is_busy, self)
        self.theme = Theme(app, resources_dir(), self)
        self._rendering = RenderingThread(self)
        self._keeper = Worker("chats", self)
        self._clerk = Worker("settings", self)
        self._store = services.chats
        self._around = services.around
        self.preferences = Preferences(services.settings_file, self._clerk, self)
        self.bridge = EngineBridge(services.open_engine, self)
        self.runner = TurnRunner(
            self.bridge,
            services.prepare_turn,
            services.chats,
            self._keeper,
            self,
            readings=services.readings,
        )
        self.inventory = Inventory(services, self.runner, self)
        self.chats = OpenChats(services.chats, self._keeper, self)
        self.window = MainWindow(self.theme, self._rendering)
        self.desk = Desk(
            self.window, self.runner, self.chats, self.inventory, self.preferences, self.theme
        )
        self.context = ContextDesk(
            self.window, self.runner, self.chats, self.bridge, services, self.theme, self.desk
        )
        self.presets = PresetChoice(
            self.window, self.chats, services.chats, self._keeper, self.theme
        )
        self.exchange = Exchange(self.window, self.chats, services.chats, self)
        self.tray = Tray(self.theme, self)
        self.models = ModelsStation(
            services.models,
            self.window,
            self.inventory,
            self.runner,
            self.preferences,
            self.theme,
            self.tray,
        )
        self.measured = MeasuredStation(
            services.measure, self.window, self.inventory, self.runner, self.theme
        )
        self.upkeep: StoreUpkeep | None = None
        if services.around.store is not None:
            self.upkeep = StoreUpkeep(services.around.store, self)
            self.care = ChatCare(self.upkeep, self.window.notices, self.chats)
        self.close_notice: CloseNotice | None = None
        self.citizen = Citizen(
            self.window,
            self.desk,
            self.tray,
            self.runner,
            self.preferences,
            self.theme,
            self._rendering,
            services,
            self.upkeep,
        )
        self._connect()

    def _connect(self) -> None:
        self.window.close_asked.connect(self._on_close_asked)
        self.window.quit_asked.connect(self.quit)
        self.citizen.raise_asked.connect(self.show)
        if self.models.desk is not None:
            self.citizen.store_move_asked.connect(self.models.desk.move_store)
        self.tray.open_asked.connect(self.show)
        self.tray.new_chat_asked.connect(self._on_new_chat)
        self.tray.quit_asked.connect(self.quit)
        self.tray.unload_asked.connect(self._on_unload)
        self.bridge.notice_arrived.connect(self._on_notice)
        self.runner.activity_changed.connect(self._on_activity)
        self.desk.answered.connect(self._on_answered)
        self.desk.failed.connect(self._on_failed)
        self.presets.failed.connect(self.desk.show_error)
        self.exchange.failed.connect(self.desk.show_error)
        self.exchange.exported.connect(self.desk.show_exported)
        self.exchange.imported.connect(self.desk.show_imported)
        self._app.commitDataRequest.connect(self.quit, Qt.ConnectionType.QueuedConnection)

    def start(self, *, in_tray: bool = False) -> None:
        """Shows the window, then lets everything slow begin.

        ``in_tray``: the computer has just started; the window waits behind the icon, if there is
        an icon to wait behind.
        """
        geometry = self.preferences.current.window_geometry
        if geometry:
            self.window.restore_geometry_text(geometry)
        if not (in_tray and self.tray.available()):
            self.window.show()
        QTimer.singleShot(0, self, self._load)

    @Slot()
    def _load(self) -> None:
        self.inventory.refresh()
        self.chats.refresh()
        self.models.start()
        if self.upkeep is not None:
            self.upkeep.start()
        self._garbage.start()

    def _is_busy(self) -> bool:
        return self.runner.busy()

    @Slot()
    def show(self) -> None:
        """Brings the window to the front."""
        self.window.raise_to_front()
        if self.tray.state is TrayState.ATTENTION:
            self.tray.set_state(TrayState.IDLE)

    @Slot()
    def quit(self) -> None:
        """Ends the event loop; ``close`` does the rest."""
        self.runner.close()
        self.preferences.change(window_geometry=self.window.geometry_text())
        self.window.hide()
        self._app.quit()

    def close(self) -> None:
        """Takes everything down within three seconds; the window is gone by then. Idempotent."""
        if self._closed:
            return
        self._closed = True
        deadline = time.monotonic() + _QUIT_WITHIN_S
        self.window.hide()
        # The engine takes its leave while the chats are written: whichever is slow, both have time.
        engine = self.bridge.end(_ENGINE_S)
        self.citizen.close()
        self.tray.close()
        if self.upkeep is not None:
            self.upkeep.close()
        self.exchange.close()
        self.context.close()
        self._keeper.close(1.0)
        self._close_store(deadline - time.monotonic() - 0.9)
        self._clerk.close(0.3)
        self.models.close()
        self.measured.close()
        self.inventory.close()
        self._rendering.close()
        engine.join(max(0.2, deadline - time.monotonic()))
        self._garbage.close()
        self.window.deleteLater()
        self.deleteLater()

    def _close_store(self, timeout_s: float) -> None:
        store = self._around.store
        if store is None:
            self._store.close()
        elif not store.close(max(0.3, timeout_s)):
            _log.warning("the chats were not closed in time; what was stored is safe")

    # --- Closing the window --------------------------------------------------------------------

    @Slot()
    def _on_close_asked(self) -> None:
        settings = self.preferences.current
        if not self.tray.available() or not settings.close_to_tray:
            self.quit()
        elif settings.close_to_tray_told:
            self.window.hide()
        elif self.close_notice is None:
            self.close_notice = CloseNotice(self.window)
            self.close_notice.keep_chosen.connect(self._on_keep)
            self.close_notice.quit_chosen.connect(self._on_quit_instead)
            self.close_notice.finished.connect(self._on_notice_finished)
            self.close_notice.open()

    @Slot()
    def _on_keep(self) -> None:
        self.preferences.change(close_to_tray_told=True)
        self.window.hide()

    @Slot()
    def _on_quit_instead(self) -> None:
        self.preferences.change(close_to_tray=False, close_to_tray_told=True)
        self.quit()

    @Slot()
    def _on_notice_finished(self) -> None:
        if self.close_notice is not None:
            self.close_notice.deleteLater()
            self.close_notice = None

    # --- The tray ------------------------------------------------------------------------------

    @Slot()
    def _on_new_chat(self) -> None:
        self.desk.new_chat()
        self.show()

    @Slot()
    def _on_unload(self) -> None:
        # The engine does it after a running answer; nothing needs to wait for it here.
        self.bridge.submit(Unload(request=new_request_id()))

    @Slot(object)
    def _on_notice(self, notice: object) -> None:
        if self._closed:  # it was still on its way when the tray's menu went
            return
        if isinstance(notice, StateChanged):
            holds = notice.spec is not None and notice.state in (SlotState.READY, SlotState.BUSY)
            name = notice.spec.model_name if notice.spec is not None and holds else ""
            self.tray.set_loaded(wording.model_title(name) if name else "")
        elif isinstance(notice, Ready):
            self.tray.set_loaded("")

    @Slot(object)
    def _on_activity(self, activity: Activity) -> None:
        if activity.state in BUSY:
            if self.tray.state is not TrayState.WORKING:
                self.tray.set_state(TrayState.WORKING)
        elif self.tray.state is TrayState.WORKING:
            self.tray.set_state(TrayState.IDLE)

    @Slot(object)
    def _on_answered(self, change: Change) -> None:
        closing = self.runner.state is TurnState.CLOSING
        if not closing and not self.window.isVisible() and change.message.text:
            self.tray.set_state(TrayState.ATTENTION)
            self.tray.notify(self.tr("The answer is ready"), change.message.text[:120])

    @Slot()
    def _on_failed(self) -> None:
        if not self.window.isActiveWindow():
            self.tray.set_state(TrayState.ATTENTION)


def refuse(error: ErrorRecord, language: str | None) -> int:
    """Says in a window of its own why the program can't start; returns the exit code."""
    print(f"contenox: {error.line}", file=sys.stderr)
    app = QApplication(sys.argv[:1])
    app.setApplicationDisplayName("Contenox")
    speak(app, resources_dir() / "translations", language)
    headline, remedy = wording.error_sentences(error)
    box = QMessageBox(QMessageBox.Icon.Critical, "Contenox", headline)
    box.setInformativeText(f"{remedy}\n\n{wording.error_code(error)}")
    box.exec()
    return 1


def run(services: DesktopServices, *, in_tray: bool = False) -> int:
    """Runs the window until it is quit; returns the exit code.

    ``in_tray``: start without a window. A second start on the same data raises the first window
    and returns 0 at once.
    """
    QGuiApplication.setHighDpiScaleFactorRoundingPolicy(
        Qt.HighDpiScaleFactorRoundingPolicy.PassThrough
    )
    be_one_program_on_the_taskbar()
    app = QApplication(sys.argv[:1])
    app.setApplicationName("Contenox")
    app.setApplicationDisplayName("Contenox")
    app.setDesktopFileName("contenox-desktop")
    app.setQuitOnLastWindowClosed(False)
    speak(app, resources_dir() / "translations", services.settings_file.load().language)
    instance = SingleInstance(services.data_root)
    if not instance.acquire():
        return 0
    desktop = Desktop(app, services)
    instance.raise_asked.connect(desktop.show)
    instance.quit_asked.connect(desktop.quit)
    signals = QuitSignals()
    signals.quit_asked.connect(desktop.quit)

    def take_down() -> None:
        with _last_resort():
            desktop.close()
            instance.close()
            signals.close()

    # When the session ends, Windows kills the process as soon as this signal has been handled.
    app.aboutToQuit.connect(take_down)
    desktop.start(in_tray=in_tray)
    return app.exec()


@contextmanager
def _last_resort() -> Iterator[None]:
    """Ends the process if taking everything down takes too long, one hanging part after the other.

    What was stored is safe as after a power cut, and the engine ends when its pipe does.
    """
    timer = threading.Timer(_AT_THE_LATEST_S, os._exit, (0,))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()

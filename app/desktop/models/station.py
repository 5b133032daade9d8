"""Where the Models window meets the rest of the desktop: one object, so that each knows little."""

from PySide6.QtCore import QObject, Slot

from app.desktop.inventory import Inventory
from app.desktop.lifecycle import TurnState
from app.desktop.main_window import MainWindow
from app.desktop.models.desk import ModelsDesk
from app.desktop.models.ports import Key, ModelsServices
from app.desktop.preferences import Preferences
from app.desktop.theme import Theme
from app.desktop.tray import Tray
from app.desktop.turn import TurnRunner
from app.desktop.turn_records import Activity


class ModelsStation(QObject):
    """Without services there is no Models window, and no button for it."""

    def __init__(
        self,
        services: ModelsServices | None,
        window: MainWindow,
        inventory: Inventory,
        runner: TurnRunner,
        preferences: Preferences,
        theme: Theme,
        tray: Tray,
    ) -> None:
        super().__init__(window)
        self._window = window
        self._inventory = inventory
        self._preferences = preferences
        self.desk: ModelsDesk | None = None
        window.models_button.setVisible(services is not None)
        if services is None:
            return
        desk = self.desk = ModelsDesk(services, window.first_run, theme, self)
        window.models_asked.connect(desk.show)
        desk.models_changed.connect(inventory.refresh_models)
        desk.store_moved.connect(preferences.reread)
        desk.chat_asked.connect(self._on_chat_asked)
        desk.starter_asked.connect(inventory.fetch_starter)
        desk.starter_stop_asked.connect(inventory.stop_fetching)
        inventory.fetch_progressed.connect(desk.set_starter_progress)
        desk.stock.going_on_changed.connect(tray.set_downloading)
        tray.pause_downloads_asked.connect(desk.stock.pause_all)
        runner.activity_changed.connect(self._on_activity)

    def start(self) -> None:
        """Lets what was left of an earlier start go on, in a while."""
        if self.desk is not None:
            self.desk.start()

    def close(self) -> None:
        """Stops the downloads; they go on at the next start."""
        if self.desk is not None:
            self.desk.close()

    @Slot(object)
    def _on_chat_asked(self, key: Key) -> None:
        """The chosen model becomes the one that chats use; the chat comes to the front."""
        self._preferences.change(default_model="/".join(key))
        self._inventory.refresh_models()
        self._window.raise_to_front()

    @Slot(object)
    def _on_activity(self, activity: Activity) -> None:
        state = activity.state
        if self.desk is not None and state is not TurnState.CLOSING:
            self.desk.set_without_model(
                without=state in (TurnState.NO_MODEL, TurnState.FETCHING),
                starter_runs=state is TurnState.FETCHING,
            )

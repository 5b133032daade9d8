"""Which model and device answer a chat: what was chosen in it, else what was chosen last."""

from PySide6.QtCore import QObject, Slot

from app.desktop.conversation import Conversation
from app.desktop.inventory import Inventory
from app.desktop.main_window import MainWindow
from app.desktop.model_chooser import key_of
from app.desktop.open_chats import OpenChats
from app.desktop.preferences import Preferences
from app.desktop.services import ModelEntry
from app.desktop.turn import TurnRunner
from app.hardware.readings import DeviceInventory, DeviceReading


class ChatChoices(QObject):
    """A choice counts for the shown chat and for new ones; other chats keep their own."""

    def __init__(
        self,
        window: MainWindow,
        runner: TurnRunner,
        chats: OpenChats,
        inventory: Inventory,
        preferences: Preferences,
    ) -> None:
        super().__init__(window)
        self._window = window
        self._runner = runner
        self._chats = chats
        self._preferences = preferences
        self._models: tuple[ModelEntry, ...] = ()
        self._devices: DeviceInventory | None = None
        window.models.chosen.connect(self._on_model_chosen)
        window.devices.chosen.connect(self._on_device_chosen)
        inventory.models_listed.connect(self._on_models)
        inventory.devices_listed.connect(self._on_devices)
        chats.shown.connect(self._on_chat_shown)

    @Slot(object)
    def _on_model_chosen(self, model: ModelEntry) -> None:
        self._runner.model = model
        self._preferences.change(default_model=key_of(model))
        self._chats.configure(model_name=model.name, backend=model.backend)

    @Slot(object)
    def _on_device_chosen(self, device: DeviceReading | None) -> None:
        self._runner.device = device
        chosen = device.id if device else None
        self._preferences.change(default_device=chosen)
        self._chats.configure(device=chosen)

    @Slot(object)
    def _on_models(self, models: tuple[ModelEntry, ...]) -> None:
        self._models = models
        self._show_model()

    @Slot(object)
    def _on_devices(self, inventory: DeviceInventory) -> None:
        self._devices = inventory
        self._show_device()

    @Slot(object)
    def _on_chat_shown(self, _conversation: Conversation) -> None:
        if self._models:
            self._show_model()
        if self._devices is not None:
            self._show_device()

    def _show_model(self) -> None:
        wanted = self._chats.current.settings
        fitting = [model for model in self._models if model.name == wanted.model_name]
        same = [model for model in fitting if model.backend == wanted.backend]
        own = next(iter(same + fitting), None)
        preferred = key_of(own) if own else self._preferences.current.default_model
        self._window.models.set_models(self._models, preferred)
        self._runner.model = self._window.models.current

    def _show_device(self) -> None:
        assert self._devices is not None, "the callers look"
        wanted = self._chats.current.settings
        # A chat that has been answered has its device, also where that is the automatic choice.
        own = wanted.device if wanted.model_name else self._preferences.current.default_device
        self._window.devices.set_inventory(self._devices, own)
        self._runner.device = self._window.devices.current

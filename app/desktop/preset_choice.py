"""The preset of the shown chat: chosen, copied into the chat, changed in the dialog."""

import msgspec
from PySide6.QtCore import QObject, Signal, Slot

from app.chats.records import Preset, SamplingFields
from app.core.errors import ErrorRecord
from app.desktop.background import Worker
from app.desktop.conversation import Conversation
from app.desktop.kept_chats import KeptChats
from app.desktop.main_window import MainWindow
from app.desktop.open_chats import OpenChats
from app.desktop.preset_dialog import PresetDialog
from app.desktop.theme import Theme


class PresetChoice(QObject):
    """Other chats keep the copy that they were begun with; the shown one follows the dialog."""

    failed = Signal(object)  # ErrorRecord

    def __init__(
        self, window: MainWindow, chats: OpenChats, store: KeptChats, worker: Worker, theme: Theme
    ) -> None:
        super().__init__(window)
        self._window = window
        self._chats = chats
        self._store = store
        self._worker = worker
        self._theme = theme
        self._presets: tuple[Preset, ...] = ()
        self.dialog: PresetDialog | None = None
        window.presets.chosen.connect(self._on_chosen)
        window.presets.edit_asked.connect(self.edit)
        chats.shown.connect(self._on_chat_shown)
        self._worker.run(store.presets, self._on_listed, self._on_failed)

    @Slot(object)
    def _on_chosen(self, preset: Preset | None) -> None:
        if preset is None:
            self._chats.configure(preset_id=None, system_prompt="", sampling=SamplingFields())
        else:
            self._chats.configure(
                preset_id=preset.id,
                system_prompt=preset.system_prompt,
                sampling=preset.sampling,
            )

    @Slot(object)
    def _on_chat_shown(self, _conversation: Conversation) -> None:
        self._show()

    def _show(self) -> None:
        self._window.presets.set_presets(self._presets, self._chats.current.settings.preset_id)

    @Slot()
    def edit(self) -> None:
        """Opens the dialog, or brings it to the front."""
        if self.dialog is None:
            chosen = self._chats.current.settings.preset_id
            self.dialog = PresetDialog(self._theme, self._presets, chosen, self._window)
            self.dialog.saved.connect(self._on_saved)
            self.dialog.removed.connect(self._on_removed)
            self.dialog.finished.connect(self._on_dialog_closed)
        self.dialog.show()
        self.dialog.raise_()
        self.dialog.activateWindow()

    @Slot(object)
    def _on_saved(self, preset: Preset) -> None:
        others = tuple(one for one in self._presets if one.id != preset.id)
        self._presets = tuple(sorted((*others, preset), key=lambda one: one.name.casefold()))
        store = self._store
        self._worker.run(lambda: store.save_preset(preset), failed=self._on_failed)
        if self._chats.current.settings.preset_id == preset.id:
            self._on_chosen(preset)
        self._show()

    @Slot(str)
    def _on_removed(self, preset_id: str) -> None:
        self._presets = tuple(one for one in self._presets if one.id != preset_id)
        store = self._store
        self._worker.run(lambda: store.delete_preset(preset_id), failed=self._on_failed)
        settings = self._chats.current.settings
        if settings.preset_id == preset_id:
            # What the chat was begun with stays its own.
            self._chats.current.settings = msgspec.structs.replace(settings, preset_id=None)
        self._show()

    @Slot()
    def _on_dialog_closed(self) -> None:
        if self.dialog is not None:
            self.dialog.deleteLater()
            self.dialog = None

    def _on_listed(self, presets: tuple[Preset, ...]) -> None:
        self._presets = presets
        self._show()

    def _on_failed(self, error: ErrorRecord) -> None:
        self.failed.emit(error)

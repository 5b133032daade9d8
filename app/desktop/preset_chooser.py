"""The list of presets for the shown chat, and the way to change them."""

from PySide6.QtCore import QCoreApplication, Signal, Slot
from PySide6.QtWidgets import QWidget

from app.chats.records import Preset
from app.desktop.chooser import Chooser
from app.desktop.theme import Theme


class PresetChooser(Chooser):
    """No preset, each preset, and last the dialog. Filling it is no choice of the person's."""

    chosen = Signal(object)  # Preset | None, by a person
    edit_asked = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, QCoreApplication.translate("PresetChooser", "Preset"), parent)
        self.setToolTip(self.tr("The preset: a system prompt and how words are chosen"))
        self._presets: tuple[Preset, ...] = ()
        self._row = 0
        self.activated.connect(self._on_activated)
        self.set_presets((), None)

    def set_presets(self, presets: tuple[Preset, ...], chosen: str | None) -> None:
        """Lists ``presets`` and shows the one whose id is ``chosen``."""
        self._presets = presets
        self.clear()
        self.addItem(self.tr("No preset"))
        for preset in presets:
            self.addItem(preset.name)
        self.insertSeparator(self.count())
        self.addItem(self.tr("Edit presets…"))
        ids = [preset.id for preset in presets]
        self._row = ids.index(chosen) + 1 if chosen in ids else 0
        self.setCurrentIndex(self._row)

    @Slot(int)
    def _on_activated(self, row: int) -> None:
        if row > len(self._presets):
            self.setCurrentIndex(self._row)
            self.edit_asked.emit()
            return
        self._row = row
        self.chosen.emit(self._presets[row - 1] if row else None)

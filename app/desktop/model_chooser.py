"""The list of installed models, one entry for each variant."""

from collections import Counter

from PySide6.QtCore import QCoreApplication, Qt, Signal, Slot
from PySide6.QtWidgets import QWidget

from app.desktop import wording
from app.desktop.amounts import format_bytes
from app.desktop.chooser import Chooser
from app.desktop.services import ModelEntry
from app.desktop.theme import Theme


class ModelChooser(Chooser):
    """Says which model is chosen. Filling it is no choice of the person's."""

    chosen = Signal(object)  # ModelEntry, by a person

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, QCoreApplication.translate("ModelChooser", "Model"), parent)
        self._models: tuple[ModelEntry, ...] = ()
        self.setEnabled(False)
        self.addItem(self.tr("Models"))
        self.activated.connect(self._on_activated)

    def set_models(self, models: tuple[ModelEntry, ...], preferred: str | None) -> None:
        """Lists ``models``; the one whose key is ``preferred`` is chosen, else the first."""
        self._models = models
        self.clear()
        titles = Counter(model.name for model in models)
        for model in models:
            title = wording.model_title(model.name)
            if titles[model.name] > 1:
                title = f"{title} · {wording.backend_title(model.backend)}"
            self.addItem(title)
            self.setItemData(self.count() - 1, _hint(model), Qt.ItemDataRole.ToolTipRole)
        if not models:
            self.addItem(self.tr("No model"))
        keys = [key_of(model) for model in models]
        self.setCurrentIndex(keys.index(preferred) if preferred in keys else 0)

    @property
    def current(self) -> ModelEntry | None:
        """The chosen model."""
        index = self.currentIndex()
        return self._models[index] if 0 <= index < len(self._models) else None

    @Slot()
    def _on_activated(self) -> None:
        if self.current is not None:
            self.chosen.emit(self.current)


def key_of(model: ModelEntry) -> str:
    """The name by which a choice is remembered: name and variant."""
    return f"{model.name}/{model.variant}"


def _hint(model: ModelEntry) -> str:
    return "\n".join(
        (
            f"{model.name} ({model.variant})",
            format_bytes(model.size_bytes),
            wording.context_size(model.context_tokens),
        )
    )

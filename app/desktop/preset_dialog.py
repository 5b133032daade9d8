"""The presets: a system prompt and sampling under a name. A change counts at once."""

from collections.abc import Iterable

import msgspec
from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import (
    QDialog,
    QFrame,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QPlainTextEdit,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from app.chats.records import Preset
from app.desktop.conversation import new_id
from app.desktop.icon_button import IconButton
from app.desktop.sampling_form import SamplingForm
from app.desktop.theme import Theme


class PresetDialog(QDialog):
    """The list on the left, the chosen preset on the right."""

    saved = Signal(object)  # Preset
    removed = Signal(str)

    def __init__(
        self, theme: Theme, presets: Iterable[Preset], chosen: str | None, parent: QWidget | None
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Presets"))
        self.resize(800, 640)
        self._presets = {preset.id: preset for preset in presets}
        self._shown: Preset | None = None
        self.list = QListWidget(self)
        self.list.setAccessibleName(self.tr("Presets"))
        self.list.setFixedWidth(200)
        self.new_button = IconButton(theme, "add", self.tr("New preset"), self)
        self.remove_button = IconButton(theme, "trash", self.tr("Delete this preset"), self)
        self._build_fields()
        self._build()
        for preset in self._presets.values():
            self._add_item(preset)
        self.list.currentItemChanged.connect(self._on_item_changed)
        self.new_button.clicked.connect(self._on_new)
        self.remove_button.clicked.connect(self._on_remove)
        self._choose(chosen)

    def _build_fields(self) -> None:
        self.name = QLineEdit(self)
        self.name.setAccessibleName(self.tr("Name"))
        self.prompt = QPlainTextEdit(self)
        self.prompt.setObjectName("prompt")
        self.prompt.setAccessibleName(self.tr("System prompt"))
        self.prompt.setPlaceholderText(self.tr("You are a patient teacher. Answer briefly."))
        self.prompt.setTabChangesFocus(True)
        self.prompt.setMinimumHeight(96)
        self.prompt.document().setDocumentMargin(3)
        self.form = SamplingForm(self)
        self.name.textEdited.connect(self._on_edited)
        self.prompt.textChanged.connect(self._on_edited)
        self.form.changed.connect(self._on_edited)

    def _build(self) -> None:
        side = QVBoxLayout()
        side.setSpacing(6)
        side.addWidget(self.list, 1)
        tools = QHBoxLayout()
        tools.addWidget(self.new_button)
        tools.addWidget(self.remove_button)
        tools.addStretch(1)
        side.addLayout(tools)
        self._editor = QWidget()
        self._editor.setObjectName("page")
        column = QVBoxLayout(self._editor)
        column.setContentsMargins(0, 0, 12, 0)
        column.setSpacing(6)
        for title, field in ((self.tr("Name"), self.name), (self.tr("System prompt"), self.prompt)):
            column.addWidget(_caption(title))
            column.addWidget(field)
            column.addSpacing(6)
        column.addWidget(_caption(self.tr("How words are chosen")))
        column.addWidget(self.form)
        column.addStretch(1)
        scroll = QScrollArea(self)
        scroll.setWidgetResizable(True)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        scroll.setWidget(self._editor)
        across = QHBoxLayout()
        across.setSpacing(16)
        across.addLayout(side)
        across.addWidget(_rule())
        across.addWidget(scroll, 1)
        note = QLabel(self.tr("An empty field is the model's own default."), self)
        note.setObjectName("muted")
        done = QPushButton(self.tr("Done"), self)
        done.setObjectName("primary")
        done.setAutoDefault(False)
        done.clicked.connect(self.accept)
        below = QHBoxLayout()
        below.addWidget(note, 1)
        below.addWidget(done)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(20, 18, 20, 16)
        layout.setSpacing(14)
        layout.addLayout(across, 1)
        layout.addLayout(below)

    def _add_item(self, preset: Preset) -> QListWidgetItem:
        item = QListWidgetItem(preset.name, self.list)
        item.setData(Qt.ItemDataRole.UserRole, preset.id)
        return item

    def _choose(self, preset_id: str | None) -> None:
        rows = list(self._presets)
        self.list.setCurrentRow(rows.index(preset_id) if preset_id in rows else 0)
        if not rows:
            self._show(None)

    def _show(self, preset: Preset | None) -> None:
        self._shown = None  # filling the fields is no change
        self._editor.setEnabled(preset is not None)
        self.remove_button.setEnabled(preset is not None)
        shown = preset or Preset(id="", name="")
        self.name.setText(shown.name)
        self.prompt.setPlainText(shown.system_prompt)
        self.form.set_sampling(shown.sampling)
        self._shown = preset

    @Slot()
    def _on_item_changed(self) -> None:
        item = self.list.currentItem()
        preset_id = item.data(Qt.ItemDataRole.UserRole) if item is not None else None
        self._show(self._presets.get(preset_id))

    @Slot()
    def _on_edited(self) -> None:
        """Keeps what is shown; a name of nothing but spaces waits for a better one."""
        old = self._shown
        if old is None or not self.name.text().strip():
            return
        new = msgspec.structs.replace(
            old,
            name=" ".join(self.name.text().split()),
            system_prompt=self.prompt.toPlainText(),
            sampling=self.form.sampling(old.sampling),
        )
        if new != old:
            self._presets[new.id] = self._shown = new
            item = self.list.currentItem()
            if item is not None:
                item.setText(new.name)
            self.saved.emit(new)

    @Slot()
    def _on_new(self) -> None:
        preset = Preset(id=new_id(), name=self.tr("New preset"))
        self._presets[preset.id] = preset
        self.list.setCurrentItem(self._add_item(preset))
        self.saved.emit(preset)
        self.name.setFocus()
        self.name.selectAll()

    @Slot()
    def _on_remove(self) -> None:
        if self._shown is None:
            return
        removed = self._shown.id
        del self._presets[removed]
        self.list.takeItem(self.list.currentRow())
        if not self._presets:
            self._show(None)
        self.removed.emit(removed)


def _caption(text: str) -> QLabel:
    label = QLabel(text)
    label.setObjectName("author")
    return label


def _rule() -> QFrame:
    line = QFrame()
    line.setObjectName("rule")
    line.setFixedWidth(1)
    return line

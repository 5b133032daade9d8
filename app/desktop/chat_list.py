"""The side list: a new chat, and the chats there are."""

from collections.abc import Callable
from typing import Final

import msgspec
from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QPersistentModelIndex,
    QSize,
    Qt,
    QTimer,
    Signal,
    Slot,
)
from PySide6.QtGui import QAction, QIcon, QKeySequence
from PySide6.QtWidgets import QListView, QPushButton, QVBoxLayout, QWidget

from app.desktop.chat_row import ChatRow
from app.desktop.conversation import ChatSummary
from app.desktop.icon_button import IconButton
from app.desktop.search_field import SearchField
from app.desktop.theme import Theme

_Index = QModelIndex | QPersistentModelIndex
_ROOT = QModelIndex()
_TYPING_MS: Final = 150


class ChatListModel(QAbstractListModel):
    """The summaries as rows. A changed title repaints one row, not the list."""

    renamed = Signal(str, str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._chats: list[ChatSummary] = []
        self._pin: QIcon | None = None

    def rowCount(self, parent: _Index = _ROOT) -> int:  # noqa: N802  Qt's name
        return 0 if parent.isValid() else len(self._chats)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> str | QIcon | None:
        if not index.isValid():
            return None
        roles, chat = Qt.ItemDataRole, self._chats[index.row()]
        title = chat.title or self.tr("New chat")
        if role == roles.EditRole:
            return title
        if role in (roles.DisplayRole, roles.ToolTipRole):
            return f"{title}\n{chat.excerpt}" if chat.excerpt else title
        if role == roles.DecorationRole and chat.pinned:
            return self._pin
        if role == roles.AccessibleTextRole and chat.pinned:
            return self.tr("{title}, pinned").format(title=title)
        return None

    def flags(self, index: _Index) -> Qt.ItemFlag:
        return super().flags(index) | Qt.ItemFlag.ItemIsEditable

    def setData(  # noqa: N802  Qt's name
        self, index: _Index, value: object, role: int = Qt.ItemDataRole.EditRole
    ) -> bool:
        title = str(value).strip()
        chat = self._chats[index.row()]
        if role != Qt.ItemDataRole.EditRole or title == chat.title:
            return False
        if title:  # an empty one follows the first message again: the next listing says how
            self._chats[index.row()] = msgspec.structs.replace(chat, title=title)
        self.dataChanged.emit(index, index)
        self.renamed.emit(chat.id, title)
        return True

    def set_chats(self, chats: tuple[ChatSummary, ...]) -> None:
        """Shows ``chats``; rows that stay in place are only repainted."""
        if [chat.id for chat in chats] == [chat.id for chat in self._chats]:
            self._chats = list(chats)
            if chats:
                self.dataChanged.emit(self.index(0), self.index(len(chats) - 1))
            return
        self.beginResetModel()
        self._chats = list(chats)
        self.endResetModel()

    def set_pin(self, icon: QIcon) -> None:
        """The mark of pinned chats, in the theme's colour."""
        self._pin = icon
        if self._chats:
            self.dataChanged.emit(self.index(0), self.index(len(self._chats) - 1))

    def chat_at(self, index: _Index) -> ChatSummary:
        return self._chats[index.row()]

    def id_at(self, index: _Index) -> str:
        return self._chats[index.row()].id

    def index_of(self, chat_id: str) -> QModelIndex:
        """The row of a chat; an invalid index if it isn't listed."""
        for row, chat in enumerate(self._chats):
            if chat.id == chat_id:
                return self.index(row)
        return QModelIndex()


class ChatList(QWidget):
    """The list with its button."""

    new_asked = Signal()
    chosen = Signal(str)
    renamed = Signal(str, str)
    removal_asked = Signal(str)
    search_asked = Signal(str)
    undo_asked = Signal(str)
    pin_asked = Signal(str, bool)
    copy_asked = Signal(str)
    export_asked = Signal(str, str)  # the chat and its title
    import_asked = Signal()
    left = Signal()  # the person is done with the search

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("side")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setFixedWidth(232)
        new = IconButton(theme, "new-chat", self.tr("New chat"), self, label=True)
        new.setObjectName("wide")
        new.setToolTip(self.tr("New chat (Ctrl+N)"))
        new.clicked.connect(self.new_asked)
        self.search = SearchField(self)
        self.search.setPlaceholderText(self.tr("Search"))
        self.search.setAccessibleName(self.tr("Search in all chats"))
        self.search.left.connect(self.left)
        self._theme = theme
        self.model = ChatListModel(self)
        theme.changed.connect(self._on_theme_changed)
        self._on_theme_changed()
        self.model.renamed.connect(self.renamed)
        self._typing = QTimer(self)
        self._typing.setSingleShot(True)
        self._typing.setInterval(_TYPING_MS)
        self._typing.timeout.connect(self._on_typed)
        self.search.textChanged.connect(self._typing.start)
        self._view = self._make_view()
        self._undo = QPushButton(self)
        self._undo.setAccessibleName(self.tr("Undo the deletion"))
        self._undo.clicked.connect(self._on_undo)
        self._undo.hide()
        self._removed = ""
        layout = QVBoxLayout(self)
        layout.setContentsMargins(10, 12, 10, 10)
        layout.setSpacing(6)
        layout.addWidget(new)
        layout.addWidget(self.search)
        layout.addWidget(self._view, 1)
        layout.addWidget(self._undo)

    def _make_view(self) -> QListView:
        view = QListView(self)
        view.setModel(self.model)
        view.setAccessibleName(self.tr("Chats"))
        view.setIconSize(QSize(13, 13))
        view.setItemDelegate(ChatRow(self._theme, view))
        view.setTextElideMode(Qt.TextElideMode.ElideRight)
        view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        view.setEditTriggers(QListView.EditTrigger.EditKeyPressed)
        view.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        view.clicked.connect(self._on_activated)
        view.activated.connect(self._on_activated)
        self._pin_action = self._add_action(view, self.tr("Pin"), "Ctrl+P", self._on_pin)
        self._add_action(view, self.tr("Rename"), "F2", self._on_rename)
        self._add_action(view, self.tr("Delete"), "Del", self._on_remove)
        self._add_separator(view)
        self._add_action(view, self.tr("Copy as Markdown"), "Ctrl+C", self._on_copy)
        self._add_action(view, self.tr("Export…"), "Ctrl+E", self._on_export)
        self._add_action(view, self.tr("Import…"), "Ctrl+I", self.import_asked.emit)
        selection = view.selectionModel()
        selection.currentChanged.connect(self._on_current_changed)
        return view

    def _add_action(
        self, view: QListView, text: str, keys: str, slot: Callable[[], None]
    ) -> QAction:
        action = QAction(text, view)
        action.setShortcut(QKeySequence(keys))
        action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        action.triggered.connect(slot)
        view.addAction(action)
        return action

    def _add_separator(self, view: QListView) -> None:
        line = QAction(view)
        line.setSeparator(True)
        view.addAction(line)

    def set_chats(self, chats: tuple[ChatSummary, ...], current: str) -> None:
        """Lists ``chats`` and marks the shown one."""
        self.model.set_chats(chats)
        self.mark(current)
        self._on_current_changed()

    def mark(self, chat_id: str) -> None:
        """Marks a chat as the one that is shown."""
        index = self.model.index_of(chat_id)
        self._view.setCurrentIndex(index)
        if not index.isValid():
            self._view.clearSelection()

    def offer_undo(self, chat_id: str, title: str) -> None:
        """Offers to bring a deleted chat back, until another one is deleted."""
        self._removed = chat_id
        short = self.fontMetrics().elidedText(title, Qt.TextElideMode.ElideRight, 110)
        self._undo.setText(self.tr("Undo: delete {title}").format(title=f"“{short}”"))
        self._undo.show()

    @Slot()
    def _on_typed(self) -> None:
        self.search_asked.emit(self.search.text())

    def _id_at(self, index: QModelIndex) -> str:
        return self.model.id_at(index)

    @Slot(QModelIndex)
    def _on_activated(self, index: QModelIndex) -> None:
        self.chosen.emit(self._id_at(index))

    @Slot()
    def _on_theme_changed(self) -> None:
        self.model.set_pin(self._theme.icon("pin"))

    @Slot()
    def _on_current_changed(self) -> None:
        index = self._view.currentIndex()
        pinned = index.isValid() and self.model.chat_at(index).pinned
        self._pin_action.setText(self.tr("Unpin") if pinned else self.tr("Pin"))

    @Slot()
    def _on_pin(self) -> None:
        index = self._view.currentIndex()
        if index.isValid():
            chat = self.model.chat_at(index)
            self.pin_asked.emit(chat.id, not chat.pinned)

    @Slot()
    def _on_copy(self) -> None:
        index = self._view.currentIndex()
        if index.isValid():
            self.copy_asked.emit(self._id_at(index))

    @Slot()
    def _on_export(self) -> None:
        index = self._view.currentIndex()
        if index.isValid():
            chat = self.model.chat_at(index)
            self.export_asked.emit(chat.id, chat.title)

    @Slot()
    def _on_rename(self) -> None:
        if self._view.currentIndex().isValid():
            self._view.edit(self._view.currentIndex())

    @Slot()
    def _on_remove(self) -> None:
        index = self._view.currentIndex()
        if index.isValid():
            chat_id, title = self._id_at(index), str(index.data(Qt.ItemDataRole.EditRole))
            self.removal_asked.emit(chat_id)
            self.offer_undo(chat_id, title)

    @Slot()
    def _on_undo(self) -> None:
        self._undo.hide()
        self.undo_asked.emit(self._removed)

"""The side list: a new chat, and the chats there are."""

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, Qt, Signal, Slot
from PySide6.QtWidgets import QLabel, QListView, QVBoxLayout, QWidget

from app.desktop.conversation import ChatSummary
from app.desktop.icon_button import IconButton
from app.desktop.theme import Theme

_Index = QModelIndex | QPersistentModelIndex
_ROOT = QModelIndex()


class ChatListModel(QAbstractListModel):
    """The summaries as rows. A changed title repaints one row, not the list."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._chats: list[ChatSummary] = []

    def rowCount(self, parent: _Index = _ROOT) -> int:  # noqa: N802  Qt's name
        return 0 if parent.isValid() else len(self._chats)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> str | None:
        if not index.isValid():
            return None
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return self._chats[index.row()].title or self.tr("New chat")
        return None

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

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("side")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setFixedWidth(232)
        new = IconButton(theme, "new-chat", self.tr("New chat"), self, label=True)
        new.setObjectName("wide")
        new.setToolTip(self.tr("New chat (Ctrl+N)"))
        new.clicked.connect(self.new_asked)
        heading = QLabel(self.tr("Chats"), self)
        heading.setObjectName("author")
        heading.setContentsMargins(10, 10, 0, 2)
        self.model = ChatListModel(self)
        self._view = QListView(self)
        self._view.setModel(self.model)
        self._view.setAccessibleName(self.tr("Chats"))
        self._view.setTextElideMode(Qt.TextElideMode.ElideRight)
        self._view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._view.setEditTriggers(QListView.EditTrigger.NoEditTriggers)
        self._view.setUniformItemSizes(True)
        self._view.clicked.connect(self._on_activated)
        self._view.activated.connect(self._on_activated)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(10, 12, 10, 10)
        layout.setSpacing(4)
        layout.addWidget(new)
        layout.addWidget(heading)
        layout.addWidget(self._view, 1)

    def set_chats(self, chats: tuple[ChatSummary, ...], current: str) -> None:
        """Lists ``chats`` and marks the shown one."""
        self.model.set_chats(chats)
        self.mark(current)

    def mark(self, chat_id: str) -> None:
        index = self.model.index_of(chat_id)
        if index.isValid():
            self._view.setCurrentIndex(index)
        else:
            self._view.clearSelection()
            self._view.setCurrentIndex(QModelIndex())

    @Slot(QModelIndex)
    def _on_activated(self, index: QModelIndex) -> None:
        self.chosen.emit(self.model.id_at(index))

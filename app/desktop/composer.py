"""Where a person writes: Enter sends, Shift+Enter breaks the line, Esc stops."""

from typing import Final

from PySide6.QtCore import QEvent, QMimeData, Qt, Signal, Slot
from PySide6.QtGui import QFocusEvent, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QPlainTextEdit,
    QVBoxLayout,
    QWidget,
)

from app.desktop.icon_button import RoundButton
from app.desktop.lifecycle import Action, TurnState, allows
from app.desktop.theme import Theme

_MOST_LINES: Final = 9


class _Input(QPlainTextEdit):
    """A text field that grows with its text, up to ``_MOST_LINES`` lines."""

    enter_pressed = Signal()
    focus_changed = Signal(bool)
    files_given = Signal(object)  # list[QUrl]: pasted, for a drop goes to the window

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setTabChangesFocus(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.document().setDocumentMargin(2)
        self.document().documentLayout().documentSizeChanged.connect(self.fit)
        self.fit()

    @Slot()
    def fit(self) -> None:
        """Makes the field as high as its text."""
        # A plain text layout counts its height in lines.
        lines = max(1, round(self.document().size().height()))
        shown = min(lines, _MOST_LINES)
        margins = 2 * round(self.document().documentMargin()) + 2
        self.setFixedHeight(shown * self.fontMetrics().lineSpacing() + margins)
        policy = Qt.ScrollBarPolicy
        self.setVerticalScrollBarPolicy(
            policy.ScrollBarAsNeeded if lines > _MOST_LINES else policy.ScrollBarAlwaysOff
        )

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802  Qt's name
        shifted = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not shifted:
            self.enter_pressed.emit()
        elif event.key() == Qt.Key.Key_Escape:
            event.ignore()  # the window decides what it means
        else:
            super().keyPressEvent(event)

    def canInsertFromMimeData(self, source: QMimeData) -> bool:  # noqa: N802  Qt's name
        return not has_files(source) and super().canInsertFromMimeData(source)

    def insertFromMimeData(self, source: QMimeData) -> None:  # noqa: N802  Qt's name
        if has_files(source):
            self.files_given.emit(source.urls())
        else:
            super().insertFromMimeData(source)

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802  Qt's name
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self.fit()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802  Qt's name
        super().resizeEvent(event)
        if event.oldSize().width() != event.size().width():
            self.fit()

    def focusInEvent(self, event: QFocusEvent) -> None:  # noqa: N802  Qt's name
        super().focusInEvent(event)
        self.focus_changed.emit(True)

    def focusOutEvent(self, event: QFocusEvent) -> None:  # noqa: N802  Qt's name
        super().focusOutEvent(event)
        self.focus_changed.emit(False)


def has_files(data: QMimeData) -> bool:
    """Whether what is dropped or pasted are files, rather than their names as text."""
    return data.hasUrls() and all(url.isLocalFile() for url in data.urls())


class Composer(QFrame):
    """The input with its one button, which sends or stops."""

    sent = Signal(str)
    stop_asked = Signal()
    edit_cancelled = Signal()
    files_given = Signal(object)  # list[QUrl]

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("composer")
        self._state = TurnState.LOOKING
        self._input = _Input(self)
        self._input.setPlaceholderText(self.tr("Write a message"))
        self._input.setAccessibleName(self.tr("Message"))
        self._input.setAccessibleDescription(
            self.tr("Enter sends, Shift and Enter breaks the line, Escape stops the answer")
        )
        self._button = RoundButton(theme, "send", self.tr("Send"), self)
        self._editing = QLabel(self.tr("Changing an earlier message (Esc leaves it)"), self)
        self._editing.setObjectName("muted")
        self._editing.hide()
        across = self._across = QHBoxLayout()
        across.setSpacing(8)
        across.addWidget(self._input, 1, Qt.AlignmentFlag.AlignVCenter)
        across.addWidget(self._button, 0, Qt.AlignmentFlag.AlignBottom)
        layout = self._column = QVBoxLayout(self)
        layout.setContentsMargins(14, 8, 8, 8)
        layout.setSpacing(2)
        layout.addWidget(self._editing)
        layout.addLayout(across)
        self.setFocusProxy(self._input)
        self._input.enter_pressed.connect(self._send)
        self._input.textChanged.connect(self._refresh)
        self._input.focus_changed.connect(self._on_focus_changed)
        self._input.files_given.connect(self.files_given)
        self._button.clicked.connect(self._on_clicked)
        self._refresh()

    def add_above(self, widget: QWidget) -> None:
        """Puts ``widget`` over the text."""
        self._column.insertWidget(0, widget)

    def add_beside(self, widget: QWidget) -> None:
        """Puts ``widget`` before the button."""
        self._across.insertWidget(1, widget, 0, Qt.AlignmentFlag.AlignBottom)

    @property
    def field(self) -> QPlainTextEdit:
        """The widget that takes the keys."""
        return self._input

    @property
    def text(self) -> str:
        return self._input.toPlainText()

    def set_text(self, text: str) -> None:
        """Puts ``text`` in place of what is written, the cursor at its end."""
        self._input.setPlainText(text)
        self._input.moveCursor(self._input.textCursor().MoveOperation.End)

    def set_state(self, state: TurnState) -> None:
        """Shows what can be done in ``state``."""
        self._state = state
        self._refresh()

    @Slot()
    def _refresh(self) -> None:
        stopping = allows(self._state, Action.STOP) or self._state is TurnState.STOPPING
        if stopping:
            self._button.show_as("stop", self.tr("Stop (Esc)"))
            self._button.setEnabled(allows(self._state, Action.STOP))
        else:
            self._button.show_as("send", self.tr("Send (Enter)"))
            self._button.setEnabled(allows(self._state, Action.SEND) and bool(self.text.strip()))
        self._input.setReadOnly(not allows(self._state, Action.TYPE))

    @Slot()
    def _on_clicked(self) -> None:
        if allows(self._state, Action.STOP):
            self._stop()
        else:
            self._send()
        self._input.setFocus()

    @Slot()
    def escape(self) -> None:
        """Stops the answer; when none runs, leaves the change of an earlier message."""
        if allows(self._state, Action.STOP):
            self._stop()
        elif self.editing:
            self.edit_cancelled.emit()

    @property
    def editing(self) -> bool:
        """Whether what is written replaces an earlier message."""
        return not self._editing.isHidden()

    def set_editing(self, editing: bool) -> None:
        """Says that what is written replaces an earlier message."""
        self._editing.setVisible(editing)

    def _send(self) -> None:
        if allows(self._state, Action.SEND) and self.text.strip():
            text = self.text.strip()
            self._input.clear()
            self.sent.emit(text)

    def _stop(self) -> None:
        if allows(self._state, Action.STOP):
            self.stop_asked.emit()

    @Slot(bool)
    def _on_focus_changed(self, focused: bool) -> None:
        self.setProperty("focused", focused)
        self.style().unpolish(self)
        self.style().polish(self)

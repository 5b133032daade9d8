"""What a model thought before it answered: a line that unfolds."""

from typing import Final

from PySide6.QtCore import QCoreApplication, QSize, Qt, Signal
from PySide6.QtWidgets import QToolButton, QVBoxLayout, QWidget

from app.desktop.amounts import format_seconds
from app.desktop.markdown.rendering import RenderingThread
from app.desktop.markdown.selection import SharedSelection
from app.desktop.markdown.view import MarkdownView

_MINUTE_S: Final = 60


class ThinkingBlock(QWidget):
    """A button with the time, and below it the thinking while it is unfolded.

    While it is folded text is only kept, not rendered. Enter and Space toggle the button.
    """

    toggled = Signal(bool)  # whether it is now unfolded
    link_activated = Signal(str)

    def __init__(
        self,
        rendering: RenderingThread,
        selection: SharedSelection | None = None,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._text: list[str] = []
        self._shown_parts = 0
        self._seconds = 0.0
        self._is_finished = False
        self._button = QToolButton(self)
        self._button.setCheckable(True)
        self._button.setAutoRaise(True)
        self._button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self._button.setIconSize(QSize(10, 10))
        self._button.toggled.connect(self._on_toggled)
        self._body = MarkdownView(rendering, selection, muted=True, parent=self)
        self._body.link_activated.connect(self.link_activated)
        self._body.hide()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        layout.addWidget(self._button, 0, Qt.AlignmentFlag.AlignLeading)
        layout.addWidget(self._body)
        self._update_button()

    @property
    def body(self) -> MarkdownView:
        """The view of the thinking, for a selection across messages."""
        return self._body

    @property
    def is_open(self) -> bool:
        return self._button.isChecked()

    def set_open(self, is_open: bool) -> None:
        """Folds or unfolds."""
        self._button.setChecked(is_open)

    def text(self) -> str:
        """Returns the thinking as it was given."""
        return "".join(self._text)

    def append(self, text: str) -> None:
        """Adds thinking that arrived."""
        self._text.append(text)
        if self.is_open:
            self._show_rest()

    def set_seconds(self, seconds: float) -> None:
        """Says how long the model has been thinking."""
        self._seconds = seconds
        self._update_button()

    def finish(self, seconds: float) -> None:
        """Says that the thinking is complete and how long it took."""
        self._seconds = seconds
        self._is_finished = True
        self._update_button()
        if self.is_open:
            self._show_rest()

    def _show_rest(self) -> None:
        rest = "".join(self._text[self._shown_parts :])
        self._shown_parts = len(self._text)
        self._body.append(rest)
        if self._is_finished:
            self._body.finish()

    def _on_toggled(self, is_open: bool) -> None:
        self._body.setVisible(is_open)
        if is_open:
            self._show_rest()
        self._update_button()
        self.toggled.emit(is_open)

    def _update_button(self) -> None:
        time = _duration(self._seconds)
        if self._is_finished:
            text = QCoreApplication.translate("Markdown", "Thought for {time}")
        else:
            text = QCoreApplication.translate("Markdown", "Thinking, {time}")
        self._button.setText(text.format(time=time))
        arrow = Qt.ArrowType.DownArrow if self.is_open else Qt.ArrowType.RightArrow
        if self.isRightToLeft() and not self.is_open:
            arrow = Qt.ArrowType.LeftArrow
        self._button.setArrowType(arrow)
        state = (
            QCoreApplication.translate("Markdown", "unfolded")
            if self.is_open
            else QCoreApplication.translate("Markdown", "folded")
        )
        self._button.setAccessibleName(f"{self._button.text()}, {state}")


def _duration(seconds: float) -> str:
    if seconds < _MINUTE_S:
        text = QCoreApplication.translate("Markdown", "{seconds} s")
        return text.format(seconds=format_seconds(seconds))
    text = QCoreApplication.translate("Markdown", "{minutes} min {seconds} s")
    return text.format(minutes=int(seconds) // _MINUTE_S, seconds=int(seconds) % _MINUTE_S)

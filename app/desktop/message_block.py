"""One message of the transcript: a tinted box for the person's, plain text for the answer."""

from PySide6.QtCore import QElapsedTimer, Qt, Signal, Slot
from PySide6.QtGui import QGuiApplication, QResizeEvent
from PySide6.QtWidgets import (
    QFormLayout,
    QFrame,
    QGraphicsOpacityEffect,
    QHBoxLayout,
    QLabel,
    QVBoxLayout,
    QWidget,
)

from app.desktop import wording
from app.desktop.conversation import Message
from app.desktop.icon_button import IconButton
from app.desktop.markdown.thinking import ThinkingBlock
from app.desktop.markdown.view import MarkdownView
from app.desktop.text_view import Paper, PlainText
from app.desktop.theme import Theme
from app.engine.chat import Role
from app.engine.outcome import FinishReason
from app.workflows.context_paste import Pasted

_RESUMABLE = frozenset(
    {
        FinishReason.LENGTH,
        FinishReason.CANCELLED,
        FinishReason.DEADLINE,
        FinishReason.STALLED,
        FinishReason.CONTEXT_FULL,  # the person chooses then what is left out
    }
)


_SHADED = 0.45  # of the colours' strength


class BranchBar(QWidget):
    """ "2 / 3" between two arrows, where a message has siblings."""

    chosen = Signal(str)

    def __init__(self, theme: Theme, siblings: tuple[str, ...], shown: str) -> None:
        super().__init__()
        place = siblings.index(shown)
        back = IconButton(theme, "back", self.tr("Previous version"), self, size=14)
        forward = IconButton(theme, "forward", self.tr("Next version"), self, size=14)
        count = QLabel(f"{place + 1} / {len(siblings)}", self)
        count.setObjectName("muted")
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(2)
        for widget in (back, count, forward):
            layout.addWidget(widget)
        self._before = siblings[place - 1] if place else ""
        self._after = siblings[place + 1] if place + 1 < len(siblings) else ""
        back.setEnabled(bool(self._before))
        forward.setEnabled(bool(self._after))
        back.clicked.connect(self._on_back)
        forward.clicked.connect(self._on_forward)

    @Slot()
    def _on_back(self) -> None:
        self.chosen.emit(self._before)

    @Slot()
    def _on_forward(self) -> None:
        self.chosen.emit(self._after)


class MessageBlock(QWidget):
    """What both kinds of messages have: the text and a row of small buttons under it."""

    branch_chosen = Signal(str)
    delete_asked = Signal(str)

    def __init__(
        self, paper: Paper, message: Message, siblings: tuple[str, ...], parent: QWidget | None
    ) -> None:
        super().__init__(parent)
        self.theme = paper.theme
        self.message = message
        self.bar = QHBoxLayout()
        self.bar.setContentsMargins(0, 0, 0, 0)
        self.bar.setSpacing(2)
        self._branches: BranchBar | None = None
        if len(siblings) > 1:
            self._branches = BranchBar(paper.theme, siblings, message.id)
            self._branches.chosen.connect(self.branch_chosen)

    def set_unread(self, unread: bool) -> None:
        """Shades a message that the model does not read any more, and says so."""
        effect = self.graphicsEffect()
        if effect is None:
            if not unread:
                return
            effect = QGraphicsOpacityEffect(self, opacity=_SHADED)
            self.setGraphicsEffect(effect)
        effect.setEnabled(unread)
        hint = self.tr("The model does not read this any more") if unread else ""
        self.setToolTip(hint)
        self.setAccessibleDescription(hint)

    def add_button(self, icon: str, name: str) -> IconButton:
        button = IconButton(self.theme, icon, name, self, size=16)
        self.bar.addWidget(button)
        return button

    def add_branches(self) -> None:
        if self._branches is not None:
            self.bar.addWidget(self._branches)

    def add_delete(self) -> None:
        self.delete_button = self.add_button("trash", self.tr("Delete from here on"))
        self.delete_button.clicked.connect(self._on_delete)

    @Slot()
    def _on_delete(self) -> None:
        self.delete_asked.emit(self.message.id)

    @Slot()
    def copy(self) -> None:
        """Puts the message's Markdown on the clipboard."""
        QGuiApplication.clipboard().setText(self.message.text)


class QuestionBlock(MessageBlock):
    """What the person wrote, in a tinted box on the right, as wide as its text."""

    edit_asked = Signal(str)

    def __init__(
        self,
        paper: Paper,
        message: Message,
        siblings: tuple[str, ...] = (),
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(paper, message, siblings, parent)
        self.setAccessibleName(self.tr("You wrote"))
        self.text = PlainText(self, paper.selection)
        self.text.setAccessibleName(self.tr("Your message"))
        self.text.setPlainText(message.text)
        box = QFrame(self)
        box.setObjectName("question")
        inside = QVBoxLayout(box)
        inside.setContentsMargins(16, 10, 16, 10)
        inside.addWidget(self.text)
        self.bar.addStretch(1)
        self.add_branches()
        self.edit_button = self.add_button("edit", self.tr("Edit and send again"))
        copy = self.add_button("copy", self.tr("Copy"))
        copy.clicked.connect(self.copy)
        self.add_delete()
        self.edit_button.clicked.connect(self._on_edit)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(2)
        layout.addWidget(box, 0, Qt.AlignmentFlag.AlignRight)
        layout.addLayout(self.bar)

    def set_pasted_unread(self, pasted: tuple[Pasted, ...]) -> None:
        """Shades pasted texts that the model does not read any more, and says so."""
        self.text.fade([(one.start, one.end) for one in pasted], _SHADED)
        hint = self.tr("The model does not read the shaded part any more") if pasted else ""
        self.text.setToolTip(hint)
        self.text.setAccessibleDescription(hint)

    def texts(self) -> tuple[PlainText | MarkdownView, ...]:
        """What can be selected, in reading order."""
        return (self.text,)

    @Slot()
    def _on_edit(self) -> None:
        self.edit_asked.emit(self.message.id)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802  Qt's name
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.text.setFixedWidth(self.text.width_for(event.size().width() * 4 // 5 - 32))


class AnswerBlock(MessageBlock):
    """What the model wrote: its thinking (folded), the text, and how it ended."""

    regenerate_asked = Signal(str)
    resume_asked = Signal(str)
    link_activated = Signal(str)

    def __init__(
        self,
        paper: Paper,
        message: Message,
        siblings: tuple[str, ...] = (),
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(paper, message, siblings, parent)
        self.setAccessibleName(self.tr("The model wrote"))
        self.text = MarkdownView(paper.rendering, paper.selection, parent=self)
        self.text.setObjectName("text")
        self.text.setAccessibleName(self.tr("Answer"))
        self.text.link_activated.connect(self.link_activated)
        self._thinking = ThinkingBlock(paper.rendering, paper.selection, self)
        self._thinking.link_activated.connect(self.link_activated)
        self._thinking.hide()
        self._since_thinking = QElapsedTimer()
        self._followed = False
        self._summary = QLabel(self)
        self._summary.setObjectName("muted")
        self._waiting = QLabel(self)
        self._waiting.setObjectName("lead")
        self._details = QFrame(self)
        self._details.setObjectName("details")
        self._details.hide()
        self._add_buttons()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(6)
        layout.addWidget(self._thinking)
        layout.addWidget(self._waiting)
        layout.addWidget(self.text)
        layout.addWidget(self._buttons)
        layout.addWidget(self._details)
        self.text.set_markdown(message.text)
        self._think(message.thinking)
        self.finish(message)

    def _add_buttons(self) -> None:
        self._buttons = QWidget(self)
        self._buttons.setLayout(self.bar)
        copy = self.add_button("copy", self.tr("Copy"))
        copy.clicked.connect(self.copy)
        self.regenerate_button = self.add_button("again", self.tr("Answer again"))
        self.regenerate_button.clicked.connect(self._on_regenerate)
        self.resume_button = self.add_button("continue", self.tr("Go on"))
        self.resume_button.clicked.connect(self._on_resume)
        self._info = self.add_button("details", self.tr("About this answer"))
        self._info.setCheckable(True)
        self._info.toggled.connect(self._on_details)
        self.add_delete()
        self.add_branches()
        self.bar.addSpacing(6)
        self.bar.addWidget(self._summary)
        self.bar.addStretch(1)

    def texts(self) -> tuple[PlainText | MarkdownView, ...]:
        """What can be selected, in reading order."""
        unfolded = (self._thinking.body,) if self._thinking.is_open else ()
        return (*unfolded, self.text)

    @property
    def summary(self) -> str:
        """Why the answer ended before its end, as it is shown."""
        return self._summary.text()

    def extend(self, message: Message, text: str, thinking: str) -> None:
        """Appends what has just arrived."""
        self.message = message
        self.wait("")
        if thinking:
            self._think(thinking)
            self._thinking.set_seconds(self._since_thinking.elapsed() / 1000)
        if text:
            self.text.append(text)

    def _think(self, thinking: str) -> None:
        if thinking and self._thinking.isHidden():
            self._since_thinking.start()
            self._thinking.show()
        self._thinking.append(thinking)

    def wait(self, sentence: str) -> None:
        """Says what is happening where the first word will stand."""
        waiting = self.message.stamp is None and not self.message.text
        self._waiting.setText(sentence)
        self._waiting.setVisible(waiting and bool(sentence))
        self.text.setVisible(not waiting)

    def finish(self, message: Message) -> None:
        """Shows how the answer ended, or hides that line while it runs."""
        self.message = message
        self.wait("")
        stamp = message.stamp
        self._buttons.setVisible(stamp is not None)
        if stamp is None:
            self._details.hide()
            return
        self.text.finish()
        ends = (wording.early_end(stamp, message), wording.fell_back(stamp))
        self._summary.setText(" · ".join(one for one in ends if one))
        self._offer_resume()
        self._thinking.finish(stamp.thinking_s or 0.0)

    def close_off(self) -> None:
        """The conversation goes on below: this answer can't any more."""
        self._followed = True
        self._offer_resume()

    def _offer_resume(self) -> None:
        stamp, message = self.message.stamp, self.message
        if stamp is None or self._followed:
            self.resume_button.hide()
            return
        silent = bool(message.thinking) and not message.text
        early = stamp.error is not None or stamp.reason is None or stamp.reason in _RESUMABLE
        self.resume_button.setVisible(silent or (early and bool(message.text)))

    @Slot()
    def _on_regenerate(self) -> None:
        self.regenerate_asked.emit(self.message.id)

    @Slot()
    def _on_resume(self) -> None:
        self.resume_asked.emit(self.message.id)

    @Slot(bool)
    def _on_details(self, shown: bool) -> None:
        if shown and self.message.stamp is not None and self._details.layout() is None:
            form = QFormLayout(self._details)
            form.setContentsMargins(16, 12, 16, 12)
            form.setHorizontalSpacing(24)
            form.setVerticalSpacing(4)
            for name, value in wording.answer_details(self.message.stamp):
                form.addRow(_muted(name), _selectable(value))
        self._details.setVisible(shown)


def _muted(text: str) -> QLabel:
    label = QLabel(text)
    label.setObjectName("muted")
    return label


def _selectable(text: str) -> QLabel:
    label = QLabel(text)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return label


def block_for(
    paper: Paper, message: Message, siblings: tuple[str, ...]
) -> QuestionBlock | AnswerBlock:
    """The widget for ``message``."""
    if message.role is Role.USER:
        return QuestionBlock(paper, message, siblings)
    return AnswerBlock(paper, message, siblings)

"""The messages of the shown chat, one widget each; streaming touches the last one only."""

from collections.abc import Mapping
from typing import Final

from PySide6.QtCore import Qt, QTimer, Signal, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QScrollArea, QVBoxLayout, QWidget

from app.desktop.banner import Banner
from app.desktop.conversation import Conversation, Message
from app.desktop.greeting import Greeting
from app.desktop.icon_button import IconButton
from app.desktop.markdown.rendering import RenderingThread
from app.desktop.markdown.selection import SharedSelection
from app.desktop.markdown.view import MarkdownView
from app.desktop.message_block import AnswerBlock, QuestionBlock, block_for
from app.desktop.text_view import Paper, PlainText
from app.desktop.theme import Theme
from app.workflows.context_paste import Pasted

WIDEST: Final = 760
SIDE_MARGIN: Final = 28
SCROLL_BAR: Final = 12  # its width in the style sheet
_SHOWN_AT_FIRST: Final = 40
_NEAR_THE_END: Final = 48  # pixels
_ABOVE_REVEALED: Final = 24  # pixels


class Transcript(QScrollArea):
    """Scrolls by itself while a person reads at the end, and stays put once they scroll up."""

    edit_asked = Signal(str)
    regenerate_asked = Signal(str)
    resume_asked = Signal(str)
    delete_asked = Signal(str)
    branch_chosen = Signal(str)
    suggestion_chosen = Signal(str)

    link_activated = Signal(str)

    def __init__(
        self, theme: Theme, rendering: RenderingThread, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setObjectName("transcript")
        self.setAccessibleName(self.tr("Conversation"))
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        # Always there, so that the text doesn't jump when a long answer brings it.
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
        self._theme = theme
        self._paper = Paper(theme, rendering, SharedSelection(self._texts))
        self._blocks: dict[str, QuestionBlock | AnswerBlock] = {}
        self._banner: Banner | None = None
        self._unread: frozenset[str] = frozenset()
        self._unread_pasted: Mapping[str, tuple[Pasted, ...]] = {}
        self._conversation: Conversation | None = None
        self._following = True
        self._revealed: QWidget | None = None
        self._build()
        self.verticalScrollBar().rangeChanged.connect(self._on_range_changed)
        self.verticalScrollBar().valueChanged.connect(self._on_value_changed)
        self.verticalScrollBar().actionTriggered.connect(self._on_scrolled_by_hand)

    def _build(self) -> None:
        page = QWidget()
        page.setObjectName("page")
        self._column = QVBoxLayout()
        self._column.setSpacing(20)
        self._column.addStretch(1)
        middle = QWidget(page)
        middle.setObjectName("column")
        middle.setMaximumWidth(WIDEST)
        middle.setLayout(self._column)
        self._column.setContentsMargins(0, 24, 0, 24)
        across = QHBoxLayout(page)
        across.setContentsMargins(SIDE_MARGIN, 0, SIDE_MARGIN - SCROLL_BAR, 0)
        across.addStretch(1)
        across.addWidget(middle, 1000)
        across.addStretch(1)
        self.setWidget(page)
        self._greeting = Greeting(self)
        self._greeting.chosen.connect(self.suggestion_chosen)
        self._column.insertWidget(0, self._greeting)
        self._earlier = QPushButton(self.tr("Show earlier messages"))
        self._earlier.clicked.connect(self._show_earlier)
        self._column.insertWidget(0, self._earlier, 0, Qt.AlignmentFlag.AlignHCenter)
        self._earlier.hide()
        self._latest = IconButton(self._theme, "down", self.tr("To the latest message"), self)
        self._latest.setObjectName("latest")
        self._latest.clicked.connect(self.follow)
        self._latest.hide()

    # --- Messages ------------------------------------------------------------------------------

    def show_conversation(self, conversation: Conversation) -> None:
        """Shows the end of ``conversation`` in place of everything."""
        self._conversation = conversation
        self._revealed = None
        for block in self._blocks.values():
            self._column.removeWidget(block)
            block.hide()
            block.deleteLater()
        self._blocks.clear()
        self.clear_banner()
        path = conversation.path()
        for message in path[-_SHOWN_AT_FIRST:]:
            self._insert(message, at_end=True)
        self._earlier.setVisible(len(path) > _SHOWN_AT_FIRST)
        self._greeting.setVisible(not path)
        self.follow()

    def add(self, message: Message) -> None:
        """Appends a message of the shown conversation."""
        self._greeting.hide()
        self.clear_banner()
        self._insert(message, at_end=True)
        self.follow()

    def extend(self, message_id: str, text: str, thinking: str) -> None:
        """Appends what arrived to a message; one that isn't shown is left alone."""
        block = self._blocks.get(message_id)
        if isinstance(block, AnswerBlock) and self._conversation is not None:
            block.extend(self._conversation.get(message_id), text, thinking)

    def wait(self, message_id: str, sentence: str) -> None:
        """Says what is happening in an answer that has no word yet."""
        block = self._blocks.get(message_id)
        if isinstance(block, AnswerBlock):
            block.wait(sentence)

    def finish(self, message: Message) -> None:
        """Shows how an answer ended, or that it goes on."""
        block = self._blocks.get(message.id)
        if isinstance(block, AnswerBlock):
            block.finish(message)

    def shade(self, message_ids: frozenset[str], pasted: Mapping[str, tuple[Pasted, ...]]) -> None:
        """Shades the messages, and the pasted texts of others, that the model doesn't read."""
        self._unread, self._unread_pasted = message_ids, pasted
        for message_id in self._blocks:
            self._shade(message_id)

    def _shade(self, message_id: str) -> None:
        block = self._blocks[message_id]
        block.set_unread(message_id in self._unread)
        if isinstance(block, QuestionBlock):
            block.set_pasted_unread(self._unread_pasted.get(message_id, ()))

    def show_banner(self, banner: Banner) -> None:
        """Puts a banner after the last message, in place of another."""
        self.clear_banner()
        self._banner = banner
        self._column.insertWidget(self._column.count() - 1, banner)
        self.follow()

    def clear_banner(self) -> None:
        if self._banner is not None:
            self._column.removeWidget(self._banner)
            self._banner.hide()
            self._banner.deleteLater()
            self._banner = None

    @property
    def banner(self) -> Banner | None:
        return self._banner

    def block(self, message_id: str) -> QuestionBlock | AnswerBlock | None:
        """The widget of a message that is shown."""
        return self._blocks.get(message_id)

    def _insert(self, message: Message, *, at_end: bool) -> None:
        assert self._conversation is not None, "a message belongs to a conversation"
        siblings = self._conversation.siblings(message.id)
        block = block_for(self._paper, message, siblings)
        block.branch_chosen.connect(self.branch_chosen)
        block.delete_asked.connect(self.delete_asked)
        if isinstance(block, QuestionBlock):
            block.edit_asked.connect(self.edit_asked)
        else:
            block.regenerate_asked.connect(self.regenerate_asked)
            block.resume_asked.connect(self.resume_asked)
            block.link_activated.connect(self.link_activated)
        for before in self._blocks.values():
            if at_end and isinstance(before, AnswerBlock):
                before.close_off()
        if not at_end and isinstance(block, AnswerBlock):
            block.close_off()
        self._blocks[message.id] = block
        self._shade(message.id)
        # Before the stretch at the end, or after the button at the beginning.
        self._column.insertWidget(self._column.count() - 1 if at_end else 1, block)

    def _texts(self) -> list[PlainText | MarkdownView]:
        """All texts that are shown, in reading order."""
        if self._conversation is None:
            return []
        blocks = (self._blocks.get(message.id) for message in self._conversation.path())
        return [text for block in blocks if block is not None for text in block.texts()]

    @Slot()
    def _show_earlier(self) -> None:
        assert self._conversation is not None, "the button is hidden without one"
        path = self._conversation.path()
        missing = [message for message in path if message.id not in self._blocks]
        self._following = False
        for message in reversed(missing[-_SHOWN_AT_FIRST:]):
            self._insert(message, at_end=False)
        self._earlier.setVisible(len(missing) > _SHOWN_AT_FIRST)

    def reveal(self, message_id: str) -> None:
        """Scrolls to a message of the shown path, and stays there while the text settles."""
        if self._conversation is None:
            return
        if message_id not in {message.id for message in self._conversation.path()}:
            return
        while message_id not in self._blocks:
            self._show_earlier()
        self._following = False
        self._revealed = self._blocks[message_id]
        QTimer.singleShot(0, self, self._keep_place)

    # --- Scrolling -----------------------------------------------------------------------------

    @property
    def following(self) -> bool:
        """Whether the view keeps to the end as text arrives."""
        return self._following

    @Slot()
    def follow(self) -> None:
        """Goes to the end and stays there."""
        self._following = True
        self._revealed = None
        self._keep_place()
        # The layout of a new block is done when the event loop turns.
        QTimer.singleShot(0, self, self._keep_place)

    @Slot()
    def _keep_place(self) -> None:
        bar = self.verticalScrollBar()
        if self._following:
            bar.setValue(bar.maximum())
        elif self._revealed is not None:
            bar.setValue(self._revealed.y() - _ABOVE_REVEALED)

    @Slot()
    def _on_scrolled_by_hand(self) -> None:
        self._revealed = None

    @Slot()
    def _on_range_changed(self) -> None:
        bar = self.verticalScrollBar()
        idle = bar.maximum() == 0
        if bar.property("idle") != idle:  # the style sheet hides a handle that moves nothing
            bar.setProperty("idle", idle)
            bar.style().unpolish(bar)
            bar.style().polish(bar)
        self._keep_place()
        self._place_latest()

    @Slot()
    def _on_value_changed(self) -> None:
        bar = self.verticalScrollBar()
        at_end = bar.maximum() - bar.value() <= _NEAR_THE_END
        self._following = at_end and self._revealed is None
        self._place_latest()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802  Qt's name
        super().resizeEvent(event)
        self._place_latest()

    def _place_latest(self) -> None:
        size = self._latest.sizeHint()
        self._latest.setGeometry(
            (self.viewport().width() - size.width()) // 2,
            self.viewport().height() - size.height() - 8,
            size.width(),
            size.height(),
        )
        self._latest.setVisible(not self._following)
        self._latest.raise_()

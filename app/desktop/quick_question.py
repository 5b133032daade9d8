"""A small window for one question from anywhere; its answer can be opened as a chat."""

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from app.desktop import wording
from app.desktop.composer import Composer
from app.desktop.context import full_words
from app.desktop.conversation import Conversation, new_id
from app.desktop.links import open_link
from app.desktop.markdown.rendering import RenderingThread
from app.desktop.markdown.view import MarkdownView
from app.desktop.status_line import StatusLine
from app.desktop.theme import Theme
from app.desktop.turn import TurnRunner
from app.desktop.turn_records import Activity, Change, Failure, HeldTurn, Piece


class QuickQuestion(QDialog):
    """Stays on top; Esc stops the answer, and closes the window when there is none."""

    open_asked = Signal(object)  # Conversation

    def __init__(
        self,
        theme: Theme,
        rendering: RenderingThread,
        runner: TurnRunner,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent, Qt.WindowType.WindowStaysOnTopHint)
        self._runner = runner
        self._conversation = Conversation(new_id())
        self.setWindowTitle(self.tr("Quick question"))
        self.setWindowIcon(theme.mark("contenox"))
        self.setMinimumWidth(560)
        self.composer = Composer(theme, self)
        self.composer.set_state(runner.state)
        self.text = MarkdownView(rendering, parent=self)
        self.text.setObjectName("text")
        self.text.link_activated.connect(open_link)
        self.text.setAccessibleName(self.tr("Answer"))
        self._question = QLabel(self)
        self._question.setObjectName("heading")
        self._question.setWordWrap(True)
        self._question.setTextFormat(Qt.TextFormat.PlainText)
        self._status = StatusLine(self)
        self.open_button = QPushButton(self.tr("Open as a chat"), self)
        self.open_button.setAutoDefault(False)
        self.open_button.clicked.connect(self._on_open)
        self._build()
        self.composer.sent.connect(self._on_sent)
        self.composer.stop_asked.connect(runner.stop)
        runner.activity_changed.connect(self._on_activity)
        runner.text_arrived.connect(self._on_text)
        runner.answer_finished.connect(self._on_finished)
        runner.turn_failed.connect(self._on_failed)
        runner.turn_held.connect(self._on_held)

    def _build(self) -> None:
        inside = QWidget()
        inside.setObjectName("page")
        column = QVBoxLayout(inside)
        column.setContentsMargins(4, 4, 4, 4)
        column.addWidget(self._question)
        column.addWidget(self.text)
        column.addStretch(1)
        self._scroll = QScrollArea(self)
        self._scroll.setWidgetResizable(True)
        self._scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._scroll.setMinimumHeight(240)
        self._scroll.setWidget(inside)
        below = QHBoxLayout()
        below.addWidget(self._status, 1)
        below.addWidget(self.open_button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(18, 18, 18, 14)
        layout.setSpacing(10)
        layout.addWidget(self.composer)
        layout.addWidget(self._scroll, 1)
        layout.addLayout(below)
        self._scroll.hide()
        self.open_button.hide()

    def ask(self) -> None:
        """Shows an empty window, or the one with the answer that is still running."""
        if not self._mine_runs():
            self._conversation = Conversation(new_id())
            self.text.set_markdown("")
            self._question.clear()
            self._status.set_result(None)
            self._scroll.hide()
            self.open_button.hide()
            self.adjustSize()
        self.show()
        self.raise_()
        self.activateWindow()
        self.composer.setFocus()

    def _mine_runs(self) -> bool:
        last = self._conversation.last
        return last is not None and last.id == self._runner.running_answer

    @Slot(str)
    def _on_sent(self, text: str) -> None:
        self._conversation = Conversation(new_id())
        self.text.set_markdown("")
        self._question.setText(text)
        self._scroll.show()
        self.open_button.show()
        self.adjustSize()
        self._runner.send(self._conversation, text)

    @Slot(object)
    def _on_activity(self, activity: Activity) -> None:
        self.composer.set_state(activity.state)
        self._status.set_activity(activity)

    @Slot(object)
    def _on_text(self, piece: Piece) -> None:
        if piece.chat == self._conversation.id:
            self.text.append(piece.text)

    @Slot(object)
    def _on_finished(self, change: Change) -> None:
        if change.chat == self._conversation.id:
            self.text.finish()
            self._status.set_result(change.message.stamp)

    @Slot(object)
    def _on_failed(self, failure: Failure) -> None:
        if failure.chat == self._conversation.id:
            headline, sentence = wording.error_sentences(
                failure.error, kept_text=failure.message is not None
            )
            self.text.append(f"\n\n{headline} {sentence}")

    @Slot(object)
    def _on_held(self, held: HeldTurn) -> None:
        """There is no room for a choice here; as a chat it can be made."""
        if held.chat == self._conversation.id:
            self.text.append(" ".join(full_words.held(held.hold, self._conversation)))
            self.text.finish()

    @Slot()
    def _on_open(self) -> None:
        self.hide()
        self.open_asked.emit(self._conversation)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802  Qt's name
        if event.key() == Qt.Key.Key_Escape and self._mine_runs():
            self._runner.stop()
        else:
            super().keyPressEvent(event)

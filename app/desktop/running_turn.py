"""The turn that is going on: where its answer goes, and what of it isn't stored yet."""

import msgspec
from PySide6.QtCore import QElapsedTimer

from app.chats.records import SamplingFields
from app.desktop.conversation import AnswerStamp, Conversation, Message
from app.desktop.turn_records import Admitted
from app.engine.outcome import DeltaKind


class RunningTurn:
    """The turn that is going on."""

    def __init__(
        self,
        conversation: Conversation,
        answer: Message,
        stamp: AnswerStamp,
        wishes: SamplingFields,
    ) -> None:
        self.conversation = conversation
        self.answer = answer  # as it was when the turn began
        self.answer_id = answer.id
        self.stamp = stamp
        self.wishes = wishes
        self.request: str | None = None  # absent until the engine has it
        self.asked: Admitted | None = None  # what it has
        self.unsaved_text = ""
        self.unsaved_thinking = ""
        self.since_save = QElapsedTimer()
        self.since_save.start()
        self.since_thinking = QElapsedTimer()  # started by the first thought

    def note(self, kind: DeltaKind) -> None:
        """Measures the thinking: from its first piece to the first word of the answer."""
        if kind is DeltaKind.THINKING:
            if not self.since_thinking.isValid():
                self.since_thinking.start()
        elif self.stamp.thinking_s is None:
            self.end_thinking()

    def end_thinking(self) -> None:
        if self.since_thinking.isValid() and self.stamp.thinking_s is None:
            seconds = self.since_thinking.elapsed() / 1000
            self.stamp = msgspec.structs.replace(self.stamp, thinking_s=seconds)

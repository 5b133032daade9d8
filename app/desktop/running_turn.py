"""The turn that is going on: where its answer goes, and what of it isn't stored yet."""

from typing import Final

import msgspec
from PySide6.QtCore import QElapsedTimer

from app.chats.records import SamplingFields
from app.desktop.conversation import AnswerStamp, Conversation, Message
from app.desktop.turn_records import Admitted, Piece
from app.engine.outcome import DeltaKind
from app.engine.protocol import Delta, Finished

_SAVE_EVERY_MS: Final = 600  # and what the disk takes: less than a second is ever lost


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
        self._unsaved_text = ""
        self._unsaved_thinking = ""
        self._since_save = QElapsedTimer()
        self._since_save.start()
        self._since_thinking = QElapsedTimer()  # started by the first thought

    def write(self, delta: Delta) -> Piece:
        """Adds what came to the answer; it isn't stored yet."""
        self._measure_thinking(delta.kind)
        text = delta.text if delta.kind is DeltaKind.TEXT else ""
        thinking = delta.text if delta.kind is DeltaKind.THINKING else ""
        self.conversation.extend(self.answer_id, text, thinking)
        self._unsaved_text += text
        self._unsaved_thinking += thinking
        return Piece(
            chat=self.conversation.id, message=self.answer_id, text=text, thinking=thinking
        )

    @property
    def save_is_due(self) -> bool:
        return self._since_save.elapsed() >= _SAVE_EVERY_MS

    def take_unsaved(self) -> tuple[str, str]:
        """The text and the thinking that aren't stored yet; the caller stores them."""
        unsaved = self._unsaved_text, self._unsaved_thinking
        self._unsaved_text = self._unsaved_thinking = ""
        self._since_save.restart()
        return unsaved

    def finish(self, event: Finished) -> AnswerStamp:
        """What is known of the answer at its end."""
        self._end_thinking()
        return msgspec.structs.replace(
            self.stamp,
            reason=event.reason,
            usage=event.usage,
            timings=event.timings,
            seed=event.seed,
        )

    def _measure_thinking(self, kind: DeltaKind) -> None:
        """From its first piece to the first word of the answer."""
        if kind is DeltaKind.THINKING:
            if not self._since_thinking.isValid():
                self._since_thinking.start()
        elif self.stamp.thinking_s is None:
            self._end_thinking()

    def _end_thinking(self) -> None:
        if self._since_thinking.isValid() and self.stamp.thinking_s is None:
            seconds = self._since_thinking.elapsed() / 1000
            self.stamp = msgspec.structs.replace(self.stamp, thinking_s=seconds)

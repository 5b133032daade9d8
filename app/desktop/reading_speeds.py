"""How fast each model reads, as far as its answers have told."""

from typing import Final

from app.desktop.conversation import AnswerStamp, Conversation

# Fewer tokens say more about the beginning of a reading than about its speed.
_TELLING_TOKENS: Final = 256


class ReadingSpeeds:
    """The last speed of each model and backend, in tokens/s of prefill."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], float] = {}

    def note(self, stamp: AnswerStamp) -> None:
        """Keeps how fast a model read for an answer, if it read enough to tell."""
        speed = stamp.timings.prefill_tokens_per_s
        if speed and stamp.usage.prompt_tokens - stamp.usage.reused_tokens >= _TELLING_TOKENS:
            self._known[stamp.model, stamp.backend] = speed

    def of(self, model: str, backend: str, chat: Conversation) -> float | None:
        """What was noted in this run of the program, or else what the answers of ``chat`` tell."""
        if (model, backend) not in self._known:
            for message in chat.path():
                if message.stamp is not None:
                    self.note(message.stamp)
        return self._known.get((model, backend))

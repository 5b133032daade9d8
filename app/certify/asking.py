"""The port through which a model is questioned, and the records that go through it."""

from typing import Protocol

from msgspec import Struct

from app.engine.chat import ThinkingLevel, ToolCall, ToolSpec
from app.engine.outcome import FinishReason, Timings, Usage


class Question(Struct, frozen=True, kw_only=True):
    """One greedy turn without a history."""

    prompt: str
    max_tokens: int = 64
    stop_strings: tuple[str, ...] = ()
    thinking: ThinkingLevel = ThinkingLevel.AUTO
    tools: tuple[ToolSpec, ...] = ()


class Answer(Struct, frozen=True, kw_only=True):
    """What came back. ``wall_s`` is the whole request as it was seen from outside the engine."""

    text: str
    thinking: str = ""
    calls: tuple[ToolCall, ...] = ()
    reason: FinishReason
    usage: Usage = Usage()
    timings: Timings = Timings()
    wall_s: float = 0.0


class Counted(Struct, frozen=True, kw_only=True):
    """A prompt as the model's tokenizer sees it; ``ids_sha256`` is ``manifest.token_sha256``."""

    tokens: int
    ids_sha256: str


class Ask(Protocol):
    """A loaded model that can be questioned."""

    def ask(self, question: Question) -> Answer:
        """Blocks until the answer is complete.

        Raises:
            ContenoxError: the request failed.
            Stopped: the person ended the certification.
        """

    def count(self, prompt: str) -> Counted:
        """Counts the whole prompt that ``prompt`` makes, without generating; raises as ``ask``."""

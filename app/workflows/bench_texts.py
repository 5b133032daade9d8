"""The texts that the report ``local-node`` reads: long, unlike one another, of known length."""

import itertools
import time
from typing import Final

from app.engine.client import EngineClient
from app.engine.context import Segment, assemble
from app.engine.manifest import SegmentKind
from app.engine.protocol import Generate, new_request_id
from app.engine.spec import LoadSpec
from app.workflows.context import count

_LINE: Final = "{0}: the {1} of the harbour is {2} and the wind comes from the {3}. "
_WORDS: Final = ("mole", "crane", "dock", "light", "quay", "gate", "wall", "yard", "basin", "pier")


class BenchTexts:
    """Makes texts and turns for one model.

    Args:
        engine: counts the tokens.
        spec: the model.
    """

    def __init__(self, engine: EngineClient, spec: LoadSpec) -> None:
        self._engine = engine
        self._spec = spec
        self._tokens_per_line = 0.0
        # A snapshot of an earlier run must not make this one's first reading warm.
        self._numbers = itertools.count(int(time.time()) % 1_000_000 * 1_000)

    def number(self) -> int:
        """A number that no text begins with yet."""
        return next(self._numbers)

    def calibrate(self) -> None:
        """Loads the model and finds out how many tokens a line has."""
        lines = 40
        chapter = next(self._numbers)
        turn = self.turn("".join(self._line(chapter, n) for n in range(lines)), "Ready?")
        self._tokens_per_line = count(self._engine, turn).manifest.stable_tokens / lines
        self._engine.call(turn)

    def _line(self, chapter: int, number: int) -> str:
        return _LINE.format(
            chapter, _WORDS[number % 10], _WORDS[(number + chapter) % 10], _WORDS[number // 10 % 10]
        )

    def text(self, tokens: int) -> str:
        """A text of about ``tokens`` tokens that shares no beginning with another."""
        chapter = next(self._numbers)
        lines = max(1, round(tokens / self._tokens_per_line))
        return "".join(self._line(chapter, number) for number in range(lines))

    def exactly(self, tokens: int, text: str = "") -> str:
        """A text with which the stable prefix has exactly ``tokens`` tokens.

        Args:
            text: one to shorten; without it a new one is made.
        """
        text = text or self.text(tokens)
        while (size := self._stable_tokens(text)) > tokens:
            text = text[: -max(1, size - tokens)]
        while (size := self._stable_tokens(text)) < tokens:
            text += " a" * (tokens - size)
        return text

    def _stable_tokens(self, text: str) -> int:
        return count(self._engine, self.turn(text, "Ready?")).manifest.stable_tokens

    def turn(self, pinned: str, question: str) -> Generate:
        made = assemble(
            [
                Segment(kind=SegmentKind.REPO_MAP, name="harbour", text=pinned),
                Segment(kind=SegmentKind.USER, text=question),
            ]
        )
        return Generate(
            request=new_request_id(), spec=self._spec, messages=made.messages,
            segments=made.spans, max_tokens=1,
        )  # fmt: skip

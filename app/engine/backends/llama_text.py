"""From the bytes of tokens to the text of an answer."""

import codecs
from collections.abc import Sequence


class AnswerText:
    """Turns token bytes into whole characters and ends at the first stop string.

    Text that may be the beginning of a stop string is held back until the next token decides, so
    no part of a stop string is ever shown.
    """

    def __init__(self, stop_strings: Sequence[str] = ()) -> None:
        self._stops = tuple(stop for stop in stop_strings if stop)
        # A token may hold a part of a character; bytes that can't become one are replaced.
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._held = ""
        self.stopped = False

    def push(self, data: bytes) -> str:
        """Takes a token's bytes and returns the text that may be shown now."""
        if self.stopped:
            return ""
        text = self._held + self._decoder.decode(data)
        found = [position for stop in self._stops if (position := text.find(stop)) >= 0]
        if found:
            self.stopped = True
            self._held = ""
            return text[: min(found)]
        shown = len(text) - self._undecided(text)
        self._held = text[shown:]
        return text[:shown]

    def finish(self) -> str:
        """Returns what was held back. A character that never became whole is left out."""
        held, self._held = self._held, ""
        return held

    def _undecided(self, text: str) -> int:
        """The length of the longest end of ``text`` that begins a stop string."""
        return max(
            (
                length
                for stop in self._stops
                for length in range(1, min(len(stop), len(text) + 1))
                if text.endswith(stop[:length])
            ),
            default=0,
        )

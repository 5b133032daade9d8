"""Ends an answer right before a stop string, in the text and not in the tokens.

# WORKAROUND(openvino-genai 2026.4.1): its own ``stop_strings`` end a stream of ids at a token's
# border, so a stop string inside a token is shown, or text before it is lost
# (docs/decisions/0073-stop-strings-are-ours.md).
"""

from collections.abc import Iterable

from app.engine.thinking import undecided


class StopStrings:
    """Takes an answer in pieces of any length; gives back what comes before the first stop string.

    Args:
        stops: the strings; empty ones don't count.
    """

    def __init__(self, stops: Iterable[str]) -> None:
        self._stops = tuple(stop for stop in stops if stop)
        self._held = ""
        self.given = bool(self._stops)
        self.found = False

    def push(self, text: str) -> str:
        """Takes the next piece and returns the text that is decided by it.

        A piece is judged as if it came letter by letter: the stop string that is complete first
        counts, however the text is cut.
        """
        if self.found:
            return ""
        if not self._stops:
            return text
        held = self._held + text
        ends = [(at + len(stop), at) for stop in self._stops if (at := held.find(stop)) >= 0]
        if ends:
            self.found = True
            self._held = ""
            first_end = min(ends)[0]
            return held[: min(at for end, at in ends if end == first_end)]
        kept = max(undecided(held, stop) for stop in self._stops)
        self._held = held[len(held) - kept :]
        return held[: len(held) - kept]

    def finish(self) -> str:
        """Returns what was held back because it could have become a stop string."""
        held, self._held = self._held, ""
        return held

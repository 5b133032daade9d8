"""What becomes of an OpenVINO answer's tokens, and the streamer that GenAI calls with them.

# WORKAROUND(openvino-genai 2026.4.1): an exception in a streamer ends the process, and so does a
# ``write`` that returns ``None``; hence everything here is caught and remembered.

The library calls the streamer on a thread of its own, beside the decode of the next token, which
keeps all cores busy and the caches full: each line that runs here is paid with the decode's time.
"""

import logging
import time
from collections.abc import Callable
from functools import cache
from typing import Any, Final

from app.engine.answer_stream import AnswerStream
from app.engine.backends.openvino_text import AnswerText
from app.engine.outcome import DeltaKind

_log = logging.getLogger(__name__)

INTERVAL_S: Final = 1 / 30
"""Tokens that come sooner wait for the next one: no window shows more pieces than this a second."""


def make_streamer(genai: Any, tokens: "TokenStream") -> Any:
    """Returns a total ``StreamerBase`` that hands what the library decodes to ``tokens``.

    Args:
        genai: the module ``openvino_genai`` (its base class exists only once it is imported).
        tokens: takes the tokens and says when to stop.
    """
    return _streamer_class(genai.StreamerBase, genai.StreamingStatus)(tokens)


@cache
def _streamer_class(base: Any, status: Any) -> Any:
    """One class for all answers.

    A class of each answer's own would keep that answer's tokenizer, with its threads and memory,
    until the garbage collector comes by: a class always refers to itself.
    """

    class Streamer(base):  # type: ignore[misc]
        def __init__(self, tokens: "TokenStream") -> None:
            super().__init__()
            self._tokens = tokens

        def write(self, token: int | list[int]) -> Any:
            goes_on = self._tokens.take(token if isinstance(token, list) else [token])
            return status.RUNNING if goes_on else status.CANCEL

        def end(self) -> None:
            self._tokens.close()

    return Streamer


class TokenStream:
    """Turns tokens into text and passes whole characters on. No method raises.

    ``failure`` is the exception that was caught, or ``None``.

    Args:
        text: joins the tokens.
        answer: gets the text, and says when to stop.
        on_first_token: called once, before the first token is passed on.
        interval_s: how long tokens may wait for others, if the answer can't end at one of them.
    """

    def __init__(
        self,
        text: AnswerText,
        answer: AnswerStream,
        on_first_token: Callable[[], None] = lambda: None,
        interval_s: float = INTERVAL_S,
    ) -> None:
        self.failure: BaseException | None = None
        self._text = text
        self._answer = answer
        self._on_first_token: Callable[[], None] | None = on_first_token
        self._interval_s = 0.0 if answer.may_end_at_a_token else interval_s
        self._held: list[int] = []
        self._due_at = 0.0
        self._closed = False

    @property
    def due(self) -> bool:
        """Whether the next token that is taken is passed on, with all that wait."""
        return time.monotonic() >= self._due_at

    def take(self, tokens: list[int]) -> bool:
        """Takes what was decoded; returns whether the decode shall go on."""
        self._held += tokens
        now = time.monotonic()
        if now < self._due_at:
            return True
        self._due_at = now + self._interval_s
        self._guard(self._pass_on)
        return self.failure is None and self._answer.stop_reason() is None

    def close(self) -> None:
        """Passes on what is left. Idempotent."""
        if not self._closed:
            self._closed = True
            if self._held:
                self._guard(self._pass_on)
            self._guard(lambda: self._answer.delta(DeltaKind.TEXT, self._text.finish()))

    def _pass_on(self) -> None:
        if self._on_first_token is not None:
            self._on_first_token()
            self._on_first_token = None
        held, self._held = self._held, []
        self._answer.delta(DeltaKind.TEXT, self._text.push(held))

    def _guard(self, action: Callable[[], None]) -> None:
        try:
            action()
        except BaseException as error:  # noqa: BLE001 - see the module's text
            _log.exception("streaming failed")
            self.failure = self.failure or error

"""The streamer that GenAI calls for each token.

# WORKAROUND(openvino-genai 2026.4.1): an exception in a streamer ends the process, and so does a
# ``write`` that returns ``None``; hence everything here is caught and remembered.

The library goes on decoding only when ``write`` has returned.
"""

import logging
from collections.abc import Callable
from functools import cache
from typing import Any

from app.engine.backends.base import Control
from app.engine.backends.openvino_text import AnswerText
from app.engine.outcome import DeltaKind

_log = logging.getLogger(__name__)


def make_streamer(
    genai: Any,
    text: AnswerText,
    control: Control,
    on_first_token: Callable[[], None] = lambda: None,
) -> Any:
    """Returns a total ``StreamerBase`` that streams whole characters to ``control``.

    Args:
        genai: the module ``openvino_genai`` (its base class exists only once it is imported).
        text: joins the tokens.
        control: gets the text, and says when to stop.
        on_first_token: called once, before the first token is streamed.

    The object has ``failure``: the exception that was caught, or ``None``; and ``close``, for a
    call that ends without the library's ``end``.
    """
    stream = _Stream(text, control, on_first_token)
    return _streamer_class(genai.StreamerBase, genai.StreamingStatus)(stream)


@cache
def _streamer_class(base: Any, status: Any) -> Any:
    """One class for all answers.

    A class of each answer's own would keep that answer's tokenizer, with its threads and memory,
    until the garbage collector comes by: a class always refers to itself.
    """

    class Streamer(base):  # type: ignore[misc]
        def __init__(self, stream: "_Stream") -> None:
            super().__init__()
            self._stream = stream

        @property
        def failure(self) -> BaseException | None:
            return self._stream.failure

        def write(self, token: int | list[int]) -> Any:
            goes_on = self._stream.take(token if isinstance(token, list) else [token])
            return status.RUNNING if goes_on else status.CANCEL

        def end(self) -> None:
            self._stream.end()

        def close(self) -> None:
            self._stream.end()

    return Streamer


class _Stream:
    """Turns tokens into text and passes it on. No method raises."""

    def __init__(
        self, text: AnswerText, control: Control, on_first_token: Callable[[], None]
    ) -> None:
        self.failure: BaseException | None = None
        self._text = text
        self._control = control
        self._on_first_token: Callable[[], None] | None = on_first_token
        self._ended = False

    def take(self, tokens: list[int]) -> bool:
        """Takes what was decoded; returns whether the decode shall go on."""
        self._guard(lambda: self._pass_on(tokens))
        return self.failure is None and self._control.stop_reason() is None

    def end(self) -> None:
        """Passes on what is left. Idempotent."""
        if not self._ended:
            self._ended = True
            self._guard(lambda: self._control.delta(DeltaKind.TEXT, self._text.finish()))

    def _pass_on(self, tokens: list[int]) -> None:
        if self._on_first_token is not None:
            self._on_first_token()
            self._on_first_token = None
        for token in tokens:
            self._control.delta(DeltaKind.TEXT, self._text.push(token))

    def _guard(self, action: Callable[[], None]) -> None:
        try:
            action()
        except BaseException as error:  # noqa: BLE001 - see the module's text
            _log.exception("streaming failed")
            self.failure = self.failure or error

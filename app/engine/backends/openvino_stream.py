"""The streamer that GenAI calls for each token.

# WORKAROUND(openvino-genai 2026.4.1): an exception in a streamer ends the process, and so does a
# ``write`` that returns ``None``; hence everything here is caught and remembered.

Tokens become text about as often as the window repaints: turning each into text by itself is a
native call that takes its threads from the decoding (5 % of its speed on two cores).
"""

import logging
import time
from collections.abc import Callable
from functools import cache
from typing import Any, Final

from app.engine.backends.base import Control
from app.engine.outcome import DeltaKind

_log = logging.getLogger(__name__)

_DECODE_INTERVAL_S: Final = 1 / 30


def make_streamer(
    genai: Any,
    tokenizer: Any,
    control: Control,
    on_first_token: Callable[[], None] = lambda: None,
    *,
    each_token: bool = False,
) -> Any:
    """Returns a total ``StreamerBase`` that streams whole characters to ``control``.

    Args:
        genai: the module ``openvino_genai`` (its base class exists only once it is imported).
        tokenizer: the pipeline's tokenizer.
        control: gets the text, and says when to stop.
        on_first_token: called once, before the first token is streamed.
        each_token: turn each token into text at once, so that a stop string in it is seen at once.

    The object has ``failure``: the exception that was caught, or ``None``.
    """
    status = genai.StreamingStatus

    def on_text(text: str) -> Any:
        control.delta(DeltaKind.TEXT, text)
        return status.RUNNING

    text = _Text(genai.TextStreamer(tokenizer, on_text), on_first_token, each_token=each_token)
    return _streamer_class(genai.StreamerBase, status)(text, control)


@cache
def _streamer_class(base: Any, status: Any) -> Any:
    """One class for all answers.

    A class of each answer's own would keep that answer's tokenizer, with its threads and memory,
    until the garbage collector comes by: a class always refers to itself.
    """

    class Streamer(base):  # type: ignore[misc]
        def __init__(self, text: "_Text", control: Control) -> None:
            super().__init__()
            self._text = text
            self._control = control
            self.failure: BaseException | None = None

        def write(self, token: int | list[int]) -> Any:
            tokens = token if isinstance(token, list) else [token]
            self._guard(lambda: self._text.take(tokens))
            if self.failure is not None or self._control.stop_reason() is not None:
                return status.CANCEL
            return status.RUNNING

        def end(self) -> None:
            self._guard(self._text.end)

        def _guard(self, action: Callable[[], None]) -> None:
            try:
                action()
            except BaseException as error:  # noqa: BLE001 - see the module's text
                _log.exception("streaming failed")
                self.failure = self.failure or error

    return Streamer


class _Text:
    """Hands tokens to the library's text streamer, several at once."""

    def __init__(
        self, streamer: Any, on_first_token: Callable[[], None], *, each_token: bool
    ) -> None:
        self._streamer = streamer
        self._on_first_token: Callable[[], None] | None = on_first_token
        self._each_token = each_token
        self._pending: list[int] = []
        self._decoded_at = float("-inf")

    def take(self, tokens: list[int]) -> None:
        if self._on_first_token is not None:
            self._on_first_token()
            self._on_first_token = None
        self._pending += tokens
        if self._each_token or time.monotonic() - self._decoded_at >= _DECODE_INTERVAL_S:
            self._decode()

    def end(self) -> None:
        self._decode()
        self._streamer.end()

    def _decode(self) -> None:
        pending, self._pending = self._pending, []
        if pending:
            self._streamer.write(pending)
        self._decoded_at = time.monotonic()

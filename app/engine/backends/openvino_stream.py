"""The streamer that GenAI calls for each token.

# WORKAROUND(openvino-genai 2026.4.1): an exception in a streamer ends the process, and so does a
# ``write`` that returns ``None``; hence everything here is caught and remembered.

The library goes on decoding only when ``write`` has returned. So it only puts the token aside, and
another thread turns tokens into text, about as often as the window repaints: that is a native call
which, beside a decode that keeps all cores busy, takes ten times as long as alone.
"""

import logging
import threading
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

    The object has ``failure``: the exception that was caught, or ``None``; and ``close``, for a
    call that ends without the library's ``end``.
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

        @property
        def failure(self) -> BaseException | None:
            return self._text.failure

        def write(self, token: int | list[int]) -> Any:
            self._text.take(token if isinstance(token, list) else [token])
            if self._text.failure is not None or self._control.stop_reason() is not None:
                return status.CANCEL
            return status.RUNNING

        def end(self) -> None:
            self._text.end()

        def close(self) -> None:
            self._text.end()

    return Streamer


class _Text:
    """Hands tokens to the library's text streamer, several at once. No method raises."""

    def __init__(
        self, streamer: Any, on_first_token: Callable[[], None], *, each_token: bool
    ) -> None:
        self.failure: BaseException | None = None
        self._streamer = streamer
        self._on_first_token: Callable[[], None] | None = on_first_token
        self._each_token = each_token
        self._pending: list[int] = []
        self._lock = threading.Lock()
        self._ending = threading.Event()
        self._ended = False
        self._thread: threading.Thread | None = None

    def take(self, tokens: list[int]) -> None:
        """Takes what was decoded; the first token becomes text at once."""
        with self._lock:
            self._pending += tokens
        if self._on_first_token is not None:
            self._guard(self._on_first_token)
            self._on_first_token = None
        if self._each_token:
            self._guard(self._decode)
        elif self._thread is None and not self._ended:
            self._thread = threading.Thread(target=self._run, name="answer-text", daemon=True)
            self._thread.start()

    def end(self) -> None:
        """Passes on what is left, from the calling thread. Idempotent."""
        if self._ended:
            return
        self._ended = True
        self._ending.set()
        if self._thread is not None:
            self._thread.join()
        self._guard(self._decode)
        self._guard(self._streamer.end)

    def _run(self) -> None:
        while self.failure is None:
            self._guard(self._decode)
            if self._ending.wait(_DECODE_INTERVAL_S):
                return

    def _decode(self) -> None:
        with self._lock:
            pending, self._pending = self._pending, []
        if pending:
            self._streamer.write(pending)

    def _guard(self, action: Callable[[], None]) -> None:
        try:
            action()
        except BaseException as error:  # noqa: BLE001 - see the module's text
            _log.exception("streaming failed")
            self.failure = self.failure or error

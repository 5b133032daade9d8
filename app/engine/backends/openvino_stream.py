"""The streamer that GenAI calls for each token.

# WORKAROUND(openvino-genai 2026.4.1): an exception in a streamer ends the process, and so does a
# ``write`` that returns ``None``; hence everything here is caught and remembered.
"""

import logging
from collections.abc import Callable
from typing import Any

from app.engine.backends.base import Control
from app.engine.outcome import DeltaKind

_log = logging.getLogger(__name__)


def make_streamer(
    genai: Any,
    tokenizer: Any,
    control: Control,
    on_first_token: Callable[[], None] = lambda: None,
) -> Any:
    """Returns a total ``StreamerBase`` that streams whole characters to ``control``.

    Args:
        genai: the module ``openvino_genai`` (its base class exists only once it is imported).
        tokenizer: the pipeline's tokenizer.
        control: gets the text, and says when to stop.
        on_first_token: called once, before the first token is streamed.

    The object has ``failure``: the exception that was caught, or ``None``.
    """
    status = genai.StreamingStatus

    def on_text(text: str) -> Any:
        control.delta(DeltaKind.TEXT, text)
        return status.RUNNING

    class Streamer(genai.StreamerBase):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.failure: BaseException | None = None
            self._text = genai.TextStreamer(tokenizer, on_text)
            self._begun = False

        def write(self, token: int | list[int]) -> Any:
            def stream() -> None:
                if not self._begun:
                    self._begun = True
                    on_first_token()
                for one in token if isinstance(token, list) else [token]:
                    self._text.write(one)

            self._guard(stream)
            if self.failure is not None or control.stop_reason() is not None:
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

    return Streamer()

"""Stops a native computation from outside, without the interpreter's lock.

llama.cpp asks a predicate before each node of its graph, some hundred times for a token. A Python
function there would take the interpreter's lock each time. The C library's ``strlen`` on a buffer
of ours is such a predicate: an empty buffer says "go on", one byte in it says "stop".
"""

import ctypes
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from app.engine.backends.base import Control

_POLL_S: Final = 0.01


class AbortFlag:
    """The predicate and its buffer; both must outlive the native context that holds them.

    Args:
        api: the binding's module.
    """

    def __init__(self, api: Any) -> None:
        runtime = ctypes.CDLL("ucrtbase" if sys.platform == "win32" else None)
        self._buffer = ctypes.create_string_buffer(2)
        self.predicate = ctypes.cast(runtime.strlen, api.ggml_abort_callback)
        self.data = ctypes.cast(self._buffer, ctypes.c_void_p)

    @contextmanager
    def watching(self, control: Control) -> Iterator[None]:
        """Asks ``control`` every 10 ms and stops the native computation when it says so."""
        over = threading.Event()

        def watch() -> None:
            while not over.wait(_POLL_S):
                if control.stop_reason() is not None:
                    self._buffer[0] = b"\1"
                    return

        watcher = threading.Thread(target=watch, name="llama-abort", daemon=True)
        watcher.start()
        try:
            yield
        finally:
            over.set()
            watcher.join()
            self._buffer[0] = b"\0"

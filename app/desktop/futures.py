"""The chat store's futures end on its own threads; here they are read on the GUI thread."""

import contextlib
from collections.abc import Callable
from concurrent.futures import CancelledError, Future
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QObject, Qt, Signal, Slot

from app.core.errors import Bug, ContenoxError, ErrorRecord


@dataclass(frozen=True, slots=True)
class _Ended:
    future: Future[Any]
    done: Callable[[Any], None] | None
    failed: Callable[[ErrorRecord], None] | None


class FutureFollower(QObject):
    """Calls back on the GUI thread when a future ends, as long as this object lives."""

    _ended = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._closed = False
        self._ended.connect(self._on_ended, Qt.ConnectionType.QueuedConnection)

    def follow(
        self,
        future: Future[Any],
        done: Callable[[Any], None] | None = None,
        failed: Callable[[ErrorRecord], None] | None = None,
    ) -> None:
        """``done`` gets the result or ``failed`` the error; neither is called after ``close``."""
        report = self._ended.emit

        def tell(ended: Future[Any]) -> None:
            # The window may be gone when slow work ends; its result has no reader then.
            with contextlib.suppress(RuntimeError):
                report(_Ended(ended, done, failed))

        future.add_done_callback(tell)

    def close(self) -> None:
        self._closed = True

    @Slot(object)
    def _on_ended(self, ended: _Ended) -> None:
        if self._closed:
            return
        try:
            result = ended.future.result()
        except CancelledError:
            return
        except ContenoxError as error:
            if ended.failed is not None:
                ended.failed(error.record())
        except Exception as error:  # noqa: BLE001  a bug must reach the person, not end the loop
            if ended.failed is not None:
                ended.failed(Bug.unexpected(error).record())
        else:
            if ended.done is not None:
                ended.done(result)

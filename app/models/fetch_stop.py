"""Stops a transfer at once, wherever it waits: in a socket, in a pause, or on the disk."""

import contextlib
import socket
import threading
from collections.abc import Callable
from typing import Any, TypeVar

from app.models.identity import Stopped

_Result = TypeVar("_Result")


class StopSwitch:
    """One switch for one download. Pressed once; every thread may press it."""

    def __init__(self) -> None:
        self._pressed = threading.Event()
        self._lock = threading.Lock()
        self._sockets: list[socket.socket] = []
        self._wakers: list[Callable[[], None]] = []

    def press(self) -> None:
        """Stops what runs under this switch. Never blocks."""
        with self._lock:
            self._pressed.set()
            sockets, wakers = self._sockets, self._wakers
            self._sockets, self._wakers = [], []
        for connection in sockets:
            _shut(connection)
        for wake in wakers:
            wake()

    def pressed(self) -> bool:
        return self._pressed.is_set()

    def check(self) -> None:
        """Raises ``Stopped`` if the switch was pressed."""
        if self._pressed.is_set():
            raise Stopped

    def pause(self, seconds: float) -> None:
        """Waits; raises ``Stopped`` as soon as the switch is pressed."""
        if self._pressed.wait(seconds):
            raise Stopped

    def watch(self, connection: socket.socket) -> None:
        """Shuts ``connection`` when pressed, which wakes a thread that waits for its bytes."""
        with self._lock:
            if not self._pressed.is_set():
                self._sockets = [known for known in self._sockets if known.fileno() >= 0]
                self._sockets.append(connection)
                return
        _shut(connection)

    def abandonable(self, work: Callable[[], _Result]) -> _Result:
        """Runs ``work`` on a thread of its own and leaves it behind when pressed.

        For a call of a library that can't be interrupted; ``work`` must have a timeout and must not
        change anything.

        Raises:
            Stopped: pressed before the end. What ``work`` raises is raised here.
        """
        results: list[_Result] = []
        errors: list[BaseException] = []
        done = threading.Event()

        def run() -> None:
            try:
                results.append(work())
            except BaseException as error:  # noqa: BLE001 - raised again in the caller's thread
                errors.append(error)
            done.set()

        with self._lock:
            self._wakers.append(done.set)
        self.check()
        threading.Thread(target=run, name="abandonable", daemon=True).start()
        done.wait()
        self.check()
        with self._lock:
            self._wakers = [wake for wake in self._wakers if wake != done.set]
        if errors:
            raise errors[0]
        return results[0]

    def trace(self, event: str, info: dict[str, Any]) -> None:
        """A trace function for httpx2: watches each connection from its first moment on."""
        if event in ("connection.connect_tcp.complete", "connection.start_tls.complete"):
            connection = info["return_value"].get_extra_info("socket")
            if connection is not None:
                self.watch(connection)


def _shut(connection: socket.socket) -> None:
    with contextlib.suppress(OSError):
        # Not the method of an SSLSocket, which would take the TLS object from under the reader.
        socket.socket.shutdown(connection, socket.SHUT_RDWR)

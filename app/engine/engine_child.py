"""One engine process as its parent holds it: the process, the pipe, and what it was sent."""

import contextlib
import logging
import multiprocessing
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from pathlib import Path
from typing import Final, Self

from app.core.errors import EnvironmentFault
from app.core.paths import unwritable
from app.core.windows import end_with_this_process
from app.engine.protocol import Command, Event, decode_event, encode

_log = logging.getLogger(__name__)

# How long a process whose pipe is closed may take to end.
_EXIT_S: Final = 5.0

EntryPoint = Callable[[Connection, str], None]


@contextlib.contextmanager
def _no_interrupt() -> Iterator[None]:
    """A process that is started here never hears a console's Ctrl-C, from its first moment on."""
    if sys.platform == "win32":  # there it ignores it from where it can
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


class EngineChild:
    """A running engine.

    One thread sends, one thread reads. ``requests`` are those it was sent and has not ended, in
    their order; its owner keeps them.
    """

    def __init__(self, process: SpawnProcess, connection: Connection) -> None:
        self.requests: dict[str, None] = {}
        self._process = process
        self._connection = connection
        # Held while the pipe is written to or closed: a write to a file descriptor that was closed,
        # and perhaps opened anew for something else, would be worse than a failed one.
        self._sending = threading.Lock()
        self._exited = threading.Event()
        self._reader: threading.Thread | None = None

    @classmethod
    def start(cls, entry: EntryPoint, log_dir: Path) -> Self:
        """Starts the process; its logs go to ``log_dir``, which is created.

        Raises:
            EnvironmentFault: ``engine_not_started``, ``data_root_unwritable``, ``disk_full``.
        """
        try:
            log_dir.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise unwritable(log_dir, error) from error
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        process = context.Process(
            target=entry, args=(theirs, str(log_dir)), name="engine", daemon=True
        )
        try:
            with _no_interrupt():
                process.start()
        except OSError as error:
            ours.close()
            raise EnvironmentFault(
                "engine_not_started",
                f"The engine process could not be started ({error.strerror or error}).",
                "Close other programs and try again.",
            ) from error
        finally:
            theirs.close()
        # It ends by itself when the pipe does; inside a native call it might not.
        end_with_this_process(process.sentinel)
        return cls(process, ours)

    @property
    def pid(self) -> int | None:
        return self._process.pid

    @property
    def exit_code(self) -> int | None:
        """Negative for a signal; ``None`` while it runs."""
        return self._process.exitcode

    def deliver(self, command: Command) -> None:
        """Sends ``command``. If the engine is gone, whoever reads from it finds that out."""
        data = encode(command)
        with self._sending, contextlib.suppress(OSError):
            self._connection.send_bytes(data)

    def events(self) -> Iterator[Event]:
        """What the engine says, until it has ended; then the pipe is closed. For one thread."""
        self._reader = threading.current_thread()
        try:
            while True:
                yield decode_event(self._connection.recv_bytes())
        except (EOFError, OSError):
            self._process.join(_EXIT_S)
        except Exception:  # noqa: BLE001 - such an engine is given up
            _log.exception("what the engine sent is no event")
        if self._process.exitcode is None:
            self._process.kill()
        self._process.join()
        self._exited.set()
        # A writer that still sends hears that nobody reads, and lets go.
        with self._sending:
            self._connection.close()

    def end(self, timeout_s: float) -> None:
        """Waits ``timeout_s`` seconds for the end of an engine that was asked, then kills it."""
        if not self._wait(timeout_s):
            self._process.kill()
            self._wait(None)

    def _wait(self, timeout_s: float | None) -> bool:
        if threading.current_thread() is self._reader:
            # Asked for while an event is handled: nobody else will notice the end.
            self._process.join(timeout_s)
            return self._process.exitcode is not None
        return self._exited.wait(timeout_s)

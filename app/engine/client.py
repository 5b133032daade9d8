"""The parent's side of the engine: starts it, talks to it, and survives its death.

No method but ``call`` and ``close`` waits for the engine. Listeners are called on a reader thread.
"""

import contextlib
import logging
import multiprocessing
import queue
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from pathlib import Path
from typing import Final

from app.core.errors import EnvironmentFault, from_record
from app.core.paths import unwritable
from app.engine.process import run_engine
from app.engine.protocol import (
    EXIT_ABANDONED,
    EXIT_RELEASED,
    Cancel,
    Command,
    Configure,
    Event,
    Failed,
    Finished,
    Pong,
    Ready,
    Request,
    Shutdown,
    StateChanged,
    decode_event,
    encode,
)

_log = logging.getLogger(__name__)

# A request that the engine died on before it worked on it is sent once more, not for ever.
_LAUNCHES_PER_REQUEST: Final = 2


@dataclass(frozen=True, slots=True)
class EngineDied:
    """The engine process ended without being asked to. ``exit_code`` is negative for a signal."""

    exit_code: int | None


Notice = Ready | StateChanged | EngineDied
Listener = Callable[[Event], None]
EntryPoint = Callable[[Connection, str], None]


@dataclass(slots=True)
class _Outstanding:
    """A request that has not ended. ``worked_on``: the engine reported something about it."""

    request: Request
    listener: Listener
    worked_on: bool = False
    cancelled: bool = False
    launches: int = 0


@dataclass(slots=True)
class _Child:
    process: SpawnProcess
    connection: Connection
    requests: set[str] = field(default_factory=set)


class EngineClient:
    """Sends requests to the engine process and their events to their listeners.

    Args:
        log_dir: where the engine writes its logs; created when the engine starts.
        on_notice: told of the engine's start, its slot's state and its unexpected death.
        entry: what the child process runs (tests pass another).
    """

    def __init__(
        self,
        *,
        log_dir: Path,
        on_notice: Callable[[Notice], None] | None = None,
        entry: EntryPoint = run_engine,
    ) -> None:
        self._log_dir = log_dir
        self._on_notice = on_notice or (lambda _notice: None)
        self._entry = entry
        self._lock = threading.Lock()
        self._outstanding: dict[str, _Outstanding] = {}
        self._child: _Child | None = None
        self._closing = False
        self._configure = Configure(idle_unload_s=0)
        self._outbox: queue.SimpleQueue[Request | Cancel | None] = queue.SimpleQueue()
        self._writer = threading.Thread(target=self._write, name="engine-writer", daemon=True)
        self._writer.start()

    # --- for the callers ---

    def submit(self, request: Request, listener: Listener) -> None:
        """Queues ``request``. ``listener`` gets its events; the last is ``Finished`` or ``Failed``.

        Never waits. A listener that raises is logged and ignored.
        """
        with self._lock:
            self._outstanding[request.request] = _Outstanding(request, listener)
        self._outbox.put(request)

    def observe(self, on_notice: Callable[[Notice], None]) -> None:
        """Tells ``on_notice`` of the engine's notices from now on, in place of who was told."""
        self._on_notice = on_notice

    def configure(self, *, idle_unload_s: int) -> None:
        """Sets after how many idle seconds the engine gives its memory back; 0 is never."""
        configure = Configure(idle_unload_s=idle_unload_s)
        with self._lock:
            self._configure = configure
            child = self._child
        if child is not None:
            self._deliver(child, configure)

    def cancel(self, request_id: str) -> None:
        """Asks the request to end. Never waits; unknown and ended requests are ignored."""
        with self._lock:
            outstanding = self._outstanding.get(request_id)
            if outstanding is None:
                return
            outstanding.cancelled = True
        self._outbox.put(Cancel(request=request_id))

    def call(self, request: Request, listener: Listener | None = None) -> Finished:
        """Runs ``request`` and waits for its end.

        Raises:
            ContenoxError: the error that the request failed with.
            KeyboardInterrupt: the caller was interrupted; the request goes on.
        """
        ends: queue.SimpleQueue[Finished | Failed] = queue.SimpleQueue()

        def listen(event: Event) -> None:
            if listener is not None:
                listener(event)
            if isinstance(event, Finished | Failed):
                ends.put(event)

        self.submit(request, listen)
        end = ends.get()
        if isinstance(end, Failed):
            raise from_record(end.error)
        return end

    def close(self, timeout_s: float = 2.0) -> None:
        """Ends the engine: asked first, killed after ``timeout_s`` seconds. Idempotent."""
        with self._lock:
            self._closing = True
            child = self._child
        self._outbox.put(None)
        if child is not None:
            self._deliver(child, Shutdown())
            child.process.join(timeout_s)
            if child.process.exitcode is None:
                child.process.kill()
                child.process.join()
        self._writer.join(timeout_s)
        with self._lock:
            left = list(self._outstanding)
        for key in left:
            self._end(Failed(request=key, generation=0, error=_closed().record(), fatal=True))

    @property
    def pid(self) -> int | None:
        """The process id of the running engine."""
        child = self._child
        return child.process.pid if child is not None else None

    # --- writer thread ---

    def _write(self) -> None:
        while (command := self._outbox.get()) is not None:
            try:
                self._send(command)
            except EnvironmentFault as fault:
                if not isinstance(command, Cancel):
                    self._end(Failed(request=command.request, generation=0, error=fault.record()))

    def _send(self, command: Request | Cancel) -> None:
        with self._lock:
            outstanding = self._outstanding.get(command.request)
            if outstanding is None or self._closing:
                return
            child = self._child
            if isinstance(command, Cancel):
                if child is None or command.request not in child.requests:
                    return
            else:
                child = child or self._start()
                outstanding.launches += 1
                child.requests.add(command.request)
        self._deliver(child, command)
        if outstanding.cancelled and not isinstance(command, Cancel):
            # The cancel came while the request was on its way to a new engine.
            self._deliver(child, Cancel(request=command.request))

    def _deliver(self, child: _Child, command: Command) -> None:
        # If the engine is gone, its reader thread settles what it had.
        with contextlib.suppress(OSError):
            child.connection.send_bytes(encode(command))

    def _start(self) -> _Child:
        try:
            self._log_dir.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise unwritable(self._log_dir, error) from error
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        process = context.Process(
            target=self._entry, args=(theirs, str(self._log_dir)), name="engine", daemon=True
        )
        try:
            process.start()
        except OSError as error:
            raise EnvironmentFault(
                "engine_not_started",
                f"The engine process could not be started ({error.strerror or error}).",
                "Close other programs and try again.",
            ) from error
        theirs.close()
        self._child = child = _Child(process, ours)
        self._deliver(child, self._configure)
        threading.Thread(
            target=self._read, args=(child,), name="engine-reader", daemon=True
        ).start()
        return child

    # --- reader thread, one for each engine process ---

    def _read(self, child: _Child) -> None:
        while True:
            try:
                event = decode_event(child.connection.recv_bytes())
            except (EOFError, OSError):
                break
            self._receive(child, event)
        child.process.join()
        child.connection.close()
        self._settle(child)

    def _receive(self, child: _Child, event: Event) -> None:
        match event:
            case Ready() | StateChanged():
                self._notify(event)
            case Pong():
                pass
            case Finished() | Failed():
                child.requests.discard(event.request)
                self._end(event)
            case _:
                with self._lock:
                    outstanding = self._outstanding.get(event.request)
                    if outstanding is not None:
                        outstanding.worked_on = True
                if outstanding is not None:
                    _tell(outstanding.listener, event)

    def _settle(self, child: _Child) -> None:
        """Ends or sends again what the dead engine had not ended."""
        exit_code = child.process.exitcode
        with self._lock:
            if self._child is child:
                self._child = None
            closing = self._closing
            left = [
                (key, self._outstanding[key]) for key in child.requests if key in self._outstanding
            ]
        expected = exit_code in (EXIT_ABANDONED, EXIT_RELEASED)
        if not closing and not expected:
            _log.error("the engine process ended with exit code %s", exit_code)
            self._notify(EngineDied(exit_code))
        for key, outstanding in left:
            again = expected or outstanding.launches < _LAUNCHES_PER_REQUEST
            if again and not closing and not outstanding.worked_on:
                self._outbox.put(outstanding.request)
            else:
                error = (_closed() if closing else _died(exit_code)).record()
                self._end(Failed(request=key, generation=0, error=error, fatal=True))

    def _end(self, event: Finished | Failed) -> None:
        with self._lock:
            outstanding = self._outstanding.pop(event.request, None)
        if outstanding is not None:
            _tell(outstanding.listener, event)

    def _notify(self, notice: Notice) -> None:
        try:
            self._on_notice(notice)
        except Exception:  # noqa: BLE001 - a listener's mistake must not end the reader
            _log.exception("a notice was not handled")


def _tell(listener: Listener, event: Event) -> None:
    try:
        listener(event)
    except Exception:  # noqa: BLE001 - a listener's mistake must not end the reader
        _log.exception("an event was not handled")


def _closed() -> EnvironmentFault:
    return EnvironmentFault("closing", "The program is closing.", "Start it again.")


def _died(exit_code: int | None) -> EnvironmentFault:
    how = f"signal {-exit_code}" if exit_code is not None and exit_code < 0 else f"code {exit_code}"
    return EnvironmentFault(
        "engine_died",
        f"The part of the program that runs the model stopped unexpectedly ({how}).",
        "What was written is kept. Send the message again, or continue; the model is loaded anew.",
    )

"""The parent's side of the engine: starts it, talks to it, and survives its death.

No method but ``call`` and ``close`` waits for the engine. Listeners are called on a reader thread.
"""

import logging
import queue
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msgspec

from app.core.errors import Bug, ContenoxError, EnvironmentFault, from_record
from app.engine.engine_child import EngineChild, EntryPoint
from app.engine.outcome import FinishReason, SlotState
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
    Ping,
    Pong,
    Ready,
    Request,
    Shutdown,
    StateChanged,
    new_request_id,
)
from app.engine.spec import LoadSpec

_log = logging.getLogger(__name__)

# A request that the engine died on before it worked on it is sent once more, not for ever.
_DEATHS_PER_REQUEST: Final = 2
# After so many deaths with nothing done between them, what waits is ended too: no restart storm.
_DEATHS_IN_A_ROW: Final = 3


@dataclass(frozen=True, slots=True)
class EngineDied:
    """The engine process ended without being asked to. ``exit_code`` is negative for a signal."""

    exit_code: int | None


Notice = Ready | StateChanged | EngineDied
Listener = Callable[[Event], None]


@dataclass(slots=True)
class _Outstanding:
    """A request that has not ended. ``worked_on``: the engine reported something about it.

    ``deaths``: how many engines died when it was their first.
    """

    request: Request
    listener: Listener
    worked_on: bool = False
    cancelled: bool = False
    deaths: int = 0


class EngineClient:
    """Sends requests to the engine process and their events to their listeners.

    Args:
        log_dir: where the engine writes its logs; created when the engine starts.
        on_notice: told of the engine's start, its slot's state and its unexpected death.
        entry: what the child process runs (tests pass another).
        snapshot_dir: where stable prefixes are kept across an unload; absent means nowhere.
    """

    def __init__(
        self,
        *,
        log_dir: Path,
        on_notice: Callable[[Notice], None] | None = None,
        entry: EntryPoint = run_engine,
        snapshot_dir: Path | None = None,
    ) -> None:
        self._log_dir = log_dir
        self._on_notice = on_notice or (lambda _notice: None)
        self._entry = entry
        self._lock = threading.Lock()
        self._outstanding: dict[str, _Outstanding] = {}
        self._pings: dict[str, threading.Event] = {}
        self._child: EngineChild | None = None
        self._closing = False
        self._loaded: LoadSpec | None = None
        self._deaths = 0
        self._configure = Configure(
            idle_unload_s=0, snapshot_dir=None if snapshot_dir is None else str(snapshot_dir)
        )
        # Only the writer thread sends: what two threads write at once would be no message.
        self._outbox: queue.SimpleQueue[Command | None] = queue.SimpleQueue()
        self._writer = threading.Thread(target=self._write, name="engine-writer", daemon=True)
        self._writer.start()

    # --- for the callers ---

    def submit(self, request: Request, listener: Listener) -> None:
        """Queues ``request``. ``listener`` gets its events; the last is ``Finished`` or ``Failed``.

        Never waits. A listener that raises is logged and ignored. After ``close`` the request fails
        at once.
        """
        with self._lock:
            self._outstanding[request.request] = _Outstanding(request, listener)
            closing = self._closing
            if not closing:
                self._outbox.put(request)
        if closing:
            self._end(Failed(request=request.request, generation=0, error=_closed().record()))

    def observe(self, on_notice: Callable[[Notice], None]) -> None:
        """Tells ``on_notice`` of the engine's notices from now on, in place of who was told."""
        self._on_notice = on_notice

    def configure(self, *, idle_unload_s: int) -> None:
        """Sets after how many idle seconds the engine gives its memory back; 0 is never."""
        configure = msgspec.structs.replace(self._configure, idle_unload_s=idle_unload_s)
        self._configure = configure
        self._outbox.put(configure)

    def cancel(self, request_id: str) -> None:
        """Asks the request to end. Never waits; unknown and ended requests are ignored."""
        with self._lock:
            outstanding = self._outstanding.get(request_id)
            if outstanding is None:
                return
            outstanding.cancelled = True
        self._outbox.put(Cancel(request=request_id))

    def ping(self, timeout_s: float) -> bool:
        """Whether the engine gives a sign of life within ``timeout_s``; without one there is none
        to give, and that is well.

        An engine that doesn't is killed: its requests end as after any death, or are sent again.
        """
        with self._lock:
            child = self._child
            if child is None:
                return True
            name = new_request_id()
            answered = self._pings[name] = threading.Event()
        self._outbox.put(Ping(request=name))
        alive = answered.wait(timeout_s)
        with self._lock:
            self._pings.pop(name, None)
            alive = alive or self._child is not child  # it went by itself meanwhile
        if not alive:
            _log.error("the engine gave no sign of life within %.1f s", timeout_s)
            child.end(0)
        return alive

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
        self._outbox.put(Shutdown())
        self._outbox.put(None)
        # It may be starting an engine, or be stuck at one that doesn't read any more.
        self._join_writer(timeout_s)
        child = self._child
        if child is not None:
            child.end(timeout_s)
        self._join_writer(timeout_s)
        with self._lock:
            left = list(self._outstanding)
        for key in left:
            self._end(Failed(request=key, generation=0, error=_closed().record(), fatal=True))

    @property
    def loaded(self) -> LoadSpec | None:
        """What the engine holds ready, as far as it has told."""
        return self._loaded

    @property
    def pid(self) -> int | None:
        """The process id of the running engine."""
        child = self._child
        return child.pid if child is not None else None

    def _join_writer(self, timeout_s: float) -> None:
        if threading.current_thread() is not self._writer:
            self._writer.join(timeout_s)

    # --- writer thread ---

    def _write(self) -> None:
        while (command := self._outbox.get()) is not None:
            try:
                self._send(command)
            except Exception as error:  # noqa: BLE001 - the one writer must live on
                if isinstance(command, Cancel | Ping | Configure | Shutdown):
                    _log.exception("a command was not sent")
                    continue
                fault = error if isinstance(error, ContenoxError) else Bug.unexpected(error)
                self._end(Failed(request=command.request, generation=0, error=fault.record()))

    def _send(self, command: Command) -> None:
        if isinstance(command, Cancel | Ping | Configure | Shutdown):
            child = self._child
            if child is not None:
                child.deliver(command)
            return
        with self._lock:
            outstanding = self._outstanding.get(command.request)
            if outstanding is None or self._closing:
                return
            cancelled = outstanding.cancelled
        if cancelled:
            # Before it was sent, or after the engine that had it died.
            self._end(_cancelled(command.request))
        else:
            self._hand_over(command.request).deliver(command)

    def _hand_over(self, request: str) -> EngineChild:
        """The engine that has the request from now on; started without holding anybody up."""
        while True:
            child = self._child or self._start()
            with self._lock:
                # One that died meanwhile has been settled, and would keep the request for ever.
                if self._child is child:
                    child.requests[request] = None
                    return child

    def _start(self) -> EngineChild:
        child = EngineChild.start(self._entry, self._log_dir)
        with self._lock:
            self._child = child
        child.deliver(self._configure)
        threading.Thread(
            target=self._read, args=(child,), name="engine-reader", daemon=True
        ).start()
        return child

    # --- reader thread, one for each engine process ---

    def _read(self, child: EngineChild) -> None:
        for event in child.events():
            self._receive(child, event)
        self._settle(child)

    def _receive(self, child: EngineChild, event: Event) -> None:
        match event:
            case StateChanged(state=state, spec=spec):
                self._loaded = spec if state in (SlotState.READY, SlotState.BUSY) else None
                self._notify(event)
            case Ready():
                self._notify(event)
            case Pong():
                with self._lock:
                    answered = self._pings.get(event.request)
                if answered is not None:
                    answered.set()
            case Finished() | Failed():
                self._deaths = 0
                with self._lock:
                    child.requests.pop(event.request, None)
                self._end(event)
            case _:
                with self._lock:
                    outstanding = self._outstanding.get(event.request)
                    if outstanding is not None:
                        outstanding.worked_on = True
                if outstanding is not None:
                    _tell(outstanding.listener, event)

    def _settle(self, child: EngineChild) -> None:
        """Ends or sends again, in their order, what the dead engine had not ended."""
        exit_code = child.exit_code
        with self._lock:
            if self._child is child:
                self._child = None
                self._loaded = None
            closing = self._closing
            left = [
                (key, self._outstanding[key]) for key in child.requests if key in self._outstanding
            ]
        expected = exit_code in (EXIT_ABANDONED, EXIT_RELEASED)
        if not closing and not expected:
            _log.error("the engine process ended with exit code %s", exit_code)
            self._notify(EngineDied(exit_code))
        if not expected and left:
            self._deaths += 1
            # The others only waited for the first one.
            left[0][1].deaths += 1
        storm = self._deaths >= _DEATHS_IN_A_ROW
        self._deaths = 0 if storm else self._deaths
        for key, outstanding in left:
            again = expected or (outstanding.deaths < _DEATHS_PER_REQUEST and not storm)
            if outstanding.cancelled and not closing:
                self._end(_cancelled(key))
            elif again and not closing and not outstanding.worked_on:
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


def _cancelled(request: str) -> Finished:
    return Finished(request=request, generation=0, reason=FinishReason.CANCELLED)


def _closed() -> EnvironmentFault:
    return EnvironmentFault("closing", "The program is closing.", "Start it again.")


def _died(exit_code: int | None) -> EnvironmentFault:
    how = f"signal {-exit_code}" if exit_code is not None and exit_code < 0 else f"code {exit_code}"
    return EnvironmentFault(
        "engine_died",
        f"The part of the program that runs the model stopped unexpectedly ({how}).",
        "What was written is kept. Send the message again, or continue; the model is loaded anew.",
    )

"""The engine process: reads commands, answers cancels at once, and never outlives its parent.

Importing this module loads no Qt and no native library. The main thread never touches a pipeline;
it is the one that can still act when the inference thread is inside a native call.
"""

import contextlib
import faulthandler
import logging
import logging.handlers
import os
import signal
import sys
import threading
import time
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Final

import msgspec

from app.engine.inference_thread import InferenceThread
from app.engine.outcome import FinishReason
from app.engine.phases import BASE_S
from app.engine.protocol import (
    EXIT_ABANDONED,
    EXIT_RELEASED,
    Cancel,
    Configure,
    Count,
    Embed,
    Event,
    Failed,
    Finished,
    Generate,
    Ping,
    Pong,
    Prefill,
    Ready,
    Request,
    Shutdown,
    Terminal,
    decode_command,
    encode,
)
from app.engine.snapshots import SnapshotStore
from app.engine.tickets import Ticket
from app.engine.tokenizer_thread import TokenizerThread
from app.engine.trace import TRACE_FILE, TraceFile, trace_record

_log = logging.getLogger(__name__)

# How often deadlines, stalls and idleness are looked at.
_TICK_S: Final = 0.25
# A tick that comes so late was slept through.
_ASLEEP_S: Final = 5.0
# A computation that reports nothing for this long is stuck: a livelock in a full pool, for example.
_STALLED_S: Final = 120.0
# How long a stuck one may take to hear that it shall stop, and a session to close.
_PATIENCE_S: Final = 5.0
# How long the inference thread may take to unload at a shutdown.
_GRACE_S: Final = 1.0
_LOG_BYTES: Final = 1_000_000
_STDERR: Final = 2
# Requests that have ended are forgotten when there are more than this.
_FORGET_FROM: Final = 64


def run_engine(connection: Connection, log_dir: str) -> None:
    """The child's entry point; returns when the parent asked for it or is gone.

    Args:
        connection: the child's end of a duplex pipe.
        log_dir: an existing folder for ``engine.log`` and what native libraries print.
    """
    # Ctrl-C on a console reaches every process of it; what it means is the parent's decision.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _redirect_output(Path(log_dir))
    engine = EngineProcess(connection, TraceFile(Path(log_dir) / TRACE_FILE))
    code = 1
    try:
        code = engine.serve()
    finally:
        # No interpreter shutdown: native threads may still run, and there is nothing to save.
        logging.shutdown()
        os._exit(code)


class EngineProcess:
    """Everything in the child but the inference itself.

    Args:
        connection: the child's end of the pipe.
        trace: where a line for each request that ended is written, if anywhere.
        stalled_s: how long a computation may report nothing (tests take shorter times).
        patience_s: how long a stuck one may take to hear that it shall stop, a session to close.
        phase_s: how long a load may take, beside what the model's size adds, and how long the main
            thread may stand still.
    """

    def __init__(
        self,
        connection: Connection,
        trace: TraceFile | None = None,
        *,
        stalled_s: float = _STALLED_S,
        patience_s: float = _PATIENCE_S,
        phase_s: float = BASE_S,
    ) -> None:
        self._connection = connection
        self._trace = trace
        self._send_lock = threading.Lock()
        self._tickets: dict[str, Ticket] = {}
        self._inference = InferenceThread(self._emit, phase_s=phase_s)
        self._tokenizer = TokenizerThread(self._emit, self._inference.reusing, phase_s=phase_s)
        self._idle_unload_s = 0
        self._stalled_s = stalled_s
        self._patience_s = patience_s
        self._frozen_s = phase_s
        self._alive_until = 0.0
        self._forget_above = _FORGET_FROM
        self._tick_at = time.monotonic()

    def serve(self) -> int:
        """Reads commands until the end; returns the exit code."""
        self._inference.start()
        self._tokenizer.start()
        self._emit(Ready(pid=os.getpid()))
        while True:
            try:
                arrived = self._connection.poll(max(0.0, self._tick_at - time.monotonic()))
                # Also under a flood of commands: deadlines don't wait for a quiet moment.
                code = self._tick_if_due()
                if code is not None:
                    return code
                if not arrived:
                    continue
                data = self._connection.recv_bytes()
            except (EOFError, OSError):
                return 0
            try:
                command = decode_command(data)
            except msgspec.MsgspecError:
                _log.exception("not a command")
                return 1
            match command:
                case Cancel(request=request):
                    if self._stop(request, FinishReason.CANCELLED):
                        return EXIT_ABANDONED
                case Ping(request=request):
                    self._emit(Pong(request=request))
                case Configure(idle_unload_s=seconds, snapshot_dir=folder):
                    self._idle_unload_s = seconds
                    self._inference.snapshots = SnapshotStore(Path(folder)) if folder else None
                case Shutdown():
                    self._shut_down()
                    return 0
                case _:
                    self._take(command)

    def _take(self, request: Request) -> None:
        if len(self._tickets) > self._forget_above:
            # Only now and then: with thousands waiting, each look at all of them counts.
            self._tickets = {key: one for key, one in self._tickets.items() if not one.ended}
            self._forget_above = 2 * len(self._tickets) + _FORGET_FROM
        received = time.monotonic()

        def emit(event: Event) -> None:
            self._emit(event)
            if isinstance(event, Finished | Failed):
                self._record(request, event, time.monotonic() - received)

        ticket = Ticket(request, emit)
        self._tickets[request.request] = ticket
        if isinstance(request, Count):
            self._tokenizer.put(ticket)
            return
        if not isinstance(request, Prefill):
            self._stop_prefills()
        self._inference.put(ticket)

    def _stop_prefills(self) -> None:
        """Ends what is computed ahead: somebody waits for something now."""
        for ticket in self._tickets.values():
            if isinstance(ticket.request, Prefill) and not ticket.ended:
                ticket.stop(FinishReason.CANCELLED)
                ticket.end_waiting(FinishReason.CANCELLED)

    def _stop(self, request: str, reason: FinishReason) -> bool:
        """Asks a request to end; answers for it, and returns True, if only our exit can end it."""
        ticket = self._tickets.get(request)
        if ticket is None or not ticket.stop(reason):
            if ticket is not None:
                ticket.end_waiting(reason)
            return False
        if isinstance(ticket.request, Prefill):
            # Its load is one that the next turn needs; nobody waits for this one.
            return False
        finished = Finished(request=request, generation=ticket.generation, reason=reason)
        return ticket.end(finished)

    def _record(self, request: Request, terminal: Terminal, wall_s: float) -> None:
        if self._trace is not None:
            pipeline = self._inference.pipeline
            self._trace.append(trace_record(request, terminal, pipeline=pipeline, wall_s=wall_s))

    def _tick_if_due(self) -> int | None:
        if time.monotonic() < self._tick_at and not self._inference.worn_out:
            return None
        late_s = time.monotonic() - self._tick_at
        if late_s > _ASLEEP_S:
            # The machine or this process slept, and so did what is being waited for.
            for ticket in self._tickets.values():
                ticket.pardon(late_s)
        code = self._tick()
        self._tick_at = time.monotonic() + _TICK_S
        return code

    def _tick(self) -> int | None:
        """Looks at what no command tells; returns an exit code if the process shall end."""
        self._sign_of_life()
        if (
            self._overdue()
            or self._hung()
            or self._stuck()
            or self._inference.closing_s > self._patience_s
        ):
            return EXIT_ABANDONED
        if self._inference.worn_out:
            return EXIT_RELEASED  # the parent sends what waits here to a fresh process
        idle_s = self._inference.idle_s
        # A tokenizer takes memory too, and counting is a sign that a turn is being written.
        holds = self._inference.holds_model or self._tokenizer.holds_tokenizer
        unused_s = min(idle_s, self._tokenizer.idle_s)
        idle = holds and 0 < self._idle_unload_s < unused_s
        if idle:
            self._shut_down()
            return EXIT_RELEASED
        return None

    def _sign_of_life(self) -> None:
        """Lets the process end if this thread stands still: a native call can keep every thread
        from running, and then no other bound is looked at.
        """
        now = time.monotonic()
        if now < self._alive_until:
            return
        self._alive_until = now + self._frozen_s / 10
        # A thread of C that needs no interpreter; the parent sees the engine die.
        faulthandler.dump_traceback_later(self._frozen_s, exit=True, file=_STDERR)

    def _hung(self) -> bool:
        """Ends what takes longer than anything honest; returns True if our exit has to follow."""
        for ticket in (self._inference.current, self._tokenizer.current):
            phase = None if ticket is None else ticket.overrun()
            if ticket is None or phase is None:
                continue
            failed = Failed(
                request=ticket.request.request,
                generation=ticket.generation,
                error=phase.hung().record(),
                fatal=True,
            )
            if ticket.end(failed):
                _log.error("%s: longer than %.0f s", phase.name, phase.bound_s)
            # A count runs beside an answer, which needs not end for it.
            if not isinstance(ticket.request, Count) or self._inference.idle_s > 0:
                return True
        return False

    def _stuck(self) -> bool:
        """Ends a computation that makes no progress; returns True if only our exit can end it."""
        ticket = self._inference.current
        if ticket is None or not isinstance(ticket.request, Generate | Prefill | Embed):
            return False
        if self._send_lock.locked():
            # The parent doesn't read at the moment; that is no fault of the computation.
            return False
        over_s = ticket.silent_beyond(self._stalled_s)
        if over_s is None:
            return False
        ticket.stop(FinishReason.STALLED)
        if over_s < self._patience_s:
            return False
        return ticket.end(
            Finished(
                request=ticket.request.request,
                generation=ticket.generation,
                reason=FinishReason.STALLED,
            )
        )

    def _overdue(self) -> bool:
        """Ends what waits beyond its deadline.

        Returns True if a deadline has passed inside a native call, which only our exit can end.
        """
        for key, ticket in self._tickets.items():
            if ticket.ended:
                continue
            reason = ticket.stop_reason()
            if reason is None or ticket.end_waiting(reason) or not ticket.in_native_call:
                continue
            if self._stop(key, reason):
                return True
        return False

    def _shut_down(self) -> None:
        for ticket in self._tickets.values():
            if not ticket.ended:
                ticket.stop(FinishReason.CANCELLED)
        self._inference.finish()
        self._inference.join(_GRACE_S)

    def _emit(self, event: Event) -> None:
        with self._send_lock:
            try:
                self._connection.send_bytes(encode(event))
            except (OSError, ValueError):
                # The parent is gone; serve() sees the same and ends the process.
                _log.info("the parent no longer listens")


def _native_log(log_dir: Path) -> Path:
    """What native libraries print to; a large one of earlier runs is moved aside."""
    path = log_dir / "native.log"
    # Another engine of the same user may hold it open; then it just grows on.
    with contextlib.suppress(OSError):
        if path.stat().st_size > _LOG_BYTES:
            path.replace(path.with_name("native.log.1"))
    return path


def _redirect_output(log_dir: Path) -> None:
    """Sends what native libraries print, and our log, to files instead of the parent's console."""
    handler = logging.handlers.RotatingFileHandler(
        log_dir / "engine.log", maxBytes=_LOG_BYTES, backupCount=2, encoding="utf-8"
    )
    logging.basicConfig(
        handlers=[handler],
        level=logging.INFO,
        format="%(asctime)s %(process)d %(levelname)s %(name)s %(message)s",
        force=True,
    )
    native = _native_log(log_dir).open("ab", buffering=0)
    for descriptor in (1, 2):
        os.dup2(native.fileno(), descriptor)
    # A console-less program has no streams; a print in a library must not fail for that.
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115, PTH123

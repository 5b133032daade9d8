"""The one thread that creates, runs and destroys pipelines.

It takes requests in order from a queue and ends each of them. No other thread ever holds a session.
"""

import logging
import queue
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

import msgspec

from app.core.errors import Bug, ContenoxError, ErrorRecord, UserError
from app.core.windows import at_full_speed
from app.engine.backends.base import Backend, RequestStopped, Session, heed
from app.engine.backends.context_port import KeepingSession, ReusingSession
from app.engine.backends.embedding_session import EmbeddingSession, embeddings_not_supported
from app.engine.backends.registry import backend_for, backend_named
from app.engine.native_failure import NativeFailure
from app.engine.outcome import FinishReason, SlotState, Timings
from app.engine.peak_memory import PeakMemory
from app.engine.phases import BASE_S, Phase, converting, loading
from app.engine.protocol import (
    BackendReported,
    Convert,
    Converted,
    Describe,
    Described,
    Embed,
    Embedded,
    Failed,
    Finished,
    Generate,
    Load,
    Prefill,
    ReportBackend,
    StateChanged,
    Unload,
)
from app.engine.slot import Slot
from app.engine.snapshots import SnapshotStore
from app.engine.spec import LoadSpec, Pipeline, Runtime
from app.engine.tickets import Emit, Ticket
from app.engine.tool_calls import check_tools

_log = logging.getLogger(__name__)

_NO_TIMINGS: Final = Timings()

# WORKAROUND(openvino-genai 2026.4.1): each stateful pipeline that has answered leaves a thread and
# some 7 MB behind when it is gone. Only the end of the process gives them back.
_LEAVES_SOMETHING: Final = frozenset({Pipeline.STATEFUL})


class _WornOut(Exception):
    """What is not begun yet, this request or those that wait, needs a fresh process."""


class InferenceThread(threading.Thread):
    """Runs requests one after the other.

    Args:
        emit: sends an event to the parent.
        find_backend: which backend runs a spec (tests pass another).
        phase_s: the bound of a load, beside what the model's size adds (tests take shorter ones).
    """

    def __init__(
        self,
        emit: Emit,
        find_backend: Callable[[Runtime], Backend] = backend_for,
        *,
        phase_s: float = BASE_S,
    ) -> None:
        super().__init__(name="inference", daemon=True)
        self._emit = emit
        self._find_backend = find_backend
        self._phase_s = phase_s
        self._queue: queue.SimpleQueue[Ticket | None] = queue.SimpleQueue()
        self._slot = Slot(self._on_slot_change)
        self._current: Ticket | None = None
        self._waiting = 0
        self._waiting_lock = threading.Lock()
        self._idle_since = time.monotonic()
        self.worn_out = False
        """Whether the process shall end, so that a fresh one takes what waits here."""
        self.snapshots: SnapshotStore | None = None
        self._peak_memory = PeakMemory()

    def put(self, ticket: Ticket) -> None:
        """Queues a request. Any thread may call this."""
        with self._waiting_lock:
            self._waiting += 1
        self._queue.put(ticket)

    def finish(self) -> None:
        """Lets the thread end when the queue is empty, with the model unloaded."""
        self._queue.put(None)

    @property
    def current(self) -> Ticket | None:
        """The request that is being worked on."""
        return self._current

    def reusing(self, spec: LoadSpec) -> ReusingSession | None:
        """The loaded session of ``spec``, for its books only. Any thread may call this."""
        session = self._slot.session_of(spec)
        return session if isinstance(session, ReusingSession) else None

    @property
    def holds_model(self) -> bool:
        return self._slot.state is SlotState.READY

    @property
    def pipeline(self) -> str:
        """What runs the loaded model, or the one that was loaded last; empty before the first."""
        return self._slot.pipeline

    @property
    def closing_s(self) -> float:
        """For how long a session has been refusing to close; infinite if its close failed."""
        since = self._slot.closing_since
        if self._slot.close_failed:
            return float("inf")
        return 0.0 if since is None else time.monotonic() - since

    @property
    def idle_s(self) -> float:
        """For how long nothing has been asked; 0 while something is."""
        with self._waiting_lock:
            return 0.0 if self._waiting else time.monotonic() - self._idle_since

    def run(self) -> None:
        while (ticket := self._queue.get()) is not None:
            self._current = ticket
            if ticket.begin():
                try:
                    with at_full_speed():
                        self._serve(ticket)
                except _WornOut:
                    self.worn_out = True
                    return
            self._current = None
            with self._waiting_lock:
                self._waiting -= 1
                self._idle_since = time.monotonic()
        self._slot.unload()

    # --- one request ---

    def _serve(self, ticket: Ticket) -> None:
        ticket.generation = self._slot.generation
        try:
            heed(ticket)  # what was cancelled while it waited never enters native code
            self._dispatch(ticket)
        except _WornOut:
            raise
        except RequestStopped as stopped:
            self._finish(ticket, stopped.reason)
        except NativeFailure as failure:
            _log.error("native failure %s: %s", failure.fault.code, failure.detail)
            self._fail(ticket, failure.fault.error().record(), fatal=failure.fault.fatal)
        except ContenoxError as error:
            self._fail(ticket, error.record(), fatal=False)
        except BaseException as error:  # noqa: BLE001 - the one thread must live on
            _log.exception("request failed")
            self._fail(ticket, Bug.unexpected(error).record(), fatal=True)

    def _dispatch(self, ticket: Ticket) -> None:
        match ticket.request:
            case Load(spec=spec):
                load_s = self._ensure(spec, ticket)
                self._finish(ticket, FinishReason.STOP, Timings(load_s=load_s))
            case Generate():
                self._generate(ticket, ticket.request)
            case Convert(source=source, target=target):
                self._convert(ticket, Path(source), Path(target))
            case ReportBackend(request=request, backend=name):
                with ticket.within(Phase(name="Starting the library", bound_s=self._phase_s)):
                    report = backend_named(name).report()
                self._emit(BackendReported(request=request, report=report))
                self._finish(ticket, FinishReason.STOP)
            case Describe(spec=spec):
                load_s = self._ensure(spec, ticket)
                with (
                    ticket.within(Phase(name="Describing the model", bound_s=self._phase_s)),
                    self._slot.lease() as session,
                ):
                    described = session.describe()
                self._emit(Described(request=ticket.request.request, report=described))
                self._finish(ticket, FinishReason.STOP, Timings(load_s=load_s))
            case Embed():
                self._embed(ticket, ticket.request)
            case Prefill(turn=turn):
                self._prefill(ticket, turn)
            case Unload():
                with ticket.within(Phase(name="Unloading the model", bound_s=self._phase_s)):
                    self._slot.unload()
                self._finish(ticket, FinishReason.STOP)
                raise _WornOut  # only the process's end gives all memory back

    def _generate(self, ticket: Ticket, request: Generate) -> None:
        # What no load could change is refused before it.
        check_tools(request.spec.protocols.tool_calls, request.tools)
        load_s = self._ensure(request.spec, ticket)
        try:
            heed(ticket)
            with self._slot.lease() as session:
                outcome = session.generate(request, ticket)
        except RequestStopped as stopped:
            self._finish(ticket, stopped.reason, Timings(load_s=load_s))
            return
        ticket.end(
            Finished(
                request=request.request,
                generation=ticket.generation,
                reason=outcome.reason,
                usage=outcome.usage,
                timings=msgspec.structs.replace(outcome.timings, load_s=load_s),
                seed=outcome.seed,
            )
        )
        if outcome.fatal:
            # Only now: a session that will not close must not keep the answer from its reader.
            self._slot.evict()

    def _prefill(self, ticket: Ticket, turn: Generate) -> None:
        """Computes ahead; never at the cost of another loaded model."""
        if self.holds_model and not self._slot.holds(turn.spec):
            self._finish(ticket, FinishReason.CANCELLED)
            return
        load_s = self._ensure(turn.spec, ticket)
        with self._slot.lease() as session:
            if not isinstance(session, ReusingSession):
                raise UserError(
                    "prefill_not_supported",
                    f"The {session.pipeline} pipeline keeps nothing from one prompt to the next.",
                    "Choose a model that the paged pipeline or llama.cpp runs.",
                )
            outcome = session.prefill(turn, ticket)
        ticket.end(
            Finished(
                request=ticket.request.request,
                generation=ticket.generation,
                reason=outcome.reason,
                usage=outcome.usage,
                timings=msgspec.structs.replace(outcome.timings, load_s=load_s),
            )
        )
        if outcome.fatal:
            self._slot.evict()

    def _embed(self, ticket: Ticket, request: Embed) -> None:
        if not request.spec.embeds:
            raise embeddings_not_supported(request.spec)
        timings = Timings(load_s=self._ensure(request.spec, ticket))
        with self._slot.lease() as session:
            assert isinstance(session, EmbeddingSession), "the spec says what is loaded"
            result = session.embed(request.texts, ticket)
        if isinstance(result, FinishReason):
            self._finish(ticket, result, timings)
            return
        self._emit(Embedded(request=request.request, vectors=result))
        self._finish(ticket, FinishReason.STOP, timings)

    def _ensure(self, spec: LoadSpec, ticket: Ticket) -> float:
        """Loads ``spec`` unless it is loaded; returns the seconds it took."""
        if self._slot.holds(spec):
            return 0.0
        if self.holds_model and self.pipeline in _LEAVES_SOMETHING:
            self._slot.unload()
            raise _WornOut

        def open_session(spec: LoadSpec) -> Session:
            ticket.generation = self._slot.generation
            backend = self._find_backend(spec.runtime)
            if spec.embeds:
                return EmbeddingSession(spec, backend.open_embedder(spec, ticket))
            return backend.open_session(spec, ticket)

        started = time.perf_counter()
        with ticket.within(loading(spec.model_path, self._phase_s)):
            self._slot.load(spec, open_session)
        keeping: object = self._slot.session_of(spec)
        if self.snapshots is not None and isinstance(keeping, KeepingSession):
            keeping.keep_in(self.snapshots)
        return time.perf_counter() - started

    def _convert(self, ticket: Ticket, source: Path, target: Path) -> None:
        from app.engine.backends.openvino_convert import convert

        ticket.load_progress("converting")
        with ticket.within(converting(str(source), self._phase_s)), ticket.uninterruptible():
            files = convert(source, target)
        self._emit(Converted(request=ticket.request.request, files=files))
        self._finish(ticket, FinishReason.STOP)

    # --- ends ---

    def _finish(self, ticket: Ticket, reason: FinishReason, timings: Timings = _NO_TIMINGS) -> None:
        ticket.end(
            Finished(
                request=ticket.request.request,
                generation=ticket.generation,
                reason=reason,
                timings=timings,
            )
        )

    def _fail(self, ticket: Ticket, error: ErrorRecord, *, fatal: bool) -> None:
        ticket.end(
            Failed(
                request=ticket.request.request,
                generation=ticket.generation,
                error=error,
                fatal=fatal,
            )
        )
        if fatal and self.holds_model and isinstance(ticket.request, Generate | Embed | Prefill):
            self._slot.evict()

    def _on_slot_change(self, state: SlotState, generation: int, spec: LoadSpec | None) -> None:
        self._emit(
            StateChanged(
                generation=generation,
                state=state,
                spec=spec,
                peak_rss_bytes=self._peak_memory.after(state),
            )
        )

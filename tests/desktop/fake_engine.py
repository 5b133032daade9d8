"""An engine that does what a test says, on a thread of its own like the real client's."""

import queue
import threading
from collections.abc import Callable

from app.core.errors import ErrorKind, ErrorRecord
from app.engine.chat import SegmentSpan
from app.engine.manifest import Identity, Manifest, SegmentRecord, text_sha256
from app.engine.outcome import ContextReport, DeltaKind, FinishReason, PoolReport, Timings, Usage
from app.engine.protocol import (
    Count,
    Counted,
    Delta,
    Failed,
    Finished,
    Generate,
    LoadProgress,
    Prefill,
    PrefillProgress,
    Request,
)
from app.workflows.cpu_retry import TurnEvent, TurnListener

DIED = ErrorRecord(
    kind=ErrorKind.ENVIRONMENT,
    code="engine_died",
    message="The engine process ended.",
    remedy="Try again.",
)


class FakeEngine:
    """Records what it is asked and sends the events that the test names.

    ``script`` answers each request by itself; without one the test calls the methods below.
    Prompts are counted at once, a word for a token, and what is read ahead is read at once: both
    are recorded apart from the requests that a test answers.
    """

    def __init__(self, script: Callable[["FakeEngine", str], None] | None = None) -> None:
        self.requests: list[Request] = []
        self.counts: list[Generate] = []
        self.prefills: list[Prefill] = []
        self.reads_ahead_at_once = True
        self.report: Callable[[Generate], ContextReport] = counted
        self.count_error: ErrorRecord | None = None
        self.refuse_from = 0  # messages, from which on a count fails with ``count_error``
        self.counting = threading.Event()  # a count ends when it is set
        self.counting.set()
        self.counting_now = False
        self.cancelled: list[str] = []
        self.closed = False
        self._script = script
        self._listeners: dict[str, TurnListener] = {}
        self._jobs: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._read, name="fake-engine")
        self._thread.start()

    # --- The engine's interface ----------------------------------------------------------------

    def submit(self, request: Request, listener: TurnListener) -> None:
        self._listeners[request.request] = listener
        if isinstance(request, Count):
            self._jobs.put(lambda: self._count(request))
            return
        if isinstance(request, Prefill):
            self.prefills.append(request)
            if self.reads_ahead_at_once:
                self._jobs.put(lambda: self.tell(finished(request.request)))
            return
        self.requests.append(request)
        script = self._script
        if script is not None:
            self._jobs.put(lambda: script(self, request.request))

    def cancel(self, request_id: str) -> None:
        self.cancelled.append(request_id)

    def close(self, timeout_s: float = 2.0) -> None:
        if not self.closed:
            self.closed = True
            self._jobs.put(None)
            self._thread.join(timeout_s)

    # --- What a test makes it say --------------------------------------------------------------

    @property
    def last(self) -> str:
        """The id of the newest request."""
        return self.requests[-1].request

    def say(self, *events: TurnEvent) -> None:
        """Sends ``events`` in order from the engine's thread."""

        def send() -> None:
            for event in events:
                self.tell(event)

        self._jobs.put(send)

    def tell(self, event: TurnEvent) -> None:
        """Sends one event from the calling thread (a script's)."""
        self._listeners[getattr(event, "request")](event)  # noqa: B009  not all events have it

    def _count(self, request: Count) -> None:
        self.counts.append(request.turn)
        self.counting_now = True
        self.counting.wait(10)
        self.counting_now = False
        if request.request in self.cancelled:
            self.tell(finished(request.request, FinishReason.CANCELLED))
            return
        if self.count_error is not None and len(request.turn.messages) >= self.refuse_from:
            self.tell(failed(request.request, self.count_error))
            return
        self.tell(Counted(request=request.request, report=self.report(request.turn)))
        self.tell(Finished(request=request.request, generation=1, reason=FinishReason.STOP))

    def _read(self) -> None:
        while (job := self._jobs.get()) is not None:
            job()


def loading(request: str, fraction: float | None = None) -> LoadProgress:
    return LoadProgress(request=request, generation=1, stage="compile", fraction=fraction)


def reading(request: str, done: int, total: int, reused: int = 0) -> PrefillProgress:
    return PrefillProgress(
        request=request, generation=1, done_tokens=done, total_tokens=total, reused_tokens=reused
    )


def text(request: str, piece: str) -> Delta:
    return Delta(request=request, generation=1, text=piece)


def thought(request: str, piece: str) -> Delta:
    return Delta(request=request, generation=1, kind=DeltaKind.THINKING, text=piece)


def finished(request: str, reason: FinishReason = FinishReason.STOP, tokens: int = 42) -> Finished:
    return Finished(
        request=request,
        generation=1,
        reason=reason,
        usage=Usage(prompt_tokens=31, reused_tokens=8, completion_tokens=tokens),
        timings=Timings(
            load_s=1.9, ttft_s=0.12, prefill_tokens_per_s=812.0, decode_tokens_per_s=61.2
        ),
        seed=7,
    )


def failed(request: str, error: ErrorRecord = DIED) -> Failed:
    return Failed(request=request, generation=1, error=error, fatal=True)


def counted(turn: Generate, reused: int | None = None) -> ContextReport:
    """A count of ``turn`` with a token for each word; ``reused`` is predicted of a loaded model."""
    records: list[SegmentRecord] = []
    start = 0
    for span in turn.segments:
        records.append(_recorded(turn, span, start))
        start = records[-1].token_end or start
    stable = sum(one.tokens or 0 for one in records if one.kind.stable)
    context_tokens = turn.spec.context_tokens
    held = PoolReport(held_tokens=reused or 0, capacity_tokens=context_tokens)
    return ContextReport(
        manifest=Manifest(
            identity=IDENTITY,
            prompt_tokens=start,
            prompt_token_sha256="p",
            stable_tokens=stable,
            stable_token_sha256=text_sha256(str(stable)),
            segments=tuple(records),
        ),
        prompt_tokens=start,
        reserve_tokens=turn.reserve_tokens,
        context_tokens=context_tokens,
        predicted_reused_tokens=reused,
        pool=None if reused is None else held,
    )


def _recorded(turn: Generate, span: SegmentSpan, start: int) -> SegmentRecord:
    content = turn.messages[span.message].content
    said = content[span.start : span.end]
    return SegmentRecord(
        kind=span.kind,
        name=span.name,
        text_sha256=text_sha256(said),
        byte_start=0,
        byte_end=len(said.encode()),
        token_start=start,
        token_end=start + len(said.split()),
        token_sha256=text_sha256(said),
        inside=tuple(
            _recorded(turn, one, start + len(content[span.start : one.start].split()))
            for one in span.inside
        ),
    )


IDENTITY = Identity(
    model_digest="sha256:0",
    tokenizer_digest="t",
    template_digest="c",
    profile_digest="p",
    backend="scripted",
    backend_version="1",
    device="CPU",
    attention="dense",
    context_tokens=8192,
    rope="",
    kv_precision="",
    block_tokens=0,
)

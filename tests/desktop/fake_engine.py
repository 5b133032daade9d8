"""An engine that does what a test says, on a thread of its own like the real client's."""

import queue
import threading
from collections.abc import Callable

from app.core.errors import ErrorKind, ErrorRecord
from app.engine.outcome import DeltaKind, FinishReason, Timings, Usage
from app.engine.protocol import (
    Delta,
    Failed,
    Finished,
    LoadProgress,
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
    """

    def __init__(self, script: Callable[["FakeEngine", str], None] | None = None) -> None:
        self.requests: list[Request] = []
        self.cancelled: list[str] = []
        self.closed = False
        self._script = script
        self._listeners: dict[str, TurnListener] = {}
        self._jobs: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._read, name="fake-engine")
        self._thread.start()

    # --- The engine's interface ----------------------------------------------------------------

    def submit(self, request: Request, listener: TurnListener) -> None:
        self.requests.append(request)
        self._listeners[request.request] = listener
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

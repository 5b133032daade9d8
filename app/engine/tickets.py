"""The requests that the engine has taken and not yet ended.

Two threads look at a request: the main thread, which hears its cancel, and the inference thread,
which works on it. The ticket is where they meet, and where it is settled who ends it: each request
gets exactly one terminal event.
"""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from app.engine.outcome import DeltaKind, FinishReason
from app.engine.phases import Phase
from app.engine.protocol import (
    Delta,
    Event,
    Finished,
    Generate,
    LoadProgress,
    PrefillProgress,
    Request,
    Terminal,
)

Emit = Callable[[Event], None]

# Nothing that a person would wait for computes a token more slowly.
_SLOWEST_TOKEN_S: Final = 0.25
# At most about 30 updates a second reach the window.
_DELTA_INTERVAL_S: Final = 1 / 30


class Ticket:
    """One request; the ``Control`` that a backend reports to.

    Args:
        request: the request.
        emit: sends an event to the parent; any thread may call it.
        now: a monotonic clock in seconds.
    """

    def __init__(
        self, request: Request, emit: Emit, now: Callable[[], float] = time.monotonic
    ) -> None:
        self.request = request
        self.generation = 0
        self._emit = emit
        self._now = now
        self._lock = threading.Lock()
        self._ended = False
        self._begun = False
        self._stop: FinishReason | None = None
        self._native = False
        self._native_s = 0.0
        self._phase: Phase | None = None
        self._phase_began = 0.0
        self._pending = ""
        self._pending_kind = DeltaKind.TEXT
        self._sent_at = float("-inf")
        self.progress_at = now()
        deadline_s = request.deadline_s if isinstance(request, Generate) else None
        self._deadline = None if deadline_s is None else now() + deadline_s

    # --- main thread ---

    def stop(self, reason: FinishReason) -> bool:
        """Asks the request to end; returns whether a native call keeps it from hearing that."""
        with self._lock:
            self._stop = self._stop or reason
            return self._native and not self._ended

    @property
    def in_native_call(self) -> bool:
        """Whether the request is inside a native call that can't be interrupted."""
        return self._native

    def silent_beyond(self, allowed_s: float) -> float | None:
        """By how many seconds the request has been silent for too long; ``None`` if it isn't.

        Inside a native call it may be silent for as long as its tokens take; in a phase with a
        bound of its own that one counts.
        """
        with self._lock:
            if self._phase is not None:
                return None
            allowed_s += self._native_s
        over_s = self._now() - self.progress_at - allowed_s
        return over_s if over_s >= 0 else None

    def overrun(self) -> Phase | None:
        """The phase that the request is in, if that takes longer than anything honest can."""
        with self._lock:
            phase, over = self._phase, self._now() - self._phase_began
        return phase if phase is not None and over > phase.bound_s else None

    def pardon(self, asleep_s: float) -> None:
        """Takes the seconds in which nothing ran out of what is counted against the request."""
        with self._lock:
            self.progress_at = min(self._now(), self.progress_at + asleep_s)
            self._phase_began = min(self._now(), self._phase_began + asleep_s)

    def end_waiting(self, reason: FinishReason) -> bool:
        """Ends a request that nobody works on yet; it then never runs. Returns whether it did."""
        with self._lock:
            if self._begun or self._ended:
                return False
            self._ended = True
        self._emit(
            Finished(request=self.request.request, generation=self.generation, reason=reason)
        )
        return True

    # --- either thread ---

    def end(self, terminal: Terminal) -> bool:
        """Sends what text is left and ``terminal``; only the first call does, and returns True."""
        with self._lock:
            if self._ended:
                return False
            self._ended = True
        self._flush()
        self._emit(terminal)
        return True

    @property
    def ended(self) -> bool:
        return self._ended

    # --- inference thread: Control ---

    def begin(self) -> bool:
        """Takes the request up; returns False if it was ended while it waited."""
        with self._lock:
            self._begun = not self._ended
            self.progress_at = self._now()  # the wait was no silence of its own
            return self._begun

    def stop_reason(self) -> FinishReason | None:
        if self._stop is not None:
            return self._stop
        if self._deadline is not None and self._now() >= self._deadline:
            return FinishReason.DEADLINE
        return None

    @contextmanager
    def uninterruptible(self, tokens: int | None = None) -> Iterator[None]:
        with self._lock:
            self.progress_at = self._now()
            self._native = True
            self._native_s = (tokens or 0) * _SLOWEST_TOKEN_S
        try:
            yield
        finally:
            with self._lock:
                self.progress_at = self._now()
                self._native = False
                self._native_s = 0.0

    @contextmanager
    def within(self, phase: Phase) -> Iterator[None]:
        """Marks a part of the request that has a bound of its own."""
        with self._lock:
            self._phase, self._phase_began = phase, self._now()
        try:
            yield
        finally:
            with self._lock:
                self._phase = None
                self.progress_at = self._now()

    def load_progress(self, stage: str, fraction: float | None = None) -> None:
        self._report(
            LoadProgress(
                request=self.request.request,
                generation=self.generation,
                stage=stage,
                fraction=fraction,
            )
        )

    def prefill_progress(self, done_tokens: int, total_tokens: int, reused_tokens: int) -> None:
        self._report(
            PrefillProgress(
                request=self.request.request,
                generation=self.generation,
                done_tokens=done_tokens,
                total_tokens=total_tokens,
                reused_tokens=reused_tokens,
            )
        )

    def delta(self, kind: DeltaKind, text: str) -> None:
        self.progress_at = self._now()
        if not text:
            return
        if kind is not self._pending_kind or kind is DeltaKind.TOOL_CALL:
            # Texts are joined; a tool call is an event of its own.
            self._flush()
            self._pending_kind = kind
        with self._lock:
            if self._ended:  # the main thread has answered for it; the text went with the end
                return
            self._pending += text
        if self._now() - self._sent_at >= _DELTA_INTERVAL_S:
            self._flush()

    def _flush(self) -> None:
        with self._lock:
            text, self._pending = self._pending, ""
        if not text:
            return
        self._emit(
            Delta(
                request=self.request.request,
                generation=self.generation,
                kind=self._pending_kind,
                text=text,
            )
        )
        # A parent that doesn't read lets the emit wait; that time is no silence of ours.
        self._sent_at = self.progress_at = self._now()

    def _report(self, event: Event) -> None:
        self.progress_at = self._now()
        if not self._ended:
            self._emit(event)

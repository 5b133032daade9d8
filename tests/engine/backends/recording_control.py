"""A ``Control`` for tests: records what a backend reports, and says stop when it was told to."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from app.engine.outcome import DeltaKind, FinishReason


class RecordingControl:
    """Never stops, unless one of these is given.

    Args:
        stop_after_deltas: after so many pieces of the answer.
        stop_at_prefill: once so many prompt tokens are in the KV cache.
        stop_at_load: once the load has come so far, between 0 and 1.
        stop_after_s: seconds after the first progress of the prefill.
        reason: what to say then.
    """

    def __init__(
        self,
        *,
        stop_after_deltas: int | None = None,
        stop_at_prefill: int | None = None,
        stop_at_load: float | None = None,
        stop_after_s: float | None = None,
        reason: FinishReason = FinishReason.CANCELLED,
    ) -> None:
        self.deltas: list[tuple[DeltaKind, str]] = []
        self.prefills: list[tuple[int, int, int]] = []
        self.loads: list[tuple[str, float | None]] = []
        self.stopped_at: float | None = None
        self._stop_after_deltas = stop_after_deltas
        self._stop_at_prefill = stop_at_prefill
        self._stop_at_load = stop_at_load
        self._stop_after_s = stop_after_s
        self._reason = reason
        self._prefill_began: float | None = None

    @property
    def text(self) -> str:
        """The answer without thinking and tool calls."""
        return "".join(text for kind, text in self.deltas if kind is DeltaKind.TEXT)

    def stop(self) -> None:
        """Says stop from now on. Any thread may call this."""
        if self.stopped_at is None:
            self.stopped_at = time.perf_counter()

    # --- Control ---

    def stop_reason(self) -> FinishReason | None:
        began, after_s = self._prefill_began, self._stop_after_s
        if began is not None and after_s is not None and time.perf_counter() >= began + after_s:
            self.stop()
        return None if self.stopped_at is None else self._reason

    @contextmanager
    def uninterruptible(self, tokens: int | None = None) -> Iterator[None]:
        yield

    def load_progress(self, stage: str, fraction: float | None = None) -> None:
        self.loads.append((stage, fraction))
        limit = self._stop_at_load
        if limit is not None and fraction is not None and fraction >= limit:
            self.stop()

    def prefill_progress(self, done_tokens: int, total_tokens: int, reused_tokens: int) -> None:
        if self._prefill_began is None:
            self._prefill_began = time.perf_counter()
        self.prefills.append((done_tokens, total_tokens, reused_tokens))
        if self._stop_at_prefill is not None and done_tokens >= self._stop_at_prefill:
            self.stop()

    def delta(self, kind: DeltaKind, text: str) -> None:
        if not text:
            return
        self.deltas.append((kind, text))
        if self._stop_after_deltas is not None and len(self.deltas) >= self._stop_after_deltas:
            self.stop()

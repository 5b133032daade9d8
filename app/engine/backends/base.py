"""The one port that every backend implements.

All of it is called on the inference thread of the engine process and nowhere else. Native
libraries are imported inside ``open_session``, never when a backend's module is imported.
"""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from app.engine.outcome import BackendReport, DeltaKind, FinishReason, SessionReport, Timings, Usage
from app.engine.protocol import Generate
from app.engine.spec import LoadSpec


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a generation ended. ``fatal``: the session must not be used again."""

    reason: FinishReason
    usage: Usage
    timings: Timings
    seed: int | None = None
    fatal: bool = False


def rate(tokens: int, seconds: float) -> float | None:
    """Tokens a second, or ``None`` where there was nothing to measure."""
    return tokens / seconds if tokens > 0 and seconds > 0 else None


class RequestStopped(Exception):
    """A request heard ``Control.stop_reason`` where it has nothing to show yet. An outcome, no
    error. A load that raises it leaves nothing loaded.
    """

    def __init__(self, reason: FinishReason) -> None:
        super().__init__(reason.value)
        self.reason = reason


class Control(Protocol):
    """What a running request listens to and reports to."""

    def stop_reason(self) -> FinishReason | None:
        """Why the request shall end now: cancelled, past its deadline, stalled; or ``None``.

        Cheap, and safe in a native callback: it never raises.
        """

    def uninterruptible(self, tokens: int | None = None) -> AbstractContextManager[None]:
        """Marks a native call that can't be interrupted inside.

        If the request is cancelled in there, the engine process answers for it and ends itself.

        Args:
            tokens: how many it computes, which bounds how long it may take. A load has a bound of
                its own, as a whole.
        """

    def load_progress(self, stage: str, fraction: float | None = None) -> None:
        """Reports the stage of a load, and how much of it is done if the library tells."""

    def prefill_progress(self, done_tokens: int, total_tokens: int, reused_tokens: int) -> None:
        """Reports how much of the prompt is in the KV cache."""

    def delta(self, kind: DeltaKind, text: str) -> None:
        """Streams a piece of the answer; ``text`` is whole characters. Never raises.

        An empty text only tells that the answer goes on.
        """


def heed(control: Control) -> None:
    """Ends the request here if it shall end.

    Raises:
        RequestStopped: it shall.
    """
    reason = control.stop_reason()
    if reason is not None:
        raise RequestStopped(reason)


class Session(Protocol):
    """One loaded model. Created, used and closed by the inference thread only.

    ``pipeline`` names what runs it, as in ``SessionReport``.
    """

    @property
    def pipeline(self) -> str: ...

    def generate(self, request: Generate, control: Control) -> Outcome:
        """Answers ``request.messages``.

        Returns an outcome for each end that leaves an answer, also for a cancel.

        Raises:
            RequestStopped: it was stopped before there was anything to count.
            ContenoxError: a translated failure; its fault says whether the session lives.
        """

    def describe(self) -> SessionReport:
        """Reports what was asked for and what the library says about it."""

    def close(self) -> None:
        """Frees the model. Idempotent; the session is not used afterwards."""


Vector = tuple[float, ...]


class Embedder(Protocol):
    """One loaded model that turns texts into vectors; used like a ``Session``."""

    def embed(self, texts: Sequence[str], control: Control) -> tuple[Vector, ...] | FinishReason:
        """Returns a vector of length 1 for each text, or why it was stopped.

        Raises:
            UserError: ``text_empty`` or ``context_overflow``, before anything is computed.
            NativeFailure: the computation failed.
        """

    def close(self) -> None:
        """Frees the model. Idempotent."""


class Backend(Protocol):
    """A native library that runs models."""

    name: str

    def open_session(self, spec: LoadSpec, control: Control) -> Session:
        """Checks the files, loads the model and warms it up with one token.

        Raises:
            RequestStopped: the request was stopped inside the load.
            ContenoxError: ``model_incomplete``, ``model_damaged``, ``device_unavailable``,
                ``out_of_memory``, ...
        """

    def open_embedder(self, spec: LoadSpec, control: Control) -> Embedder:
        """Loads a model that makes embeddings; raises what ``open_session`` raises."""

    def report(self) -> BackendReport:
        """Loads the native library and reports its version; a failure is in the report."""

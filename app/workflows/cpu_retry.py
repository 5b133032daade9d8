"""One more try on the CPU after another device failed, for whoever has asked for that.

A processor that answers in place of a GPU is another machine: slower, perhaps with other words. So
it is a setting, off by default; it is done once; only where this very model was certified on the
CPU of this machine as it is today, and only within the sizes that were measured there.
"""

import logging
import threading
from collections.abc import Callable
from typing import Final

import msgspec
from msgspec import Struct

from app.certify.certificate import Certificate, Level
from app.certify.certificate_store import Standing
from app.core.errors import (
    Bug,
    ContenoxError,
    EnvironmentFault,
    ErrorKind,
    ErrorRecord,
    UserError,
)
from app.engine.chat import ChatMessage, Role
from app.engine.client import EngineClient
from app.engine.faults import fault
from app.engine.outcome import ContextReport, DeltaKind, FinishReason
from app.engine.protocol import (
    Count,
    Counted,
    Delta,
    Event,
    Failed,
    Finished,
    Generate,
    Request,
    new_request_id,
)
from app.engine.spec import LoadSpec
from app.hardware.readings import CPU

_log = logging.getLogger(__name__)

_CLOSING: Final = "closing"


class RetriedOnCpu(Struct, frozen=True, kw_only=True):
    """``device`` failed a request with ``error``; from now on ``again`` is what answers it.

    It has the same id. Its answer goes on behind the text that was streamed before. ``report``
    counts what the CPU reads.
    """

    request: str
    device: str
    error: ErrorRecord
    again: Generate
    report: ContextReport


TurnEvent = Event | RetriedOnCpu
TurnListener = Callable[[TurnEvent], None]


class CpuLoad(Struct, frozen=True, kw_only=True):
    """A model on the CPU, and up to how many tokens prompt and answer were measured there."""

    spec: LoadSpec
    tested_tokens: int


def tested_tokens(standing: Standing | None) -> int:
    """Up to how many tokens prompt and answer together are certified.

    Raises:
        UserError: ``not_certified``: there is no full certificate that holds today.
    """
    if standing is None:
        raise _not_certified("it has no certificate for the CPU")
    if standing.stale is not None:
        raise _not_certified(f"its certificate for the CPU is stale ({standing.stale} changed)")
    certificate: Certificate = standing.certificate
    if certificate.level is not Level.CERTIFIED:
        raise _not_certified(f"its certificate for the CPU says {certificate.level}")
    depths = certificate.throughput.depths
    return max((one.prompt_tokens + one.decode_tokens for one in depths), default=0)


class RetryingEngine:
    """The engine as one turn sees it: the same calls, and the one retry where it is allowed.

    Args:
        engine: the engine client.
        wanted: whether the person has switched the retry on.
        load_on_cpu: what to load in place of a spec; raises a ``ContenoxError`` that says why it
            isn't allowed. Called on a thread of its own: it may read files.
    """

    def __init__(
        self,
        engine: EngineClient,
        wanted: Callable[[], bool],
        load_on_cpu: Callable[[LoadSpec], CpuLoad],
    ) -> None:
        self._engine = engine
        self._wanted = wanted
        self._load_on_cpu = load_on_cpu
        # Reentrant: an engine that is closing ends a request inside of ``submit``.
        self._lock = threading.RLock()
        self._turns: dict[str, _Turn] = {}

    def submit(self, request: Request, listener: TurnListener) -> None:
        """As ``EngineClient.submit``. ``RetriedOnCpu`` comes in place of the first failure."""
        if not isinstance(request, Generate) or request.spec.device == CPU:
            self._engine.submit(request, listener)
            return
        turn = _Turn(request)
        with self._lock:
            self._turns[request.request] = turn
        self._engine.submit(request, lambda event: self._heed(turn, event, listener))

    def cancel(self, request_id: str) -> None:
        """As ``EngineClient.cancel``, also while a retry is being prepared."""
        with self._lock:
            turn = self._turns.get(request_id)
            if turn is not None:
                turn.cancelled = True
        self._engine.cancel(request_id)

    def close(self, timeout_s: float = 2.0) -> None:
        """As ``EngineClient.close``."""
        self._engine.close(timeout_s)

    def _heed(self, turn: "_Turn", event: Event, listener: TurnListener) -> None:
        """On the engine's reader thread."""
        if isinstance(event, Delta):
            turn.note(event)
        if isinstance(event, Finished | Failed):
            error = _failure_of_the_device(event)
            if error is not None and self._wanted():
                threading.Thread(
                    target=self._retry,
                    args=(turn, event, error, listener),
                    name="cpu-retry",
                    daemon=True,
                ).start()
                return
            self._forget(turn)
        listener(event)

    def _retry(
        self, turn: "_Turn", ended: Finished | Failed, failure: ErrorRecord, listener: TurnListener
    ) -> None:
        """On a thread of its own: hashing and counting take a while.

        Args:
            ended: how the device ended it, for the case that it stays at that.
            failure: the same as an error.
        """
        asked = turn.request
        try:
            again, report = self._allowed(turn)
        except Exception as error:  # noqa: BLE001 - a turn must have its end, whatever happens here
            if not isinstance(error, ContenoxError):
                _log.exception("the retry on the CPU was not prepared")
                error = Bug.unexpected(error)
            self._forget(turn)
            _log.info("not tried again on the CPU: %s", error.message)
            if isinstance(ended, Failed):
                ended = msgspec.structs.replace(ended, error=_with_reason(failure, error))
            listener(ended)
            return
        told = RetriedOnCpu(
            request=asked.request,
            device=asked.spec.device,
            error=failure,
            again=again,
            report=report,
        )
        with self._lock:
            self._turns.pop(asked.request, None)
            if not turn.cancelled:
                listener(told)
                # From here on a cancel reaches the engine by itself.
                self._engine.submit(again, listener)
                return
        listener(Finished(request=asked.request, generation=0, reason=FinishReason.CANCELLED))

    def _allowed(self, turn: "_Turn") -> tuple[Generate, ContextReport]:
        """What the CPU shall answer, and its prompt counted exactly.

        Raises:
            ContenoxError: why it may not.
        """
        if turn.called:
            raise UserError("tool_called", "a tool call had been made already", "")
        load = self._load_on_cpu(turn.request.spec)
        again = turn.going_on(load.spec)
        counted: list[ContextReport] = []

        def listen(event: Event) -> None:
            if isinstance(event, Counted):
                counted.append(event.report)

        self._engine.call(Count(request=new_request_id(), turn=again), listen)
        report = counted[0]
        left = load.tested_tokens - report.prompt_tokens
        if left < max(1, again.reserve_tokens):
            raise UserError(
                "not_certified",
                f"prompt and answer need {report.needed_tokens:,} tokens,"
                f" and {load.tested_tokens:,} were tested there",
                "",
            )
        # The answer, too, ends where nothing was measured any more.
        return msgspec.structs.replace(again, max_tokens=min(again.max_tokens, left)), report

    def _forget(self, turn: "_Turn") -> None:
        with self._lock:
            self._turns.pop(turn.request.request, None)


class _Turn:
    """A request on another device, and what of its answer the person has."""

    def __init__(self, request: Generate) -> None:
        self.request = request
        self.text = ""
        self.called = False
        self.cancelled = False

    def note(self, delta: Delta) -> None:
        if delta.kind is DeltaKind.TEXT:
            self.text += delta.text
        self.called = self.called or delta.kind is DeltaKind.TOOL_CALL

    def going_on(self, spec: LoadSpec) -> Generate:
        """The same request on ``spec``; its answer goes on from the text that there is.

        Thoughts without a text are thought anew: a model can't be put back into them.
        """
        messages = self.request.messages
        if self.text and messages and messages[-1].role is Role.ASSISTANT:
            begun = messages[-1].content + self.text
            messages = (*messages[:-1], msgspec.structs.replace(messages[-1], content=begun))
        elif self.text:
            messages = (*messages, ChatMessage(role=Role.ASSISTANT, content=self.text))
        return msgspec.structs.replace(self.request, spec=spec, messages=messages)


def _failure_of_the_device(ended: Finished | Failed) -> ErrorRecord | None:
    """Why the model was lost; ``None`` if it wasn't, or to its files or to a mistake of ours.

    A pool that is used up and a standstill keep their text and end as outcomes, but they cost the
    session like every fatal fault: their cause lies in the library's pool or in the driver.
    """
    match ended:
        case Failed(fatal=True, error=error):
            ours = error.kind is not ErrorKind.ENVIRONMENT or error.code == _CLOSING
            return None if ours else error
        case Finished(reason=FinishReason.POOL_EXHAUSTED):
            return fault("pool_exhausted").error().record()
        case Finished(reason=FinishReason.STALLED):
            return EnvironmentFault(
                "stalled",
                "The device made no progress any more.",
                "Send the message again, or choose CPU.",
            ).record()
    return None


def _not_certified(why: str) -> UserError:
    return UserError("not_certified", why, "Certify the model on the CPU: contenox certify MODEL.")


def _with_reason(failed: ErrorRecord, refusal: ContenoxError) -> ErrorRecord:
    """The first failure, with why it stayed at that."""
    why = refusal.message.rstrip(".")
    remedy = f"{failed.remedy} It was not tried again on the CPU: {why}."
    return msgspec.structs.replace(failed, remedy=remedy)

"""What a prompt is made of, what of it will be reused, and whether that came true."""

import contextlib
import logging

import msgspec
from msgspec import Struct

from app.core.errors import UserError
from app.engine.client import EngineClient
from app.engine.outcome import ContextReport
from app.engine.protocol import Finished, Generate, new_request_id
from app.workflows.context import count
from app.workflows.context_overflow import Overflow, overflow_of
from app.workflows.context_talk import Cut, Talk
from app.workflows.context_warmth import Measured, measured

_log = logging.getLogger(__name__)


class Pass(Struct, frozen=True, kw_only=True):
    """One reading of the prompt. ``agrees``: what was measured is what had been predicted.

    ``measured_reused_tokens`` is absent where the library's counters tell nothing.
    """

    predicted_reused_tokens: int
    measured_reused_tokens: int | None
    agrees: bool | None
    ttft_s: float | None
    physical_prefill_tokens: int
    deferred_prefill_tokens: int


class Explanation(Struct, frozen=True, kw_only=True):
    """A prompt before anything is computed, and two readings of it if it was to be measured.

    ``cut`` is what would be left out first of a prompt that doesn't fit.
    """

    model: str
    backend: str
    device: str
    report: ContextReport
    overflow: Overflow | None = None
    cut: Cut | None = None
    first: Pass | None = None
    second: Pass | None = None
    after: Measured | None = None
    why_not: str = ""


def explain(
    engine: EngineClient, turn: Generate, *, measure: bool = True, talk: Talk | None = None
) -> Explanation:
    """Counts the prompt of ``turn`` and, if it fits, reads it twice. Blocks.

    Args:
        talk: the chat that ``turn`` was made of.

    Raises:
        ContenoxError: the load, the template or the engine failed.
    """
    report = count(engine, turn)
    spec = turn.spec
    explained = Explanation(
        model=spec.model_name,
        backend=spec.backend,
        device=spec.device,
        report=report,
        overflow=overflow_of(report),
        why_not=report.why_not,
    )
    if explained.overflow is not None:
        with contextlib.suppress(UserError):  # no history helps
            cut = None if talk is None else talk.cut_to_fit(report)
            explained = msgspec.structs.replace(explained, cut=cut)
        return explained
    if not measure:
        return explained
    first = _read(engine, turn)
    warm = count(engine, turn)
    second = _read(engine, turn)
    reused = second.usage.reused_tokens
    return msgspec.structs.replace(
        explained,
        first=_pass(first, first.usage.predicted_reused_tokens),
        second=_pass(second, warm.predicted_reused_tokens or 0),
        after=measured(count(engine, turn), reused),
        why_not="" if reused else warm.why_not or _never(second),
    )


def agreement(predicted_tokens: int, end: Finished) -> bool | None:
    """Whether a turn reused what was predicted; a mismatch is logged.

    ``None`` where nothing was measured: the stateful pipeline, a device other than the CPU.
    """
    usage = end.usage
    if not usage.reuse_measured:
        return None
    agrees = usage.reused_tokens == predicted_tokens
    if not agrees:
        _log.warning(
            "reuse: predicted %d tokens, measured %d of %d",
            predicted_tokens,
            usage.reused_tokens,
            usage.prompt_tokens,
        )
    return agrees


def _read(engine: EngineClient, turn: Generate) -> Finished:
    """Reads the prompt and writes one token."""
    once = msgspec.structs.replace(turn, request=new_request_id(), max_tokens=1)
    return engine.call(once)


def _pass(end: Finished, predicted_tokens: int) -> Pass:
    usage = end.usage
    return Pass(
        predicted_reused_tokens=predicted_tokens,
        measured_reused_tokens=usage.reused_tokens if usage.reuse_measured else None,
        agrees=agreement(predicted_tokens, end),
        ttft_s=end.timings.ttft_s,
        physical_prefill_tokens=usage.physical_prefill_tokens,
        deferred_prefill_tokens=usage.deferred_prefill_tokens,
    )


def _never(end: Finished) -> str:
    if end.usage.prompt_tokens <= 32:
        return "The prompt is shorter than a block of the cache."
    return "This pipeline keeps nothing from one prompt to the next."

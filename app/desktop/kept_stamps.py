"""How an answer came about, in the window's words and in the store's."""

from typing import Final

from app.chats import records
from app.desktop.conversation import AnswerStamp, FailedRun, Message
from app.engine.chat import Role
from app.engine.outcome import FinishReason, Timings, Usage


def start_of(stamp: AnswerStamp | None, settings: records.SamplingFields) -> records.AnswerStart:
    """What is stored when an answer begins."""
    known = stamp or AnswerStamp(model="")
    return records.AnswerStart(
        model_name=known.model,
        model_digest=known.digest,
        backend=known.backend,
        device=known.device,
        settings=settings,
        context_manifest=known.manifest or None,
    )


def end_of(stamp: AnswerStamp) -> records.AnswerEnd:
    """What is stored when it ends."""
    usage, timings = stamp.usage, stamp.timings
    return records.AnswerEnd(
        finish_reason=str(stamp.reason or ""),
        seed=stamp.seed,
        usage=records.Usage(
            prompt_tokens=usage.prompt_tokens,
            reused_tokens=usage.reused_tokens,
            predicted_reused_tokens=usage.predicted_reused_tokens,
            reuse_measured=usage.reuse_measured,
            completion_tokens=usage.completion_tokens,
            thinking_tokens=usage.thinking_tokens,
        ),
        timings=records.Timings(
            load_s=timings.load_s,
            ttft_s=timings.ttft_s,
            thinking_s=stamp.thinking_s,
            prefill_tokens_per_s=timings.prefill_tokens_per_s,
            decode_tokens_per_s=timings.decode_tokens_per_s,
        ),
        error=stamp.error,
    )


def shown(message: records.Message) -> Message:
    """A stored message as the window holds it, with the stamp of its last run."""
    return Message(
        id=message.id,
        role=Role(message.role),
        text=message.text,
        thinking=message.thinking,
        parent=message.parent_id,
        sent_at_ms=message.created_at_ms,
        stamp=_stamp_of(message.stamps) if message.stamps else None,
    )


def _stamp_of(stamps: tuple[records.Stamp, ...]) -> AnswerStamp:
    """The last run of an answer. One that was cut off has neither a reason nor an error."""
    stamp = stamps[-1]
    start, end = stamp.start, stamp.end or records.AnswerEnd(finish_reason="")
    usage, timings = end.usage, end.timings
    return AnswerStamp(
        model=start.model_name,
        digest=start.model_digest,
        backend=start.backend,
        device=start.device,
        seed=end.seed,
        thinking_s=timings.thinking_s,
        reason=_REASONS.get(end.finish_reason),
        error=end.error,
        before=_failed_before(stamps),
        manifest=start.context_manifest or "",
        usage=Usage(
            prompt_tokens=usage.prompt_tokens,
            reused_tokens=usage.reused_tokens,
            predicted_reused_tokens=usage.predicted_reused_tokens or 0,
            reuse_measured=usage.reuse_measured,
            completion_tokens=usage.completion_tokens,
            thinking_tokens=usage.thinking_tokens,
        ),
        timings=Timings(
            load_s=timings.load_s or 0.0,
            ttft_s=timings.ttft_s,
            prefill_tokens_per_s=timings.prefill_tokens_per_s,
            decode_tokens_per_s=timings.decode_tokens_per_s,
        ),
    )


def _failed_before(stamps: tuple[records.Stamp, ...]) -> FailedRun | None:
    """The run before the last one, if it failed on another device."""
    if len(stamps) < 2:
        return None
    before, last = stamps[-2:]
    if before.end is None or before.end.error is None or before.start.device == last.start.device:
        return None
    return FailedRun(device=before.start.device, error=before.end.error)


_REASONS: Final = {str(reason): reason for reason in FinishReason}

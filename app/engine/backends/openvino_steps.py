"""An answer of the paged pipeline, step by step, without a streamer.

``generate`` calls a streamer on a thread of its own, and waking that for each token costs the
decode beside it 0.2 ms: 2 % of what a small model takes for a token (docs/decisions/0148). ``step``
wakes nobody, but holds the interpreter while it computes, so that the engine's other threads wait
for a token's end. So quick answers go this way, and slow ones, which lose nothing by the streamer,
don't.
"""

import dataclasses
from dataclasses import dataclass
from statistics import fmean
from typing import Any, Final

from app.engine.backends.openvino_stream import TokenStream
from app.engine.native_failure import NATIVE_ERRORS, NativeFailure, translate

QUICK_TOKENS_PER_S: Final = 20.0
"""From this decode rate on an answer is made in steps. A cancel then waits for four tokens at most:
three in which the main thread reads it, each time for its turn, and one that frees the blocks."""

STEPS_INTERVAL_S: Final = 1 / 15
"""How long tokens wait for others on this way. Passing text on costs the decode 0.5 ms each time,
with the window's process that takes it; a quick answer still flows for whoever reads it."""

_REQUEST_ID: Final = 0  # one request at a time


@dataclass(frozen=True, slots=True)
class Answered:
    """What the library made of a prompt.

    Args:
        ids: the answer's tokens.
        finish: the library's finish reason; ``NONE`` for a cancel and for a full pool.
        perf_metrics: the library's own.
        measured_tokens: how many of ``ids`` there were when the pool's use was taken.
        use_percent: the pool's average use over the steps until then.
    """

    ids: list[int]
    finish: Any
    perf_metrics: Any
    measured_tokens: int
    use_percent: float


def answer_in_steps(
    genai: Any, pipeline: Any, prompt: Any, config: Any, tokens: TokenStream
) -> Answered:
    """Answers ``prompt`` and passes the tokens on, some together if they come quickly.

    Args:
        genai: the module ``openvino_genai``.
        pipeline: a ``ContinuousBatchingPipeline`` with nothing to do.
        prompt: an ``openvino.Tensor`` of ids, shape (1, tokens), int64.
        config: one sequence, greedy or sampled.
        tokens: takes the tokens and says when to stop; its ``end`` is left to the caller.

    Raises:
        NativeFailure: what the library raised. Fatal if it came from a step: the pipeline keeps
            such a request, and would refuse every other one.
    """
    try:
        handle = pipeline.add_request(_REQUEST_ID, prompt, config)
    except NATIVE_ERRORS as error:
        raise translate(error) from error
    ids: list[int] = []
    used: list[float] = []
    finish = genai.GenerationFinishReason.NONE
    goes_on = True
    try:
        while pipeline.has_non_finished_requests():
            pipeline.step()
            if not ids:
                used.append(pipeline.get_metrics().cache_usage)
            if not (goes_on and tokens.due):
                continue
            fresh, finish = _read(handle, finish)
            ids += fresh
            if fresh and not tokens.take(fresh):
                goes_on = False
                handle.cancel()  # the next step frees its blocks
        fresh, finish = _read(handle, finish)
        perf_metrics = handle.get_perf_metrics()
    except NATIVE_ERRORS as error:
        failure = translate(error)
        fatal = dataclasses.replace(failure.fault, fatal=True)
        raise NativeFailure(fatal, failure.detail) from error
    if fresh:
        ids += fresh
        tokens.take(fresh)
    return Answered(
        ids=ids,
        finish=finish,
        perf_metrics=perf_metrics,
        measured_tokens=min(1, len(ids)),
        use_percent=fmean(used) if used else 0.0,
    )


def _read(handle: Any, finish: Any) -> tuple[list[int], Any]:
    """The tokens that have come since, and the finish reason that is known now."""
    ids: list[int] = []
    while handle.can_read():  # never after a cancel
        for output in handle.read().values():
            ids += output.generated_ids
            finish = output.finish_reason
    return ids, finish

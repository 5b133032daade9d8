"""What the paged pipeline really reused, from its own counters.

The library reports no hits. But it reports the average share of the pool that was in use over the
scheduler's steps of a call, and a step computes at most a batch: reused tokens take their blocks in
the first step, computed ones a batch at a time. So the average tells where the computation began,
to within a batch. Observed on openvino-genai 2026.4.1.0, where the average begins anew in each call
and covers 1,000 steps.
"""

from typing import Final

from msgspec import Struct

_WINDOW_STEPS: Final = 900
# A block more or less in one step moves the sum of all steps by one; rounding stays far below.
_SUM_TOLERANCE_BLOCKS: Final = 0.3


class Call(Struct, frozen=True, kw_only=True):
    """One native call: a prompt, the tokens it produced, and the pool's average use in percent."""

    prompt_tokens: int
    produced_tokens: int
    average_percent: float
    pool_blocks: int
    block_tokens: int
    batch_tokens: int


def measured_reuse(call: Call, predicted_tokens: int) -> int | None:
    """The leading tokens that were not computed; ``predicted_tokens`` if the counters agree.

    ``None`` if the counters fit no amount of reuse, so that nothing was measured.
    """
    steps = call.produced_tokens + call.prompt_tokens // call.batch_tokens + 1
    if call.produced_tokens < 1 or steps > _WINDOW_STEPS:
        return None
    if _error(call, predicted_tokens) < _SUM_TOLERANCE_BLOCKS:
        return predicted_tokens
    candidates = range(0, call.prompt_tokens, call.block_tokens)
    best = min(candidates, key=lambda one: (_error(call, one), abs(one - predicted_tokens)))
    return best if _error(call, best) < _SUM_TOLERANCE_BLOCKS else None


def _error(call: Call, reused_tokens: int) -> float:
    """How far the sum over all steps, in blocks, is from what ``reused_tokens`` would give."""
    ends = list(range(reused_tokens + call.batch_tokens, call.prompt_tokens, call.batch_tokens))
    ends.append(call.prompt_tokens)
    # The last produced token is never computed.
    ends += range(call.prompt_tokens + 1, call.prompt_tokens + call.produced_tokens)
    expected = sum(-(-end // call.block_tokens) for end in ends)
    counted = call.average_percent / 100 * call.pool_blocks * len(ends)
    return abs(expected - counted)

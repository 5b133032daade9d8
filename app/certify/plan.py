"""What a certification measures, and about how long it takes."""

import math
from typing import Final

from msgspec import Struct

from app.certify.certificate import NotTested
from app.certify.measure import Size

SIZES: Final = (128, 512, 2048, 4096)
"""Prompt tokens that every certificate has, beside the largest prompt that the context admits."""

# The ratio of the shortest decides: one pair's is uncertain by some 6 % on a machine of two cores,
# the median of 25 by 1.5 %.
_PAIRS: Final = {128: 25, 512: 5, 2048: 3, 4096: 3}
_PAIRS_LARGEST: Final = 2
_STARTS: Final = 5  # for the shortest
_QUICK_PAIRS: Final = {128: 3, 512: 1}
LEAST_ROUNDS: Final = 1
LEAST_CONTEXT_TOKENS: Final = 512
"""The answer checks' own prompts and answers take about 300."""
_DECIDING_PAIRS: Final = 9  # of the shortest prompt, whose ratio decides: never fewer
_CHECK_TOKENS: Final = 1000  # decoded by all the answer checks together, about
_CHECK_PROMPT_TOKENS: Final = 900  # read by them, beside the prompts with a marker
_MARKERS: Final = 3
_DEPTH_OF_SQRT_2: Final = 4096


class Plan(Struct, frozen=True, kw_only=True):
    """``cancels`` and ``drift_runs`` are repetitions; ``warm_tokens`` is a prompt's size."""

    quick: bool
    sizes: tuple[Size, ...]
    not_tested: tuple[NotTested, ...]
    decode_tokens: int
    warm_tokens: int
    recall_tokens: int
    cancels: int
    drift_runs: int

    def expected_s(self, prefill_tokens_per_s: float, decode_tokens_per_s: float) -> float:
        """The seconds for checks and measurements at these rates of the product.

        The rates are those of a short prompt. The loads come in addition.
        """
        read = _MARKERS * self.recall_tokens + _CHECK_PROMPT_TOKENS
        written = _CHECK_TOKENS + self.drift_runs * self.decode_tokens
        before = read / prefill_tokens_per_s + written / decode_tokens_per_s
        return before + self.left_s(0, prefill_tokens_per_s, decode_tokens_per_s)

    def left_s(self, done: int, prefill_tokens_per_s: float, decode_tokens_per_s: float) -> float:
        """The seconds for all sizes after the first ``done`` and for what comes after them, at a
        short prompt's rates. Product and control each run every pair.
        """
        read = self.warm_tokens + self.cancels * self.warm_tokens // 2
        written = self.drift_runs * self.decode_tokens
        total = read / prefill_tokens_per_s + written / decode_tokens_per_s
        for size in self.sizes[done:]:
            read_s = size.prompt_tokens / prefill_tokens_per_s
            written_s = self.decode_tokens / decode_tokens_per_s
            total += 2 * size.pairs * (read_s + written_s) * slower_by(size.prompt_tokens)
        return total


def slower_by(prompt_tokens: int) -> float:
    """About how much longer a token takes at this depth than at a short prompt.

    Attention's share grows with the depth. The constant is from runs of the starter model on a CPU
    and serves for the expected time alone; nothing that is measured rests on it.
    """
    return math.sqrt(1 + prompt_tokens / _DEPTH_OF_SQRT_2)


def plan_for(
    context_tokens: int, *, quick: bool, rounds: int | None = None, beyond_trained: bool = False
) -> Plan:
    """The plan for a model that is loaded with ``context_tokens``.

    Args:
        rounds: at most so many pairs of each size but the shortest, for a slow machine. The
            certificate tells how many runs each figure has.
        beyond_trained: the markers are looked for in the whole context, since that is in question.
    """
    decode_tokens = 32 if quick else 64
    largest = max(context_tokens - decode_tokens - 1, 1)
    pairs = _QUICK_PAIRS if quick else _PAIRS
    fitting = [tokens for tokens in pairs if tokens <= largest]
    if not quick or not fitting:
        fitting.append(largest)
    sizes = {tokens: pairs.get(tokens, _PAIRS_LARGEST) for tokens in fitting}
    if rounds is not None and not quick:
        shortest = min(sizes)
        sizes = {
            tokens: max(min(count, rounds), _DECIDING_PAIRS if tokens == shortest else 1)
            for tokens, count in sizes.items()
        }
    left = dict.fromkeys(tokens for tokens in (*SIZES, largest) if tokens not in sizes)
    not_tested = [
        NotTested(prompt_tokens=tokens, reason=_why_not(tokens, context_tokens, largest))
        for tokens in left
    ]
    return Plan(
        quick=quick,
        sizes=tuple(
            Size(
                prompt_tokens=one,
                pairs=sizes[one],
                starts=_STARTS if one == min(sizes) and not quick else 1,
            )
            for one in sizes
        ),
        not_tested=tuple(not_tested),
        decode_tokens=decode_tokens,
        warm_tokens=min(512 if quick else 2048, largest),
        recall_tokens=_recall_tokens(largest, quick=quick, beyond_trained=beyond_trained),
        cancels=2 if quick else 5,
        drift_runs=2 if quick else 3,
    )


def _recall_tokens(largest: int, *, quick: bool, beyond_trained: bool) -> int:
    whole = max(largest - 300, largest // 2)
    if beyond_trained:
        return whole
    return min(400, largest // 2) if quick else min(3000, whole)


def _why_not(tokens: int, context_tokens: int, largest: int) -> str:
    if tokens > largest:
        return f"a context of {context_tokens} tokens doesn't admit it with an answer"
    return "the quick run measures short prompts only"

"""What a certification measures, and about how long it takes."""

import math
from typing import Final

from msgspec import Struct

from app.certify.certificate import NotTested
from app.certify.measure import Size

SIZES: Final = (128, 512, 2048, 4096)
"""Prompt tokens that every certificate has, beside the largest prompt that the context admits."""

_RUNS: Final = {512: 5, 2048: 3, 4096: 3}
_RUNS_LARGEST: Final = 2
_DECODE_TOKENS: Final = 64
# The ratio of the shortest decides: many short answers in turn, in fresh processes of which now one
# and now the other was started first (docs/decisions/0147).
_DECIDING_RUNS: Final = 6
_DECIDING_RUNS_LEAST: Final = 2
_TURNS: Final = 16
_TURN_TOKENS: Final = 16
_QUICK_RUNS: Final = 3
_QUICK_TURNS: Final = 4
_QUICK_SIZES: Final = (128, 512)
_QUICK_DECODE_TOKENS: Final = 32
LEAST_ROUNDS: Final = 1
LEAST_CONTEXT_TOKENS: Final = 512
"""The answer checks' own prompts and answers take about 300."""
_CHECK_TOKENS: Final = 1000  # decoded by all the answer checks together, about
_CHECK_PROMPT_TOKENS: Final = 900  # read by them, beside the prompts with a marker
_MARKERS: Final = 3
_DEPTH_OF_SQRT_2: Final = 4096


class Plan(Struct, frozen=True, kw_only=True):
    """``cancels`` and ``drift_runs`` are repetitions; ``warm_tokens`` is a prompt's size.

    ``decode_tokens``: the control writes so many when it shows what the machine can do.
    """

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
            written_s = size.decode_tokens / decode_tokens_per_s
            answers = 2 * size.runs * size.turns
            total += answers * (read_s + written_s) * slower_by(size.prompt_tokens)
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
        rounds: at most so many runs of each size, for a slow machine; the shortest has two at
            least. The certificate tells how many runs each figure has.
        beyond_trained: the markers are looked for in the whole context, since that is in question.
    """
    decode_tokens = _QUICK_DECODE_TOKENS if quick else _DECODE_TOKENS
    largest = max(context_tokens - decode_tokens - 1, 1)
    usual = _QUICK_SIZES if quick else SIZES
    fitting = [tokens for tokens in usual if tokens <= largest]
    if not quick or not fitting:
        fitting.append(largest)
    shortest, *longer = dict.fromkeys(fitting)
    most = None if quick else rounds
    sizes = [_deciding(shortest, most, quick=quick)]
    for tokens in longer:
        runs = 1 if quick else _RUNS.get(tokens, _RUNS_LARGEST)
        runs = runs if most is None else min(runs, most)
        sizes.append(Size(prompt_tokens=tokens, runs=runs, decode_tokens=decode_tokens))
    left = [tokens for tokens in dict.fromkeys((*SIZES, largest)) if tokens not in fitting]
    not_tested = [
        NotTested(prompt_tokens=tokens, reason=_why_not(tokens, context_tokens, largest))
        for tokens in left
    ]
    return Plan(
        quick=quick,
        sizes=tuple(sizes),
        not_tested=tuple(not_tested),
        decode_tokens=decode_tokens,
        warm_tokens=min(512 if quick else 2048, largest),
        recall_tokens=_recall_tokens(largest, quick=quick, beyond_trained=beyond_trained),
        cancels=2 if quick else 5,
        drift_runs=2 if quick else 5,
    )


def _deciding(prompt_tokens: int, most: int | None, *, quick: bool) -> Size:
    """The shortest size, whose decode ratio decides; ``most`` is the person's limit of its runs."""
    if quick:
        runs, turns = _QUICK_RUNS, _QUICK_TURNS
    else:
        least = min(_DECIDING_RUNS, most or _DECIDING_RUNS)
        runs, turns = max(least, _DECIDING_RUNS_LEAST), _TURNS
    return Size(
        prompt_tokens=prompt_tokens,
        runs=runs,
        turns=turns,
        decode_tokens=_TURN_TOKENS,
        fresh=not quick,
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

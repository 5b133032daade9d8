"""What a certification measures, and about how long it takes."""

from typing import Final

from msgspec import Struct

from app.certify.certificate import NotTested
from app.certify.measure import Size

SIZES: Final = (128, 512, 2048, 4096)
"""Prompt tokens that every certificate has, beside the largest prompt that the context admits."""

_PAIRS: Final = {128: 7, 512: 5, 2048: 3, 4096: 3}
_PAIRS_LARGEST: Final = 2
_QUICK_PAIRS: Final = {128: 3, 512: 1}
_CHECK_TOKENS: Final = 1000  # decoded by all the answer checks together, about
_CHECK_PROMPT_TOKENS: Final = 900  # read by them, beside the prompts with a marker
_MARKERS: Final = 3


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

        Product and control each run every pair; the loads come in addition.
        """
        read = 2 * sum(size.pairs * size.prompt_tokens for size in self.sizes)
        written = 2 * sum(size.pairs for size in self.sizes) * self.decode_tokens
        read += self.warm_tokens + self.cancels * self.warm_tokens // 2
        read += _MARKERS * self.recall_tokens + _CHECK_PROMPT_TOKENS
        written += _CHECK_TOKENS + 2 * self.drift_runs * self.decode_tokens
        return read / prefill_tokens_per_s + written / decode_tokens_per_s


def plan_for(context_tokens: int, *, quick: bool) -> Plan:
    """The plan for a model that is loaded with ``context_tokens``."""
    decode_tokens = 32 if quick else 64
    largest = max(context_tokens - decode_tokens - 1, 1)
    pairs = _QUICK_PAIRS if quick else _PAIRS
    fitting = [tokens for tokens in pairs if tokens <= largest]
    if not quick or not fitting:
        fitting.append(largest)
    sizes = {tokens: pairs.get(tokens, _PAIRS_LARGEST) for tokens in fitting}
    left = dict.fromkeys(tokens for tokens in (*SIZES, largest) if tokens not in sizes)
    not_tested = [
        NotTested(prompt_tokens=tokens, reason=_why_not(tokens, context_tokens, largest))
        for tokens in left
    ]
    return Plan(
        quick=quick,
        sizes=tuple(Size(prompt_tokens=one, pairs=sizes[one]) for one in sizes),
        not_tested=tuple(not_tested),
        decode_tokens=decode_tokens,
        warm_tokens=min(512 if quick else 2048, largest),
        recall_tokens=min(400, largest // 2)
        if quick
        else min(3000, max(largest - 300, largest // 2)),
        cancels=2 if quick else 5,
        drift_runs=2 if quick else 3,
    )


def _why_not(tokens: int, context_tokens: int, largest: int) -> str:
    if tokens > largest:
        return f"a context of {context_tokens} tokens doesn't admit it with an answer"
    return "the quick run measures short prompts only"

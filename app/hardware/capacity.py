"""Whether a model fits on a device, and with how much context: one sum, shown as it is. Pure.

What a person asked for (``ContextRequest``) and what came out (``ResolvedTokens``) are different
types. Feeding a resolved context back as a request would let it shrink a little with each load and
never grow again.
"""

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import Final

from msgspec import Struct

from app.core.errors import Bug, EnvironmentFault, UserError
from app.core.units import GIB, MIB, format_bytes
from app.hardware.budget import MemoryBudget
from app.hardware.kv_cache import (
    CPU_BLOCK_TOKENS,
    MAX_DERIVED_CACHE_GIB,
    KvPrecision,
    kv_allocated_bytes_per_token,
    kv_bytes_per_token,
    kv_bytes_with_windows,
    pool_tokens,
    scheduler_cache_gib,
)
from app.hardware.model_shape import ModelShape

WORKING_BYTES: Final = 320 * MIB
"""Libraries, tokenizer, activations of a batch: what a process of OpenVINO GenAI 2026.4.1.0 held
beyond weights and touched cache on the starter model (299 MB at 2,000 tokens). Not measured on
larger models; a certificate's measured peak replaces it."""

DEFAULT_CONTEXT_TOKENS: Final = 4096
"""For a model whose files don't say what it was trained for."""

MIN_CONTEXT_TOKENS: Final = 512
"""Below this a chat template and an answer don't fit; the model is refused instead."""

_TIGHT_SHARE: Final = Fraction(9, 10)
_SEARCH_LIMIT_TOKENS: Final = 2**24


_SUM: Final = (
    "{weights} of weights + {kv} of KV cache for {tokens} tokens + {working} of working space ="
    " {total}, and {usable} can be used on {device}"
)
FITS: Final = f"It fits: {_SUM}."
TIGHT: Final = f"It fits with little to spare: {_SUM}."
TOO_LARGE: Final = (
    f"It does not fit: {_SUM} ({{free}} are free, {{reserve}} of them stay reserved)."
)
POOL_TOO_SMALL: Final = (
    "It does not fit: {tokens} tokens need a KV cache of {kv}, and the pool that the program or the"
    " profile sets is smaller."
)
SENTENCES: Final = (FITS, TIGHT, TOO_LARGE, POOL_TOO_SMALL)
"""Every sentence of a ``Fit``, so that a skin can say it in another language."""


class ResolvedTokens(int):
    """A context that was worked out. It is a count like another, and no ``ContextRequest``."""


@dataclass(frozen=True, slots=True)
class ContextRequest:
    """The context a person or a profile asked for; ``None`` leaves it to the arithmetic."""

    tokens: int | None = None

    def __post_init__(self) -> None:
        if isinstance(self.tokens, ResolvedTokens):
            raise Bug(
                "resolved_context_as_request",
                "A context that was worked out was passed on as if a person had asked for it.",
                "Keep the request, and work the context out anew.",
            )
        if self.tokens is not None and self.tokens < 1:
            raise UserError(
                "bad_context",
                f"A context of {self.tokens} tokens can't hold a prompt.",
                f"Choose at least {MIN_CONTEXT_TOKENS} tokens.",
            )


class ContextLimit(StrEnum):
    """What decided the context."""

    REQUEST = "request"
    TRAINED = "trained"
    DEFAULT = "default"
    MEMORY = "memory"
    POOL = "pool"


class Verdict(StrEnum):
    """``TIGHT``: it fits, with less than a tenth to spare."""

    FITS = "fits"
    TIGHT = "tight"
    DOES_NOT_FIT = "does_not_fit"


class KvPlan(Struct, frozen=True, kw_only=True):
    """How a backend keeps the KV cache.

    ``paged`` is OpenVINO's pool: whole GiB, whole blocks, all layers alike; ``cache_gib`` is the
    profile's explicit size. Otherwise (llama) the context is allocated exactly, and layers with a
    sliding window take less if ``honours_windows``.
    """

    precision: KvPrecision
    paged: bool = True
    block_tokens: int = CPU_BLOCK_TOKENS
    cache_gib: int | None = None
    honours_windows: bool = False


class Fit(Struct, frozen=True, kw_only=True):
    """The answer to "does it fit here?", with every number that went into it.

    ``context_tokens`` is 0 if it does not fit; ``largest_context_tokens`` is what would.
    ``cache_gib`` is what the scheduler shall get, absent where there is no pool. ``sentence`` has
    the sum in words.
    """

    verdict: Verdict
    device: str
    context_tokens: ResolvedTokens
    limited_by: ContextLimit
    largest_context_tokens: int
    weights_bytes: int
    kv_bytes: int
    working_bytes: int
    usable_bytes: int
    cache_gib: int | None
    sentence: str

    @property
    def needed_bytes(self) -> int:
        return self.weights_bytes + self.kv_bytes + self.working_bytes

    @property
    def spare_bytes(self) -> int:
        """What is left over; negative if it does not fit into memory."""
        return self.usable_bytes - self.needed_bytes

    def require(self) -> None:
        """Refuses what does not fit, for whichever backend.

        Raises:
            EnvironmentFault: ``does_not_fit``, with the sum and what would fit.
        """
        if self.verdict is not Verdict.DOES_NOT_FIT:
            return
        remedy = "Choose a smaller model, or close other programs."
        if self.largest_context_tokens >= MIN_CONTEXT_TOKENS:
            remedy = (
                f"Choose a context of at most {self.largest_context_tokens:,} tokens, "
                "or a smaller model."
            )
        raise EnvironmentFault("does_not_fit", self.sentence, remedy)


def fit(
    shape: ModelShape,
    weights_bytes: int,
    plan: KvPlan,
    budget: MemoryBudget,
    request: ContextRequest | None = None,
    *,
    working_bytes: int = WORKING_BYTES,
) -> Fit:
    """Works out the context and the sum: weights + KV cache + working space against what is free.

    Without a request the context shrinks to what fits; a request is kept or refused, never cut.

    Raises:
        UserError: ``context_too_large`` for a request beyond what the model was trained for,
            ``bad_cache_size``.
    """
    asked = request.tokens if request is not None else None
    target, limit = _target(shape, asked)
    room = budget.usable_bytes - weights_bytes - working_bytes
    largest, bound = _largest_context(shape, plan, room)
    chosen = target
    if target > largest and asked is None:
        chosen, limit = max(min(largest, target), min(MIN_CONTEXT_TOKENS, target)), bound
    fits = chosen <= largest
    kv_bytes, cache_gib = _kv_cost(shape, plan, chosen, room if fits else None)
    needed = weights_bytes + kv_bytes + working_bytes
    verdict = Verdict.DOES_NOT_FIT
    if fits:
        is_tight = needed > budget.usable_bytes * _TIGHT_SHARE
        verdict = Verdict.TIGHT if is_tight else Verdict.FITS
    return Fit(
        verdict=verdict,
        device=budget.device,
        context_tokens=ResolvedTokens(chosen if fits else 0),
        limited_by=limit if fits else bound,
        largest_context_tokens=max(min(largest, target), 0),
        weights_bytes=weights_bytes,
        kv_bytes=kv_bytes,
        working_bytes=working_bytes,
        usable_bytes=budget.usable_bytes,
        cache_gib=cache_gib,
        sentence=_sentence(verdict, chosen, (weights_bytes, kv_bytes, working_bytes), budget),
    )


def _target(shape: ModelShape, asked: int | None) -> tuple[int, ContextLimit]:
    """The context to aim for, before memory is looked at."""
    trained = shape.trained_context_tokens
    if asked is None:
        if trained is None:
            return DEFAULT_CONTEXT_TOKENS, ContextLimit.DEFAULT
        return trained, ContextLimit.TRAINED
    if trained is not None and asked > trained:
        raise UserError(
            "context_too_large",
            f"A context of {asked:,} tokens was asked for, and the model was trained for "
            f"{trained:,}.",
            f"Choose at most {trained:,} tokens, or leave the choice to the program.",
        )
    return asked, ContextLimit.REQUEST


def _largest_context(shape: ModelShape, plan: KvPlan, room: int) -> tuple[int, ContextLimit]:
    """The longest context that ``room`` bytes of KV cache hold, and what bounds it."""
    if not plan.paged:
        return _largest_exact(shape, plan, room), ContextLimit.MEMORY
    affordable = _affordable_gib(shape, plan, room)
    counted = kv_bytes_per_token(shape, plan.precision, block_tokens=plan.block_tokens)
    whole = pool_tokens(affordable * GIB, counted, block_tokens=plan.block_tokens)
    full = affordable == (plan.cache_gib or MAX_DERIVED_CACHE_GIB)
    # One block stays free, so that the last token of an answer never meets a full pool.
    return whole - plan.block_tokens, ContextLimit.POOL if full else ContextLimit.MEMORY


def _affordable_gib(shape: ModelShape, plan: KvPlan, room: int) -> int:
    """The largest pool in GiB that ``room`` holds; an explicit size is taken or not, never cut."""
    if plan.cache_gib is not None:
        size = scheduler_cache_gib(0, 0, plan.cache_gib)
        return size if _pool_bytes(shape, plan, size) <= room else 0
    sizes = range(MAX_DERIVED_CACHE_GIB, 0, -1)
    return next((size for size in sizes if _pool_bytes(shape, plan, size) <= room), 0)


def _pool_bytes(shape: ModelShape, plan: KvPlan, cache_gib: int) -> int:
    """The memory behind a pool; less than its size where the library counts too much."""
    counted = kv_bytes_per_token(shape, plan.precision, block_tokens=plan.block_tokens)
    real = kv_allocated_bytes_per_token(shape, plan.precision, block_tokens=plan.block_tokens)
    return cache_gib * GIB * real // counted


def _largest_exact(shape: ModelShape, plan: KvPlan, room: int) -> int:
    low, high = 0, shape.trained_context_tokens or _SEARCH_LIMIT_TOKENS
    if not plan.honours_windows:
        return min(max(room, 0) // _exact_bytes(shape, plan, 1), high)
    while low < high:
        middle = (low + high + 1) // 2
        if _exact_bytes(shape, plan, middle) <= room:
            low = middle
        else:
            high = middle - 1
    return low


def _exact_bytes(shape: ModelShape, plan: KvPlan, tokens: int) -> int:
    if plan.honours_windows:
        return kv_bytes_with_windows(shape, plan.precision, tokens)
    return tokens * kv_bytes_per_token(shape, plan.precision, block_tokens=plan.block_tokens)


def _kv_cost(
    shape: ModelShape, plan: KvPlan, tokens: int, room: int | None
) -> tuple[int, int | None]:
    """Bytes and pool size for a context; without ``room`` as much as it would really need."""
    if not plan.paged:
        return _exact_bytes(shape, plan, tokens), None
    counted = kv_bytes_per_token(shape, plan.precision, block_tokens=plan.block_tokens)
    size = scheduler_cache_gib(tokens, counted, plan.cache_gib)
    if room is not None:
        size = min(size, _affordable_gib(shape, plan, room))
    else:
        size = max(size, -(-(tokens + plan.block_tokens) * counted // GIB))
    return _pool_bytes(shape, plan, size), size


def _sentence(
    verdict: Verdict, tokens: int, parts: tuple[int, int, int], budget: MemoryBudget
) -> str:
    weights, kv, working = (format_bytes(part) for part in parts)
    template = FITS if verdict is Verdict.FITS else TIGHT
    if verdict is Verdict.DOES_NOT_FIT:
        template = POOL_TOO_SMALL if sum(parts) <= budget.usable_bytes else TOO_LARGE
    return template.format(
        weights=weights,
        kv=kv,
        working=working,
        tokens=f"{tokens:,}",
        total=format_bytes(sum(parts)),
        usable=format_bytes(budget.usable_bytes),
        device=budget.device,
        free=format_bytes(budget.free_bytes),
        reserve=format_bytes(budget.reserve_bytes),
    )

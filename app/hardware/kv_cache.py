"""What a token costs in the KV cache, and how many tokens a pool holds. Pure arithmetic.

Sources of the constants: the shapes that OpenVINO's CPU plug-in 2026.4.1 gives its cache tensors
(read back from a compiled model, and the same as in its source), the pool that GenAI 2026.4.1.0
reports for them, and llama.cpp's block layouts. ``docs/decisions/0031`` has the measurements.
"""

from enum import StrEnum
from fractions import Fraction
from functools import lru_cache
from typing import Final

from app.core.errors import UserError
from app.core.units import GIB
from app.hardware.model_shape import LayerShape, ModelShape

CPU_BLOCK_TOKENS: Final = 32
GPU_BLOCK_TOKENS: Final = 16

MIN_CACHE_GIB: Final = 1
MAX_DERIVED_CACHE_GIB: Final = 4

_POOL_HEADROOM: Final = Fraction(5, 4)
_SCALE_AND_ZERO_POINT_BYTES: Final = 8
"""Two 32-bit floats for each group that is quantised together."""


class KvPrecision(StrEnum):
    """How a value in the KV cache is stored; the second group is llama.cpp's."""

    F32 = "f32"
    F16 = "f16"
    BF16 = "bf16"
    U8 = "u8"
    I8 = "i8"
    U4 = "u4"

    Q8_0 = "q8_0"
    Q4_0 = "q4_0"
    Q4_1 = "q4_1"

    @classmethod
    def parse(cls, text: str) -> "KvPrecision":
        """Reads a name in any case; ``fp16`` and ``fp32`` are accepted too.

        Raises:
            UserError: ``unknown_kv_precision``.
        """
        name = text.strip().lower()
        name = {"fp16": "f16", "fp32": "f32"}.get(name, name)
        try:
            return cls(name)
        except ValueError:
            raise UserError(
                "unknown_kv_precision",
                f"“{text}” is no precision of a KV cache.",
                f"Choose one of {', '.join(cls)}.",
            ) from None


_BYTES_PER_VALUE: Final[dict[KvPrecision, Fraction]] = {
    KvPrecision.F32: Fraction(4),
    KvPrecision.F16: Fraction(2),
    KvPrecision.BF16: Fraction(2),
    # llama.cpp stores 32 values with a 16-bit scale (q4_1: and a 16-bit minimum).
    KvPrecision.Q8_0: Fraction(34, 32),
    KvPrecision.Q4_0: Fraction(18, 32),
    KvPrecision.Q4_1: Fraction(20, 32),
}


@lru_cache(maxsize=256)
def kv_bytes_per_token(
    shape: ModelShape, precision: KvPrecision, *, block_tokens: int = CPU_BLOCK_TOKENS
) -> int:
    """Bytes that one more token takes in a cache where each layer keeps all tokens.

    That is OpenVINO's paged pool: it has one block table for all layers, so a layer with a sliding
    window keeps as much as the others. It is the figure by which GenAI divides a pool into blocks.

    On the CPU, 8-bit keys are quantised by channel over a block (a scale and a zero point, 8 bytes,
    for each channel of each block) and values by token (8 bytes for each head of each token). 4-bit
    values have tensors of the same kind, twice as deep in overhead, and GenAI counts each 4-bit
    element as a whole byte: what it takes from memory is half (``kv_allocated_bytes_per_token``).
    For a GPU (``block_tokens`` 16) the quantised figures are upper bounds, not measured: its scales
    are 16-bit there.
    """
    per_token = sum(
        (_layer_bytes_per_token(layer, precision, block_tokens) for layer in shape.layers),
        start=Fraction(0),
    )
    return -(-per_token.numerator // per_token.denominator)


def kv_allocated_bytes_per_token(
    shape: ModelShape, precision: KvPrecision, *, block_tokens: int = CPU_BLOCK_TOKENS
) -> int:
    """Bytes of memory behind ``kv_bytes_per_token``; they differ for 4-bit values only."""
    counted = kv_bytes_per_token(shape, precision, block_tokens=block_tokens)
    return -(-counted // 2) if precision is KvPrecision.U4 else counted


def kv_bytes_with_windows(
    shape: ModelShape, precision: KvPrecision, tokens: int, *, batch_tokens: int = 512
) -> int:
    """Bytes for ``tokens`` where a layer with a sliding window keeps no more than it needs.

    That is llama.cpp with ``swa_full`` off: the window, and the batch that is being computed.
    """
    total = sum(
        (
            _layer_bytes_per_token(layer, precision, CPU_BLOCK_TOKENS)
            * layer.kept_tokens(tokens, batch_tokens)
            for layer in shape.layers
        ),
        start=Fraction(0),
    )
    return -(-total.numerator // total.denominator)


def _layer_bytes_per_token(
    layer: LayerShape, precision: KvPrecision, block_tokens: int
) -> Fraction:
    plain = _BYTES_PER_VALUE.get(precision)
    if plain is not None:
        return layer.kv_heads * (layer.key_dim + layer.value_dim) * plain
    # Elements of the cache tensors, each counted as one byte; 4-bit ones need twice as many
    # elements for the same 8 bytes of scale and zero point.
    depth = 2 if precision is KvPrecision.U4 else 1
    overhead = _SCALE_AND_ZERO_POINT_BYTES * depth
    key = Fraction(layer.key_dim * (block_tokens + overhead), block_tokens)
    return layer.kv_heads * (key + layer.value_dim + overhead)


def scheduler_cache_gib(
    hot_context_tokens: int, kv_bytes_per_token: int, explicit_gib: int | None = None
) -> int:
    """The pool of the scheduler in GiB, the unit that GenAI takes.

    ceil(hot context x bytes per token x 1.25 / GiB), at least 1 and at most 4. An explicit value,
    from a profile, wins and isn't capped.

    Raises:
        UserError: ``bad_cache_size`` for an explicit value below 1.
    """
    if explicit_gib is not None:
        if explicit_gib < MIN_CACHE_GIB:
            raise UserError(
                "bad_cache_size",
                f"A cache size of {explicit_gib} GiB can't hold a context.",
                f"Choose at least {MIN_CACHE_GIB} GiB, or leave cache_size out.",
            )
        return explicit_gib
    wanted = hot_context_tokens * kv_bytes_per_token * _POOL_HEADROOM / GIB
    return min(
        max(-(-wanted.numerator // wanted.denominator), MIN_CACHE_GIB), MAX_DERIVED_CACHE_GIB
    )


def pool_tokens(
    pool_bytes: int, kv_bytes_per_token: int, *, block_tokens: int = CPU_BLOCK_TOKENS
) -> int:
    """Tokens that a pool holds: whole blocks only."""
    return pool_bytes // (kv_bytes_per_token * block_tokens) * block_tokens

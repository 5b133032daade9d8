import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.errors import UserError
from app.core.units import GIB
from app.hardware.kv_cache import (
    CPU_BLOCK_TOKENS,
    GPU_BLOCK_TOKENS,
    KvPrecision,
    kv_allocated_bytes_per_token,
    kv_bytes_per_token,
    kv_bytes_with_windows,
    pool_tokens,
    scheduler_cache_gib,
)
from app.hardware.model_shape import LayerShape, ModelShape

pytestmark = pytest.mark.ov

STARTER = ModelShape.uniform(layers=30, kv_heads=3, head_dim=64, trained_context_tokens=8192)

_shapes = st.builds(
    ModelShape.uniform,
    layers=st.integers(1, 100),
    kv_heads=st.integers(1, 64),
    head_dim=st.sampled_from([64, 80, 96, 128, 192, 256]),
)
_precisions = st.sampled_from(list(KvPrecision))


@pytest.mark.parametrize(
    ("precision", "measured"),
    [("u8", 13_680), ("u4", 15_840), ("f16", 23_040), ("bf16", 23_040), ("f32", 46_080)],
)
def test_ov2_bytes_per_token_are_what_the_library_measured_on_the_starter(
    precision: str, measured: int
) -> None:
    assert kv_bytes_per_token(STARTER, KvPrecision.parse(precision)) == measured


@pytest.mark.parametrize(
    ("layers", "kv_heads", "head_dim", "expected"),
    [(28, 2, 128, 28_672), (36, 8, 128, 147_456), (16, 4, 128, 32_768)],
)
def test_ov2_f16_bytes_per_token(layers: int, kv_heads: int, head_dim: int, expected: int) -> None:
    shape = ModelShape.uniform(layers=layers, kv_heads=kv_heads, head_dim=head_dim)
    assert kv_bytes_per_token(shape, KvPrecision.F16) == expected


def test_ov2_q8_0_counts_the_scale_of_each_32_values() -> None:
    shape = ModelShape.uniform(layers=28, kv_heads=2, head_dim=128)
    assert kv_bytes_per_token(shape, KvPrecision.Q8_0) == 28_672 // 2 * 34 // 32
    assert kv_bytes_per_token(shape, KvPrecision.Q4_0) == 28_672 // 2 * 18 // 32


def test_ov2_an_8_bit_block_has_the_size_that_the_library_reports() -> None:
    assert kv_bytes_per_token(STARTER, KvPrecision.U8) * CPU_BLOCK_TOKENS == 437_760


def test_4_bit_values_take_half_of_what_the_library_counts() -> None:
    # The cache tensors of the starter on the CPU: keys 3 x 48 x 64, values 3 x 32 x 80 elements a
    # block and layer, two elements to a byte.
    real = 30 * (3 * 48 * 64 + 3 * 32 * 80) // 2
    assert kv_allocated_bytes_per_token(STARTER, KvPrecision.U4) * CPU_BLOCK_TOKENS == real


@given(_shapes, _precisions)
def test_only_4_bit_values_are_counted_otherwise_than_allocated(
    shape: ModelShape, precision: KvPrecision
) -> None:
    counted = kv_bytes_per_token(shape, precision)
    real = kv_allocated_bytes_per_token(shape, precision)
    assert real == (-(-counted // 2) if precision is KvPrecision.U4 else counted)


@given(_shapes)
def test_precisions_are_ordered_by_what_they_cost(shape: ModelShape) -> None:
    def cost(precision: KvPrecision) -> int:
        return kv_bytes_per_token(shape, precision)

    assert cost(KvPrecision.U8) == cost(KvPrecision.I8)
    assert cost(KvPrecision.Q4_0) < cost(KvPrecision.Q4_1) < cost(KvPrecision.Q8_0)
    assert cost(KvPrecision.Q8_0) < cost(KvPrecision.F16) == cost(KvPrecision.BF16)
    assert cost(KvPrecision.U8) < cost(KvPrecision.F16)
    assert cost(KvPrecision.F32) == 2 * cost(KvPrecision.F16)
    # Smaller blocks share a scale among fewer tokens.
    assert kv_bytes_per_token(shape, KvPrecision.U8, block_tokens=GPU_BLOCK_TOKENS) > cost(
        KvPrecision.U8
    )


def test_keys_and_values_of_different_width_are_counted_apart() -> None:
    layer = LayerShape(kv_heads=2, key_dim=192, value_dim=128)
    assert kv_bytes_per_token(ModelShape(layers=(layer,)), KvPrecision.F16) == 2 * (192 + 128) * 2


def test_ov2_a_pool_holds_whole_blocks() -> None:
    # One GiB on the starter: 2,452 blocks, 1,073,387,520 bytes.
    assert pool_tokens(GIB, 13_680) == 2452 * 32
    assert 2452 * 437_760 == 1_073_387_520
    assert pool_tokens(13_680 * 32 - 1, 13_680) == 0


@pytest.mark.parametrize(
    ("hot", "per_token", "explicit", "expected"),
    [
        (32_768, 32_768, None, 2),  # 1 GiB x 1.25
        (0, 147_456, None, 1),
        (1, 1, None, 1),
        (8192, 13_680, None, 1),
        (200_000, 147_456, None, 4),
        (200_000, 147_456, 30, 30),
        (200_000, 147_456, 1, 1),
        (GIB * 4 // 5, 1, None, 1),
        (GIB * 4 // 5 + 1, 1, None, 2),
    ],
)
def test_ov2_scheduler_cache(hot: int, per_token: int, explicit: int | None, expected: int) -> None:
    assert scheduler_cache_gib(hot, per_token, explicit) == expected


@given(st.integers(0, 2**22), st.integers(1, 2**22))
def test_ov2_a_derived_cache_is_between_1_and_4_and_has_a_quarter_to_spare(
    hot: int, per_token: int
) -> None:
    size = scheduler_cache_gib(hot, per_token)
    assert 1 <= size <= 4
    assert size == 4 or size * GIB * 4 >= hot * per_token * 5
    assert size == 1 or (size - 1) * GIB * 4 < hot * per_token * 5


@pytest.mark.parametrize("explicit", [0, -1])
def test_ov2_an_explicit_cache_below_1_is_refused(explicit: int) -> None:
    with pytest.raises(UserError) as caught:
        scheduler_cache_gib(100, 100, explicit)
    assert caught.value.code == "bad_cache_size"


@pytest.mark.parametrize(
    ("text", "expected"),
    [("F16", "f16"), ("fp16", "f16"), (" FP32 ", "f32"), ("U8", "u8"), ("i8", "i8")],
)
def test_a_precision_is_read_in_any_case(text: str, expected: str) -> None:
    assert KvPrecision.parse(text).value == expected


def test_an_unknown_precision_is_refused_with_the_known_ones() -> None:
    with pytest.raises(UserError, match="q99") as caught:
        KvPrecision.parse("q99")
    assert "u8" in caught.value.remedy


def test_a_sliding_window_keeps_the_window_and_the_batch() -> None:
    plain = LayerShape(kv_heads=1, key_dim=64, value_dim=64)
    sliding = LayerShape(kv_heads=1, key_dim=64, value_dim=64, window_tokens=1024)
    shape = ModelShape(layers=(plain, sliding))
    per_token = 64 * 2 * 2
    assert kv_bytes_with_windows(shape, KvPrecision.F16, 500) == 2 * 500 * per_token
    long = kv_bytes_with_windows(shape, KvPrecision.F16, 10_000, batch_tokens=256)
    assert long == (10_000 + 1024 + 256) * per_token

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.errors import Bug, EnvironmentFault, UserError
from app.core.units import GIB, MIB
from app.hardware.budget import MemoryBudget
from app.hardware.capacity import (
    DEFAULT_CONTEXT_TOKENS,
    MIN_CONTEXT_TOKENS,
    WORKING_BYTES,
    ContextLimit,
    ContextRequest,
    KvPlan,
    ResolvedTokens,
    Verdict,
    fit,
)
from app.hardware.kv_cache import KvPrecision, kv_bytes_per_token
from app.hardware.model_shape import LayerShape, ModelShape

pytestmark = pytest.mark.ov

_STARTER = ModelShape.uniform(layers=30, kv_heads=3, head_dim=64, trained_context_tokens=8192)
_EIGHT_B = ModelShape.uniform(layers=36, kv_heads=8, head_dim=128, trained_context_tokens=40_960)
_EIGHT_B_WEIGHTS = 4_882_865_352
_U8 = KvPlan(precision=KvPrecision.U8)
_F16 = KvPlan(precision=KvPrecision.F16)
_LLAMA = KvPlan(precision=KvPrecision.F16, paged=False)


def _budget(usable_bytes: int, reserve_bytes: int = 512 * MIB) -> MemoryBudget:
    return MemoryBudget(
        device="CPU",
        total_bytes=64 * GIB,
        free_bytes=usable_bytes + reserve_bytes,
        reserve_bytes=reserve_bytes,
        shared_with_host=True,
    )


def test_ov2_a_small_model_gets_all_of_its_context_and_the_smallest_pool() -> None:
    found = fit(_STARTER, 92 * MIB, _U8, _budget(4 * GIB))
    assert found.verdict is Verdict.FITS
    assert (found.context_tokens, found.limited_by) == (8192, ContextLimit.TRAINED)
    assert (found.cache_gib, found.kv_bytes) == (1, GIB)
    assert found.needed_bytes == 92 * MIB + GIB + WORKING_BYTES
    assert found.spare_bytes == 4 * GIB - found.needed_bytes
    found.require()


def test_ov2_the_context_shrinks_with_the_memory() -> None:
    contexts = [
        int(fit(_EIGHT_B, _EIGHT_B_WEIGHTS, _F16, _budget(size * GIB)).context_tokens)
        for size in (5, 6, 7, 8, 9, 30)
    ]
    # 147,456 bytes a token: pools of 227, 455, 682 and 910 blocks of 32 tokens, less one block
    # each; 4 GiB is the most without a profile.
    assert contexts == [0, 226 * 32, 454 * 32, 681 * 32, 909 * 32, 909 * 32]


def test_ov2_what_bounds_the_context_is_named() -> None:
    def limit(gib: int) -> ContextLimit:
        return fit(_EIGHT_B, _EIGHT_B_WEIGHTS, _F16, _budget(gib * GIB)).limited_by

    assert (limit(6), limit(30)) == (ContextLimit.MEMORY, ContextLimit.POOL)


def test_ov2_an_explicit_pool_wins_and_is_not_capped() -> None:
    plan = KvPlan(precision=KvPrecision.F16, cache_gib=6)
    found = fit(_EIGHT_B, _EIGHT_B_WEIGHTS, plan, _budget(30 * GIB))
    assert (found.context_tokens, found.cache_gib) == (40_960, 6)
    assert found.kv_bytes == 6 * GIB


def test_ov2_an_explicit_pool_that_does_not_fit_is_refused_not_cut() -> None:
    plan = KvPlan(precision=KvPrecision.F16, cache_gib=6)
    found = fit(_EIGHT_B, _EIGHT_B_WEIGHTS, plan, _budget(8 * GIB))
    assert (found.verdict, found.context_tokens) == (Verdict.DOES_NOT_FIT, 0)
    assert found.kv_bytes == 6 * GIB


@pytest.mark.parametrize("plan", [_U8, _F16, _LLAMA])
def test_what_does_not_fit_is_refused_for_every_backend_with_the_sum(plan: KvPlan) -> None:
    found = fit(_EIGHT_B, _EIGHT_B_WEIGHTS, plan, _budget(4 * GIB))
    assert (found.verdict, found.context_tokens) == (Verdict.DOES_NOT_FIT, 0)
    with pytest.raises(EnvironmentFault) as caught:
        found.require()
    assert caught.value.code == "does_not_fit"
    assert "4.9 GB of weights + " in caught.value.message
    assert "4.3 GB can be used on CPU (4.8 GB are free, 537 MB of them stay reserved)" in (
        caught.value.message
    )
    assert "smaller model" in caught.value.remedy


def test_a_request_is_kept_or_refused_with_the_largest_that_fits() -> None:
    budget = _budget(7 * GIB)
    kept = fit(_EIGHT_B, _EIGHT_B_WEIGHTS, _F16, budget, ContextRequest(14_000))
    assert (kept.context_tokens, kept.limited_by) == (14_000, ContextLimit.REQUEST)
    refused = fit(_EIGHT_B, _EIGHT_B_WEIGHTS, _F16, budget, ContextRequest(20_000))
    assert refused.verdict is Verdict.DOES_NOT_FIT
    with pytest.raises(EnvironmentFault, match="20,000 tokens") as caught:
        refused.require()
    assert "at most 14,528 tokens" in caught.value.remedy


def test_a_request_beyond_the_pool_says_that_the_pool_is_the_limit() -> None:
    refused = fit(_EIGHT_B, _EIGHT_B_WEIGHTS, _F16, _budget(60 * GIB), ContextRequest(35_000))
    assert refused.limited_by is ContextLimit.POOL
    with pytest.raises(
        EnvironmentFault, match=r"35,000 tokens need a KV cache of 5\.4 GB"
    ) as caught:
        refused.require()
    assert "at most 29,088 tokens" in caught.value.remedy


def test_a_request_beyond_the_training_is_refused() -> None:
    with pytest.raises(UserError) as caught:
        fit(_STARTER, 92 * MIB, _U8, _budget(8 * GIB), ContextRequest(8193))
    assert caught.value.code == "context_too_large"
    assert "8,192" in caught.value.remedy


def test_a_model_that_does_not_say_its_context_gets_a_plain_default() -> None:
    shape = ModelShape.uniform(layers=30, kv_heads=3, head_dim=64)
    found = fit(shape, 92 * MIB, _U8, _budget(8 * GIB))
    assert (found.context_tokens, found.limited_by) == (
        DEFAULT_CONTEXT_TOKENS,
        ContextLimit.DEFAULT,
    )


def test_a_tight_fit_says_so() -> None:
    needed = 92 * MIB + GIB + WORKING_BYTES
    assert fit(_STARTER, 92 * MIB, _U8, _budget(needed)).verdict is Verdict.TIGHT
    assert fit(_STARTER, 92 * MIB, _U8, _budget(needed - 1)).verdict is Verdict.DOES_NOT_FIT
    assert fit(_STARTER, 92 * MIB, _U8, _budget(needed * 10 // 9 + 1)).verdict is Verdict.FITS


def test_the_sum_is_in_the_sentence() -> None:
    assert fit(_STARTER, 92 * MIB, _U8, _budget(4 * GIB)).sentence == (
        "It fits: 96 MB of weights + 1.1 GB of KV cache for 8,192 tokens + 336 MB of working space "
        "= 1.5 GB, and 4.3 GB can be used on CPU."
    )


def test_a_4_bit_pool_is_budgeted_with_the_memory_that_it_really_takes() -> None:
    found = fit(_STARTER, 92 * MIB, KvPlan(precision=KvPrecision.U4), _budget(4 * GIB))
    assert (found.cache_gib, found.kv_bytes) == (1, GIB // 2)


def test_llama_takes_the_context_exactly_and_windows_count_less_where_they_are_honoured() -> None:
    plain = LayerShape(kv_heads=8, key_dim=128, value_dim=128)
    sliding = LayerShape(kv_heads=8, key_dim=128, value_dim=128, window_tokens=1024)
    shape = ModelShape(layers=(plain, *(sliding,) * 5), trained_context_tokens=32_768)
    dense = fit(shape, GIB, _LLAMA, _budget(8 * GIB))
    assert dense.kv_bytes == 32_768 * kv_bytes_per_token(shape, KvPrecision.F16)
    assert dense.cache_gib is None
    honoured = msgspec.structs.replace(_LLAMA, honours_windows=True)
    assert fit(shape, GIB, honoured, _budget(8 * GIB)).kv_bytes < dense.kv_bytes // 3


def test_a_resolved_context_can_not_become_a_request() -> None:
    resolved = fit(_EIGHT_B, _EIGHT_B_WEIGHTS, _F16, _budget(6 * GIB)).context_tokens
    assert isinstance(resolved, ResolvedTokens)
    with pytest.raises(Bug) as caught:
        ContextRequest(resolved)
    assert caught.value.code == "resolved_context_as_request"


def test_the_context_grows_again_when_memory_comes_back() -> None:
    def context(gib: int) -> int:
        return fit(_EIGHT_B, _EIGHT_B_WEIGHTS, _F16, _budget(gib * GIB)).context_tokens

    assert context(9) > context(6)
    assert context(9) == context(9)


@pytest.mark.parametrize("tokens", [0, -1])
def test_a_request_below_one_token_is_refused(tokens: int) -> None:
    with pytest.raises(UserError) as caught:
        ContextRequest(tokens)
    assert caught.value.code == "bad_context"


def test_a_resolved_context_crosses_a_process_as_a_plain_count() -> None:
    found = fit(_STARTER, 92 * MIB, _U8, _budget(4 * GIB))
    assert msgspec.msgpack.decode(msgspec.msgpack.encode(int(found.context_tokens))) == 8192


@given(
    shape=st.builds(
        ModelShape.uniform,
        layers=st.integers(1, 80),
        kv_heads=st.integers(1, 32),
        head_dim=st.sampled_from([64, 96, 128, 256]),
        trained_context_tokens=st.none() | st.integers(1, 2**20),
    ),
    weights_bytes=st.integers(0, 40 * GIB),
    plan=st.builds(
        KvPlan,
        precision=st.sampled_from(list(KvPrecision)),
        paged=st.booleans(),
        block_tokens=st.sampled_from([16, 32]),
        cache_gib=st.none() | st.integers(1, 40),
    ),
    usable_bytes=st.integers(0, 64 * GIB),
    asked=st.none() | st.integers(1, 2**20),
)
def test_ov2_whatever_is_accepted_really_fits(
    shape: ModelShape, weights_bytes: int, plan: KvPlan, usable_bytes: int, asked: int | None
) -> None:
    trained = shape.trained_context_tokens
    if asked is not None and trained is not None:
        asked = min(asked, trained)
    found = fit(shape, weights_bytes, plan, _budget(usable_bytes), ContextRequest(asked))
    assert found.sentence.startswith("It ")
    if found.verdict is Verdict.DOES_NOT_FIT:
        assert found.context_tokens == 0
        return
    assert found.needed_bytes <= usable_bytes
    assert asked is None or found.context_tokens == asked
    assert trained is None or found.context_tokens <= trained
    assert found.context_tokens >= min(MIN_CONTEXT_TOKENS, asked or 2**20, trained or 2**20)
    if plan.paged:
        assert found.cache_gib is not None
        per_token = kv_bytes_per_token(shape, plan.precision, block_tokens=plan.block_tokens)
        assert found.context_tokens * per_token <= found.cache_gib * GIB
        assert plan.cache_gib is None or found.cache_gib == plan.cache_gib

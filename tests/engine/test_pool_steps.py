"""What the pipeline's counters say about reuse; the figures are recorded from the real library."""

import msgspec
import pytest

from app.engine.pool_steps import Call, measured_reuse

pytestmark = pytest.mark.s2

COLD = Call(
    prompt_tokens=1000,
    produced_tokens=1,
    average_percent=6.6666669845581055,
    pool_blocks=300,
    block_tokens=32,
    batch_tokens=256,
)
WARM = msgspec.structs.replace(COLD, average_percent=10.666666984558105)
# 1,504 tokens of a longer prompt were held, so that two steps were needed.
LONGER = msgspec.structs.replace(COLD, prompt_tokens=2000, average_percent=19.666667938232422)
# Four tokens were written after a prompt of which one batch was missing.
WRITTEN = msgspec.structs.replace(COLD, prompt_tokens=1512, produced_tokens=4, average_percent=16.0)


@pytest.mark.parametrize(
    ("call", "predicted"), [(COLD, 0), (WARM, 992), (LONGER, 1504), (WRITTEN, 1256)]
)
def test_the_counters_bear_out_a_right_prediction(call: Call, predicted: int) -> None:
    assert measured_reuse(call, predicted) == predicted


@pytest.mark.parametrize(("call", "predicted", "real"), [(COLD, 992, 0), (LONGER, 1984, 1504)])
def test_a_reuse_that_did_not_happen_is_found(call: Call, predicted: int, real: int) -> None:
    assert measured_reuse(call, predicted) == real


def test_a_reuse_that_nobody_expected_is_found_to_a_batch() -> None:
    found = measured_reuse(WARM, 0)
    assert found is not None
    assert 1000 - 256 <= found <= 992


def test_counters_that_fit_nothing_measure_nothing() -> None:
    assert measured_reuse(msgspec.structs.replace(COLD, average_percent=55.0), 0) is None
    assert measured_reuse(msgspec.structs.replace(COLD, produced_tokens=0), 0) is None
    assert measured_reuse(msgspec.structs.replace(COLD, produced_tokens=2000), 0) is None

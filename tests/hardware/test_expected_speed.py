"""The arithmetic of the estimate, and what the probes really find."""

import msgspec
import pytest

from app.hardware.expected_speed import (
    MachineRates,
    SpeedRange,
    expected_speed,
    measure_machine,
)

RATES = MachineRates(
    cpu="A CPU",
    cores=4,
    one_read_bytes_per_s=10e9,
    read_bytes_per_s=40e9,
    float_operations_per_s=200e9,
)


def test_memory_bounds_what_is_written_and_arithmetic_what_is_read() -> None:
    found = expected_speed(RATES, "openvino", 2_000_000_000, 4_000_000_000)
    assert found is not None
    assert found.prefill is not None
    assert (found.decode.low, found.decode.high) == pytest.approx((6.0, 19.0))
    assert (found.prefill.low, found.prefill.high) == pytest.approx((20.0, 125.0))


def test_llama_leaves_a_core_out_of_both() -> None:
    found = expected_speed(RATES, "llama", 3_000_000_000, 4_000_000_000)
    assert found is not None
    assert found.prefill is not None
    assert found.decode.high == pytest.approx(0.9 * 30e9 / 3e9)
    assert found.prefill.high == pytest.approx(1.5 * 150e9 / 8e9)


def test_of_a_mixture_of_experts_only_the_active_weights_count() -> None:
    whole = expected_speed(RATES, "openvino", 16_000_000_000, 30_000_000_000)
    active = expected_speed(RATES, "openvino", 16_000_000_000, 30_000_000_000, 3_000_000_000)
    assert whole is not None
    assert active is not None
    assert active.decode.low == pytest.approx(10 * whole.decode.low)


def test_what_is_unknown_is_not_guessed() -> None:
    assert expected_speed(RATES, "scripted", 1000, 1000) is None
    assert expected_speed(RATES, "openvino", 0, 1000) is None
    found = expected_speed(RATES, "openvino", 1_000_000_000, None)
    assert found is not None
    assert found.prefill is None


@pytest.mark.parametrize(("measured", "error"), [(5, -0.5), (10, 0), (15, 0), (20, 0), (30, 0.5)])
def test_the_error_is_how_far_outside_it_was(measured: float, error: float) -> None:
    assert SpeedRange(low=10, high=20).error_of(measured) == pytest.approx(error)


def test_a_busy_machine_only_lowers_a_figure() -> None:
    busy = msgspec.structs.replace(RATES, read_bytes_per_s=1e9, float_operations_per_s=300e9)
    best = busy.best_of(RATES)
    assert (best.read_bytes_per_s, best.float_operations_per_s) == (40e9, 300e9)


def test_the_probes_find_what_a_computer_can_do() -> None:
    found = measure_machine("This CPU", 2, probe_s=0.1)
    assert 0.2e9 < found.one_read_bytes_per_s < 2e12
    assert found.read_bytes_per_s >= found.one_read_bytes_per_s
    assert 0.2e9 < found.float_operations_per_s < 1e14

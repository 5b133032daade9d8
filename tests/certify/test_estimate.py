"""The certificate tells how wrong the estimate was that stood in its place."""

import msgspec
import pytest

from app.certify.estimate import hold_against
from app.certify.render import render_certificate
from app.hardware.expected_speed import ExpectedSpeed, SpeedRange
from tests.certify.samples import certificate

DECODE = SpeedRange(low=25.0, high=60.0)
PREFILL = SpeedRange(low=500.0, high=2000.0)


def test_it_is_held_against_the_shortest_prompt() -> None:
    depths = certificate(rate=20.0).throughput.depths
    found = hold_against(ExpectedSpeed(decode=DECODE, prefill=PREFILL), depths[::-1])
    assert found is not None
    assert found.prefill is not None
    assert found.decode.measured == 20.0
    assert found.decode.error == pytest.approx(-0.2)
    assert (found.prefill.measured, found.prefill.error) == (1000.0, 0.0)


def test_without_an_estimate_or_a_measurement_there_is_nothing_to_hold() -> None:
    depths = certificate().throughput.depths
    assert hold_against(None, depths) is None
    assert hold_against(ExpectedSpeed(decode=DECODE), ()) is None


def test_the_page_tells_it() -> None:
    made = certificate(rate=20.0)
    estimate = hold_against(ExpectedSpeed(decode=DECODE, prefill=PREFILL), made.throughput.depths)
    page = render_certificate(
        msgspec.structs.replace(
            made, throughput=msgspec.structs.replace(made.throughput, estimate=estimate)
        )
    )
    assert "Expected decode: 25 to 60 tokens/s; measured 20.0 (-20% outside)" in page
    assert "Expected prefill: 500 to 2000 tokens/s; measured 1000.0 (inside)" in page

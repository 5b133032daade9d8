"""How good the estimate was that a person saw before the download."""

from collections.abc import Sequence

from app.certify.certificate import DepthFigures, Estimate, Estimated, Pace
from app.hardware.expected_speed import ExpectedSpeed, SpeedRange


def hold_against(expected: ExpectedSpeed | None, depths: Sequence[DepthFigures]) -> Estimate | None:
    """The estimate beside what was measured with the shortest prompt; ``None`` without either."""
    if expected is None or not depths:
        return None
    shortest = min(depths, key=lambda one: one.prompt_tokens)
    prefill = expected.prefill
    return Estimate(
        decode=_held(expected.decode, shortest.decode_tokens_per_s),
        prefill=None if prefill is None else _held(prefill, shortest.prefill_tokens_per_s),
    )


def _held(expected: SpeedRange, pace: Pace) -> Estimated:
    measured = pace.product.median
    return Estimated(
        low=expected.low,
        high=expected.high,
        measured=measured,
        error=expected.error_of(measured),
    )

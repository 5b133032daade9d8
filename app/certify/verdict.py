"""From what was seen to the two verdicts. The thresholds of a certificate are here."""

from collections.abc import Sequence
from typing import Final

from app.certify.certificate import (
    CheckResult,
    DepthFigures,
    Drift,
    PowerState,
    Quality,
    Verdict,
)

DECODE_RATIO_NEEDED: Final = 0.98
"""The product's decode rate as a share of the control's, at the shortest prompt (median)."""
FASTER_ALLOWED: Final = 1.10
"""A product that beats its own library by more was compared on a busy machine."""
DRIFT_ALLOWED: Final = 0.10
"""How much the same control may differ between beginning and end: more is another machine."""
WIDTH_ALLOWED: Final = 0.35
"""How far the control's decode rates of up to six runs may lie apart, as a share of their
median."""

SLOW: Final = "it decodes at {ratio} of the control's rate; {needed} is needed"
UNMEASURED: Final = "nothing was measured"
NO_CONTROL: Final = "there is no control to compare with"
OTHER_IDS: Final = "product and control did not read the same token ids"
TOO_FAST: Final = "the machine was busy: the product can't decode at {ratio} of its library's rate"
DRIFTED: Final = (
    "the machine changed meanwhile: the control decoded {first} tokens/s at the beginning and"
    " {last} at the end"
)
WIDE: Final = "the machine was busy: the control's rates lie {width} apart"
OTHER_POWER: Final = "the power went from {first} to {last}"
TOO_SHORT: Final = "the quick run is too short for more"
REASONS: Final = (
    SLOW, UNMEASURED, NO_CONTROL, OTHER_IDS, TOO_FAST, DRIFTED, WIDE, OTHER_POWER, TOO_SHORT,
)  # fmt: skip
"""Every reason against a better verdict, so that a skin can say them in another language."""


def judge_quality(checks: Sequence[CheckResult]) -> Quality:
    """Every required check that applies has passed."""
    missed = [one for one in checks if one.required and one.passed is False]
    return Quality(
        verdict=Verdict.FAILED if missed else Verdict.PASSED,
        reasons=tuple(f"{one.name}: {one.detail}" for one in missed),
        checks=tuple(checks),
    )


def judge_throughput(
    depths: Sequence[DepthFigures], drift: Drift | None, power: PowerState, *, quick: bool
) -> tuple[Verdict, tuple[str, ...]]:
    """The verdict and every reason against a better one.

    A slow product is only held against it where the machine was quiet enough to tell.
    """
    doubts = _doubts(depths, drift, power)
    if quick:
        doubts.append(TOO_SHORT)
    slow = _slowness(depths)
    if slow and not doubts:
        return Verdict.FAILED, tuple(slow)
    if doubts or slow:
        return Verdict.PROVISIONAL, (*slow, *doubts)
    return Verdict.PASSED, ()


def _slowness(depths: Sequence[DepthFigures]) -> list[str]:
    if not depths:
        return []
    ratio = min(depths, key=lambda one: one.prompt_tokens).decode_tokens_per_s.ratio
    if ratio is None or ratio.median >= DECODE_RATIO_NEEDED:
        return []
    # Three digits: 0.976 is less than what is needed, and "0.98" would not look so.
    return [SLOW.format(ratio=f"{ratio.median:.3f}", needed=DECODE_RATIO_NEEDED)]


def _doubts(depths: Sequence[DepthFigures], drift: Drift | None, power: PowerState) -> list[str]:
    doubts: list[str] = []
    if not depths:
        doubts.append(UNMEASURED)
    if drift is None or any(one.decode_tokens_per_s.control is None for one in depths):
        doubts.append(NO_CONTROL)
    elif not all(one.same_ids for one in depths):
        doubts.append(OTHER_IDS)
    ratios = [one.decode_tokens_per_s.ratio for one in depths]
    fastest = max((one.median for one in ratios if one), default=0.0)
    if fastest > FASTER_ALLOWED:
        doubts.append(TOO_FAST.format(ratio=f"{fastest:.2f}"))
    if drift is not None and drift.share > DRIFT_ALLOWED:
        first, last = f"{drift.first_tokens_per_s:.1f}", f"{drift.last_tokens_per_s:.1f}"
        doubts.append(DRIFTED.format(first=first, last=last))
    controls = [one.decode_tokens_per_s.control for one in depths]
    widest = max((one.width for one in controls if one and one.runs > 1), default=0.0)
    if widest > WIDTH_ALLOWED:
        doubts.append(WIDE.format(width=f"{widest:.0%}"))
    if power.source != power.source_at_end:
        doubts.append(OTHER_POWER.format(first=power.source, last=power.source_at_end))
    return doubts

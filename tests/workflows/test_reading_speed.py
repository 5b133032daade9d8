"""How long a turn takes to read is told by what is trusted most, and called what it is."""

from pathlib import Path

import msgspec
import pytest

from app.core.errors import DataFault
from app.engine.outcome import Timings, Usage
from app.engine.spec import LoadSpec
from app.hardware.expected_speed import SpeedRange
from app.workflows.reading_speed import (
    ReadingSpeed,
    ReadingSpeeds,
    SpeedSource,
    slow_reading,
)
from tests.desktop.fake_engine import counted
from tests.engine.conftest import ask, scripted

pytestmark = pytest.mark.s2_5

SPEC = scripted()
REPORT = msgspec.structs.replace(counted(ask(SPEC, "Hi")), prompt_tokens=6_000)
LONG = Usage(prompt_tokens=1_000, reused_tokens=0)
RANGE = SpeedRange(low=20.0, high=125.0)


def measured(tokens_per_s: float) -> Timings:
    return Timings(prefill_tokens_per_s=tokens_per_s)


def nothing(_: LoadSpec) -> float | None:
    return None


def test_a_certificate_counts_more_than_an_answer_and_that_more_than_an_estimate(
    tmp_path: Path,
) -> None:
    certified: list[float] = []
    speeds = ReadingSpeeds(
        tmp_path / "cache" / "speeds.json",
        lambda _: certified[0] if certified else None,
        lambda _, __: RANGE,
    )
    first = speeds.of(SPEC, 10)
    assert first == ReadingSpeed(range=RANGE, source=SpeedSource.ESTIMATED)
    speeds.note(SPEC.model_digest, SPEC.device, LONG, measured(70.0))
    second = speeds.of(SPEC, 10)
    assert second is not None
    assert (second.range.low, second.source) == (70.0, SpeedSource.MEASURED)
    certified.append(90.0)
    third = speeds.of(SPEC, 10)
    assert third is not None
    assert (third.range.high, third.source) == (90.0, SpeedSource.CERTIFIED)


def test_what_an_answer_told_is_kept_for_the_model_and_the_device(tmp_path: Path) -> None:
    path = tmp_path / "speeds.json"
    speeds = ReadingSpeeds(path)
    speeds.note(SPEC.model_digest, SPEC.device, LONG, measured(70.0))
    short = Usage(prompt_tokens=1_000, reused_tokens=990)
    speeds.note(SPEC.model_digest, SPEC.device, short, measured(3.0))
    again = ReadingSpeeds(path)
    found = again.of(SPEC, 10)
    assert found is not None
    assert found.range.low == 70.0, "ten tokens tell nothing"
    other = msgspec.structs.replace(SPEC, model_digest="sha256:other")
    assert again.of(other, 10) is None
    path.write_bytes(b"{")
    assert ReadingSpeeds(path).of(SPEC, 10) is None


def test_only_a_long_text_is_worth_a_probe_and_no_error_stops_a_turn(tmp_path: Path) -> None:
    asked: list[bool] = []

    def expected(_: LoadSpec, may_probe: bool) -> SpeedRange | None:
        asked.append(may_probe)
        raise DataFault("profile", "It is damaged.", "Mend it.")

    speeds = ReadingSpeeds(tmp_path / "speeds.json", nothing, expected)
    assert speeds.of(SPEC, 100) is None
    assert speeds.of(SPEC, 100_000) is None
    assert asked == [False, True]


def test_what_the_loaded_model_measured_counts_most() -> None:
    estimate = ReadingSpeed(range=RANGE, source=SpeedSource.ESTIMATED)
    quick = msgspec.structs.replace(REPORT, predicted_prefill_s=3.0)
    assert slow_reading(quick, estimate) is None
    slow = msgspec.structs.replace(REPORT, predicted_prefill_s=90.0)
    found = slow_reading(slow, estimate)
    assert found is not None
    assert (found.least_s, found.source) == (90.0, SpeedSource.MEASURED)


def test_the_middle_of_an_estimate_decides_and_both_ends_are_told() -> None:
    found = slow_reading(REPORT, ReadingSpeed(range=RANGE, source=SpeedSource.ESTIMATED))
    assert found is not None  # the middle of 48 and 300 s is 120 s
    assert (found.least_s, found.most_s) == (48.0, 300.0)
    fast = SpeedRange(low=60.0, high=400.0)
    assert slow_reading(REPORT, ReadingSpeed(range=fast, source=SpeedSource.ESTIMATED)) is None
    assert slow_reading(REPORT, None) is None

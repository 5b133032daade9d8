"""Sleep is what one clock counted and the other didn't."""

import time

import pytest

from app.hardware.surroundings import Surroundings, read_surroundings


@pytest.mark.parametrize(
    ("before", "now", "slept"),
    [(10, 10, False), (10, 11.9, False), (10, 13, True), (0, 30_000, True)],
)
def test_a_machine_slept_if_the_clocks_went_apart(before: float, now: float, slept: bool) -> None:
    first, second = (Surroundings(asleep_s=one, graphics=()) for one in (before, now))
    assert second.slept_since(first) is slept


def test_awake_the_clocks_go_together_and_a_look_costs_next_to_nothing() -> None:
    first = read_surroundings()
    begun = time.perf_counter()
    looks = [read_surroundings() for _ in range(20)]
    assert (time.perf_counter() - begun) / 20 < 0.5
    assert not looks[-1].slept_since(first)
    assert looks[-1].graphics == first.graphics


def test_the_clock_that_goes_on_in_sleep_is_the_one_that_is_compared(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before = read_surroundings()
    true_clock = time.clock_gettime
    monkeypatch.setattr(
        time,
        "clock_gettime",
        lambda which: true_clock(which) + (3600 if which == time.CLOCK_BOOTTIME else 0),
    )
    after = read_surroundings()
    assert after.slept_since(before)
    assert after.asleep_s - before.asleep_s == pytest.approx(3600, abs=1)

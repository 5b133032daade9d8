"""The slot's life, cell by cell."""

import pytest

from app.core.errors import Bug
from app.engine.backends.base import Control, Outcome
from app.engine.outcome import SessionReport, SlotState
from app.engine.protocol import Generate
from app.engine.slot import TRANSITIONS, Slot
from app.engine.spec import LoadSpec, ScriptedRuntime

S = SlotState


class FakeSession:
    pipeline = "fake"

    def __init__(self) -> None:
        self.closed = 0

    def generate(self, request: Generate, control: Control) -> Outcome:
        raise NotImplementedError

    def describe(self) -> SessionReport:
        raise NotImplementedError

    def close(self) -> None:
        self.closed += 1


def spec(name: str = "m") -> LoadSpec:
    return LoadSpec(
        model_name=name, model_path="", model_digest="", context_tokens=9, runtime=ScriptedRuntime()
    )


@pytest.fixture
def seen() -> list[tuple[SlotState, int]]:
    return []


@pytest.fixture
def slot(seen: list[tuple[SlotState, int]]) -> Slot:
    return Slot(lambda state, generation, _spec: seen.append((state, generation)))


@pytest.mark.parametrize("source", list(S))
@pytest.mark.parametrize("target", list(S))
def test_each_cell_of_the_table(slot: Slot, source: SlotState, target: SlotState) -> None:
    slot._state = source
    if target in TRANSITIONS[source]:
        slot._move(target)
        assert slot.state is target
    else:
        with pytest.raises(Bug):
            slot._move(target)
        assert slot.state is source


def test_a_second_load_closes_the_first_before_it_opens(
    slot: Slot, seen: list[tuple[SlotState, int]]
) -> None:
    first, second = FakeSession(), FakeSession()

    def open_second(_spec: LoadSpec) -> FakeSession:
        assert first.closed == 1
        return second

    slot.load(spec("a"), lambda _spec: first)
    assert slot.holds(spec("a"))
    assert not slot.holds(spec("b"))
    slot.load(spec("b"), open_second)
    assert slot.holds(spec("b"))
    assert second.closed == 0
    assert seen == [
        (S.LOADING, 1), (S.READY, 1), (S.UNLOADING, 1), (S.EMPTY, 1), (S.LOADING, 2), (S.READY, 2),
    ]  # fmt: skip


def test_a_failed_load_leaves_nothing_and_the_next_one_works(slot: Slot) -> None:
    def refuse(_spec: LoadSpec) -> FakeSession:
        raise ValueError

    for _ in range(3):
        with pytest.raises(ValueError):  # noqa: PT011
            slot.load(spec(), refuse)
        assert slot.state is S.FAILED
        assert not slot.holds(spec())
    slot.load(spec(), lambda _spec: FakeSession())
    assert slot.holds(spec())


def test_an_evicted_session_is_closed_and_its_generation_is_over(slot: Slot) -> None:
    session = FakeSession()
    slot.load(spec(), lambda _spec: session)
    generation = slot.generation
    with slot.lease():
        slot.evict()
    assert session.closed == 1
    assert slot.generation > generation
    assert not slot.holds(spec())


def test_a_lease_without_a_model_is_our_mistake(slot: Slot) -> None:
    with pytest.raises(Bug), slot.lease():
        pass


def test_a_session_that_fails_to_close_is_told_and_the_slot_goes_on(slot: Slot) -> None:
    class Stubborn(FakeSession):
        def close(self) -> None:
            raise RuntimeError("no")

    slot.load(spec("a"), lambda _spec: Stubborn())
    assert slot.pipeline == "fake"
    slot.load(spec("b"), lambda _spec: FakeSession())
    assert slot.holds(spec("b"))
    assert slot.close_failed
    assert slot.closing_since is None

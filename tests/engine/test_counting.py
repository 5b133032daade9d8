"""Counting and computing ahead, through the engine process, without weights."""

import msgspec
import pytest

from app.engine.chat import ChatMessage, Role
from app.engine.context import Segment, assemble
from app.engine.manifest import SegmentKind
from app.engine.outcome import ContextReport, FinishReason
from app.engine.protocol import (
    Count,
    Counted,
    Delta,
    Failed,
    Finished,
    Generate,
    Prefill,
    PrefillProgress,
    new_request_id,
)
from app.engine.spec import LoadSpec
from tests.engine.conftest import Engine, Recorder, ask, scripted

pytestmark = pytest.mark.s2_5

PIN = Segment(kind=SegmentKind.PINNED, name="a.py", text="one two three")
SYSTEM = Segment(kind=SegmentKind.SYSTEM, text="Be terse.")


def turn(spec: LoadSpec, *segments: Segment, reserve_tokens: int = 1) -> Generate:
    made = assemble(segments)
    return Generate(
        request=new_request_id(),
        spec=spec,
        messages=made.messages,
        segments=made.spans,
        reserve_tokens=reserve_tokens,
    )


def user(text: str) -> Segment:
    return Segment(kind=SegmentKind.USER, text=text)


def count(engine: Engine, asked: Generate) -> ContextReport:
    found: list[ContextReport] = []

    def listen(event: object) -> None:
        if isinstance(event, Counted):
            found.append(event.report)

    engine.client.call(Count(request=new_request_id(), turn=asked), listen)
    return found[0]


def send(engine: Engine, request: Generate | Prefill | Count) -> Recorder:
    recorder = Recorder()
    engine.client.submit(request, recorder)
    return recorder


def test_a_count_needs_no_model_and_places_every_segment(engine: Engine) -> None:
    report = count(engine, turn(scripted(), SYSTEM, PIN, user("What is it?")))
    assert report.prompt_tokens == 2 + 3 + 3 + 1 + 3
    assert report.predicted_reused_tokens is None
    assert report.why_not == "The model isn't loaded."
    ranges = [(one.kind.value, one.token_start, one.token_end) for one in report.manifest.segments]
    # A scripted token has the white space after it, so the last word of each is not settled.
    assert ranges == [("system", 0, 1), ("pinned", 2, 8), ("user", 9, 11)]
    assert report.manifest.stable_tokens == 9
    assert [notice for notice in engine.drain() if "Loading" in str(notice)] == []


def test_a_count_does_not_wait_for_an_answer(engine: Engine) -> None:
    slow = scripted(answer="word " * 400, token_s=0.02)
    answering = ask(slow, "Hi")
    recorder = engine.send(answering)
    recorder.next(Delta)
    assert count(engine, turn(slow, user("one two"))).prompt_tokens == 2
    assert not any(isinstance(event, Finished) for event in recorder.events)
    engine.client.cancel(answering.request)
    assert isinstance(recorder.end(), Finished)


def test_the_prediction_comes_true(engine: Engine) -> None:
    spec = scripted()
    first = turn(spec, SYSTEM, PIN, user("What is it?"))
    assert isinstance(engine.send(first).end(), Finished)
    second = turn(spec, SYSTEM, PIN, user("Why is it?"))
    report = count(engine, second)
    assert report.predicted_reused_tokens == report.manifest.stable_tokens
    assert report.pool is not None
    assert report.pool.held_tokens == first_tokens(engine, first)
    end = engine.send(second).end()
    assert isinstance(end, Finished)
    assert end.usage.reused_tokens == report.predicted_reused_tokens


def first_tokens(engine: Engine, asked: Generate) -> int:
    return count(engine, asked).prompt_tokens


def test_an_edited_stable_segment_is_named_as_the_reason(engine: Engine) -> None:
    spec = scripted()
    asked = turn(spec, PIN, user("What?"))
    assert isinstance(engine.send(asked).end(), Finished)
    count(engine, asked)
    edited = msgspec.structs.replace(PIN, name="b.py", text="four")
    other = count(engine, turn(spec, Segment(kind=SegmentKind.SYSTEM, text="X"), edited, user("?")))
    assert other.predicted_reused_tokens == 0
    assert other.differs_in == "stable_token_sha256"
    assert "stable_token_sha256" in other.why_not


def test_the_reserve_counts(engine: Engine) -> None:
    spec = scripted(context_tokens=10)
    report = count(engine, turn(spec, user("one two three"), reserve_tokens=8))
    assert (report.needed_tokens, report.context_tokens, report.fits) == (11, 10, False)
    refused = engine.send(turn(spec, user("one two three"), reserve_tokens=8)).end()
    assert isinstance(refused, Failed)
    assert refused.error.code == "context_overflow"
    assert isinstance(engine.send(turn(spec, user("one two"), reserve_tokens=8)).end(), Finished)


def test_what_is_prefilled_while_a_person_types_is_reused(engine: Engine) -> None:
    spec = scripted()
    ahead = turn(spec, SYSTEM, PIN)
    end = send(engine, Prefill(request=new_request_id(), turn=ahead)).end()
    assert isinstance(end, Finished)
    assert end.reason is FinishReason.STOP
    assert end.usage.completion_tokens == 0
    answered = engine.send(turn(spec, SYSTEM, PIN, user("What is it?"))).end()
    assert isinstance(answered, Finished)
    assert answered.usage.reused_tokens == end.usage.prompt_tokens > 0


def test_a_prefill_is_cancelled_at_once_when_a_turn_starts(engine: Engine) -> None:
    spec = scripted(prefill_token_s=0.005, context_tokens=100_000)
    pin = Segment(kind=SegmentKind.PINNED, name="long", text="word " * 20_000)
    running = send(engine, Prefill(request=new_request_id(), turn=turn(spec, pin)))
    waiting = send(engine, Prefill(request=new_request_id(), turn=turn(spec, SYSTEM)))
    running.next(PrefillProgress)
    answered = engine.send(turn(spec, user("Hi"))).end()
    for recorder in (running, waiting):
        end = recorder.end()
        assert isinstance(end, Finished)
        assert end.reason is FinishReason.CANCELLED
    assert isinstance(answered, Finished)
    assert answered.reason is FinishReason.STOP


def test_a_prefill_never_replaces_a_loaded_model(engine: Engine) -> None:
    one, other = scripted("one"), scripted("other")
    assert isinstance(engine.send(ask(one, "Hi")).end(), Finished)
    end = send(engine, Prefill(request=new_request_id(), turn=turn(other, SYSTEM))).end()
    assert isinstance(end, Finished)
    assert end.reason is FinishReason.CANCELLED
    after = engine.send(ask(one, "Hi")).end()
    assert isinstance(after, Finished)
    assert after.timings.load_s == 0


def test_a_history_with_the_beginning_of_an_answer_is_counted(engine: Engine) -> None:
    begun = Segment(
        kind=SegmentKind.HISTORY, message=ChatMessage(role=Role.ASSISTANT, content="one two")
    )
    report = count(engine, turn(scripted(), SYSTEM, begun))
    assert report.manifest.segments[-1].tokens == 1
    assert report.prompt_tokens == 4

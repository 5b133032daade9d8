"""The two ways of an OpenVINO answer: in steps if the model is quick, with a streamer if not."""

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any, Final

import numpy
import openvino
import pytest

from app.engine.admission import room_for
from app.engine.answer_stream import AnswerStream
from app.engine.backends import openvino_paged
from app.engine.backends.openvino import OpenVinoBackend
from app.engine.backends.openvino_generation import fresh_config
from app.engine.backends.openvino_paged import PagedSession
from app.engine.backends.openvino_steps import answer_in_steps
from app.engine.backends.openvino_stream import TokenStream
from app.engine.backends.openvino_text import TokenBytes, answer_text
from app.engine.chat import Sampling
from app.engine.faults import classify
from app.engine.native_failure import NativeFailure
from app.engine.outcome import FinishReason
from app.engine.protocol import Generate
from app.engine.spec import LoadSpec
from app.models.library import InstalledModel
from tests.engine.backends.conftest import openvino_spec
from tests.engine.backends.recording_control import RecordingControl
from tests.engine.conftest import ask
from tests.engine.test_answer_stream import request

pytestmark = pytest.mark.real_model

CAPITAL: Final = "What is the capital of France?"
STORY: Final = "Tell me a long story about the sea."


class Ways:
    """The starter, and the way that its next answers take."""

    def __init__(
        self, session: PagedSession, spec: LoadSpec, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        self.session = session
        self.spec = spec
        self._monkeypatch = monkeypatch
        self.stepped = 0

    def take(self, way: str) -> None:
        def counted(*arguments: Any) -> Any:
            self.stepped += 1
            return answer_in_steps(*arguments)

        slowest = 0.0 if way == "steps" else float("inf")
        self._monkeypatch.setattr(openvino_paged, "QUICK_TOKENS_PER_S", slowest)
        self._monkeypatch.setattr(openvino_paged, "answer_in_steps", counted)

    def answer(self, asked: Generate, control: RecordingControl | None = None) -> Any:
        control = control or RecordingControl()
        return self.session.generate(asked, control), control

    def ask(self, text: str, **fields: Any) -> Generate:
        return ask(self.spec, text, **fields)


def open_paged(spec: LoadSpec) -> PagedSession:
    opened = OpenVinoBackend().open_session(spec, RecordingControl())
    assert isinstance(opened, PagedSession)
    return opened


@pytest.fixture(scope="module")
def session(starter_openvino: InstalledModel) -> Iterator[tuple[PagedSession, LoadSpec]]:
    spec = openvino_spec(starter_openvino)
    opened = open_paged(spec)
    yield opened, spec
    opened.close()


@pytest.fixture
def ways(session: tuple[PagedSession, LoadSpec], monkeypatch: pytest.MonkeyPatch) -> Ways:
    return Ways(*session, monkeypatch)


def test_both_ways_give_the_same_answers_counts_and_reuse(ways: Ways) -> None:
    def told(way: str, asked: Generate) -> tuple[Any, ...]:
        ways.take(way)
        outcome, control = ways.answer(asked)
        usage, timings = outcome.usage, outcome.timings
        assert timings.ttft_s is not None
        assert usage.completion_tokens < 2 or timings.decode_tokens_per_s is not None
        return (
            control.text,
            outcome.reason,
            outcome.seed,
            usage.prompt_tokens,
            usage.completion_tokens,
            usage.reused_tokens,
            usage.reuse_measured,
        )

    sampled = Sampling(temperature=1.0, seed=7)
    turns: list[tuple[str, dict[str, Any]]] = [
        (CAPITAL, {}),
        (STORY, {"max_tokens": 5}),
        (STORY, {"max_tokens": 1}),
        ("Write about rain.", {"max_tokens": 24, "sampling": sampled}),
        ("The sea is blue and the sky is grey today. " * 60, {"max_tokens": 12}),
    ]
    for text, fields in turns:
        asked = ways.ask(text, **fields)
        ways.take("streamer")
        ways.answer(asked)  # so that both find the same in the pool
        streamed, stepped = told("streamer", asked), told("steps", asked)
        assert stepped == streamed
        assert stepped[-1], "the library's counters bear the reuse out"
    assert ways.stepped == len(turns)


def test_a_stop_string_ends_both_at_the_same_text_and_steps_no_later(ways: Ways) -> None:
    asked = ways.ask(CAPITAL, sampling=Sampling(stop_strings=("Paris",)))
    ways.take("streamer")
    streamed, streamed_control = ways.answer(asked)
    ways.take("steps")
    stepped, control = ways.answer(asked)
    assert control.text == streamed_control.text
    assert stepped.reason is streamed.reason is FinishReason.STOP
    # The library runs a token ahead of its streamer.
    assert stepped.usage.completion_tokens <= streamed.usage.completion_tokens


def test_a_cancel_keeps_the_text_and_the_pool_is_free_for_the_next(ways: Ways) -> None:
    ways.take("steps")
    outcome, control = ways.answer(
        ways.ask(STORY, max_tokens=800), RecordingControl(stop_after_deltas=2)
    )
    assert outcome.reason is FinishReason.CANCELLED
    assert not outcome.fatal
    assert control.text
    assert 1 < outcome.usage.completion_tokens < 100
    assert outcome.timings.decode_tokens_per_s is not None
    ways.take("streamer")  # which refuses while the pipeline has something to do
    assert "Paris" in ways.answer(ways.ask(CAPITAL))[1].text


def test_a_full_pool_is_told_and_the_text_kept(
    starter_openvino: InstalledModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = openvino_spec(starter_openvino, num_kv_blocks=4)
    opened = open_paged(spec)
    ways = Ways(opened, spec, monkeypatch)
    ways.take("steps")
    opened.room = room_for(spec.context_tokens)
    outcome, control = ways.answer(ways.ask(STORY, max_tokens=500))
    opened.close()
    assert ways.stepped == 1
    assert (outcome.reason, outcome.fatal) == (FinishReason.POOL_EXHAUSTED, True)
    assert control.text


def test_a_model_goes_in_steps_once_it_was_seen_to_be_quick(
    starter_openvino: InstalledModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = openvino_spec(starter_openvino)
    opened = open_paged(spec)
    ways = Ways(opened, spec, monkeypatch)
    ways.take("steps")
    monkeypatch.setattr(openvino_paged, "QUICK_TOKENS_PER_S", 0.001)
    ways.answer(ways.ask(STORY, max_tokens=8))
    assert ways.stepped == 0, "nothing is known of it yet"
    ways.answer(ways.ask(STORY, max_tokens=8))
    assert ways.stepped == 1
    monkeypatch.setattr(openvino_paged, "QUICK_TOKENS_PER_S", float("inf"))
    ways.answer(ways.ask(STORY, max_tokens=8))
    opened.close()
    assert ways.stepped == 1


def test_a_failed_step_is_fatal_whatever_its_words() -> None:
    # By itself no reason to give the session up: ``generate`` lets go of such a request.
    words = "Sequence length (400) is longer than max number of tokens in batch (256)"
    assert not classify(words).fatal

    class Pipeline:
        def add_request(self, *_arguments: Any) -> Any:
            return SimpleNamespace(can_read=lambda: False)

        def has_non_finished_requests(self) -> bool:
            return True

        def step(self) -> None:
            raise RuntimeError(words)

    import openvino_genai

    answer = AnswerStream(RecordingControl(), request())
    answer.begin("A:")
    tokens = TokenStream(answer_text(None, None, TokenBytes([b"a"])), answer)
    prompt = openvino.Tensor(numpy.asarray([[1, 2]], dtype=numpy.int64))
    config = fresh_config(openvino_genai, 8)
    with pytest.raises(NativeFailure) as failure:
        answer_in_steps(openvino_genai, Pipeline(), prompt, config, tokens)
    assert failure.value.fault.code == classify(words).code
    assert failure.value.fault.fatal

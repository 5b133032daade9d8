"""What every backend must do, seen from the window's side of the engine process.

One list of tests for the scripted stand-in, both OpenVINO pipelines and llama.cpp. What only one of
them can do is tested in its own file.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import msgspec
import pytest

from app.engine.chat import ChatMessage, Role, Sampling
from app.engine.outcome import FinishReason
from app.engine.protocol import (
    BackendReported,
    Delta,
    Describe,
    Described,
    Failed,
    Finished,
    Generate,
    PrefillProgress,
    ReportBackend,
    new_request_id,
)
from app.engine.spec import LoadSpec, Pipeline
from app.models.library import InstalledModel
from tests.engine.backends.conftest import openvino_spec
from tests.engine.backends.llama_required import llama_spec, require_llama
from tests.engine.conftest import Engine, Recorder, ask, scripted

QUESTION = "What is the capital of France? Answer in one sentence."
STORY = "Tell me a long story about a lighthouse."
SEA = "The sea is blue and the sky is grey today. "
SCRIPT = "The capital of France is Paris, " + " ".join(f"word{n}" for n in range(900))
CONTEXT_TOKENS = 4096
SMALL_CONTEXT_TOKENS = 200


@dataclass(frozen=True, slots=True)
class Case:
    """One backend under test: its spec, and what it calls itself."""

    spec: LoadSpec
    backend: str
    pipeline: str

    def resized(self, context_tokens: int) -> LoadSpec:
        return msgspec.structs.replace(self.spec, context_tokens=context_tokens)


Maker = Callable[[pytest.FixtureRequest], Case]


def _scripted(_request: pytest.FixtureRequest) -> Case:
    spec = scripted(
        answer=SCRIPT, token_s=0.004, prefill_token_s=0.0005, context_tokens=CONTEXT_TOKENS
    )
    return Case(spec, "scripted", "scripted")


def _openvino(pipeline: Pipeline) -> Maker:
    def make(request: pytest.FixtureRequest) -> Case:
        model: InstalledModel = request.getfixturevalue("starter_openvino")
        spec = openvino_spec(model, context_tokens=CONTEXT_TOKENS, pipeline=pipeline)
        return Case(spec, "openvino", pipeline.value)

    return make


def _llama(request: pytest.FixtureRequest) -> Case:
    require_llama()
    model: InstalledModel = request.getfixturevalue("starter_gguf")
    return Case(llama_spec(model, context_tokens=CONTEXT_TOKENS), "llama", "llama")


@pytest.fixture(
    scope="module",
    params=[
        pytest.param(_scripted, id="scripted"),
        pytest.param(_openvino(Pipeline.PAGED), id="openvino-paged", marks=pytest.mark.real_model),
        pytest.param(
            _openvino(Pipeline.STATEFUL), id="openvino-stateful", marks=pytest.mark.real_model
        ),
        pytest.param(_llama, id="llama", marks=pytest.mark.real_model),
    ],
)
def case(request: pytest.FixtureRequest) -> Case:
    maker: Maker = request.param
    return maker(request)


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    made = Engine(tmp_path_factory.mktemp("logs"))
    yield made
    made.client.close()


def finished(end: Finished | Failed) -> Finished:
    assert isinstance(end, Finished), end
    return end


def answer(engine: Engine, request: Generate) -> tuple[Finished, str]:
    recorder = engine.send(request)
    return finished(recorder.end()), recorder.text


def test_an_answer_streams_and_names_its_counts_and_times(engine: Engine, case: Case) -> None:
    recorder = engine.send(ask(case.spec, QUESTION, max_tokens=40))
    end = finished(recorder.end())
    assert "Paris" in recorder.text
    assert end.reason in (FinishReason.STOP, FinishReason.LENGTH)
    assert any(isinstance(event, PrefillProgress) for event in recorder.events)
    usage, timings = end.usage, end.timings
    assert usage.prompt_tokens > 0
    assert 0 <= usage.reused_tokens < usage.prompt_tokens
    assert 0 < usage.completion_tokens <= 40
    assert usage.thinking_tokens == 0
    assert timings.ttft_s is not None
    assert timings.ttft_s > 0
    assert timings.decode_tokens_per_s is not None
    again, text = answer(engine, ask(case.spec, QUESTION, max_tokens=40))
    assert text == recorder.text, "greedy"
    assert again.usage.prompt_tokens == usage.prompt_tokens
    assert again.usage.completion_tokens == usage.completion_tokens
    assert again.timings.load_s == 0.0


def test_the_limit_is_kept_to_the_token(engine: Engine, case: Case) -> None:
    for limit in (1, 5):
        end, _ = answer(engine, ask(case.spec, STORY, max_tokens=limit))
        assert (end.reason, end.usage.completion_tokens) == (FinishReason.LENGTH, limit)


def test_a_stop_string_ends_the_answer_and_is_not_shown(engine: Engine, case: Case) -> None:
    sampling = Sampling(stop_strings=(" Paris",))
    end, text = answer(engine, ask(case.spec, QUESTION, sampling=sampling))
    assert end.reason is FinishReason.STOP
    assert text == "The capital of France is"


def test_a_begun_answer_goes_on_from_its_end(engine: Engine, case: Case) -> None:
    begun = (
        ChatMessage(role=Role.USER, content=QUESTION),
        ChatMessage(role=Role.ASSISTANT, content="The capital of France"),
    )
    request = Generate(request=new_request_id(), spec=case.spec, messages=begun, max_tokens=3)
    _, text = answer(engine, request)
    assert text.startswith(" is Paris")


def test_the_same_seed_gives_the_same_text_and_is_told(engine: Engine, case: Case) -> None:
    sampling = Sampling(temperature=1.0, seed=7)
    first, text = answer(engine, ask(case.spec, STORY, max_tokens=16, sampling=sampling))
    second, again = answer(engine, ask(case.spec, STORY, max_tokens=16, sampling=sampling))
    assert text == again
    assert first.seed == second.seed == 7


def test_a_cancel_in_the_answer_keeps_its_text(engine: Engine, case: Case) -> None:
    request = ask(case.spec, STORY, max_tokens=800)
    recorder = engine.send(request)
    recorder.next(Delta)
    engine.client.cancel(request.request)
    end = finished(recorder.end())
    assert end.reason is FinishReason.CANCELLED
    assert 0 < end.usage.completion_tokens < 800
    assert recorder.text


def test_a_deadline_ends_the_answer(engine: Engine, case: Case) -> None:
    timings = answer(engine, ask(case.spec, STORY, max_tokens=20))[0].timings
    assert timings.ttft_s is not None
    assert timings.decode_tokens_per_s is not None
    # In the middle of it, however quick the machine and however short the story.
    deadline_s = timings.ttft_s + 15 / timings.decode_tokens_per_s
    end, text = answer(engine, ask(case.spec, STORY, max_tokens=2000, deadline_s=deadline_s))
    assert end.reason is FinishReason.DEADLINE
    assert end.usage.completion_tokens < 2000
    assert text


def test_a_cancel_in_the_prefill_gives_no_answer_and_the_next_one_is_whole(
    engine: Engine, case: Case
) -> None:
    request = ask(case.spec, SEA * 350)
    recorder = engine.send(request)
    recorder.next(PrefillProgress)
    engine.client.cancel(request.request)
    end = finished(recorder.end())
    assert (end.reason, end.usage.completion_tokens) == (FinishReason.CANCELLED, 0)
    assert recorder.text == ""
    _, text = answer(engine, ask(case.spec, QUESTION, max_tokens=12))
    assert "Paris" in text


def test_it_describes_itself(engine: Engine, case: Case) -> None:
    recorder = Recorder()
    engine.client.submit(Describe(request=new_request_id(), spec=case.spec), recorder)
    report = recorder.next(Described).report
    assert report.pipeline == case.pipeline
    assert report.asked["device"] == "CPU"
    finished(recorder.end())


def test_its_backend_reports_a_version(engine: Engine, case: Case) -> None:
    recorder = Recorder()
    request = ReportBackend(request=new_request_id(), backend=case.backend)
    engine.client.submit(request, recorder)
    report = recorder.next(BackendReported).report
    assert report.error is None
    assert report.version
    finished(recorder.end())


def test_a_prompt_of_ten_megabytes_is_refused_before_it_is_tokenized(
    engine: Engine, case: Case
) -> None:
    if case.backend == "scripted":
        return  # it has no tokenizer
    answer(engine, ask(case.spec, "Hi", max_tokens=1))
    for text in ("The sea is blue. " * 620_000, "x" * 10_000_000):
        started = time.perf_counter()
        refused = engine.send(ask(case.spec, text)).end()
        assert isinstance(refused, Failed)
        assert refused.error.code == "context_overflow"
        assert not refused.fatal
        # Tokenizing it takes up to 80 seconds here, and hears no cancel.
        assert time.perf_counter() - started < 10


def test_the_same_greedy_text_after_a_restart_of_the_engine(
    engine: Engine, case: Case, tmp_path_factory: pytest.TempPathFactory
) -> None:
    _, text = answer(engine, ask(case.spec, QUESTION, max_tokens=24))
    other = Engine(tmp_path_factory.mktemp("logs"))
    _, again = answer(other, ask(case.spec, QUESTION, max_tokens=24))
    other.client.close()
    assert again == text


def test_one_token_less_than_the_context_is_answered_and_all_of_it_is_refused(
    engine: Engine, case: Case
) -> None:
    """The last one: its load is for it alone."""
    small = case.resized(SMALL_CONTEXT_TOKENS)

    def words(count: int) -> str:
        return " ".join(["one"] * count)

    frame = answer(engine, ask(small, words(8), max_tokens=1))[0].usage.prompt_tokens - 8
    fitting = SMALL_CONTEXT_TOKENS - 1 - frame
    end, _ = answer(engine, ask(small, words(fitting)))
    assert (end.usage.prompt_tokens, end.usage.completion_tokens) == (SMALL_CONTEXT_TOKENS - 1, 1)
    refused = engine.send(ask(small, words(fitting + 1))).end()
    assert isinstance(refused, Failed)
    assert refused.error.code == "context_overflow"
    assert f"has {SMALL_CONTEXT_TOKENS:,} tokens" in refused.error.message
    assert not refused.fatal

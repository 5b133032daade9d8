"""Which pipeline runs a model, with which attention, and what it reports."""

import multiprocessing
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from app.core.errors import UserError
from app.engine.backends.openvino import RELEASE_TRAIN, OpenVinoBackend
from app.engine.backends.openvino_sparse import is_refusal, plan_sparse
from app.engine.client import EngineDied
from app.engine.native_failure import NativeFailure
from app.engine.outcome import FinishReason, SessionReport
from app.engine.protocol import (
    Delta,
    Describe,
    Described,
    Event,
    Failed,
    Finished,
    PrefillProgress,
    new_request_id,
)
from app.engine.spec import LoadSpec, OpenVinoRuntime, Pipeline, SparseAttention, SparseMode
from app.models.library import InstalledModel
from tests.engine.backends.conftest import openvino_spec
from tests.engine.backends.recording_control import RecordingControl
from tests.engine.conftest import Engine, ask
from tests.support.no_sdpa import without_sdpa

CAPITAL = "What is the capital of France?"
SEA = "The sea is blue and the sky is grey today. "
REFUSAL = "[GPU] XAttention is not supported by your current GPU architecture or IGC version"


def finished(end: Finished | Failed) -> Finished:
    assert isinstance(end, Finished), end
    return end


def describe(engine: Engine, spec: LoadSpec) -> SessionReport:
    found: list[SessionReport] = []

    def listen(event: Event) -> None:
        if isinstance(event, Described):
            found.append(event.report)

    engine.client.call(Describe(request=new_request_id(), spec=spec), listen)
    return found[0]


@pytest.fixture(scope="module")
def unpageable(starter_openvino: InstalledModel, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The starter without attention operations; built in a process of its own."""
    target = tmp_path_factory.mktemp("unpageable") / "model"
    context = multiprocessing.get_context("spawn")
    child = context.Process(target=without_sdpa, args=(starter_openvino.path, target))
    child.start()
    child.join(90)
    assert child.exitcode == 0
    return target


# --- S1: every control reaches the library and is reported back ---


@pytest.mark.s1
@pytest.mark.real_model
def test_s1_each_scheduler_control_is_reported_back(
    shared_engine: Engine, starter_openvino: InstalledModel
) -> None:
    spec = openvino_spec(
        starter_openvino,
        num_kv_blocks=None,
        cache_size_gib=1,
        kv_cache_precision="f16",
        dynamic_split_fuse=True,
        enable_prefix_caching=True,
        max_num_batched_tokens=128,
    )
    report = describe(shared_engine, spec)
    assert report.pipeline == "paged"
    assert report.library["cache_size"] == "1"
    assert report.library["max_num_batched_tokens"] == "128"
    assert report.library["dynamic_split_fuse"] == "true"
    assert report.library["enable_prefix_caching"] == "true"
    # 23,040 bytes a token at f16: 2 x 30 layers x 3 heads x 64 x 2 bytes.
    assert report.metrics["kv_bytes_per_token"] == pytest.approx(23_040, rel=0.001)
    assert report.metrics["cache_size_in_bytes"] == pytest.approx(2**30, rel=0.01)
    assert report.metrics["pool_blocks"] == 2**30 // (23_040 * 32)


@pytest.mark.s1
@pytest.mark.real_model
@pytest.mark.parametrize(("precision", "per_token"), [("u8", 13_680), ("u4", 15_840)])
def test_s1_the_precision_of_the_cache_is_what_was_asked(
    shared_engine: Engine, starter_openvino: InstalledModel, precision: str, per_token: int
) -> None:
    report = describe(shared_engine, openvino_spec(starter_openvino, kv_cache_precision=precision))
    assert report.metrics["kv_bytes_per_token"] == per_token
    assert report.metrics["pool_blocks"] == 300


@pytest.mark.s1
@pytest.mark.real_model
def test_s1_trishape_runs_on_the_cpu_when_the_profile_requires_it(
    shared_engine: Engine, starter_openvino: InstalledModel
) -> None:
    spec = openvino_spec(
        starter_openvino,
        use_sparse_attention=True,
        sparse_attention={"mode": "trishape", "num_last_dense_tokens_in_prefill": 100},
    )
    report = describe(shared_engine, spec)
    assert report.library["use_sparse_attention"] == "true"
    assert report.library["sparseAttentionMode"] == "TRISHAPE"
    recorder = shared_engine.send(ask(spec, CAPITAL))
    finished(recorder.end())
    assert "Paris" in recorder.text


# --- OV-4: sparse attention ---


def gpu(**values: Any) -> OpenVinoRuntime:
    return OpenVinoRuntime(device="GPU", num_kv_blocks=40, cache_size_gib=None, **values)


@pytest.mark.ov
def test_ov4_xattention_on_a_cpu_is_refused_when_required_and_dense_when_automatic() -> None:
    assert plan_sparse(OpenVinoRuntime()).attempts == (None,)
    with pytest.raises(UserError) as caught:
        plan_sparse(OpenVinoRuntime(use_sparse_attention=True))
    assert caught.value.code == "sparse_attention_unsupported"
    trishape = SparseAttention(mode=SparseMode.TRISHAPE)
    plan = plan_sparse(OpenVinoRuntime(use_sparse_attention=True, sparse_attention=trishape))
    assert plan.attempts == (trishape,)


@pytest.mark.ov
@pytest.mark.parametrize(
    ("words", "refused"),
    [
        (REFUSAL, True),
        ("XAttention is unsupported on this device", True),
        ("xattention: not available", True),
        ("XAttention failed: out of memory", False),
        ("The operation is not supported", False),
    ],
)
def test_ov4_the_words_of_a_refusal(words: str, refused: bool) -> None:
    assert is_refusal(words) is refused


class RecordedGenAi:
    """Says what a device said, at the construction or at the first generation."""

    def __init__(self, words: str, *, at: str) -> None:
        self.words = words
        self.at = at
        self.attempts: list[bool] = []
        self.SchedulerConfig = lambda: SimpleNamespace(to_string=lambda: "")
        self.SparseAttentionConfig = SimpleNamespace
        self.SparseAttentionMode = SimpleNamespace(XATTENTION="XATTENTION", TRISHAPE="TRISHAPE")
        self.GenerationConfig = SimpleNamespace

    def ContinuousBatchingPipeline(  # noqa: N802 - the library's own name
        self, path: str, scheduler: Any, device: str, properties: Any
    ) -> Any:
        sparse: bool = scheduler.use_sparse_attention
        self.attempts.append(sparse)
        if sparse and self.at == "construction":
            raise RuntimeError(self.words)

        def generate(*_arguments: Any) -> Any:
            if sparse and self.at == "generation":
                raise RuntimeError(self.words)
            return [SimpleNamespace(m_generation_ids=[[1]])]

        return SimpleNamespace(
            generate=generate,
            get_metrics=lambda: SimpleNamespace(cache_usage=5.0),
            get_tokenizer=FakeTokenizer,
        )


class FakeTokenizer:
    def encode(self, text: str, add_special_tokens: bool) -> Any:
        import numpy as np

        return SimpleNamespace(input_ids=SimpleNamespace(data=np.zeros((1, len(text.split())))))

    def get_vocab(self) -> dict[bytes, int]:
        return {}

    def get_bos_token(self) -> str:
        return "<s>"

    get_eos_token = get_pad_token = get_bos_token


def open_recorded(genai: RecordedGenAi, runtime: OpenVinoRuntime, model: InstalledModel) -> Any:
    spec = openvino_spec(model)
    spec = LoadSpec(
        model_name=spec.model_name,
        model_path=spec.model_path,
        model_digest="",
        context_tokens=100,
        runtime=runtime,
    )
    return OpenVinoBackend(genai).open_session(spec, RecordingControl())


@pytest.mark.ov
@pytest.mark.real_model
@pytest.mark.parametrize("at", ["construction", "generation"])
def test_ov4_automatic_retries_dense_wherever_the_refusal_comes(
    starter_openvino: InstalledModel, at: str
) -> None:
    genai = RecordedGenAi(REFUSAL, at=at)
    session = open_recorded(genai, gpu(), starter_openvino)
    assert genai.attempts == [True, False]
    assert any(REFUSAL in note for note in session._notes)


@pytest.mark.ov
@pytest.mark.real_model
@pytest.mark.parametrize("at", ["construction", "generation"])
def test_ov4_required_sparse_attention_fails_hard_with_one_attempt(
    starter_openvino: InstalledModel, at: str
) -> None:
    genai = RecordedGenAi(REFUSAL, at=at)
    with pytest.raises(NativeFailure):
        open_recorded(genai, gpu(use_sparse_attention=True), starter_openvino)
    assert genai.attempts == [True]


@pytest.mark.ov
@pytest.mark.real_model
def test_ov4_another_failure_is_no_reason_to_retry(starter_openvino: InstalledModel) -> None:
    genai = RecordedGenAi("std::bad_alloc", at="construction")
    with pytest.raises(NativeFailure) as caught:
        open_recorded(genai, gpu(), starter_openvino)
    assert caught.value.fault.code == "out_of_memory"
    assert genai.attempts == [True]


# --- the stateful fallback ---


@pytest.mark.real_model
def test_a_model_that_cannot_be_paged_falls_back_and_says_so(
    shared_engine: Engine, starter_openvino: InstalledModel, unpageable: Path
) -> None:
    spec = openvino_spec(starter_openvino, path=unpageable)
    recorder = shared_engine.send(ask(spec, CAPITAL))
    end = finished(recorder.end())
    assert "Paris" in recorder.text
    assert end.reason is FinishReason.STOP
    assert (end.usage.prompt_tokens, end.usage.reused_tokens) == (37, 0)
    assert end.timings.decode_tokens_per_s is not None
    report = describe(shared_engine, spec)
    assert report.pipeline == "stateful"
    assert any("can be paged" in note for note in report.notes)


@pytest.mark.real_model
def test_an_explicit_paged_request_for_it_fails_with_its_code(
    shared_engine: Engine, starter_openvino: InstalledModel, unpageable: Path
) -> None:
    spec = openvino_spec(starter_openvino, path=unpageable, pipeline=Pipeline.PAGED)
    end = shared_engine.send(ask(spec, "x")).end()
    assert isinstance(end, Failed)
    assert end.error.code == "paged_attention_not_supported"


@pytest.mark.real_model
def test_the_stateful_pipeline_stops_in_decode_and_in_prefill(
    shared_engine: Engine, starter_openvino: InstalledModel
) -> None:
    spec = openvino_spec(starter_openvino, pipeline=Pipeline.STATEFUL)
    request = ask(spec, "Tell me a long story.", max_tokens=800)
    recorder = shared_engine.send(request)
    recorder.next(Delta)
    shared_engine.client.cancel(request.request)
    end = finished(recorder.end())
    assert end.reason is FinishReason.CANCELLED
    assert 0 < end.usage.completion_tokens < 800
    # Its prefill hears nothing: the engine process ends itself and a new one serves the next.
    long = ask(spec, SEA * 300)
    recorder = shared_engine.send(long)
    recorder.next(PrefillProgress)
    pid = shared_engine.client.pid
    shared_engine.client.cancel(long.request)
    assert finished(recorder.end()).reason is FinishReason.CANCELLED
    again = shared_engine.send(ask(spec, CAPITAL, max_tokens=3))
    assert finished(again.end()).reason is FinishReason.LENGTH
    assert shared_engine.client.pid != pid


@pytest.mark.real_model
def test_a_stateful_model_is_replaced_in_a_fresh_process(
    shared_engine: Engine, starter_openvino: InstalledModel
) -> None:
    """What it leaves behind in its process only the end of the process gives back."""
    first = openvino_spec(starter_openvino, pipeline=Pipeline.STATEFUL, context_tokens=1024)
    other = openvino_spec(starter_openvino, pipeline=Pipeline.STATEFUL, context_tokens=2048)
    assert isinstance(shared_engine.send(ask(first, CAPITAL, max_tokens=2)).end(), Finished)
    pid = shared_engine.client.pid
    assert isinstance(shared_engine.send(ask(first, CAPITAL, max_tokens=2)).end(), Finished)
    assert shared_engine.client.pid == pid  # the same model needs no other process
    shared_engine.drain()
    waiting = [shared_engine.send(ask(other, CAPITAL, max_tokens=2)) for _ in range(2)]
    ends = [finished(recorder.end()) for recorder in waiting]
    assert [end.reason for end in ends] == [FinishReason.LENGTH] * 2
    assert ends[0].timings.load_s
    assert not ends[1].timings.load_s
    assert shared_engine.client.pid != pid
    assert not any(isinstance(notice, EngineDied) for notice in shared_engine.drain())


# --- versions ---


def test_the_release_train_is_the_one_that_pyproject_pins() -> None:
    pinned = (Path(__file__).parents[3] / "pyproject.toml").read_text()
    for name, version in RELEASE_TRAIN.items():
        assert f'"{name}=={version}"' in pinned


def test_a_mixed_release_train_is_a_version_mismatch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(RELEASE_TRAIN, "openvino-tokenizers", "2025.1.0.0")
    report = OpenVinoBackend().report()
    assert report.error is not None
    assert report.error.code == "version_mismatch"
    assert "openvino-tokenizers is 2026.4.1.0 instead of 2025.1.0.0" in report.error.message

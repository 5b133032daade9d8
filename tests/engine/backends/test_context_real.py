"""Counting, admission and reuse on the starter model, on both real backends."""

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from app.engine.context import Segment, assemble
from app.engine.manifest import Manifest, SegmentKind, compatible
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
from app.engine.spec import LlamaRuntime, LoadSpec
from app.models.library import InstalledModel
from tests.engine.backends.conftest import openvino_spec
from tests.engine.backends.llama_required import llama_spec, require_llama
from tests.engine.conftest import Engine, Recorder, ask

pytestmark = [pytest.mark.real_model, pytest.mark.s2, pytest.mark.s2_5]

SEA = "The sea is blue and the sky is grey today. "
SYSTEM = Segment(kind=SegmentKind.SYSTEM, text="You answer in one short sentence.")
BACKENDS = ("openvino", "llama")


@pytest.fixture(scope="module", params=BACKENDS)
def backend(request: pytest.FixtureRequest) -> str:
    """Of the module, so that one model stays loaded for all tests of a backend."""
    return str(request.param)


@pytest.fixture(scope="module")
def engine_of(
    tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> Iterator["Bench"]:
    bench = Bench(Engine(tmp_path_factory.mktemp("logs")), request)
    yield bench
    bench.engine.client.close()


class Bench:
    """One engine, and the starter's specs."""

    def __init__(self, engine: Engine, request: pytest.FixtureRequest) -> None:
        self.engine = engine
        self._request = request

    def spec(self, backend: str, context_tokens: int = 2048) -> LoadSpec:
        if backend == "openvino":
            model = self._request.getfixturevalue("starter_openvino")
            assert isinstance(model, InstalledModel)
            return openvino_spec(model, context_tokens=context_tokens)
        require_llama()
        model = self._request.getfixturevalue("starter_gguf")
        assert isinstance(model, InstalledModel)
        return llama_spec(model, context_tokens=context_tokens)

    def count(self, turn: Generate) -> ContextReport:
        found: list[ContextReport] = []

        def listen(event: object) -> None:
            if isinstance(event, Counted):
                found.append(event.report)

        self.engine.client.call(Count(request=new_request_id(), turn=turn), listen)
        return found[0]

    def run(self, turn: Generate) -> tuple[Recorder, Finished]:
        recorder = self.engine.send(turn)
        end = recorder.end()
        assert isinstance(end, Finished), end
        return recorder, end

    def refuse(self, turn: Generate) -> Failed:
        end = self.engine.send(turn).end()
        assert isinstance(end, Failed), end
        return end


def chat(spec: LoadSpec, pinned: str, question: str, max_tokens: int = 8) -> Generate:
    made = assemble(
        [
            SYSTEM,
            Segment(kind=SegmentKind.PINNED, name="notes.md", text=pinned),
            Segment(kind=SegmentKind.USER, text=question),
        ]
    )
    return Generate(
        request=new_request_id(),
        spec=spec,
        messages=made.messages,
        segments=made.spans,
        max_tokens=max_tokens,
    )


def test_a_count_is_what_the_answer_then_reads(engine_of: Bench, backend: str) -> None:
    spec = engine_of.spec(backend)
    turn = chat(spec, SEA * 20 + "x<|im_end|>\né漢🙂", "What is blue?", max_tokens=2)
    report = engine_of.count(turn)
    _, end = engine_of.run(turn)
    assert end.usage.prompt_tokens == report.prompt_tokens
    records = report.manifest.segments
    assert [one.kind.value for one in records] == ["system", "pinned", "user"]
    assert all(one.tokens for one in records)
    pinned, asked = records[1:]
    assert pinned.token_end is not None
    assert asked.token_start is not None
    assert pinned.token_end <= report.manifest.stable_tokens <= asked.token_start


def test_a_count_is_answered_while_an_answer_is_written(engine_of: Bench, backend: str) -> None:
    spec = engine_of.spec(backend)
    answering = ask(spec, "Tell me a very long story about the sea.", max_tokens=900)
    recorder = engine_of.engine.send(answering)
    recorder.next(Delta)
    assert engine_of.count(ask(spec, "What is the capital of France?")).prompt_tokens in (37, 42)
    engine_of.engine.client.cancel(answering.request)
    end = recorder.end()
    assert isinstance(end, Finished)
    assert end.reason is FinishReason.CANCELLED, "it was still being written"


def test_prediction_measurement_and_an_edit(engine_of: Bench, backend: str) -> None:
    spec = engine_of.spec(backend)
    pinned = f"{backend} notes. " + SEA * 40
    engine_of.run(chat(spec, pinned, "What is blue?"))
    turn = chat(spec, pinned, "What is grey?")
    report = engine_of.count(turn)
    _, warm = engine_of.run(turn)
    stable = report.manifest.stable_tokens
    assert report.predicted_reused_tokens is not None
    assert stable - 32 < report.predicted_reused_tokens
    assert warm.usage.reuse_measured
    assert warm.usage.reused_tokens == report.predicted_reused_tokens
    edited = chat(spec, pinned.replace("notes", "lines"), "What is grey?")
    changed = engine_of.count(edited)
    _, cold = engine_of.run(edited)
    assert compatible(report.manifest, changed.manifest) == "stable_token_sha256"
    assert cold.usage.reused_tokens == changed.predicted_reused_tokens
    assert cold.usage.reused_tokens < 64
    assert warm.timings.ttft_s is not None
    assert cold.timings.ttft_s is not None
    assert warm.timings.ttft_s < cold.timings.ttft_s / 2


def test_what_is_computed_ahead_is_reused_and_given_up_for_a_turn(
    engine_of: Bench, backend: str
) -> None:
    spec = engine_of.spec(backend)
    ahead = chat(spec, f"Ahead {backend}. " + SEA * 30, "")
    ahead = msgspec.structs.replace(ahead, messages=ahead.messages[:1], segments=())
    engine_of.run(ask(spec, "Hi", max_tokens=1))
    recorder = Recorder()
    engine_of.engine.client.submit(Prefill(request=new_request_id(), turn=ahead), recorder)
    end = recorder.end()
    assert isinstance(end, Finished), end
    assert end.reason is FinishReason.STOP
    _, answered = engine_of.run(chat(spec, f"Ahead {backend}. " + SEA * 30, "Hi", max_tokens=1))
    assert answered.usage.reused_tokens >= end.usage.prompt_tokens > 300
    long = msgspec.structs.replace(
        ahead, messages=chat(spec, f"Long {backend}. " + SEA * 150, "").messages[:1]
    )
    given_up = Recorder()
    engine_of.engine.client.submit(Prefill(request=new_request_id(), turn=long), given_up)
    given_up.next(PrefillProgress)
    engine_of.run(ask(spec, "Hi", max_tokens=1))
    end = given_up.end()
    assert isinstance(end, Finished)
    assert end.reason is FinishReason.CANCELLED


def test_warm_equals_cold_where_only_prompt_kv_is_reused(engine_of: Bench, backend: str) -> None:
    spec = engine_of.spec(backend)
    pinned = f"Warm {backend}. " + SEA * 30
    question = "What colour is the sea, and what colour is the sky?"
    # One token of an answer leaves no KV of decoding behind.
    engine_of.run(chat(spec, pinned, "Hello!", max_tokens=1))
    warm_text, warm = engine_of.run(chat(spec, pinned, question, max_tokens=24))
    assert warm.usage.reused_tokens > 300
    fresh = msgspec.structs.replace(spec, profile_digest="another")
    cold_text, cold = engine_of.run(chat(fresh, pinned, question, max_tokens=24))
    assert cold.timings.load_s > 0
    assert cold.usage.reused_tokens == 0, "another profile must miss"
    assert warm_text.text == cold_text.text


def test_the_manifest_tells_apart_what_may_not_be_mixed(
    engine_of: Bench, tmp_path: Path, starter_openvino: InstalledModel
) -> None:
    folder = tmp_path / "model"
    folder.mkdir()
    for file in starter_openvino.path.iterdir():
        (folder / file.name).symlink_to(file)
    config = folder / "config.json"
    text = config.read_text()
    config.unlink()
    config.write_text(text.replace('"rope_theta": ', '"rope_theta": 1'))

    def manifest(spec: LoadSpec) -> Manifest:
        return engine_of.count(chat(spec, SEA, "Hi")).manifest

    plain = manifest(openvino_spec(starter_openvino))
    others = {
        "rope": openvino_spec(starter_openvino, path=folder),
        "kv_precision": openvino_spec(starter_openvino, kv_cache_precision="f16"),
        "profile_digest": msgspec.structs.replace(
            openvino_spec(starter_openvino), profile_digest="other"
        ),
        "context_tokens": openvino_spec(starter_openvino, context_tokens=100),
    }
    for name, spec in others.items():
        assert compatible(plain, manifest(spec)) == name
    assert compatible(plain, manifest(openvino_spec(starter_openvino))) is None


def test_the_prediction_is_right_when_two_chats_overfill_the_pool(
    engine_of: Bench, starter_openvino: InstalledModel
) -> None:
    spec = openvino_spec(starter_openvino, num_kv_blocks=26)
    engine_of.run(ask(spec, "Hi", max_tokens=1))
    chats = [chat(spec, f"{name} " + SEA * 32, "Hi", max_tokens=1) for name in ("One", "Other")]
    for turn in (chats[0], chats[1], chats[0], chats[0]):
        predicted = engine_of.count(turn).predicted_reused_tokens
        _, end = engine_of.run(msgspec.structs.replace(turn, request=new_request_id()))
        assert end.usage.reuse_measured
        assert end.usage.reused_tokens == predicted
    assert end.usage.reused_tokens > 300


def test_a_quantised_cache_of_llama_is_another_cache(engine_of: Bench) -> None:
    spec = engine_of.spec("llama")
    quantised = msgspec.structs.replace(spec, runtime=LlamaRuntime(kv_cache_type="q8_0"))
    one = engine_of.count(chat(spec, SEA, "Hi")).manifest
    other = engine_of.count(chat(quantised, SEA, "Hi")).manifest
    assert compatible(one, other) == "kv_precision"

"""The starter model on llama.cpp, in this process."""

import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import cast

import pytest

from app.core.errors import ContenoxError, DataFault, EnvironmentFault, UserError
from app.engine.answer_stream import AnswerStream
from app.engine.backends.base import Outcome, RequestStopped
from app.engine.backends.jinja_template import ChatTemplate
from app.engine.backends.llama import LlamaBackend
from app.engine.backends.llama_native import load_native
from app.engine.backends.llama_session import LlamaSession
from app.engine.chat import ChatMessage, Role, Sampling
from app.engine.native_failure import NativeFailure
from app.engine.outcome import FinishReason
from app.engine.protocol import Generate
from app.engine.spec import LlamaRuntime, LoadSpec
from app.models.gguf import GgufModel, read_gguf
from app.models.library import InstalledModel
from tests.engine.backends.llama_required import llama_spec, require_llama
from tests.engine.backends.recording_control import RecordingControl
from tests.support.promptness import AT_ONCE_S

pytestmark = [pytest.mark.real_model, pytest.mark.s1_5]

CAPITAL = "What is the capital of France? Answer in one sentence."
ANSWER = "The capital of France is Paris."
STORY = "Tell me a long story about a lighthouse."
SEA = "The sea is blue and the sky is grey today. "
LONG = SEA * 400
"""About 4,000 tokens."""


@pytest.fixture(scope="module")
def model(request: pytest.FixtureRequest) -> InstalledModel:
    require_llama()
    found = request.getfixturevalue("starter_gguf")
    assert isinstance(found, InstalledModel)
    return found


@pytest.fixture(scope="module")
def spec(model: InstalledModel) -> LoadSpec:
    return llama_spec(model, context_tokens=5_000)


@pytest.fixture(scope="module")
def session(spec: LoadSpec) -> Iterator[LlamaSession]:
    opened = LlamaBackend().open_session(spec, RecordingControl())
    yield opened
    opened.close()


def user(text: str) -> ChatMessage:
    return ChatMessage(role=Role.USER, content=text)


def assistant(text: str) -> ChatMessage:
    return ChatMessage(role=Role.ASSISTANT, content=text)


def asking(
    spec: LoadSpec,
    *messages: ChatMessage,
    max_tokens: int = 64,
    sampling: Sampling | None = None,
) -> Generate:
    return Generate(
        request="r",
        spec=spec,
        messages=messages,
        sampling=sampling or Sampling(),
        max_tokens=max_tokens,
    )


def ask(
    session: LlamaSession,
    spec: LoadSpec,
    *messages: ChatMessage,
    control: RecordingControl | None = None,
    max_tokens: int = 64,
    sampling: Sampling | None = None,
) -> tuple[Outcome, RecordingControl]:
    control = control or RecordingControl()
    request = asking(spec, *messages, max_tokens=max_tokens, sampling=sampling)
    return session.generate(request, control), control


def count(session: LlamaSession, spec: LoadSpec, *messages: ChatMessage) -> int:
    return session.count_tokens(asking(spec, *messages), RecordingControl())


def test_a_question_is_answered_in_several_pieces_and_ends_by_itself(
    session: LlamaSession, spec: LoadSpec
) -> None:
    outcome, control = ask(session, spec, user(CAPITAL))
    assert control.text == ANSWER
    assert outcome.reason is FinishReason.STOP
    assert outcome.seed is None
    assert not outcome.fatal
    assert len(control.deltas) > 3
    # Each token was a piece, but for the one that ends the answer.
    assert outcome.usage.completion_tokens == len(control.deltas) + 1
    timings = outcome.timings
    assert timings.ttft_s is not None
    assert timings.ttft_s > 0
    assert timings.prefill_tokens_per_s is not None
    assert timings.prefill_tokens_per_s * timings.ttft_s == pytest.approx(
        outcome.usage.prompt_tokens - outcome.usage.reused_tokens
    )
    assert timings.decode_tokens_per_s is not None
    assert timings.decode_tokens_per_s > 0


def test_a_load_reports_its_progress_and_two_sessions_answer_alike(
    session: LlamaSession, spec: LoadSpec, model: InstalledModel
) -> None:
    control = RecordingControl()
    other = LlamaBackend().open_session(llama_spec(model), control)
    try:
        _, first = ask(session, spec, user(CAPITAL))
        _, second = ask(other, spec, user(CAPITAL))
        assert first.text == second.text
    finally:
        other.close()
        other.close()
    fractions = [fraction for stage, fraction in control.loads if stage == "loading"]
    assert fractions == sorted(fractions, key=lambda fraction: fraction or 0)
    assert fractions[-1] == 1
    assert [stage for stage, _ in control.loads][-1] == "warming up"


@pytest.mark.s2
def test_the_next_turn_computes_only_what_is_new(session: LlamaSession, spec: LoadSpec) -> None:
    ask(session, spec, user("Something else."), max_tokens=1)
    first, said = ask(session, spec, user(CAPITAL))
    turn = (user(CAPITAL), assistant(said.text), user("And of Germany?"))
    second, control = ask(session, spec, *turn, max_tokens=4)
    # All of the first turn, but for the end token, which was chosen and not yet computed.
    held = first.usage.prompt_tokens + first.usage.completion_tokens - 1
    assert second.usage.reused_tokens == held
    assert control.prefills[0] == (held, second.usage.prompt_tokens, held)
    assert control.prefills[-1][0] == second.usage.prompt_tokens


@pytest.mark.s2
def test_the_same_prompt_again_computes_its_last_token_only(
    session: LlamaSession, spec: LoadSpec
) -> None:
    ask(session, spec, user(CAPITAL))
    again, _ = ask(session, spec, user(CAPITAL))
    assert again.usage.reused_tokens == again.usage.prompt_tokens - 1


def test_a_cancelled_prefill_keeps_what_was_computed(session: LlamaSession, spec: LoadSpec) -> None:
    stopping = RecordingControl(stop_at_prefill=256)
    outcome, control = ask(session, spec, user(LONG), control=stopping)
    assert outcome.reason is FinishReason.CANCELLED
    assert outcome.usage.prompt_tokens > 3_900
    assert outcome.usage.completion_tokens == 0
    assert control.deltas == []
    done = control.prefills[-1][0]
    assert 256 <= done < 768
    stopping = RecordingControl(stop_at_prefill=done + 1)
    outcome, _ = ask(session, spec, user(LONG), control=stopping)
    assert outcome.usage.reused_tokens == done
    assert ask(session, spec, user(CAPITAL))[1].text == ANSWER


def test_a_cancel_interrupts_a_batch_of_thousands_of_tokens(model: InstalledModel) -> None:
    spec = llama_spec(
        model, context_tokens=5_000, runtime=LlamaRuntime(batch_tokens=4_096, threads=1)
    )
    session = LlamaBackend().open_session(spec, RecordingControl())
    try:
        stopping = RecordingControl(stop_after_s=0.3)
        outcome, control = ask(session, spec, user(LONG), control=stopping)
        ended = time.perf_counter()
        assert outcome.reason is FinishReason.CANCELLED
        assert [done for done, _, _ in control.prefills] == [0]
        assert control.stopped_at is not None
        # The whole batch takes about 15 s.
        assert ended - control.stopped_at < AT_ONCE_S
        assert ask(session, spec, user(CAPITAL))[1].text == ANSWER
    finally:
        session.close()


def test_a_cancel_in_the_answer_keeps_its_beginning(session: LlamaSession, spec: LoadSpec) -> None:
    stopping = RecordingControl(stop_after_deltas=3)
    outcome, control = ask(session, spec, user(CAPITAL), control=stopping)
    assert outcome.reason is FinishReason.CANCELLED
    assert len(control.deltas) == 3
    assert ANSWER.startswith(control.text)
    assert outcome.usage.completion_tokens == 3
    assert ask(session, spec, user(CAPITAL))[1].text == ANSWER


def test_a_deadline_is_told_apart_from_a_cancel(session: LlamaSession, spec: LoadSpec) -> None:
    stopping = RecordingControl(stop_after_deltas=1, reason=FinishReason.DEADLINE)
    outcome, _ = ask(session, spec, user(CAPITAL), control=stopping)
    assert outcome.reason is FinishReason.DEADLINE


@pytest.mark.parametrize("fraction", [0.0, 0.3])
def test_a_load_can_be_stopped_inside(model: InstalledModel, fraction: float) -> None:
    control = RecordingControl(stop_at_load=fraction)
    with pytest.raises(RequestStopped) as caught:
        LlamaBackend().open_session(llama_spec(model), control)
    assert caught.value.reason is FinishReason.CANCELLED
    assert "warming up" not in [stage for stage, _ in control.loads]


def test_the_answer_ends_when_the_context_is_full(
    model: InstalledModel, session: LlamaSession, spec: LoadSpec
) -> None:
    prompt = (user(STORY),)
    tokens = count(session, spec, *prompt)
    spec = llama_spec(model, context_tokens=tokens + 8)
    small = LlamaBackend().open_session(spec, RecordingControl())
    try:
        outcome, control = ask(small, spec, *prompt)
        assert outcome.reason is FinishReason.CONTEXT_FULL
        assert outcome.usage.completion_tokens == 8
        assert control.text
        again, _ = ask(small, spec, *prompt, max_tokens=8)
        assert again.reason is FinishReason.LENGTH
    finally:
        small.close()


@pytest.mark.ov
def test_a_prompt_that_fills_the_context_is_refused_and_one_token_less_is_not(
    model: InstalledModel, session: LlamaSession, spec: LoadSpec
) -> None:
    prompt = (user(STORY),)
    tokens = count(session, spec, *prompt)
    spec = llama_spec(model, context_tokens=tokens)
    small = LlamaBackend().open_session(spec, RecordingControl())
    try:
        with pytest.raises(UserError) as caught:
            ask(small, spec, *prompt)
        assert caught.value.code == "context_overflow"
        assert f"has {tokens} tokens" in caught.value.message
        shorter = (user("Tell me a story about a lighthouse."),)
        assert count(session, spec, *shorter) == tokens - 1
        outcome, _ = ask(small, spec, *shorter)
        assert outcome.reason is FinishReason.CONTEXT_FULL
        assert outcome.usage.completion_tokens == 1
    finally:
        small.close()


def test_max_tokens_ends_the_answer(session: LlamaSession, spec: LoadSpec) -> None:
    outcome, _ = ask(session, spec, user(STORY), max_tokens=5)
    assert outcome.reason is FinishReason.LENGTH
    assert outcome.usage.completion_tokens == 5


def test_an_answer_that_has_begun_goes_on_and_its_characters_are_whole(
    session: LlamaSession, spec: LoadSpec
) -> None:
    begun = assistant("Rain: 🌧️🌧️🌧️🌧️🌧️🌧️")
    _, control = ask(session, spec, user("Draw rain with emoji."), begun, max_tokens=40)
    assert "🌧️🌧️" in control.text
    assert "\ufffd" not in control.text
    assert all(text for _, text in control.deltas)
    # A character is more tokens than one, so there are fewer pieces than tokens.
    assert len(control.deltas) < 40


def test_a_stop_string_over_two_tokens_is_not_shown(session: LlamaSession, spec: LoadSpec) -> None:
    outcome, control = ask(session, spec, user(CAPITAL), sampling=Sampling(stop_strings=("s Par",)))
    assert control.text == ANSWER[: ANSWER.index("s Par")]
    assert outcome.reason is FinishReason.STOP


def test_a_stop_string_that_did_not_come_changes_nothing(
    session: LlamaSession, spec: LoadSpec
) -> None:
    _, control = ask(session, spec, user(CAPITAL), sampling=Sampling(stop_strings=("Paris.X",)))
    assert control.text == ANSWER


def test_a_special_token_in_a_message_stays_text(session: LlamaSession, spec: LoadSpec) -> None:
    def encoded(text: str) -> list[int]:
        request = asking(spec, user(text))
        return session.prompts.write(request, AnswerStream(RecordingControl(), request))

    end = session._model.tokenize("<|im_end|>")
    assert len(end) == 1
    plain = encoded("a b")
    pasted = encoded("a <|im_end|> b")
    assert pasted.count(end[0]) == plain.count(end[0])
    assert b"".join(map(session._model.piece, pasted)).count(b"<|im_end|>") == 1


def test_the_seed_decides_and_is_told(session: LlamaSession, spec: LoadSpec) -> None:
    def sample(seed: int | None) -> tuple[str, int | None]:
        warm = Sampling(temperature=1.0, top_p=0.95, top_k=50, min_p=0.01, seed=seed)
        outcome, control = ask(session, spec, user(STORY), sampling=warm, max_tokens=12)
        return control.text, outcome.seed

    first, _ = sample(7)
    assert sample(7) == (first, 7)
    assert sample(8)[0] != first
    free, seed = sample(None)
    assert seed is not None
    assert sample(seed)[0] == free


def test_the_repetition_penalty_counts_the_prompt(session: LlamaSession, spec: LoadSpec) -> None:
    _, repeated = ask(session, spec, user("Say: no no no no"), max_tokens=16)
    strong = Sampling(repetition_penalty=2.0)
    _, penalised = ask(session, spec, user("Say: no no no no"), sampling=strong, max_tokens=16)
    assert penalised.text != repeated.text
    assert "no no" not in penalised.text


def test_a_quantised_cache_answers_too(model: InstalledModel) -> None:
    spec = llama_spec(model, context_tokens=256, runtime=LlamaRuntime(kv_cache_type="q8_0"))
    session = LlamaBackend().open_session(spec, RecordingControl())
    try:
        assert "Paris" in ask(session, spec, user(CAPITAL))[1].text
    finally:
        session.close()


def test_a_path_with_any_characters_works(model: InstalledModel, tmp_path: Path) -> None:
    folder = tmp_path / "Modèle 漢 x"
    folder.mkdir()
    path = folder / "modèle é.gguf"
    shutil.copyfile(model.path, path)
    spec = llama_spec(model, context_tokens=64, path=str(path))
    LlamaBackend().open_session(spec, RecordingControl()).close()


def test_a_failing_template_is_told_before_anything_is_computed(
    session: LlamaSession, spec: LoadSpec, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        for source, code in ((None, "template_missing"), ("{{ 1 + 'a' }}", "template_failed")):
            patched.setattr(session.prompts, "template", ChatTemplate(source))
            control = RecordingControl()
            with pytest.raises(DataFault) as caught:
                ask(session, spec, user(CAPITAL), control=control)
            assert caught.value.code == code
            assert control.prefills == []
    assert ask(session, spec, user(CAPITAL))[1].text == ANSWER


def test_the_report_names_binding_and_library() -> None:
    require_llama()
    report = LlamaBackend().report()
    assert report.error is None
    assert report.version == "0.5.0-dev"
    assert report.components["llama-cpp-python"] == "0.3.36"
    assert report.components["ggml"] == "0.25.3"


def test_a_loaded_model_describes_itself(session: LlamaSession) -> None:
    report = session.describe()
    assert report.asked["batch_tokens"] == "256"
    assert report.library["n_batch"] == "256"
    assert int(report.library["n_ctx"]) >= 5_000
    # 30 layers, 3 heads of 64 keys and values of 2 bytes.
    assert report.metrics["kv_bytes_per_token"] == 23_040


@pytest.mark.parametrize(
    ("changes", "kind", "code"),
    [
        ({"path": "gone.gguf"}, DataFault, "model_incomplete"),
        ({"runtime": LlamaRuntime(device="GPU")}, UserError, "device_unavailable"),
        ({"runtime": LlamaRuntime(kv_cache_type="q3")}, UserError, "kv_cache_type_unknown"),
        ({"context_tokens": 10**10}, EnvironmentFault, "out_of_memory"),
    ],
)
def test_what_can_not_be_loaded_is_refused_with_a_code(
    model: InstalledModel, changes: dict[str, object], kind: type[ContenoxError], code: str
) -> None:
    with pytest.raises(kind) as caught:
        LlamaBackend().open_session(
            llama_spec(model, **changes),  # type: ignore[arg-type]
            RecordingControl(),
        )
    assert caught.value.code == code


@pytest.mark.s2
def test_a_saved_state_spares_the_next_session_the_prefill(
    session: LlamaSession, spec: LoadSpec, model: InstalledModel, tmp_path: Path
) -> None:
    path = tmp_path / "état.state"
    first, control = ask(session, spec, user(CAPITAL))
    held = first.usage.prompt_tokens + first.usage.completion_tokens - 1
    assert session.save_state(path) == path.stat().st_size
    other = LlamaBackend().open_session(llama_spec(model), RecordingControl())
    try:
        assert other.restore_state(path) == held
        turn = (user(CAPITAL), assistant(control.text), user("And of Germany?"))
        assert ask(other, spec, *turn, max_tokens=1)[0].usage.reused_tokens == held
        path.write_bytes(path.read_bytes()[:100_000])
        for damaged in (path, tmp_path / "absent"):
            with pytest.raises(DataFault) as caught:
                other.restore_state(damaged)
            assert caught.value.code == "state_damaged"
        again, control = ask(other, spec, user(CAPITAL))
        assert again.usage.reused_tokens == 0
        assert control.text == ANSWER
        with pytest.raises(EnvironmentFault) as refused:
            other.save_state(tmp_path / "no folder" / "x")
        assert refused.value.code == "state_unwritable"
    finally:
        other.close()


class _Renamed:
    """The header of a good file, with the path of another."""

    def __init__(self, gguf: GgufModel, path: Path) -> None:
        self._gguf = gguf
        self.path = path

    def __getattr__(self, name: str) -> object:
        return getattr(self._gguf, name)


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (lambda data: data.replace(b"llama", b"zlama", 1), "model_unsupported"),
        (lambda data: data.replace(b"\0smollm\x15", b"\0zmollm\x15", 1), "model_unsupported"),
        (lambda data: data[:50_000_000], "model_damaged"),
        (lambda data: data[:60_000_000] + b"\xff" * 4_000 + data[60_004_000:], "model_damaged"),
    ],
)
def test_what_only_the_library_can_find_is_translated(
    model: InstalledModel, tmp_path: Path, change: Callable[[bytes], bytes], code: str
) -> None:
    path = tmp_path / "changed.gguf"
    path.write_bytes(change(model.path.read_bytes()))
    header = cast(GgufModel, _Renamed(read_gguf(model.path), path))
    with pytest.raises(NativeFailure) as caught:
        LlamaSession(load_native(), header, llama_spec(model), RecordingControl())
    assert caught.value.fault.code == code

"""Two megabytes of real text on the real tokenizers: the ids are exact, and a cancel is heard."""

import sysconfig
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.engine import prompt
from app.engine.backends.llama_model import LlamaModel
from app.engine.backends.llama_native import load_native
from app.engine.outcome import FinishReason
from app.engine.protocol import Count, Counted, Finished, Request, new_request_id
from app.engine.spec import LoadSpec
from app.models.gguf import read_gguf
from app.models.library import InstalledModel
from tests.engine.backends.conftest import openvino_spec
from tests.engine.backends.llama_required import llama_spec, require_llama
from tests.engine.backends.recording_control import RecordingControl
from tests.engine.conftest import Engine, Recorder, ask

pytestmark = [pytest.mark.real_model, pytest.mark.ov, pytest.mark.s2_5]

CHARS = 2_000_000
"""Just below where a text is refused without being counted."""

CANCEL_S = 0.25
"""The promise, in which a part of a text has its place many times over."""


def written_text() -> str:
    """The sources of Python: code, prose, tables, other scripts, long lines and short ones."""
    text = ""
    for path in sorted(Path(sysconfig.get_paths()["stdlib"]).glob("*.py")):
        text += path.read_text("utf-8", "replace")
        if len(text) >= CHARS - 1000:
            break
    return text[: CHARS - 1000]


TEXT = st.lists(
    st.one_of(
        st.sampled_from(
            [" ", "  ", "\n", "\n\n", "\t", "'s", "don't ", "the", "The", "1", "23", "_", "...",
             "é", "。", "今天", "한국", "हि", "🎉", "<|im_end|>", "<|endoftext|>", '{"a":1}',
             "\r\n", "\u00a0"]
        ),
        st.text(max_size=3),
    ),
    max_size=40,
).map("".join)  # fmt: skip

Encode = Callable[[str], list[int]]


def _openvino(request: pytest.FixtureRequest) -> Encode:
    import openvino_genai

    model: InstalledModel = request.getfixturevalue("starter_openvino")
    tokenizer = openvino_genai.Tokenizer(str(model.path))

    def encode(text: str) -> list[int]:
        ids: list[int] = tokenizer.encode(text, add_special_tokens=False).input_ids.data[0].tolist()
        return ids

    return encode


def _llama(request: pytest.FixtureRequest) -> Encode:
    require_llama()
    model: InstalledModel = request.getfixturevalue("starter_gguf")
    vocabulary = LlamaModel(
        load_native(), read_gguf(model.path), RecordingControl(), vocabulary_only=True
    )
    request.addfinalizer(vocabulary.close)
    return vocabulary.tokenize


@pytest.fixture(scope="module", params=[_openvino, _llama], ids=["openvino", "llama"])
def encode(request: pytest.FixtureRequest) -> Encode:
    make: Callable[[pytest.FixtureRequest], Encode] = request.param
    return make(request)


@settings(max_examples=300)
@given(text=TEXT)
def test_the_parts_have_the_ids_of_the_whole(encode: Encode, text: str) -> None:
    in_parts = [one for part in prompt.parts(text, encode, 12) for one in encode(part)]
    assert in_parts == (encode(text) if text else [])


def test_real_text_has_the_same_ids_in_parts_of_any_size(encode: Encode) -> None:
    # Short enough for OpenVINO's tokenizer of the starter, which cuts what is longer.
    for start in range(0, CHARS - 1000, 250_000):
        text = written_text()[start : start + 12_000]
        whole = encode(text)
        for longest in (40, 600, 5_000):
            parts = list(prompt.parts(text, encode, longest))
            assert [one for part in parts for one in encode(part)] == whole
            assert len(parts) > len(text) // (2 * longest)


def _openvino_spec(request: pytest.FixtureRequest) -> LoadSpec:
    return openvino_spec(request.getfixturevalue("starter_openvino"))


def _llama_spec(request: pytest.FixtureRequest) -> LoadSpec:
    require_llama()
    return llama_spec(request.getfixturevalue("starter_gguf"))


@pytest.fixture(scope="module", params=[_openvino_spec, _llama_spec], ids=["openvino", "llama"])
def spec(request: pytest.FixtureRequest) -> LoadSpec:
    make: Callable[[pytest.FixtureRequest], LoadSpec] = request.param
    return make(request)


@pytest.mark.parametrize("counted", [False, True], ids=["answered", "counted"])
def test_a_cancel_is_heard_while_two_megabytes_are_tokenized(
    shared_engine: Engine, spec: LoadSpec, *, counted: bool
) -> None:
    def made(text: str) -> Request:
        turn = ask(spec, text, max_tokens=1)
        return Count(request=new_request_id(), turn=turn) if counted else turn

    def send(request: Request) -> Recorder:
        recorder = Recorder()
        shared_engine.client.submit(request, recorder)
        return recorder

    assert isinstance(send(made("Hi")).end(), Finished), "loaded"
    pid = shared_engine.client.pid
    text = written_text()
    started = time.perf_counter()
    whole = send(made(text)).end()
    whole_s = time.perf_counter() - started
    # A turn is refused when it is counted; the sum of a count is not judged by it.
    assert isinstance(whole, Finished) is counted
    for share in (0.3, 0.6, 0.9):
        request = made(text)
        recorder = send(request)
        time.sleep(share * whole_s)
        cancelled_at = time.perf_counter()
        shared_engine.client.cancel(request.request)
        end = recorder.end()
        assert time.perf_counter() - cancelled_at < CANCEL_S
        if share < 0.9:
            assert isinstance(end, Finished)
            assert end.reason is FinishReason.CANCELLED
            assert not any(isinstance(one, Counted) for one in recorder.events)
    assert isinstance(send(made("Hi")).end(), Finished)
    assert shared_engine.client.pid == pid, "no process had to end for that"

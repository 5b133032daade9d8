"""A prompt that is too long is refused with its true number of tokens, however long it is."""

import re
from collections.abc import Callable

import pytest

from app.core.errors import UserError
from app.engine.admission import refuse_giant
from app.engine.chat import ChatMessage, Role
from app.engine.protocol import Count, Counted, Failed, Finished, new_request_id
from app.engine.spec import LoadSpec
from app.models.library import InstalledModel
from tests.engine.backends.conftest import openvino_spec
from tests.engine.backends.llama_required import llama_spec, require_llama
from tests.engine.conftest import Engine, Recorder, ask

# Far below the 8,192 tokens at which the starter's tokenizer for OpenVINO cuts.
CONTEXT_TOKENS = 600
WORD = "the"
"""One token for each, with the space before it; the first one is another token."""


def _openvino(request: pytest.FixtureRequest) -> LoadSpec:
    model: InstalledModel = request.getfixturevalue("starter_openvino")
    return openvino_spec(model, context_tokens=CONTEXT_TOKENS)


def _llama(request: pytest.FixtureRequest) -> LoadSpec:
    require_llama()
    model: InstalledModel = request.getfixturevalue("starter_gguf")
    return llama_spec(model, context_tokens=CONTEXT_TOKENS)


@pytest.fixture(scope="module", params=[_openvino, _llama], ids=["openvino", "llama"])
def spec(request: pytest.FixtureRequest) -> LoadSpec:
    make: Callable[[pytest.FixtureRequest], LoadSpec] = request.param
    return make(request)


def _counted(engine: Engine, spec: LoadSpec, words: int) -> int:
    recorder = Recorder()
    turn = ask(spec, " ".join([WORD] * words))
    engine.client.submit(Count(request=new_request_id(), turn=turn), recorder)
    return recorder.next(Counted).report.prompt_tokens


@pytest.mark.ov
@pytest.mark.s2_5
@pytest.mark.real_model
@pytest.mark.parametrize("tokens", [CONTEXT_TOKENS, 3 * CONTEXT_TOKENS, 8191, 8192, 8193, 24_000])
def test_the_refusal_has_the_true_number(
    shared_engine: Engine, spec: LoadSpec, tokens: int
) -> None:
    frame = _counted(shared_engine, spec, 10) - 10
    prompt = " ".join([WORD] * (tokens - frame))
    end = shared_engine.send(ask(spec, prompt)).end()
    assert isinstance(end, Failed)
    assert end.error.code == "context_overflow"
    assert f"the conversation has {tokens:,} tokens" in end.error.message
    assert f"together {tokens + 1:,}; the model's context holds 600." in end.error.message
    assert not end.fatal
    assert _counted(shared_engine, spec, tokens - frame) == tokens


@pytest.mark.ov
@pytest.mark.s2_5
@pytest.mark.real_model
def test_one_token_less_than_the_context_is_answered(shared_engine: Engine, spec: LoadSpec) -> None:
    frame = _counted(shared_engine, spec, 10) - 10
    prompt = " ".join([WORD] * (CONTEXT_TOKENS - 1 - frame))
    end = shared_engine.send(ask(spec, prompt)).end()
    assert isinstance(end, Finished)
    assert (end.usage.prompt_tokens, end.usage.completion_tokens) == (CONTEXT_TOKENS - 1, 1)


def test_megabytes_are_refused_uncounted_and_the_sentence_says_at_least() -> None:
    giant = ChatMessage(role=Role.USER, content="sea " * 600_000)
    with pytest.raises(UserError) as refused:
        refuse_giant((giant,), 8192, longest_token_bytes=81)
    (least,) = re.findall(r"at least ([\d,]+) tokens", refused.value.message)
    assert int(least.replace(",", "")) == 2_400_000 // 81
    refuse_giant((giant,), 2_400_000 // 81 + 1, longest_token_bytes=81)

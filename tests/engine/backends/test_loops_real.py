"""The real case: the smallest model goes round in circles, and is stopped soon."""

import pytest

from app.engine.chat import ChatMessage, Role
from app.engine.outcome import FinishReason
from app.engine.protocol import Finished, Generate, new_request_id
from app.engine.spec import LoadSpec, OpenVinoRuntime
from app.models.library import InstalledModel
from tests.engine.backends.llama_required import llama_spec, require_llama
from tests.engine.conftest import Engine, ask

pytestmark = [pytest.mark.real_model, pytest.mark.s1_5]


def _spec(request: pytest.FixtureRequest, backend: str) -> LoadSpec:
    if backend == "llama":
        require_llama()
        return llama_spec(request.getfixturevalue("starter_gguf"), context_tokens=2048)
    model = request.getfixturevalue("starter_openvino")
    assert isinstance(model, InstalledModel)
    return LoadSpec(
        model_name=model.name,
        model_path=str(model.path),
        model_digest=model.digest,
        context_tokens=2048,
        runtime=OpenVinoRuntime(),
    )


@pytest.mark.parametrize("backend", ["llama", "openvino"])
def test_a_loop_of_the_starter_ends_after_about_a_hundred_tokens(
    request: pytest.FixtureRequest, engine: Engine, backend: str
) -> None:
    begun = "L'Étoile, la Marseillaise, " + "la femme au martyre, " * 6
    turn = Generate(
        request=new_request_id(),
        spec=_spec(request, backend),
        messages=(
            ChatMessage(role=Role.USER, content="What is the capital of France?"),
            ChatMessage(role=Role.ASSISTANT, content=begun),
        ),
        max_tokens=1500,
    )
    sent = engine.send(turn)
    end = sent.end()
    assert isinstance(end, Finished), end
    assert end.reason is FinishReason.REPETITION
    assert "la femme au martyre, la femme au martyre" in sent.text
    assert 20 < end.usage.completion_tokens < 160
    again = engine.send(ask(turn.spec, "What is the capital of France? Answer in one sentence."))
    assert isinstance(again.end(), Finished)
    assert "Paris" in again.text

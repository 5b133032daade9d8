from app.certify.product import EngineModel
from app.certify.workloads import run_workloads
from app.engine.client import EngineClient
from app.engine.spec import LoadSpec
from tests.certify.script import REPLIES, STORY, scripted_model


def spec(context_tokens: int) -> LoadSpec:
    replies = (*REPLIES, ("tell a story", STORY))
    return scripted_model(
        replies=replies, context_tokens=context_tokens, token_s=0.0005, prefill_token_s=0.00001
    )


def test_each_workload_is_measured_or_refused_with_its_reason(client: EngineClient) -> None:
    model = EngineModel(client, spec(6000))
    short, middle, long = run_workloads(model, None, 6000, pairs=1)
    assert short.figures is not None
    assert 360 <= short.prompt_tokens <= 374
    assert middle.figures is not None
    assert 2840 <= middle.prompt_tokens <= 2900
    assert (long.figures, long.prompt_tokens, long.new_tokens) == (None, 11600, 64)
    assert long.refusal == "11,664 tokens are needed, and the context has 6,000"


def test_a_workload_that_fails_is_refused_with_the_engines_sentence(client: EngineClient) -> None:
    model = EngineModel(client, spec(1000))
    found = list(run_workloads(model, None, 20000, pairs=1))
    assert [one.figures is None for one in found] == [False, True, True]
    assert found[1].refusal.endswith("[context_overflow]")

"""What a chat wishes reaches the engine, and nothing else changes."""

import pytest

from app.chats.records import SamplingFields
from app.engine.chat import Sampling, ThinkingLevel
from app.engine.spec import LoadSpec, Protocols, ScriptedRuntime
from app.workflows.services import TurnOptions, thinking_budget
from app.workflows.turn_options import turn_options


def test_no_wish_is_the_programs_default() -> None:
    assert turn_options(SamplingFields()) == TurnOptions()


def test_each_wish_has_its_place() -> None:
    wishes = SamplingFields(
        temperature=0.5,
        top_p=0.9,
        top_k=40,
        min_p=0.05,
        repetition_penalty=1.1,
        seed=7,
        max_answer_tokens=300,
    )
    assert turn_options(wishes, device="GPU") == TurnOptions(
        device="GPU",
        sampling=Sampling(
            temperature=0.5, top_p=0.9, top_k=40, min_p=0.05, repetition_penalty=1.1, seed=7
        ),
        max_tokens=300,
    )


def test_zero_is_a_wish() -> None:
    assert turn_options(SamplingFields(temperature=0.0, seed=0)).sampling.seed == 0


def test_a_thinking_budget_is_a_wish_and_none_switches_thinking_off() -> None:
    assert turn_options(SamplingFields(max_thinking_tokens=300)).max_thinking_tokens == 300
    assert turn_options(SamplingFields(max_thinking_tokens=0)).thinking is ThinkingLevel.OFF


def _spec(reasoning: str | None) -> LoadSpec:
    return LoadSpec(
        model_name="m",
        model_path="",
        model_digest="",
        context_tokens=4096,
        protocols=Protocols(reasoning=reasoning),
        runtime=ScriptedRuntime(),
    )


@pytest.mark.parametrize(
    ("reasoning", "asked", "setting", "budget"),
    [
        (None, 300, 1024, None),
        ("llama:common_chat_reasoning_parser", None, 1024, 1024),
        ("llama:common_chat_reasoning_parser", 300, 1024, 300),
        ("llama:common_chat_reasoning_parser", None, 0, None),
    ],
)
def test_only_a_model_that_thinks_has_a_budget(
    reasoning: str | None, asked: int | None, setting: int, budget: int | None
) -> None:
    assert thinking_budget(_spec(reasoning), asked, setting) == budget

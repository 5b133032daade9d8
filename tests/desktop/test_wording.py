"""Sentences for what happens, exactly as a person reads them."""

import pytest

from app.desktop import wording
from app.desktop.conversation import AnswerStamp
from app.desktop.lifecycle import TurnState
from app.desktop.turn_records import Activity
from app.engine.outcome import FinishReason, Timings, Usage
from tests.desktop.fake_engine import DIED

pytestmark = pytest.mark.usefixtures("qapp")


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("smollm2-135m-instruct", "SmolLM2 135M"),
        ("qwen3-0.6b", "Qwen3 0.6B"),
        ("qwen2.5-coder-7b-instruct", "Qwen2.5 Coder 7B"),
        ("phi-3.5-mini-instruct", "Phi 3.5 Mini"),
        ("instruct", "instruct"),
    ],
)
def test_a_model_is_called_as_people_call_it(name: str, title: str) -> None:
    assert wording.model_title(name) == title


@pytest.mark.parametrize(
    ("activity", "elapsed_s", "sentence"),
    [
        (Activity(state=TurnState.IDLE), 9, ""),
        (Activity(state=TurnState.PREPARING), 0.2, "Starting the engine"),
        (Activity(state=TurnState.LOADING, model="smollm2-135m"), 2.4, "Loading SmolLM2 135M, 2 s"),
        (
            Activity(state=TurnState.LOADING, model="smollm2-135m", fraction=0.5),
            75,
            "Loading SmolLM2 135M, 50%, 1 min 15 s",
        ),
        (
            Activity(state=TurnState.READING, done_tokens=1024, total_tokens=3900),
            1,
            "Reading 3,900 tokens, 1,024 done",
        ),
        (
            Activity(
                state=TurnState.READING, done_tokens=3812, total_tokens=3900, reused_tokens=3812
            ),
            1,
            "3,812 of 3,900 tokens already read",
        ),
        (Activity(state=TurnState.ANSWERING), 12.3, "Answering, 12 s"),
        (Activity(state=TurnState.STOPPING), 1, "Stopping"),
    ],
)
def test_what_is_happening_has_a_number(
    activity: Activity, elapsed_s: float, sentence: str
) -> None:
    assert wording.activity_sentence(activity, elapsed_s) == sentence


@pytest.mark.parametrize("reason", FinishReason)
def test_every_reason_but_the_ordinary_ones_is_a_sentence(reason: FinishReason) -> None:
    ordinary = reason in (FinishReason.STOP, FinishReason.TOOL_CALLS)
    assert bool(wording.ending(reason)) is not ordinary


def test_figures() -> None:
    timings = Timings(decode_tokens_per_s=61.23)
    assert wording.figures(Usage(completion_tokens=42), timings) == "42 tokens, 61.2 tokens/s"
    assert wording.figures(Usage(completion_tokens=1), Timings()) == "1 token"
    assert wording.figures(Usage(), timings) == ""


def test_details_name_what_is_known_and_nothing_else() -> None:
    bare = wording.answer_details(AnswerStamp(model="m"))
    assert bare == (("Model", "m"),)
    stamp = AnswerStamp(
        model="m",
        device="CPU",
        backend="openvino",
        seed=7,
        reason=FinishReason.STOP,
        usage=Usage(prompt_tokens=31, reused_tokens=8, completion_tokens=42),
        timings=Timings(ttft_s=0.12, decode_tokens_per_s=61.2),
    )
    assert dict(wording.answer_details(stamp)) == {
        "Model": "m",
        "Device": "CPU · openvino",
        "Seed": "7",
        "Prompt": "31 tokens, 8 of them reused",
        "Answer": "42 tokens",
        "First word after": "0.1 s",
        "Writing speed": "61.2 tokens/s",
        "Ended": "By itself",
    }


def test_a_dead_engine_says_what_is_safe() -> None:
    headline, sentence = wording.error_sentences(DIED, kept_text=True)
    assert headline == "The engine stopped unexpectedly."
    assert sentence == "What was written is safe. You can go on from here."

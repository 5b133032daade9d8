"""What a chat wishes reaches the engine, and nothing else changes."""

from app.chats.records import SamplingFields
from app.engine.protocol import Sampling
from app.workflows.services import TurnOptions
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

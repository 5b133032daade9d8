"""What a chat leaves out step by step: the boundary is a turn of the person, nothing is lost."""

import pytest

from app.chats.records import ContextFields, OverflowChoice
from app.core.errors import ContenoxError
from app.engine.chat import ChatMessage, Role
from app.engine.protocol import Generate, new_request_id
from app.workflows.context import ChatParts, count
from app.workflows.context_talk import Talk, slow_s
from tests.engine.conftest import Engine, engine, scripted

__all__ = ["engine"]

pytestmark = pytest.mark.s2_5

WORDS = "word " * 9 + "word"


def talk(turns: int, question: str = "And now?") -> Talk:
    history = tuple(
        ChatMessage(role=role, content=f"{number} {WORDS}")
        for number in range(turns)
        for role in (Role.USER, Role.ASSISTANT)
    )
    ids = tuple(f"m{place}" for place in range(len(history) + bool(question)))
    parts = ChatParts(system="Be terse.", history=history, turn=question)
    return Talk(parts=parts, message_ids=ids)


def empty(context_tokens: int = 200) -> Generate:
    spec = scripted(context_tokens=context_tokens)
    return Generate(request=new_request_id(), spec=spec, messages=(), reserve_tokens=20)


def test_the_boundary_is_a_message_and_means_nothing_in_another_branch() -> None:
    shorter = talk(3).without(2)
    assert shorter.context.kept_from == "m2"
    assert shorter.read().history == talk(3).parts.history[2:]
    other = Talk(parts=shorter.parts, message_ids=("x",) * 7, context=shorter.context)
    assert other.read().history == shorter.parts.history


def test_halving_ends_at_the_turn_and_then_says_so() -> None:
    shorter, steps = talk(4), 0
    while shorter.left_out < 8:
        before, shorter = shorter.left_out, shorter.halved()
        steps += 1
        assert shorter.left_out > before
        kept = shorter.read().history
        assert not kept or kept[0].role is Role.USER
    assert steps <= 4
    assert shorter.read().turn == "And now?"
    with pytest.raises(ContenoxError, match="Even without earlier messages"):
        shorter.halved()


def test_an_answer_that_goes_on_keeps_its_question() -> None:
    going_on = talk(3, question="")
    assert going_on.without(6).read().history == going_on.parts.history[4:]


def test_a_full_chat_is_summarised_from_its_oldest_turn_in_steps_that_fit(engine: Engine) -> None:
    client = engine.client
    chat, summaries = talk(80), 0
    turn = empty(1000)
    while not (report := count(client, chat.request(turn))).fits:
        before = chat.left_out
        messages = chat.to_summarise(report)
        asked = chat.summary(turn, messages)
        assert messages == chat.parts.history[before : before + len(messages)]
        words = sum(len(one.content.split()) for one in asked.messages)
        assert words + asked.reserve_tokens <= 1000, "the summary's own prompt fits"
        chat = chat.without(before + len(messages), "They counted.")
        summaries += 1
        assert chat.read().history[0].role is Role.USER
        assert chat.left_out == before + len(messages), "nothing between is lost"
    assert summaries >= 1
    assert "They counted." in chat.request(turn).messages[0].content


def test_a_minute_of_reading_is_told_by_what_is_known(engine: Engine) -> None:
    report = count(engine.client, talk(2).request(empty()))
    assert slow_s(report, None) is None
    assert slow_s(report, 100.0) is None
    assert slow_s(report, 0.5) == report.prompt_tokens / 0.5


def test_what_is_remembered_stays_when_turns_are_left_out() -> None:
    asked = Talk(
        parts=talk(2).parts,
        message_ids=talk(2).message_ids,
        context=ContextFields(on_overflow=OverflowChoice.SUMMARISE),
    )
    assert asked.without(2).context.on_overflow is OverflowChoice.SUMMARISE

"""The choice when a chat has outgrown the context, and what is kept warm."""

import msgspec
import pytest

from app.chats.records import OverflowChoice
from app.core.errors import UserError
from app.engine.chat import ChatMessage, Role
from app.engine.client import EngineClient
from app.engine.context import Segment
from app.engine.manifest import CacheClass, SegmentKind
from app.engine.outcome import ContextReport, PoolReport
from app.engine.protocol import Finished, Generate, new_request_id
from app.workflows.context import ChatParts, chat_segments, count, with_context
from app.workflows.context_overflow import (
    Remedy,
    overflow_of,
    summary_request,
)
from app.workflows.context_talk import Talk
from app.workflows.context_warmth import (
    Candidate,
    Warmer,
    candidate,
    measured,
    next_to_warm,
)
from tests.engine.conftest import Engine, engine, scripted

__all__ = ["engine"]

WORDS = "word " * 9 + "word"


def talk(turns: int) -> tuple[ChatMessage, ...]:
    return tuple(
        ChatMessage(role=role, content=f"{number} {WORDS}")
        for number in range(turns)
        for role in (Role.USER, Role.ASSISTANT)
    )


def request(parts: ChatParts, context_tokens: int = 200) -> Generate:
    empty = Generate(
        request=new_request_id(),
        spec=scripted(context_tokens=context_tokens),
        messages=(),
        reserve_tokens=20,
    )
    return with_context(empty, chat_segments(parts))


def report_of(client: EngineClient, history: tuple[ChatMessage, ...]) -> ContextReport:
    return count(client, request(ChatParts(system="Be terse.", history=history, turn="And now?")))


def test_what_fits_needs_no_choice(engine: Engine) -> None:
    report = report_of(engine.client, talk(3))
    assert overflow_of(report) is None


def test_the_choice_comes_with_its_sum(engine: Engine) -> None:
    report = report_of(engine.client, talk(12))
    overflow = overflow_of(report)
    assert overflow is not None
    assert overflow.available_tokens == 200
    assert overflow.needed_tokens == overflow.fixed_tokens + overflow.history_tokens
    assert overflow.choices[0] is OverflowChoice.LEAVE_OUT_OLDEST


def test_what_no_choice_mends_says_so(engine: Engine) -> None:
    parts = ChatParts(
        pinned=(Segment(kind=SegmentKind.PINNED, name="a", text="word " * 300),),
        history=talk(1),
        turn="?",
    )
    report = count(engine.client, request(parts))
    overflow = overflow_of(report)
    assert overflow is not None
    assert (overflow.choices, overflow.remedy) == ((), Remedy.UNPIN)
    chat = Talk(parts=parts, message_ids=("a", "b", "c"))
    with pytest.raises(UserError, match="Even without earlier messages") as refused:
        chat.cut_to_fit(report)
    assert refused.value.remedy == "Unpin a file, or shorten the message."
    alone = Talk(parts=ChatParts(turn="word " * 300), message_ids=("a",))
    with pytest.raises(UserError) as refused:
        alone.cut_to_fit(count(engine.client, request(alone.parts)))
    assert refused.value.remedy == "Shorten the message."


def test_a_summary_keeps_the_stable_prefix_and_takes_the_place_of_turns(engine: Engine) -> None:
    turn = request(ChatParts(system="Be terse.", history=talk(2), turn="Go on"), 2000)
    asked = summary_request(turn, talk(2))
    assert asked.messages[0] == turn.messages[0]
    assert asked.messages[-1].content.startswith("Summarise")
    assert isinstance(engine.send(asked).end(), Finished)
    shorter = request(ChatParts(system="Be terse.", summary="They talked.", turn="Go on"))
    assert "They talked." in shorter.messages[0].content


POOL = PoolReport(held_tokens=0, capacity_tokens=1000, blocks=50, block_tokens=20)
RULES = Candidate(
    chat="rules", stable_tokens=300, held_tokens=0, highest=CacheClass.HIGHEST, used_at=1.0
)
FILES = Candidate(
    chat="files", stable_tokens=300, held_tokens=0, highest=CacheClass.HIGH, used_at=9.0
)
LATER = Candidate(
    chat="later", stable_tokens=300, held_tokens=0, highest=CacheClass.HIGHEST, used_at=5.0
)


def test_the_highest_class_is_warmed_first_and_then_the_last_used() -> None:
    assert next_to_warm([FILES, RULES], POOL) is RULES
    assert next_to_warm([FILES, RULES, LATER], POOL) is LATER


def test_what_the_pool_s_figures_say_changes_the_decision() -> None:
    warm = msgspec.structs.replace(RULES, held_tokens=300)
    assert next_to_warm([FILES, warm], POOL) is FILES
    small = msgspec.structs.replace(POOL, capacity_tokens=500)
    assert next_to_warm([FILES, warm], small) is None, "it would push out what is worth more"
    assert next_to_warm([FILES, RULES], small) is RULES


def test_a_count_says_how_warm_a_chat_is(engine: Engine) -> None:
    parts = ChatParts(
        system="Be terse.",
        pinned=(Segment(kind=SegmentKind.PINNED, name="a.md", text=WORDS),),
        history=talk(1),
        turn="Go on",
    )
    turn = request(parts)
    cold = candidate("a", count(engine.client, turn), 0.0)
    assert not cold.warm
    end = engine.send(turn).end()
    assert isinstance(end, Finished)
    report = count(engine.client, turn)
    assert candidate("a", report, 0.0).warm
    assert candidate("a", report, 0.0).highest is CacheClass.HIGHEST
    shown = measured(report, report.predicted_reused_tokens or 0)
    assert shown.usage > 0
    assert shown.reused["highest"] == 1.0
    assert shown.reused["high"] == 1.0


def test_a_cache_of_one_sequence_is_left_to_the_chat_that_was_used_last() -> None:
    one = msgspec.structs.replace(POOL, blocks=0, block_tokens=0)
    warm = msgspec.structs.replace(FILES, held_tokens=300)
    assert next_to_warm([warm, RULES, LATER], one) is None
    assert next_to_warm([FILES, RULES, LATER], one) is FILES


def test_a_prefix_that_another_chat_pushed_out_is_read_again_while_idle(engine: Engine) -> None:
    ticks = iter(range(100))
    warmer = Warmer(engine.client, clock=lambda: float(next(ticks)))
    rules = Segment(kind=SegmentKind.REPO_RULES, name="AGENTS.md", text=WORDS)
    file = Segment(kind=SegmentKind.PINNED, name="a.md", text=WORDS)
    one = request(ChatParts(pinned=(rules,), turn="One?"))
    other = request(ChatParts(pinned=(file,), turn="Other?"))
    for chat, turn in (("one", one), ("other", other)):
        assert isinstance(engine.send(turn).end(), Finished)
        warmer.note_turn(chat, turn)
    assert warmer.warm_next() is None, "the chat that was used last is still there"
    quick = request(ChatParts(turn="Something else?"))
    assert isinstance(engine.send(quick).end(), Finished)
    assert warmer.warm_next() == "other"
    again = count(engine.client, other)
    assert again.predicted_reused_tokens == again.manifest.stable_tokens
    assert warmer.warm_next() is None
    warmer.forget("other")
    assert warmer.warm_next() == "one"

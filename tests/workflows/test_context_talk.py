"""What a chat leaves out step by step: the boundary is a turn of the person, nothing is lost."""

import msgspec
import pytest

from app.chats.records import ContextFields, OverflowChoice
from app.core.errors import ContenoxError
from app.engine.chat import ChatMessage, Role
from app.engine.manifest import SegmentKind
from app.engine.outcome import ContextReport
from app.engine.protocol import Finished, Generate, new_request_id
from app.workflows.context import ChatParts, count
from app.workflows.context_order import counted_sizes, history_tokens
from app.workflows.context_talk import Cut, Talk
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
        before, shorter = shorter.left_out, shorter.after(shorter.cut_in_half())
        steps += 1
        assert shorter.left_out > before
        kept = shorter.read().history
        assert not kept or kept[0].role is Role.USER
    assert steps <= 4
    assert shorter.read().turn == "And now?"
    with pytest.raises(ContenoxError, match="Even without earlier messages"):
        shorter.cut_in_half()


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


def test_what_is_remembered_stays_when_turns_are_left_out() -> None:
    asked = Talk(
        parts=talk(2).parts,
        message_ids=talk(2).message_ids,
        context=ContextFields(on_overflow=OverflowChoice.SUMMARISE),
    )
    assert asked.without(2).context.on_overflow is OverflowChoice.SUMMARISE


def test_the_oldest_go_in_large_steps_and_the_boundary_stays(engine: Engine) -> None:
    boundaries, steps = [0], 0
    chat = talk(1)
    for turns in range(1, 40):
        longer = talk(turns)
        chat = Talk(parts=longer.parts, message_ids=longer.message_ids, context=chat.context)
        report = count(engine.client, chat.request(empty()))
        if not report.fits:
            steps += 1
            chat = chat.after(chat.cut_to_fit(report))
            assert chat.read().history[0].role is Role.USER
            assert count(engine.client, chat.request(empty())).fits
        boundaries.append(chat.left_out)
    assert boundaries[-1] > 60
    assert steps <= 14, "the boundary moves in large steps"
    assert boundaries == sorted(boundaries)


LOG = "\n".join(f"2026-01-02 10:00:{number:02} INFO step {number} is done" for number in range(12))
DIFF = "\n".join(
    ["--- a/x.py", "+++ b/x.py", "@@ -1,8 +1,8 @@", *(f"+word {n}" for n in range(12))]
)
TESTS = "\n".join(
    ["FAILED tests/test_x.py::test_one", *(f"E   assert {n} == 0" for n in range(12))]
)


def working(questions: list[str]) -> Talk:
    """A chat in which something is pasted."""
    history = tuple(
        message
        for said in questions
        for message in (
            ChatMessage(role=Role.USER, content=said),
            ChatMessage(role=Role.ASSISTANT, content=WORDS),
        )
    )
    ids = tuple(f"m{place}" for place in range(len(history) + 1))
    return Talk(parts=ChatParts(history=history, turn="And now?"), message_ids=ids)


def full(chat: Talk, engine: Engine, room: int) -> ContextReport:
    """The count of a chat whose history may take ``room`` tokens."""
    report = count(engine.client, chat.request(empty(2_000)))
    context = report.needed_tokens - history_tokens(report) + room
    return msgspec.structs.replace(report, context_tokens=context)


def parts_left_out(cut: Cut) -> list[tuple[str, int, SegmentKind]]:
    return [(one.part.message, one.part.number, one.where.kind) for one in cut.pasted]


def test_a_pasted_log_is_left_out_before_a_diff_and_that_before_turns(engine: Engine) -> None:
    chat = working([f"Why?\n{DIFF}", f"And?\n{LOG}\n\nand\n\n{TESTS}", *(["Go on"] * 6)])
    total = history_tokens(full(chat, engine, 0))
    log, both, turns = (
        chat.cut_to_fit(full(chat, engine, room))
        for room in (2 * (total - 40), 2 * (total - 100), 100)
    )
    assert parts_left_out(log) == [("m2", 0, SegmentKind.TERMINAL)]
    assert parts_left_out(both) == [
        ("m0", 0, SegmentKind.DIFF),
        ("m2", 0, SegmentKind.TERMINAL),
        ("m2", 1, SegmentKind.TEST_OUTPUT),
    ]
    assert (log.messages, both.messages) == (0, 0)
    assert turns.messages > 2
    assert turns.pasted == (), "it goes with its turn"


def test_nothing_is_lost_and_the_model_is_told_that_something_was_there(engine: Engine) -> None:
    chat = working([f"Why?\n{LOG}\nThanks", *(["Go on"] * 4)])
    total = history_tokens(full(chat, engine, 0))
    report = full(chat, engine, 2 * (total - 40))
    cut = chat.cut_to_fit(report)
    (pasted,) = cut.pasted
    assert pasted.part.tokens == report.manifest.segments[0].inside[0].tokens
    shorter = chat.after(cut)
    assert shorter.parts == chat.parts
    first = shorter.read().history[0].content
    assert "2026" not in first
    assert "a log of 12 lines was left out" in first
    assert first.startswith("Why?")
    assert first.endswith("Thanks")
    assert shorter.left_out_pasted == cut.pasted
    assert shorter.after(cut) == shorter
    again = count(engine.client, shorter.request(empty(2_000)))
    assert again.needed_tokens <= report.context_tokens
    assert cut.read_again_tokens == pytest.approx(history_tokens(again), abs=20), "it came first"


def test_what_the_pool_holds_changes_what_is_left_out(engine: Engine) -> None:
    chat = working([f"One\n{LOG}", f"Two\n{LOG}", *(["Go on"] * 3)])
    total = history_tokens(full(chat, engine, 0))
    cold = full(chat, engine, 2 * (total - 40))
    start = cold.manifest.segments[2].token_start
    first_log = [("m0", 0, SegmentKind.TERMINAL)]
    assert cold.predicted_reused_tokens in (None, 0)
    assert parts_left_out(chat.cut_to_fit(cold)) == first_log, "the oldest"
    half = msgspec.structs.replace(cold, predicted_reused_tokens=start)
    assert parts_left_out(chat.cut_to_fit(half)) == [("m2", 0, SegmentKind.TERMINAL)], (
        "the first one is read already, and all that follows it would have to be read anew"
    )
    whole = msgspec.structs.replace(cold, predicted_reused_tokens=cold.prompt_tokens)
    assert parts_left_out(chat.cut_to_fit(whole)) == first_log


def test_the_reuse_before_what_is_left_out_survives(engine: Engine) -> None:
    chat = working([WORDS, WORDS, f"Why?\n{LOG}", "Go on"])
    turn = empty(400)
    assert isinstance(engine.send(chat.request(turn)).end(), Finished)
    report = count(engine.client, chat.request(empty(150)))
    cut = chat.cut_to_fit(report)
    shorter = chat.after(cut)
    before = report.manifest.segments[4].token_start or 0
    counted = count(engine.client, shorter.request(turn))
    behind = sum(one.tokens for one in counted_sizes(counted)[4:])
    assert cut.read_again_tokens == pytest.approx(behind, abs=20)
    warm = counted.predicted_reused_tokens or 0
    assert warm >= before - 20, "to within a block"


def test_the_last_question_loses_its_log_before_it_goes_itself(engine: Engine) -> None:
    chat = working(["Hello", f"Why?\n{LOG}"])
    report = count(engine.client, chat.request(empty(90)))
    cut = chat.cut_to_fit(report)
    assert cut.messages == 2
    assert parts_left_out(cut) == [("m2", 0, SegmentKind.TERMINAL)]


def test_an_earlier_summary_stays_when_more_is_left_out() -> None:
    chat = working(["One", "Two", "Three"]).without(2, "They began.")
    shorter = chat.after(chat.cut_in_half())
    assert shorter.left_out > 2
    assert shorter.read().summary == "They began."

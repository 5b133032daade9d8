"""What is worth least goes first, whatever a chat is made of."""

from hypothesis import given
from hypothesis import strategies as st

from app.engine.chat import ChatMessage, Role
from app.engine.manifest import SegmentKind
from app.workflows.context_order import (
    Piece,
    drop_order,
    leave_out,
    pieces,
    written_sizes,
)
from app.workflows.context_paste import find_pasted, without_pasted

LOG = "\n".join(f"2026-01-02 10:00:0{number} INFO step" for number in range(5))
DIFF = "--- a\n+++ b\n@@ -1,1 +1,2 @@\n one\n+two"
TESTS = "FAILED tests/test_a.py\nE   assert 1 == 2\nE    +  where 1\nFAILED tests/test_b.py"

BLOCKS = st.sampled_from([LOG, DIFF, TESTS, "Hello", "", "~~~~", "- a list", "And 🙂 then?"])
TEXTS = st.lists(BLOCKS, max_size=6).map("\n".join)


@given(TEXTS, st.sets(st.integers(0, 5)))
def test_what_is_left_of_a_message_is_found_as_before(text: str, numbers: set[int]) -> None:
    before = find_pasted(text)
    shorter = without_pasted(text, numbers)
    kept = [text[one.start : one.end] for n, one in enumerate(before) if n not in numbers]
    assert [shorter[one.start : one.end] for one in find_pasted(shorter)] == kept


def test_failed_tests_are_worth_more_than_a_log() -> None:
    kinds = [one.kind for one in find_pasted(f"{LOG}\n\nHm\n\n{TESTS}\n\nHm\n\n{DIFF}")]
    assert kinds == [SegmentKind.TERMINAL, SegmentKind.TEST_OUTPUT, SegmentKind.DIFF]


HISTORIES = st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=5)


@given(HISTORIES, st.booleans(), st.lists(st.integers(0, 600), min_size=3, max_size=3))
def test_turns_go_from_the_oldest_on_and_as_little_as_is_enough(
    turns: list[tuple[str, str]], last_stays: bool, bounds: list[int]
) -> None:
    goal, enough, limit = sorted(bounds)
    history = [
        ChatMessage(role=role, content=text)
        for question, answer in turns
        for role, text in ((Role.USER, question), (Role.ASSISTANT, answer))
    ]
    sizes = written_sizes(history)
    found = pieces(history, sizes, last_stays=last_stays)
    total = sum(size.tokens for size in sizes)
    chosen = leave_out(found, total, goal=goal, enough=enough, limit=limit)
    said = sorted(piece.start for piece in chosen if piece.pasted is None)
    assert said == list(range(0, 2 * len(said), 2))
    assert len(said) <= len(turns) - last_stays
    assert all(piece.pasted is None or piece.start >= 2 * len(said) for piece in chosen)
    left = total - sum(piece.tokens for piece in chosen)
    if left > limit:
        assert len(said) == len(turns) - last_stays, "there is nothing more to leave out"
    if total <= goal:
        assert chosen == ()


def test_the_order_is_that_of_the_classes_then_of_the_cache_then_of_time() -> None:
    def pasted(start: int, kind: SegmentKind, *, held: bool = False, recent: bool = False) -> Piece:
        return Piece(
            start=start, end=start + 1, tokens=9, pasted=0, kind=kind, held=held, recent=recent
        )

    turn, last = Piece(start=0, end=2, tokens=9), Piece(start=8, end=9, tokens=9, recent=True)
    held, unheld = pasted(2, SegmentKind.TERMINAL, held=True), pasted(4, SegmentKind.TERMINAL)
    diff, tests = pasted(1, SegmentKind.DIFF), pasted(3, SegmentKind.TEST_OUTPUT)
    new = pasted(8, SegmentKind.TERMINAL, recent=True)
    order = drop_order([last, new, turn, tests, diff, held, unheld])
    assert order == [unheld, held, diff, tests, turn, new, last]


def test_no_turn_goes_where_pasted_texts_alone_make_a_large_step() -> None:
    log = Piece(start=0, end=1, tokens=300, pasted=0, kind=SegmentKind.TERMINAL)
    turns = [Piece(start=n, end=n + 2, tokens=400 if n == 0 else 100) for n in (0, 2, 4, 6)]
    found = [log, *turns, Piece(start=8, end=10, tokens=100, recent=True)]
    total = sum(one.tokens for one in found if one.pasted is None)
    assert leave_out(found, total, goal=400, enough=600, limit=790) == (log,)
    chosen = leave_out(found, total, goal=300, enough=450, limit=790)
    assert chosen == (turns[0], turns[1]), "once turns go, they go down to the goal"

"""What counts as going round in circles, and what repeats itself by right."""

import random
from collections.abc import Iterable
from pathlib import Path

import pytest

from app.engine.loop_guard import LoopGuard
from tests.support.promptness import at_most

# What the smallest model wrote on the question for the capital of France.
MARTYRE = "The capital of France is " + "la femme au martyre, " * 400


def stopped_at(text: str, piece: int = 5) -> int | None:
    """How much of ``text`` was written when the guard stopped it."""
    guard = LoopGuard()
    for start in range(0, len(text), piece):
        guard.push(text[start : start + piece])
        if guard.found:
            return start + piece
    return None


@pytest.mark.parametrize(
    ("text", "within"),
    [
        (MARTYRE, 25 + 400),
        ("I am fine. " * 200, 400),
        ("Well. " + "The sea is blue, and the sky is blue, and so am I.\n\n" * 80, 460),
        ("x = 1\n" + "!" * 3000, 480),
        ("." + "😂" * 3000, 300),
        ("Look: " + "\n" * 3000, 480),
        (
            "A list:\n" + "".join(f"{n}. The city of Paris is the capital.\n" for n in range(99)),
            950,
        ),
        ("```python\n" + "    print('hello')\n" * 200, 1000),
        ("0, " * 2000, 1300),
        ("<td>yes</td>" * 200, 400),
    ],
)
def test_a_loop_ends_soon_after_it_began(text: str, within: int) -> None:
    at = stopped_at(text)
    assert at is not None
    assert at <= within


@pytest.mark.parametrize("piece", [1, 3, 47, 200, 10_000])
def test_pieces_of_any_length_are_the_same(piece: int) -> None:
    assert stopped_at(MARTYRE, piece) is not None


def test_a_long_paragraph_again_and_again() -> None:
    paragraph = "".join(chr(97 + (7 * n + n // 11) % 26) + " " * (n % 5 == 0) for n in range(500))
    at = stopped_at(f"Once. {paragraph}\n\n" + f"{paragraph}\n\n" * 6)
    assert at is not None
    assert at < 4 * len(paragraph)


def test_a_loop_that_changes_its_order_is_stale() -> None:
    choose = random.Random(3)
    lines = ("The man went home. ", "The woman went away. ", "The child went to bed. ")
    text = "".join(choose.choice(lines) for _ in range(400))
    at = stopped_at(text)
    assert at is not None
    assert at < 2000


def test_garbage_is_stopped() -> None:
    at = stopped_at("The answer: " + "a\ufffdb\ufffd\ufffd c" * 60)
    assert at is not None
    assert at < 200


def test_a_text_about_the_replacement_character_is_fine() -> None:
    assert (
        stopped_at("The character \ufffd stands for what can't be decoded. " + "\ufffd" * 8) is None
    )


BY_RIGHT = {
    "laughter": "That is the best joke I know: " + "ha " * 40 + "!",
    "ruled line": "Title\n" + "=" * 120 + "\nText\n" + "-" * 120 + "\n",
    "zeros in CSV": "a,b,c,d,e,f\n" + "0,0,0,0,0,0\n" * 60,
    "matrix": "```\n" + ("0 " * 19 + "0\n") * 25 + "```\n",
    "grid of a game": "```python\nboard = [\n" + "    ['.', '.', '.', '.'],\n" * 20 + "]\n```\n",
    "empty table": "| Monday | Tuesday | Wednesday |\n|---|---|---|\n" + "|  |  |  |\n" * 40,
    "table of one word": "| Name | Paid |\n|---|---|\n"
    + "".join(f"| {name} | no |\n" for name in ("Ann", "Bob", "Cid", "Dee", "Eve", "Fay") * 4),
    "times table": "".join(f"{a} x {b} = {a * b}\n" for a in range(1, 11) for b in range(1, 11)),
    "chapters": "".join(f"Chapter {n}\n" for n in range(1, 61)),
    "days": "".join(f"- Day {n}: rest\n" for n in range(1, 31)),
    "html": "```html\n<table>\n" + "  <tr><td>0</td><td>0</td></tr>\n" * 20 + "</table>\n```\n",
    "digits": "Its decimal expansion begins 0." + "142857" * 40,
    "scream": "No" + "o" * 150 + "!",
    "round": (
        "Row, row, row your boat,\nGently down the stream.\nMerrily, merrily, merrily, merrily,\n"
        "Life is but a dream.\n\n"
    )
    * 3,
    "bottles": "".join(
        f"{n} bottles of beer on the wall, {n} bottles of beer.\nTake one down and pass it around, "
        f"{n - 1} bottles of beer on the wall.\n\n"
        for n in (99, 98, 97)
    ),
    "poem with a refrain": (
        "Keeping time, time, time,\nIn a sort of Runic rhyme,\nTo the tintinnabulation that so "
        "musically wells\nFrom the bells, bells, bells, bells,\nBells, bells, bells—\n"
        "From the jingling and the tinkling of the bells.\n\n"
        "To the swinging and the ringing\nOf the bells, bells, bells,\n"
        "Of the bells, bells, bells, bells,\nBells, bells, bells—\n"
        "To the rhyming and the chiming of the bells!\n\n"
        "To the throbbing of the bells,\nOf the bells, bells, bells—\n"
        "To the sobbing of the bells;\n"
        "To the tolling of the bells,\nOf the bells, bells, bells, bells,\nBells, bells, bells—\n"
        "To the moaning and the groaning of the bells.\n"
    ),
    "table of contents": "".join(
        f"{n}. {title} {'.' * 50} {n * 7}\n"
        for n, title in enumerate(("Ships", "Sails", "Ropes", "Knots", "Winds", "Tides") * 3, 1)
    ),
    "nulls": '{"values": [' + ", ".join(["null"] * 40) + "]}",
}


@pytest.mark.parametrize("text", BY_RIGHT.values(), ids=BY_RIGHT.keys())
def test_what_repeats_itself_by_right_is_left_alone(text: str) -> None:
    assert stopped_at(text) is None


def _our_texts() -> Iterable[Path]:
    root = Path(__file__).parents[2]
    yield from sorted(root.glob("*.md"))
    yield from sorted((root / "docs").rglob("*.md"))
    yield from sorted((root / "app" / "engine").glob("*.py"))
    yield root / "pyproject.toml"


def test_our_own_documents_and_code_are_left_alone() -> None:
    texts = {path.name: path.read_text(encoding="utf-8") for path in _our_texts()}
    assert len(texts) > 20
    assert [name for name, text in texts.items() if stopped_at(text, 200) is not None] == []


def test_it_keeps_up_with_any_model() -> None:
    text = "".join(f"word{n} " for n in random.Random(5).sample(range(10_000), 2000))
    with at_most(len(text) / 2000):  # 500 tokens a second
        assert stopped_at(text, 6) is None

"""Stop strings: the text ends right before them, however it is cut."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.engine.stop_strings import StopStrings


def run(stops: tuple[str, ...], *pieces: str) -> tuple[str, bool]:
    stop = StopStrings(stops)
    text = "".join(stop.push(piece) for piece in pieces) + stop.finish()
    return text, stop.found


@pytest.mark.parametrize(
    ("stops", "text", "shown", "found"),
    [
        ((), "abc", "abc", False),
        (("",), "abc", "abc", False),
        (("mula",), "a formula", "a for", True),
        (("x", "b"), "abc", "a", True),
        (("xyz",), "abxy", "abxy", False),
        (("aab",), "aaab", "a", True),
        (("cd", "bcde"), "abcde", "ab", True),
        (("d", "bcd"), "abcde", "a", True),
        (("漢字",), "🙂漢漢字!", "🙂漢", True),
    ],
)
def test_the_text_ends_before_the_stop_string_that_is_complete_first(
    stops: tuple[str, ...], text: str, shown: str, found: bool
) -> None:
    assert run(stops, text) == (shown, found)
    assert run(stops, *text) == (shown, found)


def test_only_a_possible_beginning_is_held_back() -> None:
    stop = StopStrings(("###",))
    assert stop.push("a#") == "a"
    assert stop.push("b") == "#b"
    assert stop.push("##") == ""
    assert stop.push("#c") == ""
    assert stop.found
    assert stop.push("more") == ""


@given(
    text=st.text(alphabet="ab漢", max_size=30),
    stops=st.lists(st.text(alphabet="ab漢", min_size=1, max_size=4), max_size=3),
    cuts=st.lists(st.integers(0, 30), max_size=8),
)
def test_any_cut_gives_the_same(text: str, stops: list[str], cuts: list[int]) -> None:
    ends = sorted({min(cut, len(text)) for cut in cuts} | {0, len(text)})
    pieces = [text[start:end] for start, end in pairwise(ends)]
    shown, found = run(tuple(stops), *pieces)
    assert (shown, found) == run(tuple(stops), text)
    assert text.startswith(shown)
    assert found == any(stop in text for stop in stops)
    assert found or shown == text

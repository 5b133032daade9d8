"""Token bytes become whole characters, and no part of a stop string is ever shown."""

from hypothesis import given
from hypothesis import strategies as st

from app.engine.backends.llama_text import AnswerText

FAMILY = "👩‍👩‍👧 漢字"


def test_characters_that_are_cut_over_tokens_come_out_whole() -> None:
    answer = AnswerText()
    shown = [answer.push(bytes([byte])) for byte in FAMILY.encode()]
    assert "".join(shown) == FAMILY
    assert "\ufffd" not in "".join(shown)


def test_bytes_that_are_no_text_are_replaced_and_the_rest_goes_on() -> None:
    answer = AnswerText()
    assert answer.push(b"a\xffb") == "a\ufffdb"


def test_a_character_that_never_became_whole_is_left_out() -> None:
    answer = AnswerText()
    assert answer.push("é".encode()[:1]) == ""
    assert answer.finish() == ""


def test_a_stop_string_over_three_tokens_is_not_shown_and_ends_the_answer() -> None:
    answer = AnswerText(["STOP"])
    assert [answer.push(piece) for piece in (b"yes S", b"TO", b"P no")] == ["yes ", "", ""]
    assert answer.stopped
    assert answer.push(b"more") == ""
    assert answer.finish() == ""


def test_what_only_began_like_a_stop_string_is_shown() -> None:
    answer = AnswerText(["STOP"])
    assert [answer.push(piece) for piece in (b"ST", b"AR")] == ["", "STAR"]
    assert answer.push(b"S") == ""
    assert answer.finish() == "S"
    assert not answer.stopped


def test_the_earliest_of_several_stop_strings_counts() -> None:
    answer = AnswerText(["later", "now"])
    assert answer.push(b"a now b later") == "a "


def test_an_empty_stop_string_stops_nothing() -> None:
    assert AnswerText([""]).push(b"text") == "text"


@given(
    st.text("ab", max_size=30),
    st.lists(st.text("ab", min_size=1, max_size=4), max_size=3),
    st.lists(st.integers(1, 5), max_size=30),
)
def test_any_cut_shows_the_text_up_to_the_first_stop_string(
    text: str, stops: list[str], sizes: list[int]
) -> None:
    found = [text.find(stop) for stop in stops if stop in text]
    answer = AnswerText(stops)
    shown, rest = "", text
    for size in [*sizes, len(text)]:
        piece, rest = rest[:size], rest[size:]
        shown += answer.push(piece.encode())
    shown += answer.finish()
    if not found:
        assert shown == text
        return
    # A piece may complete a longer stop string that began earlier than one found before it.
    assert answer.stopped
    assert text.startswith(shown)
    assert not any(stop in shown for stop in stops)

"""Token bytes become whole characters."""

from hypothesis import given
from hypothesis import strategies as st

from app.engine.backends.token_text import WholeCharacters

FAMILY = "👩‍👩‍👧 漢字"


def test_characters_that_are_cut_over_tokens_come_out_whole() -> None:
    characters = WholeCharacters()
    shown = [characters.push(bytes([byte])) for byte in FAMILY.encode()]
    assert "".join(shown) == FAMILY
    assert "\ufffd" not in "".join(shown)


def test_bytes_that_are_no_text_are_replaced_and_the_rest_goes_on() -> None:
    assert WholeCharacters().push(b"a\xffb") == "a\ufffdb"


@given(st.text(max_size=30), st.lists(st.integers(1, 5), max_size=60))
def test_any_cut_gives_the_same_text(text: str, sizes: list[int]) -> None:
    characters = WholeCharacters()
    shown, rest = "", text.encode()
    for size in [*sizes, len(rest) + 1]:
        piece, rest = rest[:size], rest[size:]
        shown += characters.push(piece)
    assert shown == text

"""The text of an OpenVINO answer is what the library's own detokenizer says."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.engine.backends.openvino import import_genai
from app.engine.backends.openvino_text import TokenBytes, answer_text, read_token_bytes
from app.models.library import InstalledModel

FAMILY = "größer 👩‍👩‍👧 漢字\n\tif x == 1: y , z"


@dataclass
class Detokenizer:
    """Stands for a tokenizer of another kind; what it shows was read off the library.

    ``pieces`` are as ``get_vocab`` gives them, ``means`` the bytes that each stands for.
    """

    pieces: Sequence[bytes]
    means: Sequence[bytes]
    strips_space: bool = False
    cleans_up: bool = False

    def get_vocab(self) -> dict[bytes, int]:
        if not self.pieces:
            raise RuntimeError("Tokenizer vocab is empty.")
        return {piece: token for token, piece in enumerate(self.pieces)}

    def decode(self, ids: Any) -> Any:
        if ids and isinstance(ids[0], list):
            return [self.decode(row) for row in ids]
        text = b"".join(self.means[token] for token in ids).decode("utf-8", "replace")
        if self.strips_space:
            text = text.removeprefix(" ")
        return text.replace(" .", ".") if self.cleans_up else text


def joined(known: TokenBytes, ids: Sequence[int]) -> str:
    text = answer_text(None, None, known)
    return "".join([text.push([token]) for token in ids]) + text.finish()


@pytest.fixture(scope="module")
def real(starter_openvino: InstalledModel) -> tuple[Any, TokenBytes]:
    tokenizer = import_genai().Tokenizer(str(starter_openvino.path))
    known = read_token_bytes(tokenizer)
    assert known is not None
    return tokenizer, known


@pytest.mark.real_model
def test_a_text_comes_back_as_it_was_cut(real: tuple[Any, TokenBytes]) -> None:
    tokenizer, known = real
    ids = tokenizer.encode(FAMILY, add_special_tokens=False).input_ids.data[0].tolist()
    assert joined(known, ids) == FAMILY == tokenizer.decode(ids)


@pytest.mark.real_model
@given(ids=st.lists(st.integers(0, 49_151), min_size=1, max_size=40))
def test_any_tokens_give_the_library_s_text(real: tuple[Any, TokenBytes], ids: list[int]) -> None:
    """But for bytes that are no character: the library drops them, and here they are shown."""
    tokenizer, known = real
    assert joined(known, ids).replace("\ufffd", "") == tokenizer.decode(ids)


@pytest.mark.real_model
def test_control_tokens_and_ids_beyond_the_vocabulary_are_no_text(
    real: tuple[Any, TokenBytes],
) -> None:
    assert joined(real[1], [1, 2, 60_000]) == ""


@pytest.mark.real_model
def test_without_the_table_the_library_joins_the_tokens(real: tuple[Any, TokenBytes]) -> None:
    tokenizer, _ = real
    ids = tokenizer.encode(FAMILY, add_special_tokens=False).input_ids.data[0].tolist()
    text = answer_text(import_genai(), tokenizer, None)
    assert "".join([text.push([token]) for token in ids]) + text.finish() == FAMILY


MARK = "\u2581".encode()
PIECES = [b"<s>", b"a", MARK, MARK + b"Paris", b"<0xC3>", b"<0xB6>", b"<0x41>", b"is"]
MEANS = [b"", b"a", b" ", b" Paris", b"\xc3", b"\xb6", b"A", b"is"]


@pytest.mark.parametrize("strips_space", [False, True])
def test_sentencepiece_s_marks_and_bytes_become_text(strips_space: bool) -> None:
    known = read_token_bytes(Detokenizer(PIECES, MEANS, strips_space))
    assert known == TokenBytes(MEANS, strips_space)
    first = "Paris" if strips_space else " Paris"
    assert joined(known, [0, 3, 3, 4, 5, 6]) == f"{first} ParisöA"


def test_a_space_that_the_detokenizer_would_tidy_away_stays_as_the_model_wrote_it() -> None:
    words = [f"{number:03}".encode() for number in range(200)]
    pieces = [b"a", b" .", *words]
    known = read_token_bytes(Detokenizer(pieces, pieces, cleans_up=True))
    assert known is not None
    assert joined(known, [2, 1]) == "000 ."


@pytest.mark.parametrize(
    ("pieces", "means"),
    [
        ([], []),
        ([b"b"], [b"b"]),
        # WordPiece, and bytes written as other characters.
        ([b"a", b"word", b"##ing"], [b"a", b" word", b"ing"]),
        ([b"a", "Ġthe".encode(), "Ģ".encode()], [b"a", b" the", b"\x80"]),
    ],
    ids=["no vocabulary", "no letter", "wordpiece", "characters for bytes"],
)
def test_an_unknown_kind_of_vocabulary_is_left_to_the_library(
    pieces: list[bytes], means: list[bytes]
) -> None:
    assert read_token_bytes(Detokenizer(pieces, means)) is None

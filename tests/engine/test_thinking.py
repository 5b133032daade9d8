"""Thinking and answer are parted the same however the text is cut."""

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.errors import DataFault
from app.engine.outcome import DeltaKind
from app.engine.thinking import (
    THINKING_PROTOCOLS,
    ThinkingSplitter,
    ThinkingTags,
    begin_answer,
    count_thinking_tokens,
    thinking_tags,
)

TAGS = ThinkingTags()


def split(*pieces: str, opened: bool = False) -> tuple[str, str]:
    """The thinking and the answer of a text that comes in ``pieces``."""
    splitter = ThinkingSplitter(TAGS, opened=opened)
    found = [piece for text in pieces for piece in splitter.push(text)] + splitter.finish()
    assert all(piece.text for piece in found)
    thinking = "".join(piece.text for piece in found if piece.kind is DeltaKind.THINKING)
    answer = "".join(piece.text for piece in found if piece.kind is DeltaKind.TEXT)
    return thinking, answer


@pytest.mark.parametrize(
    ("text", "opened", "thinking", "answer"),
    [
        ("<think>abc</think>Hello", False, "abc", "Hello"),
        ("\n<think>abc</think>Hello", False, "\nabc", "Hello"),
        ("abc</think>Hello", True, "abc", "Hello"),
        ("<think>\nabc</think>Hello", True, "\nabc", "Hello"),
        ("<think>abc</thi", False, "abc</thi", ""),
        ("<think>", False, "", ""),
        ("<thin", False, "", "<thin"),
        ("<thin", True, "<thin", ""),
        ("Hello <think>b</think>", False, "", "Hello <think>b</think>"),
        ("<think>a</think>b<think>c</think>d", False, "a", "b<think>c</think>d"),
        ("<think>a < b </ c <</think>x", False, "a < b </ c <", "x"),
        ("<think></think>Hello", False, "", "Hello"),
        ("a </think> b", False, "", "a </think> b"),
        ("<think>🙂漢</think>字", False, "🙂漢", "字"),
        ("", False, "", ""),
        ("  ", False, "", "  "),
    ],
)
def test_text_is_parted_at_the_tags(text: str, opened: bool, thinking: str, answer: str) -> None:
    assert split(text, opened=opened) == (thinking, answer)
    assert split(*text, opened=opened) == (thinking, answer)


@given(
    parts=st.lists(
        st.sampled_from(["<think>", "</think>", "<", "</", "think>", "a", "\n", " ", "漢", "🙂"]),
        max_size=12,
    ),
    cuts=st.lists(st.integers(0, 60), max_size=10),
    opened=st.booleans(),
)
def test_any_cut_gives_the_same_and_loses_nothing(
    parts: list[str], cuts: list[int], opened: bool
) -> None:
    text = "".join(parts)
    ends = sorted({min(cut, len(text)) for cut in cuts} | {0, len(text)})
    pieces = [text[start:end] for start, end in pairwise(ends)]
    assert split(*pieces, opened=opened) == whole(text, opened=opened)


def whole(text: str, *, opened: bool) -> tuple[str, str]:
    """What the thinking and the answer of a whole text are, said in another way."""
    begun = re.match(r"(\s*)<think>", text)
    if begun is None and not opened:
        return "", text
    inside = text if begun is None else begun[1] + text[begun.end() :]
    thinking, _, answer = inside.partition("</think>")
    return thinking, answer


def test_nothing_that_could_still_be_a_tag_is_shown() -> None:
    splitter = ThinkingSplitter(TAGS, opened=False)
    assert splitter.push("<thi") == []
    assert [piece.text for piece in splitter.push("nk>abc</thin")] == ["abc"]
    assert [piece.text for piece in splitter.push("g")] == ["</thing"]


def test_text_is_shown_as_soon_as_it_is_decided() -> None:
    splitter = ThinkingSplitter(TAGS, opened=False)
    assert [piece.text for piece in splitter.push("H")] == ["H"]
    assert [piece.text for piece in splitter.push("<")] == ["<"]


def test_every_protocol_has_tags_and_an_unknown_one_is_refused() -> None:
    for name in THINKING_PROTOCOLS:
        assert thinking_tags(name) is not None
    assert thinking_tags(None) is None
    with pytest.raises(DataFault, match="openvino:regex") as caught:
        thinking_tags("openvino:regex")
    assert caught.value.code == "protocol_unknown"


@pytest.mark.parametrize(
    ("protocol", "opened"),
    [
        ("openvino:reasoning_parser", False),
        ("openvino:phi4_reasoning_incremental_parser", False),
        ("openvino:deepseek_r1_reasoning_incremental_parser", True),
        ("llama:common_chat_reasoning_parser", False),
    ],
)
def test_which_protocol_expects_the_opening_tag(protocol: str, opened: bool) -> None:
    assert begin_answer("<|assistant|>", "", thinking_tags(protocol)) == ("<|assistant|>", opened)


@pytest.mark.parametrize(
    ("rendered", "begun", "prompt", "opened"),
    [
        ("A:", "", "A:", False),
        ("A:<think>\n", "", "A:<think>\n", True),
        ("A:<think>\n\n</think>\n\n", "", "A:<think>\n\n</think>\n\n", False),
        ("U: <think>\nA:", "", "U: <think>\nA:", False),
        ("A:", "Paris is", "A:Paris is", False),
        ("A:<think>\n", "Paris is", "A:<think>\n\n</think>\n\nParis is", False),
        ("A:<think>\n", "so</think>Paris", "A:<think>\nso</think>Paris", False),
        ("A:", "<think>so", "A:<think>so", True),
    ],
)
def test_where_an_answer_begins(rendered: str, begun: str, prompt: str, opened: bool) -> None:
    assert begin_answer(rendered, begun, TAGS) == (prompt, opened)


def test_a_closed_template_beats_a_protocol_that_starts_inside() -> None:
    tags = ThinkingTags(opened=True)
    assert begin_answer("A:<think></think>\n", "", tags) == ("A:<think></think>\n", False)


def test_without_a_protocol_nothing_is_touched() -> None:
    assert begin_answer("A:<think>", "b", None) == ("A:<think>b", False)


VOCABULARY = ["<think>", "</th", "ink>", "a", "b ", "</think>", "<eos>"]


def decode(ids: object) -> str:
    assert isinstance(ids, list)
    return "".join(VOCABULARY[one] for one in ids if VOCABULARY[one] != "<eos>")


@pytest.mark.parametrize(
    ("ids", "opened", "tokens"),
    [
        ([0, 3, 5, 4, 6], False, 3),
        ([0, 3, 4, 1, 2, 4, 4, 4, 6], False, 5),
        ([3, 4, 1, 2, 4], True, 4),
        ([3, 4, 6], False, 0),
        ([0, 3, 4, 6], False, 4),
        ([3, 5], False, 0),
        ([], True, 0),
    ],
)
def test_thinking_tokens_are_counted_from_ids(ids: list[int], opened: bool, tokens: int) -> None:
    assert count_thinking_tokens(ids, decode, TAGS, opened=opened) == tokens

"""Text that arrives in batches ends as the same blocks, and finished ones are left alone."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.desktop.markdown.blocks import Code, Item, Paragraph, Piece, Run, Table
from app.desktop.markdown.growing import GrowingText

_LINES = [
    "text", "**bold** *it*", "# head", "- item", "  - inner", "1. one", "7. seven", "  cont", "> q",
    "> > r", "```py", "```", "~~~", "    x = 1", "| a | b |", "|---|:-:|", "| 1 | 2 |", "$$", "x^2",
    "\\[ y \\]", "---", "***", "===", "", "", "+ plus", "* star", "- [x] done", "[r]: http://a.b",
    "see [r] and $z$", "#tag", "1.5 kg", "**", "<b>", "![i](http://x/y)", "\ttab", "  ```", " code",
]  # fmt: skip


def grown(batches: list[str]) -> list[Piece]:
    growing = GrowingText()
    for batch in batches:
        growing.append(batch)
    growing.finish()
    return growing.pieces


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(_LINES), max_size=24), st.data())
def test_batches_and_whole_text_give_the_same_blocks(lines: list[str], data: st.DataObject) -> None:
    text = "\n".join(lines)
    cuts = sorted(data.draw(st.sets(st.integers(0, len(text)), max_size=12)))
    ends = [*cuts, len(text)]
    batches = [text[start:end] for start, end in zip([0, *cuts], ends, strict=True)]
    assert [p.block for p in grown(batches)] == [p.block for p in grown([text])]


@settings(max_examples=100, deadline=None)
@given(st.lists(st.sampled_from(_LINES), max_size=24))
def test_only_reported_pieces_change_and_finished_ones_are_the_same_objects(
    lines: list[str],
) -> None:
    growing = GrowingText()
    before: list[Piece] = []
    for character in "\n".join(lines):
        first = growing.append(character)
        assert all(a is b for a, b in zip(before[:first], growing.pieces[:first], strict=True))
        before = list(growing.pieces)
    first = growing.finish()
    assert before[:first] == growing.pieces[:first]


def test_an_item_that_is_followed_by_another_is_finished() -> None:
    growing = GrowingText()
    growing.append("1. a\n1. b\n1. c\n")
    assert growing.append("1. d\n") == 2
    assert [p.block.number for p in growing.pieces if isinstance(p.block, Item)] == [1, 2, 3, 4]


def test_a_half_written_line_finishes_nothing() -> None:
    growing = GrowingText()
    growing.append("- a\n*")
    growing.append("*bold**")
    assert len(growing.pieces) == 1


def test_an_open_code_block_grows_and_closes() -> None:
    growing = GrowingText()
    growing.append("```py\na")
    growing.append("b\nc")
    assert growing.pieces[-1].block == Code("py", "ab\nc", closed=False)
    growing.append("\n```\nafter\n")
    assert [p.block for p in growing.pieces] == [
        Code("py", "ab\nc"),
        Paragraph((Run("after"),)),
    ]
    assert growing.pieces[0].source == "```py\nab\nc\n```"


def test_a_table_keeps_its_rows_and_ends() -> None:
    growing = GrowingText()
    growing.append("| a |\n|---|\n")
    for number in range(100):
        growing.append(f"| {number} |\n")
    growing.append("\nafter\n")
    table, after = growing.pieces
    assert isinstance(table.block, Table)
    assert [row[0][0].text for row in table.block.rows] == [str(n) for n in range(100)]
    assert table.source.count("\n") == 101
    assert after.block == Paragraph((Run("after"),))


def test_a_definition_that_comes_later_is_honoured_at_the_end() -> None:
    growing = GrowingText()
    growing.append("see [r]\n\nmore\n\n")
    growing.append("[r]: http://a.b/c\n")
    assert growing.pieces[0].block == Paragraph((Run("see [r]"),))
    assert growing.finish() == 0
    assert growing.pieces[0].block == Paragraph((Run("see "), Run("r", href="http://a.b/c")))


def test_a_definition_that_came_before_holds_from_then_on() -> None:
    growing = GrowingText()
    growing.append("[r]: http://a.b/c\n\ntext\n\n")
    growing.append("see [r]\n")
    assert growing.pieces[-1].block == Paragraph((Run("see "), Run("r", href="http://a.b/c")))


@pytest.mark.parametrize("ending", ["\r\n", "\r", "\n"])
def test_line_ends_of_every_kind_even_when_cut_in_two(ending: str) -> None:
    text = f"# a{ending}{ending}b{ending}"
    assert [p.block for p in grown(list(text))] == [p.block for p in grown(["# a\n\nb\n"])]


def test_source_is_returned_as_it_came() -> None:
    growing = GrowingText()
    growing.append("a\r")
    growing.append("\n\0b")
    assert growing.source == "a\r\n\0b"

"""Markdown text becomes the blocks it means, and nothing in it acts."""

import time

import pytest

from app.desktop.markdown.blocks import (
    Align,
    Block,
    Code,
    Formula,
    Heading,
    Item,
    Paragraph,
    Quote,
    Rule,
    Run,
    Runs,
    Table,
)
from app.desktop.markdown.growing import GrowingText


def blocks(text: str) -> list[Block]:
    growing = GrowingText()
    growing.append(text)
    growing.finish()
    return [piece.block for piece in growing.pieces]


def runs(text: str) -> Runs:
    (paragraph,) = blocks(text)
    assert isinstance(paragraph, Paragraph)
    return paragraph.runs


def links(text: str) -> list[str]:
    return [run.href for run in runs(text) if run.href is not None]


def formulas(text: str) -> list[str]:
    return [run.tex for run in runs(text) if run.tex is not None]


def plain(text: str) -> Paragraph:
    return Paragraph((Run(text),))


def test_text_styles_are_runs() -> None:
    assert runs("a **b *c*** ~~d~~ `e`") == (
        Run("a "),
        Run("b ", bold=True),
        Run("c", bold=True, italic=True),
        Run(" "),
        Run("d", strike=True),
        Run(" "),
        Run("e", code=True),
    )


def test_a_line_end_in_a_paragraph_stays_a_line_end() -> None:
    assert runs("one\ntwo") == (Run("one\ntwo"),)


def test_headings_rules_and_code() -> None:
    assert blocks("## H\n\n---\n\n```py x\na\n\n b\n```\n") == [
        Heading(2, (Run("H"),)),
        Rule(),
        Code("py", "a\n\n b"),
    ]


def test_nested_quotes_and_lists() -> None:
    assert blocks("> a\n> > - b\n") == [
        Quote((plain("a"), Quote((Item(None, None, (plain("b"),)),))))
    ]


def test_a_list_is_numbered_from_its_first_number() -> None:
    assert blocks("3. a\n3. b\n3. c\n") == [
        Item(number, None, (plain(text),)) for number, text in ((3, "a"), (4, "b"), (5, "c"))
    ]


def test_a_list_may_start_at_zero() -> None:
    assert blocks("0. a") == [Item(0, None, (plain("a"),))]


def test_tasks() -> None:
    assert blocks("- [ ] a\n- [x] b\n- [y] c\n") == [
        Item(None, False, (plain("a"),)),
        Item(None, True, (plain("b"),)),
        Item(None, None, (plain("[y] c"),)),
    ]


def test_a_table_has_its_alignments() -> None:
    assert blocks("| a | b | c |\n|---|:-:|--:|\n| 1 | **2** |\n") == [
        Table(
            (Align.START, Align.CENTRE, Align.END),
            ((Run("a"),), (Run("b"),), (Run("c"),)),
            (((Run("1"),), (Run("2", bold=True),), ()),),
        )
    ]


@pytest.mark.parametrize(
    "text",
    [
        "<b>x</b>",
        "<script>alert(1)</script>",
        "[x](javascript:alert(1))",
        "[x](file:///etc/passwd)",
        "[x](data:text/html,hi)",
        "<ftp://example.org>",
        "![x](file:///etc/passwd)",
        "&lt;b&gt;",
    ],
)
def test_html_and_other_schemes_stay_text(text: str) -> None:
    (run,) = runs(text)
    assert run.text.replace("<", "").replace(">", "") == text.replace("&lt;", "").replace(
        "&gt;", ""
    ).replace("<", "").replace(">", "")
    assert run.href is None


def test_a_picture_is_named_and_links_to_its_address() -> None:
    assert runs("![a cat](http://x.y/c.png)") == (
        Run("a cat", image=True, href="http://x.y/c.png"),
    )


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("see https://a.b/c.", "https://a.b/c"),
        ("(https://a.b/c)", "https://a.b/c"),
        ("https://a.b/c_(d)", "https://a.b/c_(d)"),
        ("<http://a.b>", "http://a.b"),
        ('[x](https://a.b "t")', "https://a.b"),
        ("**https://a.b**", "https://a.b"),
    ],
)
def test_web_addresses_are_links(text: str, address: str) -> None:
    assert links(text) == [address]


def test_an_address_cannot_hide_its_direction() -> None:
    assert links("[x](https://a.b/\u202egnp.exe)") == ["https://a.b/%E2%80%AEgnp.exe"]


@pytest.mark.parametrize("text", ["`https://a.b`", "https://", "xhttps://a.b"])
def test_no_links_in_code_or_without_a_host(text: str) -> None:
    assert links(text) == []


@pytest.mark.parametrize(
    ("text", "tex"),
    [
        ("$x^2$", "x^2"),
        ("so $2$ and", "2"),
        ("$$x$$ in a line", "x"),
        (r"\(a_b\)", "a_b"),
        (r"line \[a*b*c\].", "a*b*c"),
        (r"$\{a\}$,", r"\{a\}"),
        ("$2 + 2$", "2 + 2"),
    ],
)
def test_formulas_in_a_line(text: str, tex: str) -> None:
    assert formulas(text) == [tex]


@pytest.mark.parametrize(
    "text",
    [
        "$5 and $10",
        "from $5-$10",
        "$5, or 10$ each",
        "US$5 to US$6",
        "`$x$`",
        "$ x $",
        "$HOME/$USER",
        r"\$x\$",
        "a $5 `b$` c",
        "\\(never closed",
        "$$",
    ],
)
def test_money_code_and_open_delimiters_are_no_formulas(text: str) -> None:
    assert formulas(text) == []


@pytest.mark.parametrize(
    ("text", "tex"),
    [
        ("$$\nx\n- y\n$$", "x\n- y"),
        ("\\[ x \\]", "x"),
        ("\\[\n\\frac{a}{b}\n\\]", "\\frac{a}{b}"),
        ("$$ x $$", "x"),
    ],
)
def test_formulas_on_their_own_lines(text: str, tex: str) -> None:
    assert blocks(text) == [Formula(tex, text)]


def test_a_formula_ends_a_paragraph_and_stands_in_lists() -> None:
    assert blocks("We get\n\\[\nx\n\\]\nso") == [
        plain("We get"),
        Formula("x", "\\[\nx\n\\]"),
        plain("so"),
    ]
    assert blocks("- a\n  $$\n  x\n  $$\n") == [
        Item(None, None, (plain("a"), Formula("x", "$$\nx\n$$")))
    ]


def test_an_open_formula_ends_at_the_blank_line() -> None:
    assert blocks("$$\nx\n\n# H") == [plain("$$\nx"), Heading(1, (Run("H"),))]


def test_what_cannot_be_shown_is_replaced() -> None:
    assert runs("a\0b\ud800c\u2029d\ufffce") == (Run("a\ufffdb\ufffdc d\ufffde"),)


def test_right_to_left_text_stays_as_it_is() -> None:
    assert runs("\u0645\u0631\u062d\u0628\u0627 **\u05e9\u05dc\u05d5\u05dd**") == (
        Run("\u0645\u0631\u062d\u0628\u0627 "),
        Run("\u05e9\u05dc\u05d5\u05dd", bold=True),
    )


@pytest.mark.parametrize(
    "unit",
    ["[", "*", "_", "`", "![", "$", "\\(", "<", "](", "[a](", "**a", "*a_", "&", "> ", "> - ", "- ",
     "~~", "|", "\\", "a", "a ", "\n", "\r", "1. ", "$$\n", "```\n", "# "],
)  # fmt: skip
def test_a_hundred_thousand_marks_are_fast(unit: str) -> None:
    text = unit * (100_000 // len(unit))
    start = time.perf_counter()
    growing = GrowingText()
    for position in range(0, len(text), 1_000):
        growing.append(text[position : position + 1_000])
    growing.finish()
    # Quadratic work would take minutes here; linear work takes about a second under load.
    assert time.perf_counter() - start < 20
    assert growing.source == text


def test_a_line_of_a_megabyte_is_fast_and_complete() -> None:
    text = "word " * 200_000
    start = time.perf_counter()
    found = blocks(text)
    assert time.perf_counter() - start < 20
    shown = "".join(run.text for one in found if isinstance(one, Paragraph) for run in one.runs)
    assert shown.count("word") == 200_000


def test_deep_nesting_is_cut_and_not_recursed() -> None:
    assert blocks("\n".join(">" * depth + " a" for depth in range(1, 500)))
    assert blocks("\n".join("  " * depth + "- a" for depth in range(500)))

"""Formulas are set or stay as they were written, and never take long."""

import time
import xml.etree.ElementTree as ET

import pytest
from PySide6.QtCore import QByteArray
from PySide6.QtSvg import QSvgRenderer
from pytestqt.qtbot import QtBot

from app.desktop.markdown import math
from app.desktop.markdown.math import set_formula


@pytest.mark.parametrize(
    "tex",
    [
        "E=mc^2",
        r"\frac{-b\pm\sqrt{b^2-4ac}}{2a}",
        r"\int_0^\infty e^{-x^2}\,dx",
        r"\begin{pmatrix}a&b\\c&d\end{pmatrix}^{-1}",
        r"\begin{align*}a&=b\\c&=d\end{align*}",
        r"\begin{cases}1&x>0\\0&\text{else}\end{cases}",
        r"\sum_{i=1}^n i\in\mathbb{R}",
        "漢字",
    ],
)
def test_usual_formulas_are_set(qtbot: QtBot, tex: str) -> None:
    formula = set_formula(tex, True)
    assert formula is not None
    assert QSvgRenderer(QByteArray(formula.svg.encode())).isValid()
    assert 0 <= formula.depth < formula.height
    names = {element.tag.partition("}")[2] for element in ET.fromstring(formula.svg).iter()}
    assert names <= {"svg", "path", "rect", "g", "line"}


def test_what_hangs_below_the_line_is_measured() -> None:
    deep, flat = set_formula("y", False), set_formula("x", False)
    assert deep is not None
    assert flat is not None
    assert deep.depth > flat.depth + 2


@pytest.mark.parametrize(
    "tex",
    [
        r"\frac{1",
        r"\def\a{\a\a}\a",
        r"\newcommand{\x}{\x\x}\x",
        r"\input{/etc/passwd}",
        r"\href{http://a.b}{x}",
        r"\includegraphics{x.png}",
        "{" * 900,
        r"\left(" * 100,
        "x" * 2_000,
        "\ud800",
        r"\begin{matrix}" * 60,
        "x^a^b",
        "",
    ],
)
def test_what_cannot_be_set_is_refused(tex: str) -> None:
    assert set_formula(tex, False) is None


NESTING = (
    (r"\sqrt{", "}"),
    ("x_{a", "}"),
    ("x^{", "}"),
    (r"\frac{1}{", "}"),
    (r"\left(", r"\right)"),
    (r"\xrightarrow{", "}"),
    (r"\begin{pmatrix}", r"\end{pmatrix}"),
)


@pytest.mark.parametrize(("opening", "closing"), NESTING)
def test_what_would_take_exponential_time_is_refused_before_it_begins(
    opening: str, closing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise AssertionError("the library was asked")

    monkeypatch.setattr(math, "_set", fail)
    assert set_formula(opening * 20 + "x" + closing * 20, False) is None


@pytest.mark.parametrize(("opening", "closing"), NESTING)
def test_the_deepest_nesting_that_is_admitted_takes_little_time(opening: str, closing: str) -> None:
    """In seconds of this thread, so that a busy machine changes nothing."""
    set_formula("x", False)
    deepest = max(
        depth
        for depth in range(12)
        if math._work(opening * depth + "x" + closing * depth) <= math._MOST_WORK
    )
    assert deepest >= 2
    start = time.thread_time()
    set_formula(opening * deepest + "x" + closing * deepest, False)
    assert time.thread_time() - start < 5


def test_a_long_formula_that_nests_as_people_do_is_set() -> None:
    assert set_formula("+".join(rf"\frac{{a_{{{n}}}}}{{\sqrt{{b^2}}}}" for n in range(12)), True)
    continued = r"1+\frac{1}{1+\frac{1}{1+\frac{1}{1+\frac{1}{x}}}}"
    assert set_formula(continued, True) is not None

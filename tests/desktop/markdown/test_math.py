"""Formulas are set or stay as they were written, and never take long."""

import time
import xml.etree.ElementTree as ET

import pytest
from PySide6.QtCore import QByteArray
from PySide6.QtSvg import QSvgRenderer
from pytestqt.qtbot import QtBot

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


@pytest.mark.parametrize("tex", [r"\sqrt{" * 20 + "x" + "}" * 20, "x_{a" * 20 + "}" * 20])
def test_a_formula_that_takes_exponential_time_is_given_up(tex: str) -> None:
    start = time.perf_counter()
    assert set_formula(tex, False) is None
    assert time.perf_counter() - start < 10
    assert set_formula("x+1", False) is not None

"""Formulas to SVG, with ziamath: pure Python, no web engine, nothing fetched.

A formula that can't be set (unknown command, too long, too deep) is shown as it was written.
Imports of the library and the setting run in the rendering thread: 0.2 s once, then 5 to 25 ms.
"""

import re
import threading
import warnings
from functools import lru_cache
from typing import Final

from msgspec import Struct

from app.desktop.markdown.tex import MAX_TEX_CHARS

INK: Final = "#010203"  # stands for the text colour until the formula is painted
DESIGN_PIXELS: Final = 16.0  # the font size that a formula is set at, before scaling
_MOST_WORK: Final = 1_500.0
_MAX_SVG_CHARS: Final = 400_000
_MARKS: Final = re.compile(
    r"\\(?:begin|end)\{[^{}]*\}|\\x[a-zA-Z]*arrow\s*(?:\[[^\]]*\])?\s*\{|\\[a-zA-Z]+|\\.|\S",
    re.DOTALL,
)
# A macro can grow without bound, the others have no meaning on a page.
_REFUSED: Final = re.compile(
    r"\\(?:def|gdef|edef|xdef|let|newcommand|renewcommand|providecommand|newenvironment|input|"
    r"include|href|url|includegraphics|htmlClass|htmlId|htmlStyle|htmlData|style|class|unicode)\b"
)
_ENVIRONMENTS: Final = {"align", "align*", "equation", "equation*", "gather", "gather*"}
_NUMBERING: Final = re.compile(r"\\(?:label|nonumber|notag)\b(?:\{[^{}]*\})?")
_FENCED_BEGIN: Final = re.compile(r"\\begin\{[pbvBV]matrix\}")
_FENCED_END: Final = re.compile(r"\\end\{[pbvBV]matrix\}")
_one_at_a_time = threading.Lock()  # the library has module-level settings


class SetFormula(Struct, frozen=True):
    """A formula as an SVG at ``DESIGN_PIXELS``; ``depth`` is what hangs below the baseline."""

    svg: str
    width: float
    height: float
    depth: float


@lru_cache(maxsize=512)
def set_formula(tex: str, display: bool) -> SetFormula | None:
    """Returns the formula, or ``None`` if it can't be set. Never raises."""
    if len(tex) > MAX_TEX_CHARS or _REFUSED.search(tex) or _work(tex) > _MOST_WORK:
        return None
    try:
        _load_library()
        with _one_at_a_time:
            return _set(_known_environments(tex), display)
    except Exception:  # noqa: BLE001  # two parsers of others over a model's text: show the source
        return None


@lru_cache(maxsize=1)
def _load_library() -> None:
    """Loads the library and its font: that takes long once."""
    # WORKAROUND(ziamath 0.13 calls what Python 3.11 and 3.12 deprecate)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        _set("x", False)


def _set(tex: str, display: bool) -> SetFormula | None:
    from ziamath.config import config
    from ziamath.zmath import Latex

    config.svg2 = False  # Qt draws SVG Tiny 1.2
    formula = Latex(tex, size=DESIGN_PIXELS, color=INK, inline=not display)
    svg = formula.svg()
    width, height = formula.getsize()
    if len(svg) > _MAX_SVG_CHARS or not 0 < width < 20_000 or not 0 < height < 20_000:
        return None
    margin = float(formula.margin)
    depth = max(0.0, -formula.getyofst()) + margin
    return SetFormula(svg, width + 2 * margin, height + 2 * margin, depth)


def _work(tex: str) -> float:
    """How much there is to set, in units of about a millisecond on a slow machine.

    WORKAROUND(ziamath 0.13: each level of nesting doubles the time of what is inside, and an
    environment or an arrow with text takes five times as long)

    Each sign counts as two to the power of its level, so nested roots are refused before the
    library is asked, and a long formula that nests little is not.
    """
    work, level = 0.0, 0.0
    levels: list[float] = []
    for mark in _MARKS.finditer(tex):
        sign = mark[0]
        if sign in ("}", "\\right") or sign.startswith("\\end{"):
            level = levels.pop() if levels else 0.0
        elif sign in ("{", "\\left"):
            levels.append(level)
            level += 1.0
        elif sign.startswith("\\begin{") or (sign.startswith("\\x") and sign.endswith("{")):
            levels.append(level)
            level += 2.5
        work += 2.0**level
        if work > _MOST_WORK:
            break
    return work


def _known_environments(tex: str) -> str:
    """Writes numbered environments as the one that the library knows, and matrices in braces."""
    tex = _NUMBERING.sub("", tex)
    for name in _ENVIRONMENTS:
        tex = tex.replace(f"\\begin{{{name}}}", r"\begin{aligned}")
        tex = tex.replace(f"\\end{{{name}}}", r"\end{aligned}")
    # WORKAROUND(ziamath 0.13: an exponent after a fenced matrix is an assertion error)
    tex = _FENCED_BEGIN.sub(r"{\g<0>", tex)
    return _FENCED_END.sub(r"\g<0>}", tex)

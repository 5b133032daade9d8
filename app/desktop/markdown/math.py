"""Formulas to SVG, with ziamath: pure Python, no web engine, nothing fetched.

A formula that can't be set (unknown command, too long, too deep) is shown as it was written.
Imports of the library and the setting run in the rendering thread: 0.2 s once, then 5 to 25 ms.
"""

import ctypes
import re
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Final

from msgspec import Struct

from app.desktop.markdown.tex import MAX_TEX_CHARS

INK: Final = "#010203"  # stands for the text colour until the formula is painted
DESIGN_PIXELS: Final = 16.0  # the font size that a formula is set at, before scaling
_MAX_DEPTH: Final = 24
_MAX_SVG_CHARS: Final = 400_000
_DEADLINE_S: Final = 0.5  # nested roots take exponential time
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
    if len(tex) > MAX_TEX_CHARS or _REFUSED.search(tex) or _depth(tex) > _MAX_DEPTH:
        return None
    try:
        _load_library()
        with _one_at_a_time, _deadline():
            return _set(_known_environments(tex), display)
    except _TooSlow:
        return None
    except Exception:  # noqa: BLE001  # two parsers of others over a model's text: show the source
        return None


@lru_cache(maxsize=1)
def _load_library() -> None:
    """Loads the library and its font, outside any deadline: that takes long once."""
    # WORKAROUND(ziamath 0.13 calls what Python 3.11 and 3.12 deprecate)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        _set("x", False)


class _TooSlow(BaseException):
    """Not an ``Exception``, so that no handler of the library swallows it."""


@contextmanager
def _deadline() -> Iterator[None]:
    """Ends pure Python code of this thread soon after the deadline.

    A trace or profile function would do too, and make each formula eight times slower.
    """
    thread = ctypes.c_ulong(threading.get_ident())
    guard, ended, armed = threading.Lock(), threading.Event(), [True]

    def watch() -> None:
        wait_s = _DEADLINE_S
        while not ended.wait(wait_s) and armed:
            # Again and again: one that is raised in a destructor is swallowed there.
            with guard:
                if armed:
                    _raise_in(thread, ctypes.py_object(_TooSlow))
            wait_s = 0.05

    watcher = threading.Thread(target=watch, name="formula deadline", daemon=True)
    watcher.start()
    try:
        yield
    finally:
        armed.clear()  # first, and not a Python function: nothing can be raised before it
        with guard:
            _raise_in(thread, None)  # takes back one that is still due
        ended.set()
        watcher.join()


def _raise_in(thread: ctypes.c_ulong, kind: "ctypes.py_object[type[BaseException]] | None") -> None:
    ctypes.pythonapi.PyThreadState_SetAsyncExc(thread, kind)


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


def _depth(tex: str) -> int:
    depth = deepest = 0
    for mark in re.finditer(r"\\begin|\\left\b|\\end|\\right\b|\\.|[{}^_]", tex, re.DOTALL):
        if mark[0] in ("{", "\\begin", "\\left"):
            depth += 1
        elif mark[0] in ("}", "\\end", "\\right"):
            depth -= 1
        deepest = max(deepest, depth)
    return deepest


def _known_environments(tex: str) -> str:
    """Writes numbered environments as the one that the library knows, and matrices in braces."""
    tex = _NUMBERING.sub("", tex)
    for name in _ENVIRONMENTS:
        tex = tex.replace(f"\\begin{{{name}}}", r"\begin{aligned}")
        tex = tex.replace(f"\\end{{{name}}}", r"\end{aligned}")
    # WORKAROUND(ziamath 0.13: an exponent after a fenced matrix is an assertion error)
    tex = _FENCED_BEGIN.sub(r"{\g<0>", tex)
    return _FENCED_END.sub(r"\g<0>}", tex)

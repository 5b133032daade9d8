"""Source code to coloured spans, with Pygments; an unknown language stays plain.

The lexing knows no Qt and may run in any thread. Its cost is bounded: long blocks and long lines
stay plain, since a single regular expression can't be interrupted.
"""

from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from typing import Final, Protocol, cast

from msgspec import Struct
from PySide6.QtGui import QColor, QFont, QTextCharFormat

from app.desktop.markdown.theme import Mode


class _Lexer(Protocol):
    """What we use of Pygments, which ships no types."""

    def get_tokens(self, text: str) -> Iterable[tuple[tuple[str, ...], str]]: ...


MAX_CHARS: Final = 60_000
MAX_LINE_CHARS: Final = 2_000


class Ink(StrEnum):
    """What a span of code is, as far as its colour goes."""

    COMMENT = "comment"
    KEYWORD = "keyword"
    STRING = "string"
    NUMBER = "number"
    NAME = "name"  # a function, a class, a tag
    BUILTIN = "builtin"  # a type, a constant, an attribute
    ERROR = "error"  # a removed line of a diff
    ADDED = "added"  # an added line of a diff
    META = "meta"  # a prompt, a directive, a decorator


class Span(Struct, frozen=True):
    start: int
    length: int
    ink: Ink


class Highlighted(Struct, frozen=True):
    """``safe`` is a position from which the lexer may start afresh when more text comes."""

    spans: tuple[Span, ...]
    safe: int


# Each at least 4.5 : 1 on its background (a test computes it).
PALETTES: Final[Mapping[Mode, Mapping[Ink, str]]] = {
    Mode.LIGHT: {
        Ink.COMMENT: "#5f6b76",
        Ink.KEYWORD: "#8a2a86",
        Ink.STRING: "#1a6b35",
        Ink.NUMBER: "#9a4a06",
        Ink.NAME: "#1f52b5",
        Ink.BUILTIN: "#0b6470",
        Ink.ERROR: "#b3261e",
        Ink.ADDED: "#1a6b35",
        Ink.META: "#6b5410",
    },
    Mode.DARK: {
        Ink.COMMENT: "#a6afb9",
        Ink.KEYWORD: "#dda0ea",
        Ink.STRING: "#9fd49a",
        Ink.NUMBER: "#f0b07a",
        Ink.NAME: "#8fbcff",
        Ink.BUILTIN: "#7fd4d9",
        Ink.ERROR: "#ffa59d",
        Ink.ADDED: "#9fd49a",
        Ink.META: "#dcc77c",
    },
    Mode.HIGH_CONTRAST: {},
}

# Pygments token paths, the longest match wins.
_INKS: Final[Mapping[str, Ink]] = {
    "Comment": Ink.COMMENT,
    "Comment.Preproc": Ink.META,
    "Keyword": Ink.KEYWORD,
    "Keyword.Constant": Ink.NUMBER,
    "Keyword.Type": Ink.BUILTIN,
    "Operator.Word": Ink.KEYWORD,
    "Literal.String": Ink.STRING,
    "Literal.String.Interpol": Ink.BUILTIN,
    "Literal.String.Escape": Ink.NUMBER,
    "Literal.Number": Ink.NUMBER,
    "Literal.Date": Ink.NUMBER,
    "Name.Function": Ink.NAME,
    "Name.Class": Ink.NAME,
    "Name.Tag": Ink.NAME,
    "Name.Attribute": Ink.BUILTIN,
    "Name.Builtin": Ink.BUILTIN,
    "Name.Constant": Ink.BUILTIN,
    "Name.Decorator": Ink.META,
    "Name.Exception": Ink.BUILTIN,
    "Name.Variable.Magic": Ink.BUILTIN,
    "Generic.Deleted": Ink.ERROR,
    "Generic.Inserted": Ink.ADDED,
    "Generic.Heading": Ink.NAME,
    "Generic.Subheading": Ink.META,
    "Generic.Prompt": Ink.META,
}


def highlight(language: str, text: str) -> Highlighted:
    """Returns the coloured spans of ``text``; none if the language is unknown. Never raises."""
    lexer = _lexer(language)
    if lexer is None or not _is_lexable(text):
        return Highlighted((), 0)
    spans: list[Span] = []
    safe = 0
    try:
        for start, ink, value in _tokens(lexer, text):
            if ink is None and "\n\n" in value:
                candidate = start + value.rindex("\n\n") + 2
                if candidate < len(text) and not text[candidate].isspace():
                    safe = candidate
            elif ink is not None and value.strip():
                spans.append(Span(start, len(value), ink))
    except Exception:  # noqa: BLE001  # 600 lexers of others: one that fails costs the colours only
        return Highlighted((), 0)
    return Highlighted(tuple(spans), safe)


def formats(mode: Mode) -> dict[Ink, QTextCharFormat]:
    """Returns how each ink looks; high contrast keeps the person's colours and uses weight."""
    found = {}
    for ink in Ink:
        look = QTextCharFormat()
        colour = PALETTES[mode].get(ink)
        if colour is not None:
            look.setForeground(QColor(colour))
        elif ink in (Ink.KEYWORD, Ink.NAME):
            look.setFontWeight(QFont.Weight.Bold)
        if ink is Ink.COMMENT:
            look.setFontItalic(True)
        found[ink] = look
    return found


def _is_lexable(text: str) -> bool:
    if len(text) > MAX_CHARS:
        return False
    return max(map(len, text.split("\n"))) <= MAX_LINE_CHARS


def _lexer(language: str) -> _Lexer | None:
    # Importing a lexer takes up to 50 ms: at first use, in whichever thread lexes.
    from pygments.lexers import get_lexer_by_name  # type: ignore[import-untyped]  # has no types
    from pygments.util import ClassNotFound  # type: ignore[import-untyped]  # has no types

    name = language.strip("{}.").split(",")[0].lower()
    if not name or name in ("text", "plain", "plaintext", "txt"):
        return None
    try:
        return cast(_Lexer, get_lexer_by_name(name, stripnl=False))
    except ClassNotFound:
        return None


def _tokens(lexer: _Lexer, text: str) -> Iterator[tuple[int, Ink | None, str]]:
    """Yields stretches of one ink, neighbours joined."""
    start, ink, parts = 0, None, [""]
    position = 0
    known: dict[tuple[str, ...], Ink | None] = {}
    for kind, value in lexer.get_tokens(text):
        if kind not in known:
            known[kind] = _ink(kind)
        if known[kind] is not ink:
            yield start, ink, "".join(parts)
            start, ink, parts = position, known[kind], []
        parts.append(value[: max(0, len(text) - position)])  # the lexer ends with a newline
        position += len(value)
    yield start, ink, "".join(parts)


def _ink(path: tuple[str, ...]) -> Ink | None:
    for length in range(len(path), 0, -1):
        ink = _INKS.get(".".join(path[:length]))
        if ink is not None:
            return ink
    return None

"""What an answer consists of, after parsing: a small tree of frozen blocks.

Equal blocks look equal, so the view compares a new tree with what it shows and touches only what
differs.
"""

from enum import StrEnum

from msgspec import Struct


class Align(StrEnum):
    """Where the text of a table column stands."""

    START = "start"
    CENTRE = "centre"
    END = "end"


class Run(Struct, frozen=True):
    """A piece of text in one style. A line break inside a paragraph is a newline in ``text``.

    ``href`` is an http or https address, never another scheme. ``image`` marks a picture that is
    not fetched: ``text`` is its description, ``href`` its address if that is one we would open.
    ``tex`` is the formula without its delimiters; ``text`` is then the source as it was written.
    """

    text: str
    bold: bool = False
    italic: bool = False
    strike: bool = False
    code: bool = False
    href: str | None = None
    image: bool = False
    tex: str | None = None
    display: bool = False


Runs = tuple[Run, ...]


class Paragraph(Struct, frozen=True, tag=True):
    runs: Runs


class Heading(Struct, frozen=True, tag=True):
    """``level`` is 1 to 6."""

    level: int
    runs: Runs


class Code(Struct, frozen=True, tag=True):
    """A code block. ``closed`` is false while its closing fence has not arrived."""

    language: str
    text: str
    closed: bool = True


class Formula(Struct, frozen=True, tag=True):
    """A formula on lines of its own; ``source`` has the delimiters, ``tex`` does not."""

    tex: str
    source: str


class Table(Struct, frozen=True, tag=True):
    """Every row has as many cells as ``alignments`` has entries."""

    alignments: tuple[Align, ...]
    header: tuple[Runs, ...]
    rows: tuple[tuple[Runs, ...], ...]


class Rule(Struct, frozen=True, tag=True):
    """A horizontal line."""


class Quote(Struct, frozen=True, tag=True):
    children: "tuple[Block, ...]"


class Item(Struct, frozen=True, tag=True):
    """One list item; a list is a row of them.

    ``number`` is absent in a bullet list. ``checked`` is absent unless it is a task.
    """

    number: int | None
    checked: bool | None
    children: "tuple[Block, ...]"


Block = Paragraph | Heading | Code | Formula | Table | Rule | Quote | Item


class Piece(Struct, frozen=True):
    """A block at the outermost level and the lines of source it was made from."""

    block: Block
    source: str

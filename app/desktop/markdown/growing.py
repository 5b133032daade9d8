"""A text that grows: finished blocks are parsed once, only the last one again.

What can still change is the outermost block that the text ends in; a list ends in its last item. A
block counts as finished once a complete line has begun another one, since a line that is still
being written may turn out to be something else (``*`` a list, ``**bold`` a paragraph).

A link whose definition arrives after it is resolved by ``finish``, not while the text streams.
"""

import re
from typing import Final

import msgspec
from markdown_it.common.utils import normalizeReference

from app.desktop.markdown.blocks import Code, Item, Piece, Runs, Table
from app.desktop.markdown.parse import Found, Parser, References, clean

# A block longer than this is cut, so that the work for each batch stays bounded (about 2 ms a KiB).
_LONGEST_OPEN_CHARS: Final = 16_384
# A long open block is parsed again only when it grew by this part of its length.
_EAGER_CHARS: Final = 4_096
_GROWTH: Final = 64
_TABLE_HEAD_LINES: Final = 2
_FENCE: Final = re.compile(r"( {0,3})(`{3,}|~{3,})")
_LABEL: Final = re.compile(r"\[([^\[\]\n]{1,200})\]")


class GrowingText:
    """Markdown that arrives in batches, as pieces."""

    def __init__(self) -> None:
        self._parser = Parser()
        self.pieces: list[Piece] = []
        self.is_finished = False
        self._finished = 0  # how many of the pieces never change again
        self._open = ""  # the source of the others
        self._parsed_chars = 0
        self._references: References = {}
        self._open_references: References = {}  # those of the last parse
        self._next_number: int | None = None  # continues an ordered list over a cut
        self._list_markup = ""
        self._fence: _OpenFence | None = None
        self._table: _OpenTable | None = None
        self._carriage_return = ""
        self._source: list[str] = []

    @property
    def source(self) -> str:
        """Everything that was appended, as it was."""
        return "".join(self._source)

    def append(self, text: str) -> int:
        """Adds a batch; returns the index of the first piece that may have changed."""
        self.is_finished = False
        self._source.append(text)
        text = self._carriage_return + text
        self._carriage_return = "\r" if text.endswith("\r") else ""
        self._open += clean(text.removesuffix("\r"))
        size = len(self._open)
        grown = size - self._parsed_chars
        if (
            self._fence is None
            and self._table is None
            and size > _EAGER_CHARS
            and grown * _GROWTH < size
        ):
            return len(self.pieces)
        return self._advance()

    def finish(self) -> int:
        """Says that nothing more comes; returns the first piece that may have changed.

        A definition that came after its use is honoured now: the pieces that use one are parsed
        again.
        """
        if self._carriage_return:
            self._open += "\n"
            self._carriage_return = ""
        self.is_finished = True
        first = self._advance()
        known = self._open_references | self._references
        for index, piece in enumerate(self.pieces) if known else ():
            labels = (normalizeReference(label) for label in _LABEL.findall(piece.source))
            if not isinstance(piece.block, Code) and any(label in known for label in labels):
                resolved = self._resolved(piece, known)
                if resolved != piece:
                    self.pieces[index] = resolved
                    first = min(first, index)
        return first

    def _resolved(self, piece: Piece, references: References) -> Piece:
        found, _ = self._parser.parse(piece.source, references)
        if len(found) != 1:
            return piece
        block = found[0].block
        if isinstance(block, Item) and isinstance(piece.block, Item):
            block = msgspec.structs.replace(block, number=piece.block.number)
        return Piece(block, piece.source)

    def _advance(self) -> int:
        changed = self._finished
        while self._step():
            pass
        return min(changed, len(self.pieces))

    def _step(self) -> bool:
        """Parses what is open once; returns whether a cut left more to do."""
        del self.pieces[self._finished :]
        self._parsed_chars = len(self._open)
        if self._fence is not None:
            return self._read_fence()
        if self._table is not None:
            return self._read_table()
        found, new = self._parser.parse(self._open, self._references)
        self._open_references = new
        lines = self._open.split("\n")
        self.pieces += self._as_pieces(found, lines)
        complete = len(lines) - 1  # the last line may still grow
        last = max((i for i, one in enumerate(found) if one.first_line < complete), default=0)
        if last > 0:
            self._cut(found, last, lines, new)
        elif len(self._open) > _LONGEST_OPEN_CHARS:
            return self._cut_long()
        self._enter_fence_or_table()
        return False

    def _as_pieces(self, found: list[Found], lines: list[str]) -> list[Piece]:
        pieces = []
        number, markup = self._next_number, self._list_markup
        for one in found:
            block = one.block
            if isinstance(block, Item) and block.number is not None:
                if number is not None and one.markup == markup:
                    block = msgspec.structs.replace(block, number=number)
                    number += 1
            else:
                number = None
            source = "\n".join(lines[one.first_line : one.end_line]).rstrip("\n")
            pieces.append(Piece(block, source))
        return pieces

    def _cut(self, found: list[Found], last: int, lines: list[str], new: References) -> None:
        """Finishes the pieces before ``found[last]``."""
        line = found[last].first_line
        before = self.pieces[self._finished + last - 1].block
        here = self.pieces[self._finished + last].block
        continues = isinstance(before, Item) and isinstance(here, Item)
        continues = continues and found[last].markup == found[last - 1].markup
        self._next_number = here.number if continues and isinstance(here, Item) else None
        self._list_markup = found[last].markup
        self._finished += last
        self._open = "\n".join(lines[line:])
        self._keep(new, line)

    def _keep(self, new: References, before_line: int) -> None:
        for name, value in new.items():
            if value["map"][1] <= before_line:
                self._references.setdefault(name, value)

    def _cut_long(self) -> bool:
        """Cuts a block that grew too long, at a line end or else at a space."""
        head = self._open[:_LONGEST_OPEN_CHARS]
        at = max(head.rfind("\n"), 0) or max(head.rfind(" "), 0) or len(head)
        rest = self._open[at:].removeprefix("\n")
        head = self._open[:at]
        del self.pieces[self._finished :]
        found, new = self._parser.parse(head, self._references)
        self.pieces += self._as_pieces(found, head.split("\n"))
        self._keep(new, head.count("\n") + 1)
        self._finished = len(self.pieces)
        self._next_number = None
        self._open = rest
        return bool(rest)

    def _enter_fence_or_table(self) -> None:
        """From here on an open code block is only scanned, an open table parsed by new rows."""
        if len(self.pieces) != self._finished + 1:
            return
        block, lines = self.pieces[-1].block, self._open.lstrip("\n").split("\n")
        mark = _FENCE.match(lines[0])
        if isinstance(block, Code) and mark and len(lines) > 1:
            self._fence = _OpenFence(block.language, lines[0], len(mark[1]), mark[2])
            self._open = "\n".join(lines[1:])
            self._read_fence()
        elif isinstance(block, Table) and block.rows and len(lines) > _TABLE_HEAD_LINES + 1:
            self._table = _OpenTable(lines[:_TABLE_HEAD_LINES])
            self._open = "\n".join(lines[_TABLE_HEAD_LINES:])
            self._read_table()

    def _read_table(self) -> bool:
        table = self._table
        assert table is not None
        del self.pieces[self._finished :]
        found, _ = self._parser.parse("\n".join([*table.head, self._open]), self._references)
        lines = self._open.split("\n")
        rows = found[0].end_line - len(table.head)
        block = found[0].block
        assert isinstance(block, Table)
        if rows < len(lines) - 1:  # a complete line is no row: the table has ended
            self.pieces.append(table.piece(block, block.rows, lines[:rows]))
            self._finished += 1
            self._table = None
            self._open = "\n".join(lines[rows:])
            self._next_number = None
            return True
        self.pieces.append(table.piece(block, block.rows, lines[:rows]))
        table.keep(block.rows[: len(lines) - 1], lines[:-1])
        self._open = lines[-1]
        return False

    def _read_fence(self) -> bool:
        fence = self._fence
        assert fence is not None
        del self.pieces[self._finished :]
        *complete, partial = self._open.split("\n")
        for index, line in enumerate(complete):
            if fence.is_closed_by(line):
                self.pieces.append(fence.piece(closing=line))
                self._finished += 1
                self._fence = None
                self._open = "\n".join([*complete[index + 1 :], partial])
                self._next_number = None
                return True
            fence.add(line)
        self._open = partial
        self.pieces.append(fence.piece_with(partial))
        return False


class _OpenFence:
    """A fenced code block at the outermost level whose end has not been seen."""

    def __init__(self, language: str, opening: str, indent: int, mark: str) -> None:
        self._language = language
        self._source = opening
        self._text = ""
        self._indent = indent
        self._end = re.compile(rf" {{0,3}}{re.escape(mark[0])}{{{len(mark)},}}[ \t]*\Z")

    def is_closed_by(self, line: str) -> bool:
        return self._end.match(line) is not None

    def add(self, line: str) -> None:
        self._source += "\n" + line
        self._text += self._dedented(line) + "\n"

    def piece(self, closing: str) -> Piece:
        code = Code(self._language, self._text.removesuffix("\n"))
        return Piece(code, f"{self._source}\n{closing}")

    def piece_with(self, partial: str) -> Piece:
        """The block as it stands, with a last line that may still grow."""
        if self.is_closed_by(partial):
            return self.piece(partial)
        text = self._text + self._dedented(partial) if partial else self._text.removesuffix("\n")
        return Piece(Code(self._language, text, closed=False), f"{self._source}\n{partial}")

    def _dedented(self, line: str) -> str:
        spaces = len(line) - len(line.lstrip(" "))
        return line[min(self._indent, spaces) :]


class _OpenTable:
    """A table at the outermost level that may get more rows."""

    def __init__(self, head: list[str]) -> None:
        self.head = head
        self._lines = list(head)
        self._rows: tuple[tuple[Runs, ...], ...] = ()

    def keep(self, rows: tuple[tuple[Runs, ...], ...], lines: list[str]) -> None:
        self._rows += rows
        self._lines += lines

    def piece(self, block: Table, rows: tuple[tuple[Runs, ...], ...], lines: list[str]) -> Piece:
        """The table with ``rows`` after those that were kept."""
        whole = msgspec.structs.replace(block, rows=self._rows + rows)
        return Piece(whole, "\n".join([*self._lines, *lines]).rstrip("\n"))

"""What a selected part of the page is as plain text and as Markdown."""

from collections.abc import Iterator

from app.desktop.markdown.blocks import Code, Rule, Table
from app.desktop.markdown.leaf import Leaf
from app.desktop.markdown.section import Row, Section

Range = tuple[int, int]
Place = tuple[int, int]  # a leaf of the section and a position in it


def text_of(section: Section, start: Place, end: Place) -> str:
    """Returns the plain text between two places; table cells are apart by tabs."""
    lines = []
    for row, parts in _selected(section, start, end):
        if isinstance(row.block, Table):
            columns = len(row.block.alignments)
            cells = {index: leaf.text(*span) for index, leaf, span in parts}
            lines += [line for line, _ in _table_lines(cells, columns, "\t")]
            continue
        marker = "".join(level.markdown() for level in row.begins) if _is_from_start(parts) else ""
        lines.append(marker + "".join(leaf.text(*span) for _, leaf, span in parts))
    return "\n".join(lines)


def markdown_of(section: Section, start: Place, end: Place) -> str:
    """Returns the Markdown between two places; a whole block is its own source."""
    if _is_whole(section, start, end):
        return section.piece.source
    lines: list[str] = []
    for row, parts in _selected(section, start, end):
        first, rest = _prefixes(row)
        if isinstance(row.block, Table):
            columns = len(row.block.alignments)
            cells = {index: leaf.markdown(*span).strip() for index, leaf, span in parts}
            body = [f"| {line} |" for line, _ in _table_lines(cells, columns, " | ")]
            body[1:1] = ["|" + " --- |" * columns]
        elif isinstance(row.block, Rule):
            body = ["---"]
        else:
            body = "".join(leaf.markdown(*span) for _, leaf, span in parts).split("\n")
        if lines and not row.begins:
            lines.append(rest.rstrip())
        lines += [(first if index == 0 else rest) + line for index, line in enumerate(body)]
    return "\n".join(lines)


def _is_whole(section: Section, start: Place, end: Place) -> bool:
    last = len(section.leaves) - 1
    return start <= (0, 0) and (last < 0 or end >= (last, section.leaves[last].length))


def _selected(
    section: Section, start: Place, end: Place
) -> Iterator[tuple[Row, list[tuple[int, Leaf, Range]]]]:
    """Yields the rows that are touched, each with its touched leaves and their ranges."""
    number = 0
    for row in section.rows:
        parts = []
        for index, leaf in enumerate(row.box.leaves):
            span = span_in(leaf, number, start, end)
            if span is not None:
                parts.append((index, leaf, span))
            number += 1
        if parts or (not row.box.leaves and start <= (number, 0) < end):
            yield row, parts


def span_in(leaf: Leaf, number: int, start: Place, end: Place) -> Range | None:
    """Returns the selected range of the leaf with this number, if any of it is selected."""
    if number < start[0] or number > end[0]:
        return None
    first = start[1] if number == start[0] else 0
    last = end[1] if number == end[0] else leaf.length
    last = min(last, leaf.length)
    return (
        (first, last) if first < last or (leaf.length == 0 and start < (number, 0) < end) else None
    )


def _is_from_start(parts: list[tuple[int, Leaf, Range]]) -> bool:
    return not parts or parts[0][2][0] == 0


def _prefixes(row: Row) -> tuple[str, str]:
    """Returns what stands before the first and before every other line of a row."""
    first = rest = ""
    for level in row.levels:
        mark = level.markdown()
        blank = mark if level.is_quote else " " * len(mark.partition("[")[0])
        first += mark if level in row.begins or level.is_quote else blank
        rest += blank
    return first, ("" if isinstance(row.block, Code) and not row.levels else rest)


def _table_lines(cells: dict[int, str], columns: int, gap: str) -> Iterator[tuple[str, int]]:
    if not cells:
        return
    for line in range(min(cells) // columns, max(cells) // columns + 1):
        row = [cells.get(line * columns + column, "") for column in range(columns)]
        yield gap.join(row), line

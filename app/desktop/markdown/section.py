"""One outermost block on the page: its boxes, and the bars and markers beside them."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPen

from app.desktop.markdown.blocks import (
    Block,
    Code,
    Formula,
    Heading,
    Item,
    Paragraph,
    Piece,
    Quote,
    Table,
)
from app.desktop.markdown.boxes import Box, CodeBox, RuleBox, Selected, Setting, TextBox
from app.desktop.markdown.leaf import Leaf
from app.desktop.markdown.table import TableBox
from app.desktop.markdown.theme import Theme

_DEEPEST: Final = 10  # levels that are still set in; a narrow page has no room for more


class Level:
    """A quote or a list item around blocks. Levels are told apart by identity."""

    __slots__ = ("checked", "is_quote", "number")

    def __init__(self, block: Quote | Item) -> None:
        self.is_quote = isinstance(block, Quote)
        self.number = block.number if isinstance(block, Item) else None
        self.checked = block.checked if isinstance(block, Item) else None

    def markdown(self) -> str:
        if self.is_quote:
            return "> "
        mark = "- " if self.number is None else f"{self.number}. "
        return mark if self.checked is None else f"{mark}[{'x' if self.checked else ' '}] "


@dataclass(slots=True)
class Row:
    """A box and what it stands in. ``begins`` are the items whose marker stands before it."""

    block: Block
    levels: tuple[Level, ...]
    begins: tuple[Level, ...]
    box: Box
    y: float = 0.0
    height: float = 0.0


class Section:
    """The part of the page that shows one piece."""

    def __init__(self, setting: Setting, piece: Piece) -> None:
        self.y = 0.0
        self.height = 0.0
        self.width = -1.0  # the width it is laid out for
        self.piece = piece
        self._setting = replace(setting, changed=self._on_changed)
        self._report = setting.changed
        self._is_right_to_left = False
        self._is_unbuilt = False
        self.needs_place = True
        self._is_placed = False  # its boxes know where they are
        self.rows: list[Row] = []
        self.leaves: list[Leaf] = []
        self._build()

    @property
    def theme(self) -> Theme:
        return self._setting.theme

    def update(self, piece: Piece) -> None:
        """Shows ``piece`` instead; boxes that still fit are kept."""
        if piece is not self.piece and piece.block != self.piece.block:
            self.piece = piece
            self._build()
            self.width = -1.0
        self.piece = piece

    def restyle(self, setting: Setting) -> None:
        """Builds everything anew at the next layout; until then the old look stays."""
        self._setting = replace(setting, changed=self._on_changed)
        self._is_unbuilt = True
        self.width = -1.0

    def _on_changed(self) -> None:
        """A formula or colours arrived."""
        self.width = -1.0
        self._report()

    def _build(self) -> None:
        self._is_placed = False
        old = self.rows
        rows: list[Row] = []
        for block, levels, begins in _flat(self.piece.block, (), ()):
            box = old[len(rows)].box if len(rows) < len(old) else None
            if box is None or not box.accepts(block):
                if box is not None:
                    box.drop()
                box = _make_box(self._setting, block)
            rows.append(Row(block, levels, begins, box))
        for row in old[len(rows) :]:
            row.box.drop()
        self.rows = rows
        self.leaves = [leaf for row in rows for leaf in row.box.leaves]
        self._is_right_to_left = _is_right_to_left(self.leaves)

    def drop(self) -> None:
        for row in self.rows:
            row.box.drop()

    # --- Place ----------------------------------------------------------------------------------

    def lay_out(self, width: float) -> None:
        if self._is_unbuilt:
            self._is_unbuilt = False
            self.drop()
            self.rows = []
            self._build()
        theme = self._setting.theme
        y = 0.0
        for index, row in enumerate(self.rows):
            if index:
                y += self._gap(self.rows[index - 1], row)
            indent = theme.indent * min(len(row.levels), _DEEPEST)
            indent = min(indent, width * 0.6)
            row.y = y
            x = 0.0 if self._is_right_to_left else indent
            row.height = round(row.box.lay_out(x, y, max(1.0, width - indent)) + 0.49)
            y += row.height
        self.height = y
        self.width = width
        self._is_placed = True
        self.needs_place = True

    def _gap(self, above: Row, below: Row) -> float:
        theme = self._setting.theme
        in_item = any(not level.is_quote for level in below.levels)
        both_text = isinstance(above.block, Paragraph) and isinstance(below.block, Paragraph)
        if in_item and (both_text or below.begins):
            return theme.item_gap
        return theme.gap if not isinstance(below.block, Heading) else round(theme.gap * 1.6)

    def place(self) -> None:
        """Moves the widgets to where the section is now."""
        self.needs_place = False
        for row in self.rows:
            row.box.place(self.y)

    def hit(self, x: float, y: float) -> tuple[int, int] | None:
        """Returns the leaf and the position nearest to a point of the section."""
        best: tuple[float, int] | None = None
        for index, leaf in enumerate(self.leaves):
            down = max(leaf.y - y, y - leaf.y - leaf.height, 0.0)
            across = max(leaf.x - x, x - leaf.x - leaf.width, 0.0)
            distance = down * 1000 + across
            if best is None or distance < best[0]:
                best = (distance, index)
        if best is None:
            return None
        return best[1], self.leaves[best[1]].hit(x, y)

    def link_at(self, x: float, y: float) -> str:
        for leaf in self.leaves:
            area = QRectF(leaf.x, leaf.y, leaf.width, leaf.height)
            if area.contains(x, y):
                return leaf.link_at(x, y)
        return ""

    def scroll_by(self, point: QPointF, pixels: float) -> bool:
        return any(row.box.scroll_by(point, pixels) for row in self.rows)

    # --- Painting -------------------------------------------------------------------------------

    def paint(self, painter: QPainter, selected: Selected, clip: QRectF) -> None:
        """Paints in the section's coordinates; nothing before the first layout."""
        if not self._is_placed:
            return
        self._paint_bars(painter)
        for row in self.rows:
            if row.y > clip.bottom() or row.y + row.height < clip.top():
                continue
            row.box.paint(painter, selected, clip)
            for level in row.begins:
                self._paint_marker(painter, row, level)

    def _paint_bars(self, painter: QPainter) -> None:
        theme = self._setting.theme
        width = max(2.0, round(theme.em * 0.2))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.colours.quote_bar)
        for depth, first, last in self._quotes():
            x = self._mirrored(theme.indent * depth + theme.em * 0.15, width)
            bar = QRectF(x, first.y, width, last.y + last.height - first.y)
            painter.drawRoundedRect(bar, width / 2, width / 2)

    def _quotes(self) -> Iterator[tuple[int, Row, Row]]:
        """Yields depth, first and last row of each quote."""
        found: dict[int, tuple[int, Row, Row]] = {}
        for row in self.rows:
            for depth, level in enumerate(row.levels[:_DEEPEST]):
                if level.is_quote:
                    known = found.get(id(level))
                    found[id(level)] = (depth, known[1] if known else row, row)
        yield from found.values()

    def _mirrored(self, x: float, width: float) -> float:
        return self.width - x - width if self._is_right_to_left else x

    def _paint_marker(self, painter: QPainter, row: Row, level: Level) -> None:
        theme = self._setting.theme
        depth = row.levels.index(level)
        if depth >= _DEEPEST:
            return
        metrics = QFontMetricsF(theme.body)
        leaf = row.box.leaves[0] if row.box.leaves and not isinstance(row.block, Code) else None
        base = leaf.baseline() if leaf is not None else row.y + metrics.ascent()
        middle = base - metrics.xHeight() / 2
        right = theme.indent * (depth + 1) - theme.em * 0.5
        if level.checked is not None:
            self._paint_task(painter, right, middle, level.checked)
        elif level.number is not None:
            text = f"{level.number}."
            width = metrics.horizontalAdvance(text)
            painter.setFont(theme.body)
            painter.setPen(theme.colours.muted)
            painter.drawText(QPointF(self._mirrored(right - width, width), base), text)
        else:
            size = theme.em * 0.36
            x = self._mirrored(right - theme.em * 0.3 - size / 2, size)
            bullets = sum(1 for one in row.levels[:depth] if not one.is_quote)
            painter.setPen(QPen(theme.colours.muted, max(1.0, theme.em * 0.08)))
            hollow = bullets % 2 == 1
            painter.setBrush(Qt.BrushStyle.NoBrush if hollow else theme.colours.muted)
            painter.drawEllipse(QRectF(x, middle - size / 2, size, size))

    def _paint_task(self, painter: QPainter, right: float, middle: float, checked: bool) -> None:
        theme = self._setting.theme
        size = round(theme.em * 0.86)
        x = round(self._mirrored(right - size, size)) + 0.5
        area = QRectF(x, round(middle - size / 2) + 0.5, size, size)
        painter.setPen(QPen(theme.colours.tick if checked else theme.colours.muted, 1.2))
        painter.setBrush(theme.colours.tick if checked else Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(area, size * 0.2, size * 0.2)
        if checked:
            base = self._setting.owner.palette().base().color()
            painter.setPen(QPen(base, size * 0.15, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
            points = [(0.24, 0.52), (0.43, 0.72), (0.77, 0.3)]
            painter.drawPolyline(
                [QPointF(area.x() + u * size, area.y() + v * size) for u, v in points]
            )

    # --- Copying --------------------------------------------------------------------------------

    def row_of(self, leaf_index: int) -> tuple[Row, int]:
        """Returns the row that holds a leaf, and the leaf's place in it."""
        for row in self.rows:
            if leaf_index < len(row.box.leaves):
                return row, leaf_index
            leaf_index -= len(row.box.leaves)
        raise IndexError(leaf_index)


def _flat(
    block: Block, levels: tuple[Level, ...], begins: tuple[Level, ...]
) -> Iterator[tuple[Block, tuple[Level, ...], tuple[Level, ...]]]:
    if not isinstance(block, Quote | Item):
        yield block, levels, begins
        return
    level = Level(block)
    begins = begins if isinstance(block, Quote) else (*begins, level)
    children = block.children or (Paragraph(()),)
    for index, child in enumerate(children):
        yield from _flat(child, (*levels, level), begins if index == 0 else ())


def _is_right_to_left(leaves: list[Leaf]) -> bool:
    """Whether the first paragraph reads from right to left."""
    for leaf in leaves:
        if leaf.length:
            direction = leaf.document.begin().textDirection()
            return direction is Qt.LayoutDirection.RightToLeft
    return False


def _make_box(setting: Setting, block: Block) -> Box:
    """Returns the box for a block that holds no others."""
    if isinstance(block, Code):
        return CodeBox(setting, block)
    if isinstance(block, Table):
        return TableBox(setting, block)
    if isinstance(block, Paragraph | Heading | Formula):
        return TextBox(setting, block)
    return RuleBox(setting)

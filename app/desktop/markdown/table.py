"""A table on the page: cells that share the width by what they hold."""

from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QPen

from app.desktop.markdown.blocks import Block, Run, Table
from app.desktop.markdown.boxes import Scrolled, Selected, Setting
from app.desktop.markdown.leaf import Leaf

_MIN_COLUMN_EM: Final = 5.0


class TableBox(Scrolled):
    """A table whose columns share the width by what they hold; too many of them scroll."""

    def __init__(self, setting: Setting, block: Table) -> None:
        super().__init__(setting)
        self._block = block
        self._cells: list[list[Leaf]] = []
        self._flat: list[Leaf] = []
        self.leaves: Sequence[Leaf] = self._flat
        self._lines: list[float] = []
        # For each row, how wide each column wants to be down to it; so a new row costs itself.
        self._widest: list[list[float]] = []
        self._placed: tuple[float, float, list[float]] | None = None
        self._edges: list[float] = []
        self._inner: list[float] = []
        self._add_row(block, block.header, bold=True)
        for row in block.rows:
            self._add_row(block, row)
        self._flat += [leaf for row in self._cells for leaf in row]

    def _add_row(self, block: Table, row: Sequence[tuple[Run, ...]], *, bold: bool = False) -> None:
        cells = []
        for align, runs in zip(block.alignments, row, strict=True):
            leaf = self._setting.leaf(align, bold=bold)
            leaf.fill(runs)
            cells.append(leaf)
        self._cells.append(cells)

    def accepts(self, block: Block) -> bool:
        if not isinstance(block, Table) or block.alignments != self._block.alignments:
            return False
        if block == self._block:
            return True
        if block.header != self._block.header:
            return False
        old, self._block = self._block.rows, block
        same = _same_rows(old, block.rows)
        del self._cells[same + 1 :]
        del self._widest[same + 1 :]
        del self._lines[same + 2 :]
        del self._flat[(same + 1) * len(block.alignments) :]
        for row in block.rows[same:]:
            self._add_row(block, row)
            self._flat += self._cells[-1]
        return True

    def lay_out(self, x: float, y: float, width: float) -> float:
        em = self._setting.theme.em
        pad_x, pad_y = round(em * 0.7), round(em * 0.38)
        first = self._measure()
        ideal = [widest + 1 for widest in self._widest[-1]]
        columns = _column_widths(ideal, width - 1, 2 * pad_x, em * _MIN_COLUMN_EM)
        inner = [width_of - 2 * pad_x for width_of in columns]
        if self._placed != (x, y, columns):  # else the rows above stay where they are
            self._placed, first = (x, y, columns), 0
        self._inner = inner
        self._lines = self._lines[: first + 1] if first else [y]
        top = self._lines[-1] if first else y + 1
        for row in self._cells[first:]:
            left, tallest = x + 1, 0.0
            for cell, width_of in zip(row, inner, strict=True):
                cell.x, cell.y = left + pad_x, top + pad_y
                # One line stays one line: such a cell is laid out when it is painted.
                one_line = cell.ideal_width() <= min(cell.width, width_of)
                if cell.is_stale or (cell.width != width_of and not one_line):
                    cell.lay_out(width_of)
                tallest = max(tallest, cell.height)
                left += width_of + 2 * pad_x
            top += round(tallest + 2 * pad_y)
            self._lines.append(top)
        content = sum(columns) + 1
        self._edges = [x, x + content]
        view = QRectF(x, y, min(width, content), top - y + 1)
        return view.height() + self._fit_bar(view, content)

    def _measure(self) -> int:
        """Measures what is new or has changed; returns the first such row."""
        first = next(
            (number for number, row in enumerate(self._cells) if any(c.is_stale for c in row)),
            len(self._cells),
        )
        first = min(first, len(self._widest))
        del self._widest[first:]
        widest = self._widest[-1] if self._widest else [0.0] * len(self._cells[0])
        for row in self._cells[first:]:
            pairs = zip(widest, row, strict=True)
            widest = [max(known, cell.ideal_width()) for known, cell in pairs]
            self._widest.append(widest)
        return first

    def paint(self, painter: QPainter, selected: Selected, clip: QRectF) -> None:
        colours = self._setting.theme.colours
        radius = self._setting.theme.em * 0.4
        painter.save()
        painter.setClipRect(self._viewport, Qt.ClipOperation.IntersectClip)
        painter.translate(-self._shift, 0)
        left, right = self._edges
        top, bottom = self._lines[0], self._lines[-1]
        frame = QRectF(left + 0.5, top + 0.5, right - left - 1, bottom - top)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colours.table_header)
        head = QRectF(frame.x(), frame.y(), frame.width(), self._lines[1] - top)
        painter.drawRoundedRect(head, radius, radius)
        if len(self._lines) > 2:
            painter.drawRect(head.adjusted(0, radius, 0, 0))
        for number, (above, below) in enumerate(zip(self._lines, self._lines[1:], strict=False)):
            if below < clip.top() or above > clip.bottom():
                continue
            if 0 < number < len(self._lines) - 2:
                painter.fillRect(QRectF(left, below, right - left, 1), colours.line)
            if number == 0 and len(self._lines) > 2:
                painter.fillRect(QRectF(left, below, right - left, 1), colours.quote_bar)
            for cell, width in zip(self._cells[number], self._inner, strict=True):
                if cell.width != width:
                    cell.lay_out(width)
                cell.paint(painter, selected(cell), clip.translated(self._shift, 0))
        painter.setPen(QPen(colours.line, 1))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(frame, radius, radius)
        painter.restore()

    def place(self, top: float) -> None:
        self._place_bar(top)

    def drop(self) -> None:
        self._drop_bar()


def _same_rows(old: Sequence[object], new: Sequence[object]) -> int:
    """How many rows at the beginning are the same; that of a growing table is found at once."""
    most = min(len(old), len(new))
    for same in (most, most - 1):
        if same >= 0 and old[:same] == new[:same]:
            return same
    same = 0
    while same < most and old[same] == new[same]:
        same += 1
    return same


def _column_widths(ideal: list[float], width: float, pad: float, least: float) -> list[float]:
    """Shares ``width``: each column gets what it asks for, the wide ones what is then left."""
    wanted = [value + pad for value in ideal]
    if sum(wanted) <= width:
        return wanted
    floors = [min(value, least + pad) for value in wanted]
    spare = width - sum(floors)
    if spare <= 0:
        return floors
    widths, open_columns = list(floors), set(range(len(wanted)))
    while open_columns and spare > 0.5:
        share = spare / len(open_columns)
        for column in sorted(open_columns):
            more = min(share, wanted[column] - widths[column])
            widths[column] += more
            spare -= more
            if wanted[column] - widths[column] < 0.5:
                open_columns.discard(column)
    return widths

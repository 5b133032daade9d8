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
        self._lines: list[float] = []
        self._edges: list[float] = []
        self._add_row(block, block.header, bold=True)
        for row in block.rows:
            self._add_row(block, row)
        self._list_leaves()

    def _add_row(self, block: Table, row: Sequence[tuple[Run, ...]], *, bold: bool = False) -> None:
        cells = []
        for align, runs in zip(block.alignments, row, strict=True):
            leaf = self._setting.leaf(align, bold=bold)
            leaf.fill(runs)
            cells.append(leaf)
        self._cells.append(cells)

    def _list_leaves(self) -> None:
        self.leaves = [leaf for row in self._cells for leaf in row]

    def accepts(self, block: Block) -> bool:
        if not isinstance(block, Table) or block.alignments != self._block.alignments:
            return False
        if block == self._block:
            return True
        if block.header != self._block.header:
            return False
        old, self._block = self._block.rows, block
        same = 0
        for one, other in zip(old, block.rows, strict=False):
            if one is not other and one != other:
                break
            same += 1
        del self._cells[same + 1 :]
        for row in block.rows[same:]:
            self._add_row(block, row)
        self._list_leaves()
        return True

    def lay_out(self, x: float, y: float, width: float) -> float:
        em = self._setting.theme.em
        pad_x, pad_y = round(em * 0.7), round(em * 0.38)
        ideal = [
            max(cell.ideal_width() for cell in column) + 1
            for column in zip(*self._cells, strict=True)
        ]
        columns = _column_widths(ideal, width - 1, 2 * pad_x, em * _MIN_COLUMN_EM)
        top = y + 1
        self._lines = [y]
        for row in self._cells:
            left, tallest = x + 1, 0.0
            for cell, width_of in zip(row, columns, strict=True):
                cell.x, cell.y = left + pad_x, top + pad_y
                if cell.is_stale or cell.width != width_of - 2 * pad_x:
                    cell.lay_out(width_of - 2 * pad_x)
                tallest = max(tallest, cell.height)
                left += width_of
            top += round(tallest + 2 * pad_y)
            self._lines.append(top)
        content = sum(columns) + 1
        self._edges = [x, x + content]
        view = QRectF(x, y, min(width, content), top - y + 1)
        return view.height() + self._fit_bar(view, content)

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
            for cell in self._cells[number]:
                cell.paint(painter, selected(cell), clip.translated(self._shift, 0))
        painter.setPen(QPen(colours.line, 1))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(frame, radius, radius)
        painter.restore()

    def place(self, top: float) -> None:
        self._place_bar(top)

    def drop(self) -> None:
        self._drop_bar()


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

"""The sections of one message, placed one below the other, and what of them is selected."""

from bisect import bisect_right
from collections.abc import Sequence
from time import perf_counter

from PySide6.QtCore import QPointF, QRect, QRectF
from PySide6.QtGui import QPainter, QTextCursor

from app.desktop.markdown import copying
from app.desktop.markdown.blocks import Heading, Item, Paragraph, Piece
from app.desktop.markdown.boxes import Setting
from app.desktop.markdown.leaf import Leaf
from app.desktop.markdown.section import Section
from app.desktop.markdown.selection import TextPoint


class Page:
    """Lays out pieces for a width, in slices if that takes long."""

    def __init__(self) -> None:
        self.sections: list[Section] = []
        self.width = 0.0
        self.height = 0.0
        self._selection: tuple[TextPoint, TextPoint] | None = None

    # --- Content --------------------------------------------------------------------------------

    def show_pieces(self, setting: Setting, pieces: Sequence[Piece], first: int) -> None:
        """Shows ``pieces``; those before ``first`` are as they were."""
        for section in self.sections[len(pieces) :]:
            section.drop()
        del self.sections[len(pieces) :]
        for index in range(min(first, len(self.sections)), len(pieces)):
            if index < len(self.sections):
                self.sections[index].update(pieces[index])
            else:
                self.sections.append(Section(setting, pieces[index]))

    def restyle(self, setting: Setting) -> None:
        """Rebuilds every section with a new theme, each when it is laid out next."""
        for section in self.sections:
            section.restyle(setting)

    def clear(self) -> None:
        for section in self.sections:
            section.drop()
        self.sections = []
        self._selection = None

    # --- Place ----------------------------------------------------------------------------------

    def lay_out(self, budget_s: float, visible: QRect | None = None) -> bool:
        """Lays out what is stale, what is visible first; returns whether all of it is done.

        A section that is not reached keeps its old height until a later call.
        """
        stale = [one for one in self.sections if one.width != self.width]
        if visible is not None and len(stale) > 1:
            top, bottom = visible.top(), visible.bottom()
            stale.sort(key=lambda one: not (one.y <= bottom and one.y + one.height >= top))
        end = perf_counter() + budget_s
        done = True
        for number, section in enumerate(stale):
            if number and perf_counter() > end:
                done = False
                break
            section.lay_out(self.width)
        self._place()
        return done

    def _place(self) -> None:
        y = 0.0
        above: Section | None = None
        for section in self.sections:
            if above is not None:
                y += _gap(above, section)
            if section.y != y or section.needs_place:
                section.y = y
                section.place()
            y += section.height
            above = section
        self.height = y

    def section_at(self, y: float) -> int:
        """Returns the index of the section at a height, or of the one above the gap there."""
        return max(0, bisect_right(self.sections, y, key=lambda section: section.y) - 1)

    def point_at(self, point: QPointF) -> TextPoint:
        """Returns the place in the text that is nearest to a point."""
        if not self.sections or point.y() < 0:
            return TextPoint(0, 0, 0)
        index = self.section_at(point.y())
        section = self.sections[index]
        if point.y() > self.height:
            last = max(0, len(section.leaves) - 1)
            return TextPoint(index, last, section.leaves[last].length if section.leaves else 0)
        found = section.hit(point.x(), point.y() - section.y)
        return TextPoint(index, *found) if found is not None else TextPoint(index, 0, 0)

    def word_at(self, point: QPointF) -> tuple[TextPoint, TextPoint]:
        """Returns where the word at a point starts and ends."""
        place = self.point_at(point)
        if not self.sections or not self.sections[place.section].leaves:
            return place, place
        cursor = QTextCursor(self.sections[place.section].leaves[place.leaf].document)
        cursor.setPosition(place.position)
        cursor.select(QTextCursor.SelectionType.WordUnderCursor)
        return (
            place._replace(position=cursor.selectionStart()),
            place._replace(position=cursor.selectionEnd()),
        )

    def link_at(self, point: QPointF) -> str:
        """Returns the address of the link at a point, or an empty text."""
        if not self.sections:
            return ""
        section = self.sections[self.section_at(point.y())]
        return section.link_at(point.x(), point.y() - section.y)

    def scroll_by(self, point: QPointF, pixels: float) -> bool:
        """Scrolls a wide block at a point sideways; returns whether there was one."""
        if not self.sections:
            return False
        section = self.sections[self.section_at(point.y())]
        return section.scroll_by(QPointF(point.x(), point.y() - section.y), pixels)

    # --- Painting -------------------------------------------------------------------------------

    def paint(self, painter: QPainter, clip: QRect) -> None:
        if not self.sections:
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for index in range(self.section_at(clip.top()), len(self.sections)):
            section = self.sections[index]
            if section.y > clip.bottom():
                break
            painter.save()
            painter.translate(0, section.y)
            area = QRectF(clip).translated(0, -section.y)
            section.paint(painter, self._ranges(index), area)
            painter.restore()

    def focus_areas(self, link: int) -> list[QRectF]:
        """Returns where the link with this number stands, a rectangle for each line."""
        section, leaf, start, end, _ = self.links()[link]
        offset = QPointF(leaf.x - leaf.shift, section.y + leaf.y)
        return [area.translated(offset) for area in leaf.areas(start, end)]

    def links(self) -> list[tuple[Section, Leaf, int, int, str]]:
        """Returns all links in reading order."""
        return [
            (section, leaf, *link)
            for section in self.sections
            for leaf in section.leaves
            for link in leaf.links()
        ]

    # --- Selection ------------------------------------------------------------------------------

    def select(self, start: TextPoint | None, end: TextPoint | None) -> bool:
        """Selects from ``start`` to ``end``, or nothing; returns whether that is new."""
        new = None if start is None or end is None or start == end else (start, end)
        changed = new != self._selection
        self._selection = new
        return changed

    def _bounds(self, index: int) -> tuple[copying.Place, copying.Place] | None:
        """Returns the selected part of one section."""
        if self._selection is None:
            return None
        start, end = self._selection
        if index < start.section or index > end.section:
            return None
        leaves = self.sections[index].leaves
        last = (len(leaves) - 1, leaves[-1].length) if leaves else (0, 1)
        first = start[1:] if index == start.section else (0, 0)
        return (first[0], first[1]), (end[1:] if index == end.section else last)

    def _ranges(self, index: int) -> "_Ranges":
        return _Ranges(self.sections[index], self._bounds(index))

    def selected_text(self) -> str:
        parts = []
        for index, section in enumerate(self.sections):
            bounds = self._bounds(index)
            if bounds is not None:
                parts.append((section, copying.text_of(section, *bounds)))
        return _joined(parts)

    def selected_markdown(self) -> str:
        parts = []
        for index, section in enumerate(self.sections):
            bounds = self._bounds(index)
            if bounds is not None:
                parts.append((section, copying.markdown_of(section, *bounds)))
        return _joined(parts)

    def plain_text(self) -> str:
        """Returns all of the text, for a screen reader."""
        return "\n".join(leaf.text(0, leaf.length) for s in self.sections for leaf in s.leaves)


class _Ranges:
    """Which part of each leaf of a section is selected."""

    def __init__(
        self, section: Section, bounds: tuple[copying.Place, copying.Place] | None
    ) -> None:
        self._numbers = {id(leaf): number for number, leaf in enumerate(section.leaves)}
        self._bounds = bounds

    def __call__(self, leaf: Leaf) -> tuple[int, int] | None:
        if self._bounds is None:
            return None
        return copying.span_in(leaf, self._numbers[id(leaf)], *self._bounds)


def _gap(above: Section, below: Section) -> float:
    theme = below.theme
    if isinstance(above.piece.block, Item) and isinstance(below.piece.block, Item):
        ends_in_text = not above.rows or isinstance(above.rows[-1].block, Paragraph)
        return theme.item_gap if ends_in_text else theme.gap
    if isinstance(below.piece.block, Heading):
        return round(theme.gap * 1.6)
    if isinstance(above.piece.block, Heading):
        return round(theme.gap * 0.7)
    return theme.gap


def _joined(parts: list[tuple[Section, str]]) -> str:
    text = ""
    above: Section | None = None
    for section, part in parts:
        if above is not None:
            both = isinstance(above.piece.block, Item) and isinstance(section.piece.block, Item)
            text += "\n" if both else "\n\n"
        text += part
        above = section
    return text

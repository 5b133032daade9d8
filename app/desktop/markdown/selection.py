"""What is selected, in one message or across several.

A transcript makes one ``SharedSelection`` over its views; a drag that starts in one of them selects
through the others. Each view is told which part of it is selected.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple, Protocol

from PySide6.QtCore import QPoint


class TextPoint(NamedTuple):
    """A place in a view's text; places compare in reading order."""

    section: int
    leaf: int
    position: int


START = TextPoint(0, 0, 0)
END = TextPoint(1 << 30, 0, 0)


class SelectableView(Protocol):
    """What the selection needs of a view."""

    def point_at(self, position: QPoint) -> TextPoint:
        """Returns the place nearest to a point of the view, also outside it."""
        ...

    def vertical_distance(self, screen: QPoint) -> int:
        """Returns how far a point of the screen is above (negative) or below it, 0 inside."""
        ...

    def from_screen(self, screen: QPoint) -> QPoint: ...

    def select(self, start: TextPoint | None, end: TextPoint | None) -> None: ...

    def selected_text(self) -> str: ...

    def selected_markdown(self) -> str: ...


class SharedSelection:
    """A selection from an anchor to a focus, each a view and a place in it.

    Args:
        views: returns the views in reading order; asked anew each time, since views come and go.
    """

    def __init__(self, views: Callable[[], Sequence[SelectableView]]) -> None:
        self._views = views
        self._anchor: tuple[SelectableView, TextPoint] | None = None
        self._touched: list[SelectableView] = []

    def begin(self, view: SelectableView, point: TextPoint) -> None:
        """Starts a selection at ``point``; what was selected no longer is."""
        self.clear()
        self._anchor = (view, point)

    def extend_to(self, screen: QPoint) -> None:
        """Selects from the anchor to the place nearest to a point of the screen."""
        views = list(self._views())
        if self._anchor is None or self._anchor[0] not in views:
            return
        focus = min(views, key=lambda view: abs(view.vertical_distance(screen)))
        self.set_focus(focus, focus.point_at(focus.from_screen(screen)))

    def set_focus(self, focus: SelectableView, point: TextPoint) -> None:
        """Selects from the anchor to ``point`` of the view ``focus``."""
        views = list(self._views())
        if self._anchor is None or focus not in views or self._anchor[0] not in views:
            return
        one = (views.index(self._anchor[0]), self._anchor[1])
        other = (views.index(focus), point)
        (first, start), (last, end) = sorted((one, other))
        touched = views[first : last + 1]
        for view in self._touched:
            if view not in touched:
                view.select(None, None)
        for view in touched:
            view.select(
                start if view is views[first] else START, end if view is views[last] else END
            )
        self._touched = touched

    def select_all(self, view: SelectableView) -> None:
        """Selects all of one view."""
        self.begin(view, START)
        self.set_focus(view, END)

    def clear(self) -> None:
        for view in self._touched:
            view.select(None, None)
        self._touched = []
        self._anchor = None

    def forget(self, view: SelectableView) -> None:
        """Says that a view is about to go."""
        self._touched = [one for one in self._touched if one is not view]
        if self._anchor is not None and self._anchor[0] is view:
            self._anchor = None

    def text(self) -> str:
        """Returns the plain text of what is selected, messages apart by an empty line."""
        return _joined(view.selected_text() for view in self._touched)

    def markdown(self) -> str:
        """Returns the Markdown of what is selected, messages apart by an empty line."""
        return _joined(view.selected_markdown() for view in self._touched)


def _joined(parts: Iterable[str]) -> str:
    return "\n\n".join(part for part in parts if part)

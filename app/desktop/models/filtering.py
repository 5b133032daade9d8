"""Which rows are shown, and in which order."""

from collections.abc import Iterable
from enum import StrEnum
from typing import Final

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, QSortFilterProxyModel, Qt

from app.desktop.models import facts
from app.desktop.models.ports import Source, Verdict
from app.desktop.models.row_state import HERE, ON_ITS_WAY, Line
from app.desktop.models.table_model import Column, ModelTable, Role

SMALL_BYTES: Final = 2_000_000_000
"""What counts as small: an evening's download on a slow line, and fit for 8 GB of memory."""


class Chip(StrEnum):
    """The filters. Those of ``USES`` widen each other; the others narrow."""

    FITS = "fits"
    INSTALLED = "installed"
    SMALL = "small"
    CHAT = "chat"
    CODING = "coding"
    REASONING = "reasoning"


USES: Final = frozenset({Chip.CHAT, Chip.CODING, Chip.REASONING})


class ModelFilter(QSortFilterProxyModel):
    """Filters by chips and words; sorts by the column's own order."""

    def __init__(self, table: ModelTable, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._table = table
        self._words: tuple[str, ...] = ()
        self._chips: frozenset[Chip] = frozenset()
        self.setSourceModel(table)
        self.setSortRole(Role.SORT)
        self.sort(Column.STATE, Qt.SortOrder.AscendingOrder)

    def set_words(self, text: str) -> None:
        """Keeps the rows that hold every word of ``text``."""
        self.beginFilterChange()
        self._words = tuple(text.casefold().split())
        self.endFilterChange(QSortFilterProxyModel.Direction.Rows)

    def set_chips(self, chips: Iterable[Chip]) -> None:
        """Keeps the rows that every chip lets through."""
        self.beginFilterChange()
        self._chips = frozenset(chips)
        self.endFilterChange(QSortFilterProxyModel.Direction.Rows)

    def line_at(self, index: QModelIndex) -> Line:
        return self._table.line_at(self.mapToSource(index))

    def filterAcceptsRow(  # noqa: N802  Qt's name
        self, source_row: int, source_parent: QModelIndex | QPersistentModelIndex
    ) -> bool:
        line = self._table.line_at(self._table.index(source_row, 0))
        return accepts(line, self._words, self._chips)

    def lessThan(  # noqa: N802  Qt's name
        self,
        source_left: QModelIndex | QPersistentModelIndex,
        source_right: QModelIndex | QPersistentModelIndex,
    ) -> bool:
        left, right = (self._table.data(index, Role.SORT) for index in (source_left, source_right))
        return bool(left < right)


def accepts(line: Line, words: tuple[str, ...], chips: frozenset[Chip]) -> bool:
    """Whether a row is shown. What a person has is never hidden by what kind it is of: only by
    words and by chips.
    """
    row = line.row
    if Chip.FITS in chips and row.fit.verdict not in (Verdict.FITS, Verdict.TIGHT):
        return False
    if Chip.INSTALLED in chips and line.state not in HERE | ON_ITS_WAY:
        return False
    if Chip.SMALL in chips and row.size_bytes > SMALL_BYTES:
        return False
    uses = {str(chip) for chip in chips & USES}
    # The smallest models are for a first try; what they do there is chat.
    if uses and (("chat" if row.use == "smoke" else row.use) not in uses):
        return False
    text = " ".join(
        (
            row.title,
            row.model,
            row.good_at,
            facts.second_line(row),
            row.repository,
            row.backend,
            facts.use(row.use),
            row.licence,
            "" if row.source is not Source.IMPORT else "import",
        )
    ).casefold()
    return all(word in text for word in words)

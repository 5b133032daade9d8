"""What the tables of the program have in common."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractItemView, QTableView


def make_plain(view: QTableView) -> None:
    """Whole rows, read only, without lines; Tab leaves the table."""
    view.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    view.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
    view.setShowGrid(False)
    view.setTabKeyNavigation(False)
    view.verticalHeader().hide()


def make_sortable(view: QTableView, first: int) -> None:
    """One row is chosen at a time; sorted by the column ``first`` at the beginning."""
    make_plain(view)
    view.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
    view.setWordWrap(False)
    view.setSortingEnabled(True)
    view.sortByColumn(first, Qt.SortOrder.AscendingOrder)
    view.horizontalHeader().setHighlightSections(False)


def alignment(*, number: bool) -> Qt.AlignmentFlag:
    """Where a cell has its text."""
    side = Qt.AlignmentFlag.AlignRight if number else Qt.AlignmentFlag.AlignLeft
    return side | Qt.AlignmentFlag.AlignVCenter

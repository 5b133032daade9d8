"""The table of models: its looks, and how it shares the width it gets."""

from typing import Final

from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QWidget

from app.desktop.models.cell import CellDelegate
from app.desktop.models.filtering import ModelFilter
from app.desktop.models.table_model import Column
from app.desktop.tables import make_sortable
from app.desktop.theme import Theme

_WIDTHS: Final = {
    Column.SIZE: 84,
    Column.CONTEXT: 80,
    Column.BACKEND: 88,
    Column.FITS: 104,
    Column.SPEED: 148,
    Column.STATE: 134,
}
# Below these widths of the table a column goes: what it says is in the details too.
_LEAVES_BELOW: Final = {
    Column.SPEED: 830,
    Column.CONTEXT: 720,
    Column.BACKEND: 560,
    Column.SIZE: 470,
}
_NAME_SHARE: Final = 0.58
_NAME_LEAST: Final = 170
_GOOD_AT_LEAST: Final = 120  # pixels: less than that cuts every word


class ModelView(QTableView):
    """One row is chosen at a time. Columns go, the least important first, where room is short."""

    def __init__(self, theme: Theme, rows: ModelFilter, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setModel(rows)
        self.setItemDelegate(CellDelegate(theme, self))
        self.setAccessibleName(self.tr("Models"))
        make_sortable(self, Column.STATE)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header = self.horizontalHeader()
        header.setMinimumSectionSize(56)
        header.setStretchLastSection(False)
        for column, width in _WIDTHS.items():
            self.setColumnWidth(column, width)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802  Qt's name
        super().resizeEvent(event)
        self._share_width()

    def _share_width(self) -> None:
        """Gives the width to what matters most; the rest is in the details."""
        room = self.viewport().width()
        for column, least in _LEAVES_BELOW.items():
            self.setColumnHidden(column, room < least)
        fixed = sum(width for column, width in _WIDTHS.items() if not self.isColumnHidden(column))
        flexible = max(room - fixed, 120)
        name = max(_NAME_LEAST, round(flexible * _NAME_SHARE))
        if flexible - name < _GOOD_AT_LEAST:
            name = flexible
            self.hideColumn(Column.GOOD_AT)
        else:
            self.showColumn(Column.GOOD_AT)
            self.setColumnWidth(Column.GOOD_AT, flexible - name)
        self.setColumnWidth(Column.NAME, name)

    def fit_rows(self) -> None:
        """Makes all rows as high as the first one needs, at whatever scaling."""
        if self.model().rowCount():
            height = self.sizeHintForRow(0)
            if height > 0:
                self.verticalHeader().setDefaultSectionSize(height)

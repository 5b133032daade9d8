"""The certificates as a table that can be sorted by any column."""

from enum import IntEnum
from typing import Any, Final

from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QSize,
    QSortFilterProxyModel,
    Qt,
)
from PySide6.QtGui import QColor, QIcon, QPainter, QPixmap

from app.certify.certificate import DepthFigures, Level, Pace
from app.desktop import wording
from app.desktop.amounts import format_bytes
from app.desktop.measured import words
from app.desktop.tables import alignment
from app.desktop.theme import Colours
from app.workflows.certified import Measured

_Index = QModelIndex | QPersistentModelIndex
_ROOT: Final = QModelIndex()
SORT_ROLE: Final = Qt.ItemDataRole.UserRole + 1


class Column(IntEnum):
    MODEL = 0
    DEVICE = 1
    LEVEL = 2
    DECODE = 3
    PREFILL = 4
    RATIO = 5
    MEMORY = 6
    CONTEXT = 7
    DATE = 8
    HOLDS = 9


_NUMBERS: Final = frozenset(
    {Column.DECODE, Column.PREFILL, Column.RATIO, Column.MEMORY, Column.CONTEXT}
)


class MeasuredTable(QAbstractTableModel):
    """One row for each certificate, with the colour that it has in the pictures."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: tuple[Measured, ...] = ()
        self._dots: tuple[QIcon, ...] = ()
        self._colours: Colours | None = None

    def set_rows(self, rows: tuple[Measured, ...], colours: Colours, series: list[str]) -> None:
        """Shows ``rows``; ``series`` has a colour for each."""
        self.beginResetModel()
        self._rows = rows
        self._colours = colours
        self._dots = tuple(_dot(colour) for colour in series)
        self.endResetModel()

    def rowCount(self, parent: _Index = _ROOT) -> int:  # noqa: N802  Qt's name
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: _Index = _ROOT) -> int:  # noqa: N802  Qt's name
        return 0 if parent.isValid() else len(Column)

    def headerData(  # noqa: N802  Qt's name
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation is not Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return alignment(number=section in _NUMBERS)
        if role != Qt.ItemDataRole.DisplayRole:
            return None
        return (
            self.tr("Model"),
            self.tr("Device"),
            self.tr("Result"),
            self.tr("Decode"),
            self.tr("Prefill"),
            self.tr("Ratio"),
            self.tr("Memory"),
            self.tr("Context"),
            self.tr("Date"),
            self.tr("Today"),
        )[section]

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        one, column = self._rows[index.row()], Column(index.column())
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return _text(one, column)
            case Qt.ItemDataRole.ToolTipRole:
                return words.reasons(one)
            case Qt.ItemDataRole.TextAlignmentRole:
                return alignment(number=column in _NUMBERS)
            case Qt.ItemDataRole.DecorationRole if column is Column.MODEL:
                return self._dots[index.row()]
            case Qt.ItemDataRole.ForegroundRole:
                return self._tone(one, column)
            case _ if role == SORT_ROLE:
                return _sort_key(one, column)
        return None

    def _tone(self, one: Measured, column: Column) -> QColor | None:
        colours = self._colours
        if colours is None:
            return None
        if column is Column.HOLDS and one.stale is not None:
            return QColor(colours.careful)
        if column is not Column.LEVEL:
            return None
        return QColor(
            {
                Level.CERTIFIED: colours.accent,
                Level.PROVISIONAL: colours.careful,
                Level.FAILED: colours.error_text,
            }[one.certificate.level]
        )


class MeasuredOrder(QSortFilterProxyModel):
    """Sorts by numbers where there are numbers."""

    def __init__(self, table: MeasuredTable, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.setSourceModel(table)
        self.setSortRole(SORT_ROLE)


def shortest(one: Measured) -> DepthFigures | None:
    """What was measured with the shortest prompt, which the table shows."""
    depths = one.certificate.throughput.depths
    return min(depths, key=lambda depth: depth.prompt_tokens, default=None)


def _text(one: Measured, column: Column) -> str:
    certificate, depth = one.certificate, shortest(one)
    match column:
        case Column.MODEL:
            return words.model(one.title)
        case Column.DEVICE:
            return certificate.key.device
        case Column.LEVEL:
            return words.level(one)
        case Column.DECODE:
            return words.rate(None if depth is None else depth.decode_tokens_per_s)
        case Column.PREFILL:
            return words.rate(None if depth is None else depth.prefill_tokens_per_s)
        case Column.RATIO:
            return words.ratio(None if depth is None else depth.decode_tokens_per_s)
        case Column.MEMORY:
            peak = certificate.throughput.peak_memory_bytes
            return words.NOTHING if peak is None else format_bytes(peak)
        case Column.CONTEXT:
            return wording.number(certificate.context_tokens)
        case Column.DATE:
            return certificate.date[:10]
        case Column.HOLDS:
            return words.holds(one)


def _sort_key(one: Measured, column: Column) -> Any:
    certificate, depth = one.certificate, shortest(one)
    match column:
        case Column.DECODE | Column.PREFILL | Column.RATIO:
            return _number(depth, column)
        case Column.MEMORY:
            return float(certificate.throughput.peak_memory_bytes or 0)
        case Column.CONTEXT:
            return certificate.context_tokens
        case Column.DATE:
            return certificate.date
        case _:
            return _text(one, column).casefold()


def _number(depth: DepthFigures | None, column: Column) -> float:
    if depth is None:
        return 0.0
    pace: Pace = depth.decode_tokens_per_s
    if column is Column.PREFILL:
        pace = depth.prefill_tokens_per_s
    spread = pace.ratio if column is Column.RATIO else pace.product
    return 0.0 if spread is None else spread.median


def _dot(colour: str) -> QIcon:
    size = QSize(24, 24)
    pixmap = QPixmap(size)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(colour))
    painter.drawEllipse(5, 5, 14, 14)
    painter.end()
    return QIcon(pixmap)

"""The rows as a Qt table. A changed row repaints itself, not the table."""

from enum import IntEnum
from typing import Any, Final

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from app.desktop.models import facts
from app.desktop.models.ports import Key, Verdict
from app.desktop.models.row_state import HERE, ON_ITS_WAY, Line, RowState
from app.desktop.tables import alignment
from app.desktop.wording import backend_title

_Index = QModelIndex | QPersistentModelIndex
_ROOT: Final = QModelIndex()


class Column(IntEnum):
    NAME = 0
    GOOD_AT = 1
    SIZE = 2
    CONTEXT = 3
    BACKEND = 4
    FITS = 5
    SPEED = 6
    STATE = 7


class Tone(IntEnum):
    """How a cell is coloured; what it says never hangs on the colour alone."""

    PLAIN = 0
    GOOD = 1
    CAREFUL = 2
    BAD = 3
    FAINT = 4


class Role(IntEnum):
    """What the delegate, the filter and the sorting ask for, beside Qt's own roles."""

    LINE = Qt.ItemDataRole.UserRole
    SORT = Qt.ItemDataRole.UserRole + 1
    SECOND = Qt.ItemDataRole.UserRole + 2
    TONE = Qt.ItemDataRole.UserRole + 3
    FRACTION = Qt.ItemDataRole.UserRole + 4


NUMBERS: Final = frozenset({Column.SIZE, Column.CONTEXT, Column.SPEED})

_VERDICT_RANK: Final = {
    Verdict.FITS: 0,
    Verdict.TIGHT: 1,
    Verdict.UNKNOWN: 2,
    Verdict.DOES_NOT_FIT: 3,
}
_VERDICT_TONE: Final = {
    Verdict.FITS: Tone.GOOD,
    Verdict.TIGHT: Tone.CAREFUL,
    Verdict.DOES_NOT_FIT: Tone.BAD,
    Verdict.UNKNOWN: Tone.FAINT,
}
_STATE_TONE: Final = {
    RowState.INSTALLED: Tone.GOOD,
    RowState.WAITING: Tone.CAREFUL,
    RowState.PAUSED: Tone.FAINT,
    RowState.FAILED: Tone.BAD,
    RowState.DAMAGED: Tone.BAD,
    RowState.AWAY: Tone.FAINT,
}


class ModelTable(QAbstractTableModel):
    """One row for each variant."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._lines: list[Line] = []
        self._places: dict[Key, int] = {}

    # --- Filling -------------------------------------------------------------------------------

    def set_lines(self, lines: tuple[Line, ...]) -> None:
        """Shows ``lines``: what is gone leaves, what is new comes, what changed is repainted."""
        wanted = {line.key for line in lines}
        for place in range(len(self._lines) - 1, -1, -1):
            if self._lines[place].key not in wanted:
                self.beginRemoveRows(_ROOT, place, place)
                del self._lines[place]
                self.endRemoveRows()
        kept = [line.key for line in self._lines]
        if kept != [line.key for line in lines if line.key in set(kept)]:
            self.beginResetModel()  # the list itself has another order: a new catalogue
            self._lines = list(lines)
            self.endResetModel()
        for place, line in enumerate(lines):
            if place < len(self._lines) and self._lines[place].key == line.key:
                self._put(place, line)
            else:
                self.beginInsertRows(_ROOT, place, place)
                self._lines.insert(place, line)
                self.endInsertRows()
        self._places = {line.key: place for place, line in enumerate(self._lines)}

    def update_lines(self, lines: tuple[Line, ...]) -> None:
        """Takes over changed rows; one that isn't in the table is passed over."""
        for line in lines:
            place = self._places.get(line.key)
            if place is not None:
                self._put(place, line)

    def _put(self, place: int, line: Line) -> None:
        before = self._lines[place]
        if before == line:
            return
        self._lines[place] = line
        moved_only = before.row == line.row and before.state is line.state
        first = Column.STATE if moved_only else Column.NAME
        self.dataChanged.emit(self.index(place, first), self.index(place, Column.STATE))

    def line_at(self, index: _Index) -> Line:
        return self._lines[index.row()]

    def index_of(self, key: Key) -> QModelIndex:
        """The row of ``key``; an invalid index if it isn't listed."""
        place = self._places.get(key)
        return QModelIndex() if place is None else self.index(place, 0)

    # --- Qt's questions ------------------------------------------------------------------------

    def rowCount(self, parent: _Index = _ROOT) -> int:  # noqa: N802  Qt's name
        return 0 if parent.isValid() else len(self._lines)

    def columnCount(self, parent: _Index = _ROOT) -> int:  # noqa: N802  Qt's name
        return 0 if parent.isValid() else len(Column)

    def headerData(  # noqa: N802  Qt's name
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation is not Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return alignment(number=section in NUMBERS)
        if role != Qt.ItemDataRole.DisplayRole:
            return None
        return (
            self.tr("Model"),
            self.tr("Good at"),
            self.tr("Size"),
            self.tr("Context"),
            self.tr("Runs with"),
            self.tr("Fits here"),
            self.tr("Tokens/s"),
            self.tr("State"),
        )[section]

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        line, column = self._lines[index.row()], Column(index.column())
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return _text(line, column)
            case Qt.ItemDataRole.ToolTipRole:
                return _hint(line, column)
            case Qt.ItemDataRole.AccessibleTextRole:
                return _spoken(line, column)
            case Qt.ItemDataRole.TextAlignmentRole:
                return alignment(number=column in NUMBERS)
            case Role.LINE:
                return line
            case Role.SORT:
                return _sort_key(line, column)
            case Role.SECOND:
                return facts.second_line(line.row) if column is Column.NAME else None
            case Role.TONE:
                return _tone(line, column)
            case Role.FRACTION:
                amount = line.amount if column is Column.STATE else None
                return None if amount is None else amount.fraction
        return None


def _text(line: Line, column: Column) -> str:
    row = line.row
    match column:
        case Column.NAME:
            return row.title
        case Column.GOOD_AT:
            return row.good_at
        case Column.SIZE:
            return facts.size(row)
        case Column.CONTEXT:
            return facts.context(row)
        case Column.BACKEND:
            return backend_title(row.backend)
        case Column.FITS:
            return facts.verdict(row.fit.verdict)
        case Column.SPEED:
            return facts.speed(row)
        case Column.STATE:
            return facts.state(line)


def _hint(line: Line, column: Column) -> str:
    row = line.row
    match column:
        case Column.NAME:
            return " · ".join(part for part in (row.title, facts.second_line(row)) if part)
        case Column.FITS:
            return facts.fit_sentence(row.fit)
        case Column.STATE:
            return "\n".join(part for part in (facts.progress(line), *facts.why(line)) if part)
        case _:
            return _text(line, column)


def _spoken(line: Line, column: Column) -> str:
    """For a screen reader: the second line of the name too."""
    if column is Column.NAME:
        return f"{line.row.title}, {facts.second_line(line.row)}"
    return _text(line, column) or facts.NOTHING


def _tone(line: Line, column: Column) -> Tone:
    match column:
        case Column.FITS:
            return _VERDICT_TONE[line.row.fit.verdict]
        case Column.STATE:
            return _STATE_TONE.get(line.state, Tone.PLAIN)
        case Column.SPEED if line.row.tokens_per_s is None:
            return Tone.FAINT
        case Column.GOOD_AT:
            return Tone.FAINT
        case _:
            return Tone.PLAIN


def _sort_key(line: Line, column: Column) -> tuple[Any, ...]:
    """Each column's own order; equal rows stay by fit, size and name."""
    row = line.row
    rank = _VERDICT_RANK[row.fit.verdict]
    rest = (rank, row.size_bytes, row.title.casefold(), row.variant)
    match column:
        case Column.SIZE:
            return (row.size_bytes, *rest)
        case Column.CONTEXT:
            return (row.context_tokens or 0, *rest)
        case Column.FITS:
            return rest
        case Column.SPEED:
            expected = 0.0 if row.expected is None else row.expected.decode.low
            return (row.tokens_per_s or expected, *rest)
        case Column.STATE:
            return (_state_rank(line.state), *rest)
        case _:
            return (_text(line, column).casefold(), *rest)


def _state_rank(state: RowState) -> int:
    """What moves comes first, then what is here, then what could be got."""
    if state in ON_ITS_WAY:
        return 0
    return 1 if state in HERE else 2

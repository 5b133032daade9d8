"""The table, its filter and its order."""

import msgspec
import pytest
from PySide6.QtCore import QSortFilterProxyModel, Qt
from PySide6.QtTest import QAbstractItemModelTester
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.desktop.models import facts
from app.desktop.models.filtering import Chip, ModelFilter
from app.desktop.models.ports import ModelRow, Presence, Verdict
from app.desktop.models.row_state import Line
from app.desktop.models.table_model import Column, ModelTable
from app.hardware.expected_speed import ExpectedSpeed, SpeedRange
from app.models.download_state import DownloadState
from tests.desktop.models.shelf_double import (
    CODER,
    GB,
    HUGE,
    LARGE,
    ROWS,
    SMALL,
    STARTER,
    Queued,
    fit,
    row,
)


def _lines(*rows: ModelRow) -> tuple[Line, ...]:
    return tuple(Line(row=one) for one in rows)


@pytest.fixture
def table(qapp: QApplication) -> ModelTable:
    table = ModelTable(qapp)
    # Qt's own tester fails the test at once when a signal and the rows disagree.
    QAbstractItemModelTester(table, QAbstractItemModelTester.FailureReportingMode.Fatal, table)
    table.set_lines(_lines(*ROWS))
    return table


def _names(model: ModelTable | QSortFilterProxyModel) -> list[str]:
    return [str(model.index(place, 0).data()) for place in range(model.rowCount())]


def test_rows_come_and_go_one_by_one(table: ModelTable, qtbot: QtBot) -> None:
    resets: list[bool] = []
    table.modelReset.connect(lambda: resets.append(True))
    new = row("new-chat")
    with qtbot.waitSignals([table.rowsInserted, table.rowsRemoved]):
        table.set_lines(_lines(STARTER, new, LARGE, CODER, HUGE))
    assert not resets
    assert _names(table)[1] == "New Chat"
    assert table.index_of(new.key).row() == 1
    assert not table.index_of(SMALL.key).isValid()


def test_progress_repaints_the_state_alone(table: ModelTable) -> None:
    changed: list[tuple[int, int]] = []
    table.dataChanged.connect(lambda a, b: changed.append((a.column(), b.column())))
    running = Queued(model="small-chat", variant="openvino", state=DownloadState.RUNNING)
    table.update_lines((Line(row=SMALL, download=running),))
    further = msgspec.structs.replace(running, done_bytes=GB)
    table.update_lines((Line(row=SMALL, download=further),))
    table.update_lines((Line(row=SMALL, download=further),))
    assert changed == [(Column.NAME, Column.STATE), (Column.STATE, Column.STATE)]


def test_a_cell_says_what_it_is(table: ModelTable) -> None:
    place = table.index_of(SMALL.key).row()

    def text(column: Column) -> str:
        return str(table.index(place, column).data())

    assert text(Column.SIZE) == "2.0 GB"
    assert text(Column.CONTEXT) == "8,192"
    assert text(Column.BACKEND) == "OpenVINO"
    assert text(Column.FITS) == "fits"
    assert text(Column.SPEED) == "not measured"
    hint = table.index(place, Column.FITS).data(Qt.ItemDataRole.ToolTipRole)
    assert hint == (
        "Fits on this computer: 2.0 GB weights + 1.0 GB context + 500 MB working space = 3.5 GB,"
        " 10 GB can be used"
    )


def test_a_measured_speed_is_shown(table: ModelTable) -> None:
    table.set_lines(_lines(row("small-chat", tokens_per_s=12.34)))
    assert table.index(0, Column.SPEED).data() == "12.3"


@pytest.mark.parametrize(
    ("words", "chips", "expected"),
    [
        ("", {Chip.FITS}, {STARTER, SMALL, LARGE, CODER}),
        ("", {Chip.SMALL}, {STARTER, SMALL}),
        ("", {Chip.CODING}, {CODER}),
        ("", {Chip.CHAT}, {STARTER, SMALL, LARGE}),
        ("", {Chip.CODING, Chip.REASONING}, {CODER, HUGE}),
        ("", {Chip.REASONING, Chip.FITS}, set()),
        ("ACME chat", set(), {STARTER, SMALL, LARGE, CODER, HUGE}),
        ("large acme", set(), {LARGE}),
        ("coding", set(), {CODER}),
        ("nothing like it", set(), set()),
    ],
)
def test_words_and_chips_choose(
    table: ModelTable, words: str, chips: set[Chip], expected: set[ModelRow]
) -> None:
    shown = ModelFilter(table, table)
    shown.set_words(words)
    shown.set_chips(chips)
    assert set(_names(shown)) == {one.title for one in expected}


def test_installed_shows_what_is_on_its_way_too(table: ModelTable) -> None:
    shown = ModelFilter(table, table)
    shown.set_chips({Chip.INSTALLED})
    assert not _names(shown)
    table.set_lines(
        (
            Line(row=row("here", presence=Presence.INSTALLED)),
            Line(row=SMALL, download=Queued(model="s", variant="o", state=DownloadState.PAUSED)),
            Line(row=LARGE),
        )
    )
    assert _names(shown) == ["Small Chat", "Here"]


def test_what_moves_and_what_is_here_come_first(table: ModelTable) -> None:
    shown = ModelFilter(table, table)
    table.set_lines(
        (
            Line(row=HUGE),
            Line(row=STARTER),
            Line(row=row("here", presence=Presence.INSTALLED)),
            Line(row=LARGE, download=Queued(model="l", variant="o", state=DownloadState.RUNNING)),
        )
    )
    assert _names(shown) == ["Large Chat", "Here", STARTER.title, "Huge"]


def test_numbers_sort_as_numbers(table: ModelTable) -> None:
    table.set_lines(
        _lines(
            row("nine", size_bytes=9 * GB),
            row("ten", size_bytes=10 * GB),
            row("one", size_bytes=GB, fit=fit(Verdict.TIGHT)),
        )
    )
    shown = ModelFilter(table, table)
    shown.sort(Column.SIZE, Qt.SortOrder.DescendingOrder)
    assert _names(shown) == ["Ten", "Nine", "One"]
    shown.sort(Column.FITS, Qt.SortOrder.AscendingOrder)
    assert _names(shown) == ["Nine", "Ten", "One"]


def test_before_anybody_measured_the_speed_is_what_can_be_expected() -> None:
    decode, prefill = SpeedRange(low=4.234, high=18.96), SpeedRange(low=812.0, high=4060.0)
    expecting = row("small-chat", expected=ExpectedSpeed(decode=decode, prefill=prefill))
    assert facts.speed(expecting) == "expected 4.2\u201319"
    assert facts.prefill_speed(expecting) == "expected 810\u20134,100"
    measured = msgspec.structs.replace(expecting, tokens_per_s=12.345, expected=None)
    assert (facts.speed(measured), facts.prefill_speed(measured)) == ("12.3", "")

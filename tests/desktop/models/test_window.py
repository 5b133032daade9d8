"""What a person does in the Models window, on invented models and an invented queue."""

import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QLabel, QPushButton
from pytestqt.qtbot import QtBot

from app.core.errors import DataFault, ErrorKind, ErrorRecord, UserError
from app.desktop.models import details as details_module
from app.desktop.models.errands import Errands
from app.desktop.models.filtering import Chip
from app.desktop.models.ports import Key, Presence
from app.desktop.models.row_state import Press, RowState
from app.desktop.models.table_model import Column
from app.desktop.models.window import ModelsWindow
from app.models.download_state import DownloadState
from tests.desktop.models.conftest import Bench
from tests.desktop.models.shelf_double import (
    CODER,
    DAMAGED,
    GB,
    HUGE,
    LARGE,
    ROWS,
    SMALL,
    STARTER,
    ModelRoom,
)

Opened = Callable[[], ModelsWindow]
D = DownloadState


def _press(window: ModelsWindow, press: Press) -> None:
    window.details.buttons[press].click()


def _state(bench: Bench, key: Key) -> RowState:
    line = bench.stock.line(key)
    assert line is not None
    return line.state


def _wait(qtbot: QtBot, bench: Bench, key: Key, state: RowState) -> None:
    qtbot.waitUntil(lambda: _state(bench, key) is state)


def _errands(bench: Bench) -> Errands:
    assert bench.desk.errands is not None
    return bench.desk.errands


def _shown(window: ModelsWindow) -> str:
    labels = window.details.findChildren(QLabel)
    return "\n".join(label.text() for label in labels if label.isVisibleTo(window.details))


def _begin(window: ModelsWindow, bench: Bench, qtbot: QtBot, key: Key = SMALL.key) -> None:
    window.choose(key)
    _press(window, Press.GET)
    _wait(qtbot, bench, key, RowState.QUEUED)


def test_nothing_is_opened_before_it_is_needed(
    bench: Bench, models: ModelRoom, opened_window: Opened, qtbot: QtBot
) -> None:
    window = opened_window()
    assert window.filter.rowCount() == len(ROWS)
    bench.stock.queue.resume_left()
    with qtbot.waitSignal(bench.stock.lines_listed):
        bench.stock.refresh()
    assert models.queue.opened == 0


def test_a_queue_of_an_earlier_start_goes_on(
    bench: Bench, models: ModelRoom, opened_window: Opened, qtbot: QtBot
) -> None:
    models.left = True
    models.queue.get(*SMALL.key)
    window = opened_window()
    _wait(qtbot, bench, SMALL.key, RowState.QUEUED)
    assert window.filter.index(0, 0).data() == SMALL.title


def test_the_details_say_everything(opened_window: Opened, qtbot: QtBot) -> None:
    window = opened_window()
    window.choose(LARGE.key)
    qtbot.waitUntil(lambda: "model.bin" in _shown(window))
    shown = _shown(window)
    for expected in (
        "Large Chat",
        "Acme",
        "acme/large-chat",
        "aaaaaaaaaaaa",
        "Pinned: the list knows every byte",
        "Context, 8,192 tokens",
        "6.5 GB",
        "abababababab",
        "Never calls.",
    ):
        assert expected in shown


def test_the_licence_opens_on_a_click_only(
    opened_window: Opened, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    opened: list[str] = []
    monkeypatch.setattr(details_module, "open_link", opened.append)
    window = opened_window()
    window.choose(LARGE.key)
    qtbot.waitUntil(lambda: "aaaaaaaaaaaa" in _shown(window))
    assert opened == []
    buttons = window.details.findChildren(QPushButton)
    link = next(b for b in buttons if b.accessibleName() == "Licence Apache-2.0" and b.isVisible())
    link.click()
    assert opened == ["https://example.com/licence"]


def test_a_download_is_steered(
    bench: Bench, models: ModelRoom, opened_window: Opened, qtbot: QtBot
) -> None:
    window = opened_window()
    _begin(window, bench, qtbot)
    models.queue.tell(SMALL.key, state=D.RUNNING, done_bytes=GB, bytes_per_s=1e7, eta_s=100.0)
    _wait(qtbot, bench, SMALL.key, RowState.RUNNING)
    assert "Downloading 50% · 1.0 GB of 2.0 GB · 10 MB/s · 1 min 40 s left" in _shown(window)
    _press(window, Press.PAUSE)
    _wait(qtbot, bench, SMALL.key, RowState.PAUSED)
    assert set(window.details.buttons) == {Press.RESUME, Press.CANCEL}
    _press(window, Press.RESUME)
    _wait(qtbot, bench, SMALL.key, RowState.QUEUED)
    _press(window, Press.CANCEL)
    _wait(qtbot, bench, SMALL.key, RowState.ABSENT)
    assert set(window.details.buttons) == {Press.GET}


def test_the_queue_is_never_touched_on_the_window_s_thread(
    bench: Bench, models: ModelRoom, opened_window: Opened, qtbot: QtBot
) -> None:
    _begin(opened_window(), bench, qtbot)
    assert threading.current_thread().name not in models.queue.threads


def test_a_thousand_reports_repaint_ten_times_a_second_at_most(
    bench: Bench, models: ModelRoom, opened_window: Opened, qtbot: QtBot
) -> None:
    window = opened_window()
    _begin(window, bench, qtbot)
    repaints: list[int] = []
    bench.stock.lines_changed.connect(lambda _: repaints.append(1))

    def report() -> None:
        for done in range(1, 1001):
            models.queue.tell(SMALL.key, state=D.RUNNING, done_bytes=done)

    thread = threading.Thread(target=report)
    thread.start()
    thread.join()

    def all_seen() -> bool:
        line = bench.stock.line(SMALL.key)
        return line is not None and line.amount is not None and line.amount.done_bytes == 1000

    qtbot.waitUntil(all_seen)
    assert len(repaints) <= 2


def test_why_it_waits_is_said(
    bench: Bench, models: ModelRoom, opened_window: Opened, qtbot: QtBot
) -> None:
    window = opened_window()
    _begin(window, bench, qtbot)
    reason = ErrorRecord(
        kind=ErrorKind.ENVIRONMENT, code="no_network", message="No network.", remedy="Connect."
    )
    models.queue.tell(SMALL.key, state=D.WAITING, reason=reason)
    _wait(qtbot, bench, SMALL.key, RowState.WAITING)
    assert "No network." in _shown(window)
    assert window.details.buttons[Press.RESUME].text() == "Try again"


def test_other_bytes_are_taken_with_consent_only(
    bench: Bench, models: ModelRoom, opened_window: Opened, qtbot: QtBot
) -> None:
    window = opened_window()
    _begin(window, bench, qtbot)
    reason = ErrorRecord(
        kind=ErrorKind.DATA, code="revision_changed", message="It is newer.", remedy="Agree."
    )
    models.queue.tell(SMALL.key, state=D.PAUSED, reason=reason)
    _wait(qtbot, bench, SMALL.key, RowState.PAUSED)
    assert models.queue.accepted == []
    assert window.details.buttons[Press.RESUME].text() == "Take the new version"
    _press(window, Press.RESUME)
    _wait(qtbot, bench, SMALL.key, RowState.QUEUED)
    assert models.queue.accepted == [SMALL.key]


def test_what_arrives_is_installed_at_once(
    bench: Bench, models: ModelRoom, opened_window: Opened, qtbot: QtBot
) -> None:
    window = opened_window()
    _begin(window, bench, qtbot)
    models.shelf.put(SMALL.key, presence=Presence.INSTALLED)
    with qtbot.waitSignals([bench.desk.models_changed, bench.stock.store_measured]):
        models.queue.tell(SMALL.key, state=D.INSTALLED, done_bytes=2 * GB)
    assert _state(bench, SMALL.key) is RowState.INSTALLED
    assert Press.CHAT in window.details.buttons
    with qtbot.waitSignal(bench.desk.chat_asked) as asked:
        _press(window, Press.CHAT)
    assert asked.args == [SMALL.key]


def test_another_program_s_downloads_are_followed(
    bench: Bench, models: ModelRoom, opened_window: Opened, qtbot: QtBot
) -> None:
    models.queue.ours = False
    models.left = True
    models.queue.get(*SMALL.key)
    opened_window()
    _wait(qtbot, bench, SMALL.key, RowState.QUEUED)
    models.queue.pause(*SMALL.key)  # over there; nobody tells this program
    _wait(qtbot, bench, SMALL.key, RowState.PAUSED)


def _installed(models: ModelRoom, *keys: Key) -> None:
    for key in keys:
        models.shelf.put(key, presence=Presence.INSTALLED, folder=Path("store") / key[0])


def test_verify_says_that_all_is_well(
    bench: Bench, models: ModelRoom, opened_window: Opened, qtbot: QtBot
) -> None:
    _installed(models, SMALL.key)
    window = opened_window()
    window.choose(SMALL.key)
    models.shelf.verify_gate.clear()
    _press(window, Press.VERIFY)
    qtbot.waitUntil(lambda: "Checking 50%" in _shown(window))
    assert set(window.details.buttons) == {Press.STOP_VERIFY, Press.OPEN_FOLDER}
    models.shelf.verify_gate.set()
    qtbot.waitUntil(lambda: window.banner is not None)
    assert window.banner is not None
    assert "Small Chat is whole" in window.banner.accessibleName()


def test_verify_can_be_stopped(
    bench: Bench, models: ModelRoom, opened_window: Opened, qtbot: QtBot
) -> None:
    _installed(models, SMALL.key)
    window = opened_window()
    window.choose(SMALL.key)
    models.shelf.verify_gate.clear()
    _press(window, Press.VERIFY)
    _press(window, Press.STOP_VERIFY)
    _wait(qtbot, bench, SMALL.key, RowState.INSTALLED)
    assert window.banner is None


def test_a_damaged_file_is_named_and_mended_by_getting_it_again(
    bench: Bench, models: ModelRoom, opened_window: Opened, qtbot: QtBot
) -> None:
    _installed(models, SMALL.key)
    models.shelf.verify_error = DAMAGED
    window = opened_window()
    window.choose(SMALL.key)
    _press(window, Press.VERIFY)
    _wait(qtbot, bench, SMALL.key, RowState.DAMAGED)
    assert "The file model.bin has changed on the disk." in _shown(window)
    with qtbot.waitSignal(bench.stock.lines_listed):  # it stays damaged, whoever lists again
        bench.stock.refresh()
    assert _state(bench, SMALL.key) is RowState.DAMAGED
    _press(window, Press.GET)
    _wait(qtbot, bench, SMALL.key, RowState.QUEUED)
    assert SMALL.key in models.shelf.deleted


def test_a_deletion_can_be_undone(
    bench: Bench, models: ModelRoom, opened_window: Opened, qtbot: QtBot
) -> None:
    _installed(models, LARGE.key)
    window = opened_window()
    window.choose(LARGE.key)
    assert window.details.buttons[Press.DELETE].text() == "Delete, frees 5.0 GB"
    _press(window, Press.DELETE)
    _wait(qtbot, bench, LARGE.key, RowState.ABSENT)
    assert window.banner is not None
    assert window.banner.button is not None
    window.banner.button.click()
    _wait(qtbot, bench, LARGE.key, RowState.INSTALLED)
    assert window.banner is None


def test_a_refusal_is_told(
    bench: Bench, models: ModelRoom, opened_window: Opened, qtbot: QtBot
) -> None:
    window = opened_window()
    models.import_error = DataFault("unsupported_pipeline", "It sees pictures.", "Take another.")
    _errands(bench).import_from("some/folder")
    qtbot.waitUntil(lambda: window.banner is not None)
    assert window.banner is not None
    assert "It sees pictures." in window.banner.accessibleName()


def test_an_import_is_a_row_that_is_not_curated(
    bench: Bench, models: ModelRoom, opened_window: Opened, qtbot: QtBot
) -> None:
    window = opened_window()
    _errands(bench).import_from("some/mine.gguf")
    _wait_for_row(bench, qtbot, ("mine", "openvino"))
    window.choose(("mine", "openvino"))
    assert models.imported == [Path("some/mine.gguf")]
    assert "imported, not curated" in _shown(window)
    qtbot.waitUntil(lambda: "nobody else vouches" in _shown(window))


def _wait_for_row(bench: Bench, qtbot: QtBot, key: Key) -> None:
    qtbot.waitUntil(lambda: bench.stock.line(key) is not None)


def test_the_store_moves_while_the_queue_rests(
    bench: Bench, models: ModelRoom, opened_window: Opened, qtbot: QtBot
) -> None:
    window = opened_window()
    _begin(window, bench, qtbot)
    models.left = True
    with qtbot.waitSignal(bench.desk.models_changed):
        _errands(bench).move_to("elsewhere")
    assert models.moved == [Path("elsewhere")]
    assert window.banner is not None
    assert "elsewhere" in window.banner.accessibleName()
    qtbot.waitUntil(lambda: models.queue.opened == 2)


def test_nothing_begins_to_download_while_the_queue_rests(
    bench: Bench, models: ModelRoom, opened_window: Opened, qtbot: QtBot
) -> None:
    window = opened_window()
    link = bench.stock.queue
    rests: list[bool] = []
    link.rest(lambda: rests.append(True))
    qtbot.waitUntil(lambda: rests == [True])
    models.left = True
    link.resume_left()
    _begin(window, bench, qtbot)  # it is noted
    assert models.queue.started == 0
    link.wake()
    qtbot.waitUntil(lambda: models.queue.started > 0)


@pytest.mark.parametrize("button", ["import_button", "move_button"])
def test_the_file_dialogs_open_without_blocking(
    bench: Bench, opened_window: Opened, qtbot: QtBot, button: str
) -> None:
    window = opened_window()
    if button == "move_button":
        window.move_button.click()
    else:
        window.import_button.menu().actions()[1].trigger()
    dialogs = window.findChildren(QFileDialog)
    assert len(dialogs) == 1
    dialogs[0].reject()


def test_chips_search_and_the_way_back(opened_window: Opened) -> None:
    window = opened_window()
    window.chips.buttons[Chip.CODING].click()
    assert [window.filter.line_at(window.filter.index(0, 0)).row] == [CODER]
    window.search.setText("nothing like it")
    assert window.show_all.isVisible()
    assert not window.details.isVisible()
    window.show_all.click()
    assert window.filter.rowCount() == len(ROWS)
    assert window.details.isVisible()


def test_the_window_is_used_with_the_keyboard_alone(opened_window: Opened, qtbot: QtBot) -> None:
    window = opened_window()
    before = window.details.key
    window.view.setFocus()
    QTest.keyClick(window.view, Qt.Key.Key_Down)
    assert window.details.key != before
    window.search.setText("huge")
    QTest.keyClick(window.search, Qt.Key.Key_Return)
    assert window.details.key == HUGE.key
    assert window.isVisible()
    QTest.keyClick(window, Qt.Key.Key_Escape)
    assert not window.isVisible()


def test_escape_in_the_search_clears_it_before_anything_closes(opened_window: Opened) -> None:
    window = opened_window()
    window.activateWindow()
    window.search.setFocus()
    QTest.keyClicks(window.search, "huge")
    QTest.keyClick(window.search, Qt.Key.Key_Escape)
    assert window.search.text() == ""
    assert window.filter.rowCount() == len(ROWS)
    QTest.keyClick(window.search, Qt.Key.Key_Escape)
    assert window.isVisible()
    assert window.view.hasFocus()
    QTest.keyClick(window.view, Qt.Key.Key_Escape)
    assert not window.isVisible()


def test_a_column_that_would_cut_every_word_goes(opened_window: Opened) -> None:
    window = opened_window()
    for width in range(1900, 500, -50):
        window.resize(width, 700)
        view = window.view
        if not view.isColumnHidden(Column.GOOD_AT):
            assert view.columnWidth(Column.GOOD_AT) >= 120, width
        elif width > 820:
            columns = sum(view.columnWidth(column) for column in Column)
            assert columns <= view.viewport().width(), width


def test_a_narrow_window_keeps_the_details(opened_window: Opened) -> None:
    window = opened_window()
    window.resize(560, 700)
    assert window.details.isVisible()
    assert window.details.geometry().top() > window.view.geometry().bottom()
    window.resize(1300, 700)
    assert window.details.geometry().left() > window.view.geometry().right()


@pytest.mark.parametrize("width", [520, 700, 1000, 1400])
def test_the_columns_share_the_width_that_is_there(opened_window: Opened, width: int) -> None:
    window = opened_window()
    window.resize(width, 700)
    QApplication.processEvents()
    header = window.view.horizontalHeader()
    assert header.length() <= window.view.viewport().width()
    assert not window.view.isColumnHidden(Column.NAME)
    assert window.view.isColumnHidden(Column.SPEED) == (width < 1400)


def test_the_disk_is_shown(opened_window: Opened) -> None:
    window = opened_window()
    assert "100 GB free" in window.disk.accessibleName()
    models, others, reserve = window.disk.shares()
    assert (models, others, reserve) == (0.0, 0.5, 0.01)


def test_the_starter_comes_without_the_queue(
    bench: Bench, models: ModelRoom, opened_window: Opened, qtbot: QtBot
) -> None:
    models.starter_gate.clear()
    window = opened_window()
    window.choose(STARTER.key)
    _press(window, Press.GET)
    qtbot.waitUntil(lambda: "Downloading 50%" in _shown(window))
    assert set(window.details.buttons) == {Press.CANCEL}
    _press(window, Press.CANCEL)
    _wait(qtbot, bench, STARTER.key, RowState.ABSENT)
    qtbot.waitUntil(lambda: not bench.stock.starter.runs)
    models.starter_gate.set()
    _press(window, Press.GET)
    _wait(qtbot, bench, STARTER.key, RowState.INSTALLED)
    assert models.queue.opened == 0


def test_closing_closes_the_queue_and_empties_the_trash(
    bench: Bench, models: ModelRoom, opened_window: Opened, qtbot: QtBot
) -> None:
    _begin(opened_window(), bench, qtbot)
    bench.desk.close()
    assert models.queue.closed == 1
    assert models.shelf.closed == 1


def test_a_queue_that_cannot_be_opened_says_why_and_is_tried_again(
    bench: Bench, models: ModelRoom, opened_window: Opened, qtbot: QtBot
) -> None:
    window = opened_window()
    models.queue.error = UserError("endpoint_refused", "The server is not protected.", "Use https.")
    window.choose(SMALL.key)
    _press(window, Press.GET)
    qtbot.waitUntil(lambda: window.banner is not None)
    assert window.banner is not None
    assert "The server is not protected." in window.banner.accessibleName()
    models.queue.error = None
    _press(window, Press.GET)
    _wait(qtbot, bench, SMALL.key, RowState.QUEUED)

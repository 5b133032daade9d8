"""The transition table of downloads, cell by cell, and the parts that keep count."""

import sqlite3
from pathlib import Path

import pytest

from app.core.errors import DataFault, EnvironmentFault, ErrorKind, ErrorRecord, UserError
from app.models.download_disk import DiskGuard, free_bytes
from app.models.download_lock import WriterLock
from app.models.download_speed import SpeedMeter
from app.models.download_state import DownloadState, Move, after, allows
from app.models.download_store import DownloadStore

S, M = DownloadState, Move

# Rows: states. Columns in the order of ``Move``; "-" is not allowed.
EXPECTED = """
state      add       start   wait    pause  resume cancel    verify    finish    fail   recover
queued     queued    running -       paused -      cancelled -         -         -      -
waiting    queued    -       -       paused queued cancelled -         -         -      -
running    running   -       waiting paused -      cancelled verifying installed failed queued
paused     queued    -       -       -      queued cancelled -         -         -      -
verifying  verifying -       waiting paused -      cancelled -         installed failed queued
installed  queued    -       -       -      -      -         -         -         -      -
failed     queued    -       -       -      queued cancelled -         -         -      -
cancelled  queued    -       -       -      -      -         -         -         -      -
"""


def _cells() -> list[tuple[DownloadState, Move, DownloadState | None]]:
    head, *lines = [line.split() for line in EXPECTED.strip().splitlines()]
    return [
        (S(line[0]), M(move), None if cell == "-" else S(cell))
        for line in lines
        for move, cell in zip(head[1:], line[1:], strict=True)
    ]


@pytest.mark.parametrize(("state", "move", "expected"), _cells())
def test_each_cell_of_the_table(
    state: DownloadState, move: Move, expected: DownloadState | None
) -> None:
    assert after(state, move) is expected
    assert allows(state, move) is (expected is not None)


def test_the_table_of_this_test_is_complete() -> None:
    assert len(_cells()) == len(S) * len(M)


REASON = ErrorRecord(
    kind=ErrorKind.ENVIRONMENT, code="network_unreachable", message="m", remedy="r"
)


def test_a_row_survives_a_restart_with_its_reason(tmp_path: Path) -> None:
    store = DownloadStore(tmp_path / "d.sqlite3")
    store.add("tiny", "openvino", 100)
    store.move("tiny", "openvino", M.START)
    store.set_done("tiny", "openvino", 42)
    store.move("tiny", "openvino", M.WAIT, REASON, retry_at=7.0)
    row = DownloadStore(tmp_path / "d.sqlite3").row("tiny", "openvino")
    assert row is not None
    assert (row.state, row.done_bytes, row.total_bytes) == (S.WAITING, 42, 100)
    assert (row.reason, row.retry_at) == (REASON, 7.0)


def test_a_move_that_the_table_forbids_changes_nothing(tmp_path: Path) -> None:
    store = DownloadStore(tmp_path / "d.sqlite3")
    store.add("tiny", "openvino", 100)
    with pytest.raises(UserError) as caught:
        store.move("tiny", "openvino", M.FINISH)
    assert caught.value.code == "download_move"
    row = store.row("tiny", "openvino")
    assert row is not None
    assert row.state is S.QUEUED


@pytest.mark.parametrize(
    ("wish", "expected"), [(None, S.QUEUED), (M.PAUSE, S.PAUSED), (M.CANCEL, S.CANCELLED)]
)
def test_a_wish_to_a_program_that_died_is_heard_at_the_next_start(
    tmp_path: Path, wish: Move | None, expected: DownloadState
) -> None:
    store = DownloadStore(tmp_path / "d.sqlite3")
    store.add("tiny", "openvino", 100)
    store.move("tiny", "openvino", M.START)
    if wish is not None:
        store.wish("tiny", "openvino", wish)
    store.recover()
    row = store.row("tiny", "openvino")
    assert row is not None
    assert (row.state, row.wish) == (expected, None)


def test_a_file_that_is_no_database_is_set_aside(tmp_path: Path) -> None:
    path = tmp_path / "d.sqlite3"
    path.write_bytes(b"no database at all, but long enough to be taken for one" * 40)
    store = DownloadStore(path)
    assert store.rows() == ()
    store.add("tiny", "openvino", 1)
    assert len(list(tmp_path.glob("d.sqlite3.damaged-*"))) == 1


def test_a_file_that_breaks_while_in_use_is_set_aside_next_time(tmp_path: Path) -> None:
    path = tmp_path / "d.sqlite3"
    store = DownloadStore(path)
    store.add("tiny", "openvino", 1)
    path.write_bytes(b"overwritten by something that knows nothing of databases" * 40)
    with pytest.raises(DataFault) as caught:
        store.rows()
    assert caught.value.code == "downloads_damaged"
    assert store.rows() == ()


def test_a_list_of_a_newer_program_is_refused_and_kept(tmp_path: Path) -> None:
    path = tmp_path / "d.sqlite3"
    database = sqlite3.connect(path)
    database.execute("PRAGMA user_version = 99")
    database.close()
    with pytest.raises(DataFault) as caught:
        DownloadStore(path).rows()
    assert caught.value.code == "downloads_too_new"


def test_one_lock_holder_at_a_time(tmp_path: Path) -> None:
    first, second = WriterLock(tmp_path / "x" / "lock"), WriterLock(tmp_path / "x" / "lock")
    assert first.acquire()
    assert first.acquire()
    assert not second.acquire()
    first.release()
    first.release()
    assert second.acquire()
    second.release()


def test_the_speed_is_that_of_the_last_ten_seconds() -> None:
    meter = SpeedMeter()
    assert meter.bytes_per_s(0.0) is None
    for tick in range(200):
        meter.add(100, tick * 0.1)
    assert meter.bytes_per_s(19.9) == pytest.approx(1000, rel=0.05)
    for tick in range(200, 400):
        meter.add(10, tick * 0.1)
    assert meter.bytes_per_s(39.9) == pytest.approx(100, rel=0.05)
    assert meter.bytes_per_s(60.0) == 0.0


def test_the_disk_guard_names_the_sum(tmp_path: Path) -> None:
    guard = DiskGuard(reserve_bytes=2_000_000_000, free=lambda _: 2_500_000_000)
    guard.require(tmp_path, 500_000_000)
    with pytest.raises(EnvironmentFault) as caught:
        guard.require(tmp_path, 600_000_000)
    assert caught.value.code == "disk_full"
    assert "600 MB" in caught.value.message
    assert "100 MB" in caught.value.remedy
    assert free_bytes(tmp_path / "not" / "there") > 0

"""Jobs run in order, off the GUI thread; their results come back on it."""

import threading
from collections.abc import Iterator

import pytest
from pytestqt.qtbot import QtBot

from app.core.errors import ErrorRecord, UserError
from app.desktop.background import Worker


@pytest.fixture
def worker() -> Iterator[Worker]:
    worker = Worker("test")
    yield worker
    assert worker.close()
    worker.deleteLater()


def test_jobs_run_in_order_elsewhere_and_report_here(qtbot: QtBot, worker: Worker) -> None:
    done: list[tuple[int, str, str]] = []
    for number in range(5):
        worker.run(
            lambda number=number: (number, threading.current_thread().name),  # type: ignore[misc]
            lambda value: done.append((*value, threading.current_thread().name)),
        )
    qtbot.waitUntil(lambda: len(done) == 5)
    assert done == [(n, "test", threading.main_thread().name) for n in range(5)]


def test_an_error_is_a_record_and_the_thread_lives_on(qtbot: QtBot, worker: Worker) -> None:
    errors: list[ErrorRecord] = []

    def refuse() -> None:
        raise UserError("no", "It is refused.", "Ask for something else.")

    worker.run(refuse, failed=errors.append)
    worker.run(lambda: 1 // 0, failed=errors.append)
    qtbot.waitUntil(lambda: len(errors) == 2)
    assert [error.code for error in errors] == ["no", "unexpected"]


def test_closing_lets_queued_jobs_end_and_takes_no_more() -> None:
    worker = Worker("test")
    done: list[int] = []
    for number in range(20):
        worker.run(lambda number=number: done.append(number))  # type: ignore[misc]
    assert worker.close()
    worker.run(lambda: done.append(99))
    assert done == list(range(20))
    worker.deleteLater()


def test_a_job_that_hangs_does_not_hold_up_the_end() -> None:
    gate = threading.Event()
    worker = Worker("test")
    worker.run(lambda: gate.wait(10))
    assert not worker.close(timeout_s=0.05)
    gate.set()
    assert worker.close()
    worker.deleteLater()

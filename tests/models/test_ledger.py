"""The ledger adds up, survives a restart, and never stands in the way."""

import threading
from pathlib import Path

from app.models.ledger import Ledger


def test_contacts_add_up_for_each_host_and_purpose(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "deep" / "network.sqlite3")
    ledger.record("hub.test", "model files", 10)
    ledger.record("hub.test", "model files", 32)
    ledger.record("hub.test", "model information", 5)
    again = Ledger(tmp_path / "deep" / "network.sqlite3").contacts()
    sums = {(row.host, row.purpose): (row.requests, row.received_bytes) for row in again}
    assert sums == {
        ("hub.test", "model files"): (2, 42),
        ("hub.test", "model information"): (1, 5),
    }
    assert all(row.first_at <= row.last_at for row in again)


def test_a_ledger_of_nothing_is_empty_and_makes_no_file(tmp_path: Path) -> None:
    path = tmp_path / "network.sqlite3"
    assert Ledger(path).contacts() == ()
    assert not path.exists()


def test_many_threads_lose_no_contact(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "network.sqlite3")

    def record() -> None:
        for _ in range(10):
            ledger.record("hub.test", "model files", 1)

    threads = [threading.Thread(target=record) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert ledger.contacts()[0].requests == 40


def test_a_file_that_is_no_database_stops_nothing(tmp_path: Path) -> None:
    path = tmp_path / "network.sqlite3"
    path.write_bytes(b"this is no database, and longer than a header of sqlite" * 20)
    Ledger(path).record("hub.test", "model files", 1)

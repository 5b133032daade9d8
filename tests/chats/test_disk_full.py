"""A full disk: a plain error, and nothing that was stored is lost."""

import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from app.chats.records import AnswerEnd, NewAttachment
from app.chats.store import ChatStore
from app.core.errors import EnvironmentFault
from tests.chats.conftest import END, START, Chats, say


def _limit(store: ChatStore, more_pages: int | None) -> None:
    """Lets the database grow by ``more_pages`` at most: SQLite's own double of a full disk."""

    def work(connection: sqlite3.Connection) -> None:
        (pages,) = connection.execute("PRAGMA page_count").fetchone()
        limit = 2**30 if more_pages is None else pages + more_pages
        connection.execute(f"PRAGMA max_page_count = {limit}")

    store._owner.run(work).result()


def test_a_full_disk_is_told_and_costs_only_what_did_not_fit(
    store: ChatStore, conversation_id: str
) -> None:
    kept = say(store, conversation_id, "before", "it was full")
    question = store.send(conversation_id, "now it fills").result()
    running = store.begin_answer(question.id, START).result()
    store.append(running.id, "a beginning").result()
    _limit(store, 2)
    file = NewAttachment(name="big", media_type="x", content=b"x" * 100_000)
    for future in (
        store.attach(conversation_id, file),
        store.append(running.id, "x" * 100_000),
        store.finish_answer(running.id, AnswerEnd(finish_reason="stop" * 10_000)),
    ):
        with pytest.raises(EnvironmentFault) as caught:
            future.result()
        assert caught.value.code == "disk_full"
    shown = store.open_conversation(conversation_id).result()
    assert [message.text for message in shown.messages] == [
        "before",
        "it was full",
        "now it fills",
        "a beginning",
    ]
    assert shown.files == ()
    assert len(store.search("full").result()) == 1
    _limit(store, None)
    store.append(running.id, " and an end").result()
    assert store.finish_answer(running.id, END).result().text == "a beginning and an end"
    assert store.message(kept.id).result().text == "it was full"


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 2 MiB of its own, where the system lets a test have one."""
    mount = tmp_path / "disk"
    mount.mkdir()
    if sys.platform != "linux":
        pytest.skip("needs a tmpfs of its own")
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(mount)],
        capture_output=True,
        check=False,
    )
    if made.returncode != 0:
        pytest.skip("this user may not mount a tmpfs")
    yield mount
    subprocess.run(["umount", str(mount)], check=True, capture_output=True)


def test_a_really_full_disk_loses_nothing(small_disk: Path) -> None:
    chats = Chats(small_disk / "chats")
    try:
        _fill_and_check(chats, small_disk)
    finally:
        chats.close()


def _fill_and_check(chats: Chats, disk: Path) -> None:
    (disk / "to free").write_bytes(b"\0" * 300_000)
    store = chats.open()
    conversation_id = store.create_conversation().result().id
    stored = _send_until_full(store, conversation_id)
    assert stored > 10
    with pytest.raises(EnvironmentFault) as caught:
        store.maintain().result()
    assert caught.value.code == "disk_full"
    assert len(store.open_conversation(conversation_id).result().messages) == stored
    chats.close()

    # What fills the rest of the disk leaves no room even to open the chats.
    _fill(disk / "ballast")
    store = chats.open()
    failure = store.opened().exception()
    assert failure is None or getattr(failure, "code", None) == "disk_full"
    (disk / "ballast").unlink()
    (disk / "to free").unlink()
    store.opened().result()
    shown = store.open_conversation(conversation_id).result()
    assert len(shown.messages) == stored
    assert store.send(conversation_id, "and on").result().text == "and on"


def _send_until_full(store: ChatStore, conversation_id: str) -> int:
    """Returns how many messages were stored."""
    for number in range(1000):
        text = f"message {number} " + "m" * 9000
        failure = store.send(conversation_id, text).exception()
        if failure is not None:
            assert isinstance(failure, EnvironmentFault)
            assert failure.code == "disk_full"
            return number
    raise AssertionError("the disk was never full")


def _fill(path: Path) -> None:
    with suppress(OSError), path.open("wb", buffering=0) as file:
        while file.write(b"\0" * 4096):
            pass

"""Closing waits for what is queued, but not for a disk that hangs."""

import threading
import time
from pathlib import Path

import pytest

from app.chats.serial import SerialThread
from app.chats.store import ChatStore
from app.core.errors import EnvironmentFault
from tests.chats.conftest import Chats
from tests.support.promptness import AT_ONCE_S


class Stuck:
    """A clock that hangs once it is told to: work on the store's thread goes no further."""

    def __init__(self) -> None:
        self.gate = threading.Event()
        self.gate.set()
        self.reached = threading.Event()

    def __call__(self) -> int:
        if not self.gate.is_set():
            self.reached.set()
            self.gate.wait(30)
        return 1_764_000_000_000


def test_what_is_queued_is_stored_before_the_end(chats: Chats) -> None:
    store = chats.open()
    asked = [store.create_conversation() for _ in range(50)]
    assert store.close(30)
    assert all(one.done() and one.exception() is None for one in asked)
    assert len(chats.open().conversations().result().conversations) == 50


def test_a_store_that_hangs_is_given_up_in_time_and_what_was_stored_is_there(
    tmp_path: Path,
) -> None:
    clock = Stuck()
    store = ChatStore(tmp_path, clock_ms=clock)
    kept = store.create_conversation().result()
    clock.gate.clear()
    store.create_conversation()
    assert clock.reached.wait(10)
    started = time.monotonic()
    assert not store.close(0.2)
    assert time.monotonic() - started < AT_ONCE_S
    clock.gate.set()
    assert store.close(30)
    other = ChatStore(tmp_path)
    found = [one.id for one in other.conversations().result().conversations]
    other.close()
    assert kept.id in found


def test_after_the_end_nothing_is_taken(tmp_path: Path) -> None:
    store = ChatStore(tmp_path)
    store.create_conversation().result()
    store.close()
    with pytest.raises(EnvironmentFault, match="closing"):
        store.create_conversation().result()


def test_waiting_calls_are_dropped_where_that_is_asked_for() -> None:
    thread = SerialThread("test")
    gate = threading.Event()
    running = thread.submit(lambda: gate.wait(10))
    waiting = thread.submit(lambda: 1)
    thread.close(drop_waiting=True)
    gate.set()
    assert thread.join(10)
    assert running.result() is True
    assert waiting.cancelled()
    with pytest.raises(RuntimeError, match="closed"):
        thread.submit(lambda: 2)

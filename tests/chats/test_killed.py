"""A program that is killed loses nothing that the store said was stored."""

import random
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

import pytest

from app.chats.records import MessageState, Role
from tests.chats.conftest import Chats, say
from tests.chats.writer_program import PIECES

ROOT = Path(__file__).resolve().parents[2]


@contextmanager
def _program(folder: Path, pause_s: float = 0.0) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.chats.writer_program", str(folder), str(pause_s)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        encoding="utf-8",
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()
        assert process.stdout is not None
        process.stdout.close()


def _lines_until_killed(folder: Path, after_s: float) -> list[list[str]]:
    """Runs the program and kills it ``after_s`` after its first chat; returns what it said."""
    lines = []
    with _program(folder) as process:
        assert process.stdout is not None
        timer: threading.Timer | None = None
        for line in process.stdout:
            lines.append(line.split())
            if timer is None:
                timer = threading.Timer(after_s, process.kill)
                timer.start()
        assert timer is not None
        timer.join()
    # The kill may have cut the last line.
    return [line for line in lines if len(line) in (2, 3)]


def _check(chats: Chats, lines: list[list[str]]) -> None:
    store = chats.open()
    opened = store.opened().result()
    assert opened.damage is None
    shown = store.open_conversation(lines[0][1]).result().messages
    questions = [message for message in shown if message.role is Role.USER]
    answers = [message for message in shown if message.role is Role.ASSISTANT]
    sent = [int(line[1]) for line in lines if line[0] == "sent"]
    if sent:
        assert len(questions) >= max(sent) + 1
        assert questions[max(sent)].text.startswith(f"question {max(sent)} ")
    for _, number, piece in (line for line in lines if line[0] == "stored" and len(line) == 3):
        assert f"[{number}.{piece}]" in answers[int(number)].text
    for answer in answers[:-1]:
        assert answer.state is MessageState.FINISHED
        assert answer.text.count("[") == PIECES
    cut = [answer.id for answer in answers if answer.state is MessageState.INTERRUPTED]
    assert set(cut) == set(opened.interrupted)
    assert not any(answer.state is MessageState.STREAMING for answer in answers)
    for answer in answers:
        end = answer.stamps[-1].end
        assert end is not None
        assert end.finish_reason == ("interrupted" if answer.id in cut else "stop")
    if cut:
        store.continue_answer(cut[0], answers[0].stamps[0].start).result()
    assert list(chats.folder.glob("program-*.lock")) != []
    chats.close()
    assert list(chats.folder.glob("program-*.lock")) == []


@pytest.mark.parametrize("seed", range(8))
def test_what_was_stored_survives_a_kill(chats: Chats, seed: int) -> None:
    after_s = random.Random(seed).uniform(0.0, 0.4)
    _check(chats, _lines_until_killed(chats.folder, after_s))


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(50))
def test_what_was_stored_survives_fifty_kills(chats: Chats, seed: int) -> None:
    after_s = random.Random(1000 + seed).uniform(0.0, 2.0)
    _check(chats, _lines_until_killed(chats.folder, after_s))


def test_two_programs_write_and_read_at_once(chats: Chats) -> None:
    """And the second one leaves the first one's running answer alone."""
    with _program(chats.folder, 0.01) as process:
        assert process.stdout is not None
        said = iter(process.stdout)
        theirs = next(said).split()[1]
        for line in said:
            if line.startswith("stored 0"):
                break
        store = chats.open()
        assert store.opened().result().interrupted == ()
        mine = store.create_conversation().result()
        for number in range(20):
            say(store, mine.id, f"mine {number}", "answer")
            assert store.open_conversation(theirs).result().messages
        assert len(list(islice(said, 20))) == 20
        shown = store.open_conversation(theirs).result().messages
        assert not any(message.state is MessageState.INTERRUPTED for message in shown)
        assert len(store.open_conversation(mine.id).result().messages) == 40
        chats.close()
    store = chats.open()
    assert len(store.opened().result().interrupted) <= 1
    assert len(store.open_conversation(mine.id).result().messages) == 40


def test_a_reader_goes_on_while_a_writer_holds_the_lock(chats: Chats) -> None:
    first, second = chats.open(), chats.open()
    conversation = first.create_conversation().result()
    say(first, conversation.id, "Q", "needle")
    held, release = threading.Event(), threading.Event()

    def hold_the_lock(connection: sqlite3.Connection) -> None:
        connection.execute("BEGIN IMMEDIATE")
        held.set()
        release.wait(30)
        connection.execute("ROLLBACK")

    lock = first._owner.run(hold_the_lock)
    try:
        assert held.wait(30)
        assert len(second.open_conversation(conversation.id).result(5).messages) == 2
        assert len(second.search("needle").result(5)) == 1
        waiting = second.send(conversation.id, "waits for its turn")
        assert not waiting.done()
    finally:
        release.set()
    lock.result()
    assert waiting.result(15).text == "waits for its turn"

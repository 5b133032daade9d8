"""The window or the engine is killed at any moment: at most the last second is lost."""

import os
import random
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import psutil
import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.chats.records import MessageState
from app.chats.store import ChatStore
from app.desktop.application import Desktop
from app.desktop.lifecycle import TurnState
from app.desktop.message_block import AnswerBlock
from tests.desktop.fake_engine import finished, text
from tests.desktop.rooms import Room
from tests.desktop.window_program import ANSWER, DRAFT, QUESTION

pytestmark = pytest.mark.skipif(os.name == "nt", reason="kills with a signal")

ROOT = Path(__file__).resolve().parents[2]
LONGEST_LOSS_S = 1.0


class Seen(NamedTuple):
    """One line of the program."""

    what: str
    at_s: float
    value: int


def _seen(line: str) -> Seen | None:
    match line.split():
        case [what, at_s, value] if line.endswith("\n"):  # the kill may have cut the last line
            return Seen(what, float(at_s), int(value))
    return None


def _watch(
    folder: Path, kill_after_s: float, victim: Callable[[int], None], *, quits: bool = False
) -> list[Seen]:
    """Runs the program, strikes ``kill_after_s`` after its first word, and tells what it showed.

    ``quits``: it must end by itself, within three seconds, with code 0.
    """
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.desktop.window_program", str(folder)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        encoding="utf-8",
        env=os.environ | {"QT_QPA_PLATFORM": "offscreen"},
    )
    assert process.stdout is not None
    told: list[Seen] = []
    timer: threading.Timer | None = None
    engine: list[psutil.Process] = []
    try:
        for line in process.stdout:
            seen = _seen(line)
            if seen is None:
                continue
            told.append(seen)
            if timer is None and seen.what == "text":
                engine = psutil.Process(process.pid).children(recursive=True)
                timer = threading.Timer(kill_after_s, victim, (process.pid,))
                timer.start()
            if seen.what == "failed":
                break
        assert timer is not None, "it never answered"
        timer.join()
        if quits:
            assert process.wait(timeout=3) == 0
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
    _, left = psutil.wait_procs(engine, timeout=10)
    assert left == [], "an engine outlived its window"
    return told


def _kill_window(pid: int) -> None:
    os.kill(pid, signal.SIGKILL)


def _kill_engine(pid: int) -> None:
    """The engine is the child that holds the model, with whatever it started."""
    for child in psutil.Process(pid).children(recursive=True):
        child.kill()


@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT", "SIGHUP"])
def test_a_signal_quits_as_a_person_does(tmp_path: Path, name: str) -> None:
    told = _watch(tmp_path, 0.5, lambda pid: os.kill(pid, getattr(signal, name)), quits=True)
    written = max(seen.value for seen in told if seen.what == "draft")
    answered = max(seen.value for seen in told if seen.what == "text")
    store = ChatStore(tmp_path / "chats")
    try:
        opened = store.opened().result()
        assert opened.interrupted == (), "the answer was ended, nothing was left open"
        (chat,) = store.conversations().result().conversations
        transcript = store.open_conversation(chat.id).result()
        assert len(transcript.messages[-1].text) >= answered
        assert transcript.draft == DRAFT[:written]
    finally:
        assert store.close(5)


def _shown_before(told: list[Seen], what: str, at_s: float) -> int:
    return max((seen.value for seen in told if seen.what == what and seen.at_s <= at_s), default=0)


def _check_killed_window(folder: Path, seed: int) -> None:
    told = _watch(folder, random.Random(seed).uniform(0.0, 2.0), _kill_window)
    last_sign_s = told[-1].at_s
    store = ChatStore(folder / "chats")
    try:
        opened = store.opened().result()
        assert opened.damage is None
        (chat,) = store.conversations().result().conversations
        transcript = store.open_conversation(chat.id).result()
        question, answer = transcript.messages
        assert question.text == QUESTION
        assert answer.state is MessageState.INTERRUPTED
        assert opened.interrupted == (answer.id,)
        assert ANSWER.startswith(answer.text)
        assert DRAFT.startswith(transcript.draft)
        safe_s = last_sign_s - LONGEST_LOSS_S
        assert len(answer.text) >= _shown_before(told, "text", safe_s)
        assert len(transcript.draft) >= _shown_before(told, "draft", safe_s)
    finally:
        store.close()


def _check_killed_engine(folder: Path, seed: int) -> None:
    told = _watch(folder, random.Random(seed).uniform(0.0, 2.0), _kill_engine)
    assert told[-1].what == "failed"
    store = ChatStore(folder / "chats")
    try:
        (chat,) = store.conversations().result().conversations
        _, answer = store.open_conversation(chat.id).result().messages
        # The window was killed the moment it had heard of the death: the end may not be stored.
        assert answer.state in (MessageState.FAILED, MessageState.INTERRUPTED)
        assert ANSWER.startswith(answer.text)
        assert told[-1].value == max(seen.value for seen in told if seen.what == "text")
        safe_s = told[-1].at_s - LONGEST_LOSS_S
        assert len(answer.text) >= _shown_before(told, "text", safe_s)
    finally:
        store.close()


def test_a_killed_window_loses_at_most_a_second(tmp_path: Path) -> None:
    _check_killed_window(tmp_path, seed=1)


@pytest.mark.parametrize("seed", [3, 4])
def test_a_killed_engine_loses_at_most_a_second(tmp_path: Path, seed: int) -> None:
    _check_killed_engine(tmp_path, seed)


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_fifty_kills_at_random_moments(tmp_path: Path) -> None:
    for seed in range(100, 150):
        check = _check_killed_window if seed % 2 else _check_killed_engine
        check(tmp_path / str(seed), seed)


def test_after_a_kill_one_press_goes_on(tmp_path: Path, qapp: QApplication, qtbot: QtBot) -> None:
    _check_killed_window(tmp_path, seed=2)
    room = Room(tmp_path)
    desktop = Desktop(qapp, room.services)
    try:
        with qtbot.waitSignals([desktop.inventory.models_listed, desktop.chats.listed]):
            desktop.start()
        with qtbot.waitSignal(desktop.chats.shown):
            desktop.window.chat_list.chosen.emit(desktop.chats.summaries[0].id)
        assert DRAFT.startswith(desktop.window.composer.text)
        last = desktop.chats.current.last
        assert last is not None
        block = desktop.window.transcript.block(last.id)
        assert isinstance(block, AnswerBlock)
        assert block.summary == "Interrupted"
        qtbot.waitUntil(lambda: desktop.runner.state is TurnState.IDLE)
        block.resume_button.click()
        qtbot.waitUntil(lambda: bool(room.engine.requests))
        assert room.turns[-1][2][-1].content == last.text
        room.engine.say(text(room.engine.last, " and on"), finished(room.engine.last))
        qtbot.waitUntil(lambda: desktop.runner.state is TurnState.IDLE)
        assert desktop.chats.current.path()[-1].text == last.text + " and on"
    finally:
        desktop.quit()
        desktop.close()
        room.engine.close()
        room.chats.close()

"""The window on a real engine process: asks, writes a draft, and tells all that it shows.

It is killed by its parent. Each line has the time (a monotonic clock of this computer, in seconds)
at which the person saw something: ``text 12.3 456`` for the length of the answer, ``draft 12.3 4``.
"""

import sys
import time
from pathlib import Path
from typing import Final

from PySide6.QtCore import QTimer

from app.desktop import application
from app.desktop.application import Desktop
from app.desktop.lifecycle import TurnState
from app.engine.spec import ScriptedRuntime
from tests.desktop.real_room import RealRoom

QUESTION: Final = "Count as far as you can"
ANSWER: Final = " ".join(f"word{number}" for number in range(3000))
DRAFT: Final = "abcdefghijklmnopqrstuvwxyz" * 20


class Person:
    """Asks, and goes on typing; asks for the rest when the engine is gone."""

    def __init__(self, desktop: Desktop) -> None:
        self._desktop = desktop
        self._typed = 0
        self._timer = QTimer()
        self._timer.setInterval(40)
        self._timer.timeout.connect(self._act)
        self._timer.start()
        desktop.runner.text_arrived.connect(self._on_text)
        desktop.runner.turn_failed.connect(self._on_failed)

    def _act(self) -> None:
        desktop = self._desktop
        if desktop.runner.state is TurnState.IDLE and desktop.chats.current.last is None:
            desktop.window.composer.sent.emit(QUESTION)
        elif desktop.runner.state is TurnState.ANSWERING and self._typed < len(DRAFT):
            self._typed += 1
            desktop.window.composer.set_text(DRAFT[: self._typed])
            say("draft", self._typed)

    def _on_text(self, _piece: object) -> None:
        last = self._desktop.chats.current.last
        say("text", len(last.text) if last else 0)

    def _on_failed(self, _failure: object) -> None:
        last = self._desktop.chats.current.last
        say("failed", len(last.text) if last else 0)


def say(what: str, value: int) -> None:
    print(what, time.monotonic(), value, flush=True)


class Used(Desktop):
    """The window with a person before it."""

    def start(self, *, in_tray: bool = False) -> None:
        super().start(in_tray=in_tray)
        self.person = Person(self)
        QTimer.singleShot(60_000, self, self.quit)  # if nobody kills it


def main(folder: str) -> int:
    runtime = ScriptedRuntime(answer=ANSWER, token_s=0.004)
    room = RealRoom(Path(folder), runtime, max_tokens=3000)
    application.Desktop = Used  # type: ignore[misc]
    return application.run(room.services)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))

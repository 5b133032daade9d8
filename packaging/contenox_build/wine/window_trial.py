"""The window under Wine as a person uses it: opened, typed into, answered, quit; with pictures.

The program lies in a long folder whose name has letters outside ASCII, as its data folder's has.
What was typed and answered is read back out of the chats that it stored.
"""

import contextlib
import os
import shutil
import signal
import sqlite3
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from contenox_build import project
from contenox_build.errors import PackagingError
from contenox_build.wine.rig import Rig, windows_path, wine

QUESTION: Final = "What is the capital of France?"
STORY: Final = "Write a long story about a lighthouse."
TITLE: Final = "Contenox"
# The path of a file inside, below C:\, is longer than Windows' old limit of 260 characters.
LONG: Final = "Prüfung Ünïcode 漢字/" + "/".join(["ein langer Ordner für Programme"] * 5)

_SCREEN: Final = "1280x860x24"
_APPEAR_S: Final = 120.0
_ANSWER_S: Final = 240.0


@dataclass(frozen=True, slots=True)
class Stage:
    """A display with a window manager, and the program that is tried on it."""

    rig: Rig
    display: str
    program: Path
    data: Path

    def environment(self) -> dict[str, str]:
        """What the program gets."""
        return self.rig.environment(
            {"DISPLAY": self.display, "CONTENOX_DATA_ROOT": windows_path(self.data)}
        )

    def start(self, *arguments: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [wine(), str(self.program), *arguments],
            env=self.environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def tool(self, *words: str) -> str:
        """Runs a program of X11 and returns what it prints; nothing if it fails."""
        environment = dict(os.environ) | {"DISPLAY": self.display}
        done = subprocess.run(words, env=environment, capture_output=True, timeout=60, check=False)
        return done.stdout.decode("utf-8", "replace").strip() if done.returncode == 0 else ""

    def picture(self, target: Path) -> None:
        self.tool("import", "-window", "root", str(target))
        if not target.is_file():
            raise PackagingError("No picture of the window could be taken.")


def run(rig: Rig, package: Path, work: Path, pictures: Path) -> str:
    """Uses the window once and quits it while an answer streams; takes two pictures.

    Raises:
        PackagingError: it doesn't do what a person expects.
    """
    place = work / LONG
    shutil.rmtree(work / LONG.split("/")[0], ignore_errors=True)
    shutil.copytree(package, place / "Contenox")
    # Not below the long folder: OpenVINO's reader of GGUF files opens no path of 260 characters.
    data = work / "Daten é漢字"
    shutil.rmtree(data, ignore_errors=True)
    pictures.mkdir(parents=True, exist_ok=True)
    with _display() as display:
        stage = Stage(rig, display, place / "Contenox" / f"{project.WINDOW}.exe", data)
        _install_starter(stage)
        window = stage.start()
        try:
            _use(stage, pictures)
            began = time.monotonic()
            _demand(stage.start("--quit").wait(60) == 0, "The window can't be asked to quit")
            seconds = time.monotonic() - began
            _demand(window.wait(20) == 0, "The window didn't end in order")
        finally:
            if window.poll() is None:
                window.kill()
                window.wait()
        left = _processes(place)
        _demand(not left, f"Processes are left: {left}")
        kept = _stored(data, "assistant")[-1]
        _demand(len(kept) >= 300, f"Of the story that was written only {kept!r} is kept")
    length = len(windows_path(stage.program))
    return f"the window answered from a path of {length} characters and quit in {seconds:.1f} s"


def _install_starter(stage: Stage) -> None:
    console = stage.program.with_name(f"{project.CONSOLE}.exe")
    done = subprocess.run(
        [wine(), str(console), "starter"],
        env=stage.environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=_ANSWER_S,
        check=False,
    )
    told = done.stderr.decode("utf-8", "replace")[-400:]
    _demand(done.returncode == 0, f"The starter isn't installed below a long path: {told}")


def _use(stage: Stage, pictures: Path) -> None:
    window = _wait(
        lambda: stage.tool("xdotool", "search", "--onlyvisible", "--name", TITLE), "No window opens"
    ).splitlines()[0]
    stage.tool("xdotool", "windowactivate", "--sync", window)
    _ask(stage, QUESTION)
    answer = _wait(lambda: "".join(_stored(stage.data, "assistant")), "No answer ends", _ANSWER_S)
    _demand("Paris" in answer, f"The answer is {answer!r}")
    stage.picture(pictures / "wine-answer.png")
    _ask(stage, STORY)
    _wait(lambda: _streamed(stage.data, 300), "No second answer streams", _ANSWER_S)
    stage.picture(pictures / "wine-streaming.png")
    # The window is quit in the middle of it.
    _demand(len(_stored(stage.data, "assistant")) == 1, "The story ended before it was looked at")


def _ask(stage: Stage, question: str) -> None:
    """Types a question and sends it, once the window takes one."""
    stage.tool("xdotool", "type", "--delay", "40", question)

    def sent() -> str:
        # While the list of models is being read, or an answer ends, Return does nothing.
        stage.tool("xdotool", "key", "Return")
        return question if question in _stored(stage.data, "user") else ""

    _wait(sent, f"What was sent is {_stored(stage.data, 'user')}, not {question!r}")


def _streamed(data: Path, least: int) -> str:
    """The text of the answer that is being written, if it has as many characters already."""
    text = "".join(_query(data, "SELECT text FROM pieces ORDER BY rowid"))
    return text if len(text) >= least else ""


def _stored(data: Path, role: str) -> list[str]:
    return _query(data, "SELECT text FROM messages WHERE role = ? AND text <> ''", role)


def _query(data: Path, sql: str, *values: str) -> list[str]:
    file = data / "chats" / "chats.sqlite3"
    # Wine's locks mean nothing to this system: a copy is read, and again if it was taken halfway.
    with tempfile.TemporaryDirectory() as scratch, contextlib.suppress(sqlite3.Error, OSError):
        for part in file.parent.glob(f"{file.name}*"):
            shutil.copy(part, scratch)
        with contextlib.closing(sqlite3.connect(Path(scratch) / file.name)) as reader:
            return [row[0] for row in reader.execute(sql, values)]
    return []


def _processes(place: Path) -> list[str]:
    """The command lines of what runs out of ``place``."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            line = entry.read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
            if place.parts[-2] in line and "contenox" in line and ".exe" in line:
                found.append(line.strip())
    return found


@contextlib.contextmanager
def _display() -> Iterator[str]:
    """A display of its own, with a window manager, so that windows get the keys."""
    reader, writer = os.pipe()
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(writer), "-screen", "0", _SCREEN],
        pass_fds=(writer,),
        stderr=subprocess.DEVNULL,
    )
    os.close(writer)
    manager: subprocess.Popen[bytes] | None = None
    try:
        with os.fdopen(reader) as said:
            display = f":{said.readline().strip()}"
        environment = dict(os.environ) | {"DISPLAY": display}
        manager = subprocess.Popen(
            ["openbox"], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        yield display
    finally:
        for process in (manager, server):
            if process is not None:
                process.send_signal(signal.SIGTERM)
                process.wait()


def _demand(holds: bool, otherwise: str) -> None:
    if not holds:
        raise PackagingError(f"{otherwise}.")


def _wait(ready: Callable[[], str], otherwise: str, timeout_s: float = _APPEAR_S) -> str:
    ends = time.monotonic() + timeout_s
    while not (found := ready()):
        _demand(time.monotonic() < ends, otherwise)
        time.sleep(0.2)
    return found

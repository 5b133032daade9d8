"""A second start raises the first window; what a killed one leaves behind stops nobody."""

import subprocess
import sys
from pathlib import Path

from PySide6.QtCore import QLockFile
from PySide6.QtNetwork import QLocalServer
from pytestqt.qtbot import QtBot

from app.desktop.single_instance import SingleInstance, end_first, socket_name

_SECOND = """
import sys
from pathlib import Path
from PySide6.QtCore import QCoreApplication
from app.desktop.single_instance import SingleInstance
app = QCoreApplication([])
instance = SingleInstance(Path(sys.argv[1]))
print("first" if instance.acquire() else "second", flush=True)
"""

_FIRST = """
import sys
from pathlib import Path
from PySide6.QtCore import QCoreApplication
from app.desktop.single_instance import SingleInstance
app = QCoreApplication([])
instance = SingleInstance(Path(sys.argv[1]))
assert instance.acquire()
instance.quit_asked.connect(lambda: print("was asked to quit", flush=True))
instance.quit_asked.connect(app.quit)
print("listens", flush=True)
app.exec()
instance.close()
"""


def _start(root: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", _SECOND, str(root)], stdout=subprocess.PIPE, text=True
    )


def test_a_second_start_raises_the_first(tmp_path: Path, qtbot: QtBot) -> None:
    first = SingleInstance(tmp_path)
    assert first.acquire()
    with qtbot.waitSignal(first.raise_asked, timeout=20_000):
        second = _start(tmp_path)
    assert second.communicate(timeout=20)[0].strip() == "second"
    first.close()


def test_the_very_first_start_holds_the_lock_too(tmp_path: Path, qtbot: QtBot) -> None:
    folder = tmp_path / "not yet" / "there"
    first = SingleInstance(folder)
    assert first.acquire()
    (folder / "settings.json").write_text("{}")
    with qtbot.waitSignal(first.raise_asked, timeout=20_000):
        second = _start(folder)
    assert second.communicate(timeout=20)[0].strip() == "second"
    first.close()


def test_another_data_folder_is_another_program(tmp_path: Path) -> None:
    first = SingleInstance(tmp_path / "a")
    (tmp_path / "a").mkdir()
    (tmp_path / "ü b").mkdir()
    assert first.acquire()
    assert _start(tmp_path / "ü b").communicate(timeout=20)[0].strip() == "first"
    first.close()


def test_what_a_killed_program_left_is_taken_over(tmp_path: Path) -> None:
    # The first process ends without closing anything: its socket file and lock stay.
    done = _start(tmp_path)
    assert done.communicate(timeout=20)[0].strip() == "first"
    second = SingleInstance(tmp_path)
    assert second.acquire()
    second.close()


def test_a_folder_that_cannot_be_written_still_starts(tmp_path: Path) -> None:
    (tmp_path / "missing").write_text("a file where the folder should be")
    instance = SingleInstance(tmp_path / "missing" / "folder")
    assert instance.acquire()
    instance.close()
    assert QLocalServer.removeServer(socket_name(tmp_path / "missing" / "folder"))


def test_an_installer_ends_the_first_and_waits_for_it(tmp_path: Path) -> None:
    first = subprocess.Popen(
        [sys.executable, "-c", _FIRST, str(tmp_path)], stdout=subprocess.PIPE, text=True
    )
    assert first.stdout is not None
    assert first.stdout.readline().strip() == "listens"
    assert end_first(tmp_path)
    # It has ended by then, by itself: nothing is waited for here.
    assert first.poll() is not None
    assert first.stdout.read().strip() == "was asked to quit"
    first.stdout.close()


def test_nothing_to_end_is_no_error(tmp_path: Path) -> None:
    assert end_first(tmp_path / "nowhere")
    assert end_first(tmp_path)
    assert SingleInstance(tmp_path).acquire()


def test_a_window_that_does_not_hear_is_told(tmp_path: Path) -> None:
    deaf = QLockFile(str(tmp_path / "window.lock"))
    assert deaf.tryLock(0)
    assert not end_first(tmp_path)

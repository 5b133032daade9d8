"""What app/core/windows.py tells Windows, tried on the Windows Python: each with its control."""

import os
import shutil
import subprocess
from pathlib import Path
from typing import Final

from contenox_build import project
from contenox_build.commands import run as run_step
from contenox_build.errors import PackagingError
from contenox_build.wine.rig import Rig, windows_path
from contenox_build.wine.windows_python import COMPILER, STAMPLESS

_LIBRARY: Final = "contenox_trial.dll"
_PREPARED: Final = "import sys; sys.path.insert(0, sys.argv[1]); from app.core import windows; "

# The child's life outlasts its parent's, unless Windows ties it.
_PARENT: Final = _PREPARED + (
    "import os, subprocess; "
    "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)']); "
    "sys.argv[2] == 'tied' and windows.end_with_this_process(int(child._handle)); "
    "print(child.pid, file=open(sys.argv[3], 'w')); os._exit(0)"
)
_WATCHER: Final = (
    "import psutil, subprocess, sys, time; subprocess.run([sys.executable, '-c', *sys.argv[1:]]); "
    "pid = int(open(sys.argv[4]).read()); time.sleep(2); lives = psutil.pid_exists(pid); "
    "lives and psutil.Process(pid).kill(); print('lives' if lives else 'gone')"
)
_LOAD: Final = _PREPARED + (
    "import ctypes; sys.argv[2] == 'hardened' and windows.load_libraries_from_own_folders_only(); "
    f"print(bool(ctypes.WinDLL('kernel32').LoadLibraryW('{_LIBRARY}')))"
)


def run(rig: Rig, work: Path) -> str:
    """Tries the job and the search for libraries.

    Raises:
        PackagingError: one doesn't do what it is for, or its control does the same.
    """
    root = windows_path(project.ROOT)
    work.mkdir(parents=True, exist_ok=True)
    note = windows_path(work / "child.txt")
    ends = [_ask(rig, _WATCHER, _PARENT, root, how, note) for how in ("tied", "free")]
    _demand(ends == ["gone", "lives"], f"A tied child and a free one: {ends}")
    source = work / "trial.c"
    source.write_text("int answer(void) { return 42; }\n", encoding="utf-8")
    made = ["-shared", "-s", STAMPLESS, "-o", work / _LIBRARY, source]
    run_step([COMPILER, *made], os.environ, rig.log)
    loads = [_ask(rig, _LOAD, root, how, folder=work) for how in ("hardened", "as it is")]
    _demand(loads == ["False", "True"], f"A library in the current folder loads: {loads}")
    shutil.rmtree(work)
    return "children end with their parent, and the current folder's libraries stay out"


def _ask(rig: Rig, code: str, *arguments: str, folder: Path | None = None) -> str:
    done = subprocess.run(
        [*rig.python, "-c", code, *arguments],
        env=rig.environment({"PYTHONDONTWRITEBYTECODE": "1"}),
        cwd=folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=120,
        check=False,
    )
    _demand(done.returncode == 0, done.stderr.decode("utf-8", "replace")[-400:])
    return done.stdout.decode("utf-8", "replace").strip()


def _demand(holds: bool, otherwise: str) -> None:
    if not holds:
        raise PackagingError(f"{otherwise}.")

"""Quit means quit: within three seconds no process is left, whatever hangs."""

import os
import subprocess
import sys
import time
from pathlib import Path


def test_a_disk_that_hangs_does_not_keep_the_program_alive(tmp_path: Path) -> None:
    program = subprocess.Popen(
        [sys.executable, "-m", "tests.desktop.starved_program", str(tmp_path)],
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[2],
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
    )
    assert program.stdout is not None
    try:
        asked_at = float(program.stdout.readline())
        assert program.wait(timeout=10) == 0
        assert time.monotonic() - asked_at < 3
    finally:
        program.kill()
        program.wait()
        program.stdout.close()

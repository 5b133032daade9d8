"""Runs the steps of a build; what they print goes into a log and, on failure, to the reader."""

import contextlib
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import IO

from contenox_build.errors import PackagingError

_TAIL_LINES = 40
_LAST_WORDS_S = 2.0


def say(text: str) -> None:
    """Tells which step begins."""
    print(f"== {text}", flush=True)


def follow(process: subprocess.Popen[bytes], write: Callable[[bytes], object]) -> int:
    """Hands on what a process prints until it has ended; returns its exit code.

    What it started and left running may hold the pipe for good, so its end is not waited for.
    """
    assert process.stdout is not None
    reader = threading.Thread(target=_copy, args=(process.stdout, write), daemon=True)
    reader.start()
    code = process.wait()
    reader.join(_LAST_WORDS_S)
    return code


def _copy(stream: IO[bytes], write: Callable[[bytes], object]) -> None:
    with contextlib.suppress(ValueError, OSError):
        for line in stream:
            write(line)


def run(
    command: Sequence[str | Path],
    environment: Mapping[str, str],
    log: Path,
    *,
    folder: Path | None = None,
) -> None:
    """Runs a step with its output in ``log``.

    Raises:
        PackagingError: it can't be started or failed; the end of the log is printed.
    """
    words = [str(word) for word in command]
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("ab") as file:
        file.write(f"\n$ {' '.join(words)}\n".encode())
        file.flush()
        try:
            # WORKAROUND(Wine 8): a Windows Python can't write to a plain file, but to a pipe.
            process = subprocess.Popen(
                words,
                env=dict(environment),
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
            )
        except OSError as error:
            raise PackagingError(f"{words[0]} can't be started ({error.strerror}).") from error
        follow(process, file.write)
    if process.returncode != 0:
        lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
        print("\n".join(lines[-_TAIL_LINES:]), file=sys.stderr)
        step = " ".join([Path(words[0]).stem, *words[1:3]])
        raise PackagingError(
            f"The step '{step}' ended with code {process.returncode}; its whole output is in {log}."
        )

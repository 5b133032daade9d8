"""Runs the steps of a build; what they print goes into a log and, on failure, to the reader."""

import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from contenox_build.errors import PackagingError

_TAIL_LINES = 40


def say(text: str) -> None:
    """Tells which step begins."""
    print(f"== {text}", flush=True)


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
            done = subprocess.run(
                words,
                env=dict(environment),
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=subprocess.STDOUT,
                check=False,
            )
        except OSError as error:
            raise PackagingError(f"{words[0]} can't be started ({error.strerror}).") from error
    if done.returncode != 0:
        lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
        print("\n".join(lines[-_TAIL_LINES:]), file=sys.stderr)
        step = " ".join([Path(words[0]).stem, *words[1:3]])
        raise PackagingError(
            f"The step '{step}' ended with code {done.returncode}; its whole output is in {log}."
        )

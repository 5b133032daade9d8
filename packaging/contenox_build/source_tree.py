"""From which commit a package is built."""

import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass

from contenox_build.project import ROOT


@dataclass(frozen=True, slots=True)
class SourceTree:
    """``modified``: the tree holds changes of no commit. ``commit`` is empty without git."""

    commit: str
    modified: bool


def describe(environment: Mapping[str, str] = os.environ) -> SourceTree:
    """Asks git, which is found on the PATH of whoever started the build."""
    commit = _git(environment, "rev-parse", "HEAD")
    changes = _git(environment, "status", "--porcelain", "--untracked-files=no")
    return SourceTree(commit, bool(changes))


def _git(environment: Mapping[str, str], *arguments: str) -> str:
    """What git says, or nothing in a source archive without it."""
    try:
        done = subprocess.run(
            ["git", "-C", str(ROOT), *arguments],
            env=dict(environment),
            capture_output=True,
            text=True,
            check=False,
        )
    except OSError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""

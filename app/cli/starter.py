"""``contenox starter``: gets the starter model, with a progress bar."""

import argparse
from typing import Any, Final

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn

from app.core.units import format_bytes
from app.workflows.services import Services
from app.workflows.starter import StarterProgress, StarterStep

_LABELS: Final = {
    StarterStep.DOWNLOAD: "downloading",
    StarterStep.UNPACK: "unpacking",
    StarterStep.CONVERT: "converting for OpenVINO",
    StarterStep.HASH: "checking",
}


def add_parser(commands: Any) -> None:
    """Adds the command to ``commands``, what ``add_subparsers`` returned."""
    parser = commands.add_parser("starter", help="get the small model that comes with the program")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace, services: Services) -> int:
    del arguments
    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[size]}"))
    with Progress(*columns, console=Console(stderr=True)) as bars:
        shown = _Bars(bars)
        models = services.ensure_starter(shown.show)
    names = " and ".join(model.full_name for model in models)
    print(f"{names} are installed.")
    return 0


class _Bars:
    """One bar for each step."""

    def __init__(self, bars: Progress) -> None:
        self._bars = bars
        self._tasks: dict[StarterStep, TaskID] = {}

    def show(self, progress: StarterProgress) -> None:
        label = _LABELS.get(progress.step)
        if label is None:
            self._complete()
            return
        if progress.step not in self._tasks:
            self._complete()
            self._tasks[progress.step] = self._bars.add_task(label, total=None, size="")
        total = progress.total_bytes
        self._bars.update(
            self._tasks[progress.step],
            total=total,
            completed=progress.done_bytes,
            size="" if total is None else _size(progress.done_bytes, total),
        )

    def _complete(self) -> None:
        for task in self._bars.tasks:
            total = task.total or 1
            self._bars.update(task.id, total=total, completed=total)


def _size(done_bytes: int, total_bytes: int) -> str:
    return f"{format_bytes(done_bytes)} of {format_bytes(total_bytes)}"

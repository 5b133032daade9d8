"""Progress bars of the console, and questions to a person."""

import contextlib
import sys
from collections.abc import Callable, Iterator

from rich.console import Console
from rich.progress import (
    BarColumn,
    DownloadColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeRemainingColumn,
    TransferSpeedColumn,
)

from app.core.errors import UserError
from app.workflows.model_services import ModelProgress


@contextlib.contextmanager
def job_bar(label: str, *, quiet: bool) -> Iterator[Callable[[ModelProgress], None]]:
    """Lends what shows the progress of a job, with speed and time left, on stderr."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f} %"),
        TransferSpeedColumn(),
        TimeRemainingColumn(),
    )
    bars = Progress(*columns, console=Console(stderr=True), disable=quiet)
    tasks: dict[str, TaskID] = {}

    def show(progress: ModelProgress) -> None:
        if progress.model not in tasks:
            bars.start()
            description = f"{label} {progress.model}"
            tasks[progress.model] = bars.add_task(description, total=progress.total_bytes)
        bars.update(
            tasks[progress.model], total=progress.total_bytes, completed=progress.done_bytes
        )

    try:
        yield show
    finally:
        if tasks:  # an empty one would leave an empty line
            bars.stop()


def download_bars(*, quiet: bool) -> Progress:
    """The bar of a download. Speed and time left are the download's own, not rich's."""
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        DownloadColumn(),
        TextColumn("{task.fields[pace]}"),
        console=Console(stderr=True),
        disable=quiet,
    )


def confirm(question: str, *, yes: bool) -> bool:
    """Asks a person, unless ``yes`` was said on the command line.

    Raises:
        UserError: ``confirmation_needed``, there is nobody to ask.
    """
    if yes:
        return True
    if not sys.stdin.isatty():
        raise UserError("confirmation_needed", question, "Add --yes to agree.")
    print(f"{question} [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().casefold() in ("y", "yes", "j", "ja")

"""``contenox models list|show``: every model of the list and of this machine; the other actions
have modules of their own.
"""

import argparse
import shutil
import sys
import textwrap
from datetime import UTC, datetime
from typing import Any, Final

import msgspec
from rich.console import Console
from rich.table import Table

from app.cli import models_files, models_get
from app.core.units import format_bytes
from app.hardware.readings import CPU
from app.models.catalog import LicenceKind
from app.models.download_state import DownloadState
from app.workflows.downloads import DownloadView
from app.workflows.model_fit import FitHere, FitVerdict
from app.workflows.model_row import ModelRow, RowState
from app.workflows.services import Services

_WIDE: Final = 200
_LABEL: Final = 17
_FITS: Final = {
    FitVerdict.FITS: "yes",
    FitVerdict.TIGHT: "tight",
    FitVerdict.DOES_NOT_FIT: "no",
    FitVerdict.UNKNOWN: "unknown",
}
_STATES: Final = {
    RowState.AVAILABLE: "",
    RowState.INSTALLED: "installed",
    RowState.BROKEN: "damaged",
    RowState.AWAY: "its drive is away",
}


def add_parser(commands: Any) -> None:
    """Adds the command to ``commands``, what ``add_subparsers`` returned."""
    parser = commands.add_parser("models", help="list, get, check, import, move and delete models")
    actions = parser.add_subparsers(title="actions", metavar="ACTION", required=True)
    listing = actions.add_parser("list", help="list the curated models and the installed ones")
    listing.add_argument("--installed", action="store_true", help="leave out what can be got")
    listing.add_argument("--device", default=CPU, help="judge for this device (default: CPU)")
    listing.add_argument(
        "--context", type=_positive, metavar="N", help="judge for N tokens (default: 8192)"
    )
    listing.add_argument("--json", action="store_true")
    listing.set_defaults(run=run_list)
    show = actions.add_parser("show", help="show everything about one model")
    show.add_argument("name", metavar="NAME", help="a name, or name/variant")
    show.add_argument("--device", default=CPU, help="judge for this device (default: CPU)")
    show.add_argument("--json", action="store_true")
    show.set_defaults(run=run_show)
    models_get.add_actions(actions)
    models_files.add_actions(actions)


def run_list(arguments: argparse.Namespace, services: Services) -> int:
    rows = services.models.table.rows(
        device=arguments.device,
        context_tokens=arguments.context,
        downloads=services.models.known_downloads(),
    )
    if arguments.installed:
        rows = tuple(row for row in rows if row.state is not RowState.AVAILABLE)
    if arguments.json:
        print(msgspec.json.encode(rows).decode())
        return 0
    _warn(rows)
    if arguments.installed and not rows:
        print("No model is installed. Get the starter model with: contenox starter")
        return 0
    console = Console(width=None if sys.stdout.isatty() else _WIDE)
    console.print(_table(rows))
    judged = next((row.fit for row in rows if row.fit.usable_bytes is not None), None)
    if judged is not None and judged.usable_bytes is not None:
        print(
            f"Judged for {judged.context_tokens:,} tokens of context on {judged.device}, where "
            f"models can use {format_bytes(judged.usable_bytes)} now. The sum of each: "
            "contenox models show NAME"
        )
    if any(row.state is RowState.AWAY for row in rows):
        print("Models whose drive is away come back with it; 'models delete' forgets them.")
    elif all(row.state is RowState.AVAILABLE for row in rows):
        print("No model is installed. Get the starter model with: contenox starter")
    return 0


def run_show(arguments: argparse.Namespace, services: Services) -> int:
    row = services.models.table.row(arguments.name, device=arguments.device)
    if arguments.json:
        print(msgspec.json.encode(row).decode())
        return 0
    width = max(40, shutil.get_terminal_size().columns - _LABEL) if sys.stdout.isatty() else _WIDE
    for label, value in _facts(row):
        first, *rest = textwrap.wrap(value, width, break_on_hyphens=False) or [""]
        print(f"{label:<{_LABEL}}{first}")
        for line in rest:
            print(" " * _LABEL + line)
    return 0


def _table(rows: tuple[ModelRow, ...]) -> Table:
    table = Table(box=None, padding=(0, 1))
    for header in ("name", "variant", "good at"):
        table.add_column(header, overflow="fold")
    for header in ("size", "context"):
        table.add_column(header, justify="right", no_wrap=True)
    for header in ("fits here", "speed", "state"):
        table.add_column(header, no_wrap=True)
    for row in rows:
        about = "" if row.size_is_exact else "about "
        table.add_row(
            row.name,
            row.variant,
            row.use or ("not curated" if not row.curated else ""),
            about + format_bytes(row.size_bytes) if row.size_bytes else "",
            "" if row.context_tokens is None else f"{row.context_tokens:,}",
            _FITS[row.fit.verdict],
            row.fit.speed,
            _state(row),
        )
    return table


def _state(row: ModelRow) -> str:
    return _STATES[row.state] if row.download is None else _progress(row.download)


def _progress(view: DownloadView) -> str:
    share = view.done_bytes / view.total_bytes if view.total_bytes else 0.0
    word = "downloading" if view.state is DownloadState.RUNNING else view.state.value
    return f"{word}, {share:.0%}"


def _facts(row: ModelRow) -> list[tuple[str, str]]:
    """What there is to say, in the order in which a person asks."""
    licence = row.licence or "unknown"
    if row.licence_kind is LicenceKind.RESTRICTED:
        licence += " (it restricts who may use the model, or for what)"
    verified = None
    if row.verified_at is not None:
        verified = datetime.fromtimestamp(row.verified_at, UTC).strftime("%Y-%m-%d %H:%M UTC")
    facts = [
        ("model", f"{row.title} ({row.full_name})"),
        ("state", _state(row) or "not installed"),
        ("problem", None if row.problem is None else f"{row.problem.message} {row.problem.remedy}"),
        ("good at", row.good_at),
        ("size", format_bytes(row.size_bytes) if row.size_bytes else None),
        ("context", None if row.context_tokens is None else f"{row.context_tokens:,} tokens"),
        ("quantised", row.quantisation),
        ("fits here", row.fit.sentence),
        ("largest context", _largest(row.fit)),
        ("speed", row.fit.speed),
        ("licence", licence),
        ("licence text", row.licence_link),
        ("publisher", row.publisher),
        ("repository", row.repository),
        ("revision", row.revision),
        ("trust", "not curated: nobody vouches for it" if not row.curated else row.trust),
        ("source", row.source),
        ("digest", row.digest),
        ("last verified", verified),
        ("folder", row.folder),
    ]
    return [(label, value) for label, value in facts if value]


def _largest(fit: FitHere) -> str | None:
    if fit.largest_context_tokens is None:
        return None
    return f"{fit.largest_context_tokens:,} tokens fit here now"


def _warn(rows: tuple[ModelRow, ...]) -> None:
    for row in rows:
        if row.problem is not None:
            problem = row.problem
            text = f"{row.full_name}: {problem.message} {problem.remedy} [{problem.code}]"
            print(text, file=sys.stderr)


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return number

"""``contenox models list|show``: every model of the list and of this machine; the other actions
have modules of their own.
"""

import argparse
import shutil
import sys
import textwrap
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, Final

import msgspec
from rich.console import Console, JustifyMethod
from rich.table import Table

from app.cli import models_delete_all, models_files, models_get
from app.core.units import format_bytes
from app.hardware.expected_speed import SpeedRange
from app.hardware.readings import CPU
from app.models.catalog import LicenceKind
from app.models.download_state import DownloadState
from app.workflows.download_view import DownloadView
from app.workflows.model_fit import FitHere, FitVerdict
from app.workflows.model_row import ModelRow, RowState
from app.workflows.services import Services

_WIDE: Final = 200
_LABEL: Final = 17
# The width of the window from which on a column is shown.
_ROOM: Final = {"speed": 96, "context": 106, "good at": 118}
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
    models_delete_all.add_action(actions)


def run_list(arguments: argparse.Namespace, services: Services) -> int:
    services.library.require_readable()
    if not arguments.installed and arguments.device == CPU:
        _probe(services)
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
    console.print(_table(rows, console.width))
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
    if arguments.device == CPU:
        _probe(services)
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


def _probe(services: Services) -> None:
    """Two seconds, once for a machine: what can be expected of models that nobody tried."""
    rates = services.models.rates
    if rates.known() is None:
        print("Measuring what this processor can do, once (2 s) ...", file=sys.stderr)
        rates.require()


def _table(rows: tuple[ModelRow, ...], width: int) -> Table:
    """Names are never broken, since they are typed again; a narrow window leaves columns out."""
    cells: dict[str, Callable[[ModelRow], str]] = {"name": lambda row: row.full_name}
    if width >= _ROOM["good at"]:
        cells["good at"] = lambda row: row.use or ("" if row.curated else "not curated")
    cells["size"] = _size
    if width >= _ROOM["context"]:
        cells["context"] = lambda row: f"{row.context_tokens:,}" if row.context_tokens else ""
    cells["fits here"] = lambda row: _fits(row.fit)
    if width >= _ROOM["speed"]:
        cells["tokens/s"] = _speed
    cells["state"] = _state
    table = Table(box=None, padding=(0, 1))
    for header in cells:
        justify: JustifyMethod = "right" if header in ("size", "context") else "left"
        table.add_column(header, no_wrap=True, justify=justify)
    for row in rows:
        table.add_row(*(cell(row) for cell in cells.values()))
    return table


def _speed(row: ModelRow) -> str:
    """What was measured here while writing, or what can be expected of the processor."""
    if row.tokens_per_s is not None:
        return f"{row.tokens_per_s:.1f} measured"
    return "not measured" if row.expected is None else f"{_range(row.expected.decode)} expected"


def _reading(row: ModelRow) -> str | None:
    if row.expected is None or row.expected.prefill is None:
        return None
    return f"{_range(row.expected.prefill)} expected tokens/s, an estimate for the processor"


def _range(speed: SpeedRange) -> str:
    """Both ends with two digits: an estimate has no more."""
    return f"{_two_digits(speed.low)}-{_two_digits(speed.high)}"


def _two_digits(value: float) -> str:
    return f"{float(f'{value:.2g}'):,g}"


def _fits(fit: FitHere) -> str:
    """The verdict with the number that decides it."""
    spare = fit.spare_bytes or 0
    match fit.verdict:
        case FitVerdict.FITS:
            return "yes"
        case FitVerdict.TIGHT:
            return f"tight, {format_bytes(spare)} left"
        case FitVerdict.DOES_NOT_FIT if spare < 0:
            return f"no, {format_bytes(-spare)} short"
        case FitVerdict.DOES_NOT_FIT:
            return "no, pool too small"
        case _:
            return "unknown"


def _size(row: ModelRow) -> str:
    if not row.size_bytes:
        return ""
    return ("" if row.size_is_exact else "~") + format_bytes(row.size_bytes)


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
        ("writing", f"{_speed(row)} tokens/s" if row.expected or row.tokens_per_s else None),
        ("reading", _reading(row)),
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
            print(f"{row.full_name}: {row.problem.line}", file=sys.stderr)


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return number

"""``contenox models``: what is installed."""

import argparse
import sys
from typing import Any

import msgspec
from msgspec import Struct
from rich.console import Console
from rich.table import Table

from app.core.units import format_bytes
from app.models.library import BrokenModel, InstalledModel
from app.workflows.services import Services


class _Row(Struct, frozen=True, kw_only=True):
    """One model as ``--json`` prints it."""

    name: str
    variant: str
    backend: str
    digest: str
    size_bytes: int
    context_tokens: int
    path: str


def add_parser(commands: Any) -> None:
    """Adds the command to ``commands``, what ``add_subparsers`` returned."""
    parser = commands.add_parser("models", help="list the installed models")
    actions = parser.add_subparsers(title="actions", metavar="ACTION", required=True)
    listing = actions.add_parser("list", help="list the installed models")
    listing.add_argument("--json", action="store_true")
    listing.set_defaults(run=run_list)


def run_list(arguments: argparse.Namespace, services: Services) -> int:
    installed, broken = services.library.survey()
    _warn(broken)
    if arguments.json:
        print(msgspec.json.encode([_row(model) for model in installed]).decode())
        return 0
    if not installed:
        print("No model is installed. Get the starter model with: contenox starter")
        return 0
    table = Table("name", "variant", "backend", "size", "context", "digest", box=None)
    for model in installed:
        table.add_row(
            model.name,
            model.variant,
            model.backend,
            format_bytes(model.size_bytes),
            f"{model.context_tokens:,}",
            model.digest[:12],
        )
    Console().print(table)
    return 0


def _row(model: InstalledModel) -> _Row:
    return _Row(
        name=model.name,
        variant=model.variant,
        backend=model.backend,
        digest=model.digest,
        size_bytes=model.size_bytes,
        context_tokens=model.context_tokens,
        path=str(model.path),
    )


def _warn(broken: tuple[BrokenModel, ...]) -> None:
    for model in broken:
        error = model.error
        print(f"{model.name}/{model.variant}: {error.message} {error.remedy}", file=sys.stderr)

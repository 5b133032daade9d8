"""``contenox models verify|import|export|delete|move``: the files of models on this machine."""

import argparse
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec import Struct

from app.cli.progress import confirm, job_bar
from app.core.errors import ContenoxError, ErrorRecord, UserError
from app.core.units import format_bytes
from app.models.library import InstalledModel
from app.models.removal import freed_bytes
from app.workflows.model_move import MoveProgress, MoveStep
from app.workflows.model_row import ModelRow, RowState
from app.workflows.model_services import ModelProgress
from app.workflows.services import Services

_EXIT_FAILED: Final = 1


class _Checked(Struct, frozen=True, kw_only=True):
    """What ``verify --json`` says of one model."""

    name: str
    right: bool
    error: ErrorRecord | None = None


class _Installed(Struct, frozen=True, kw_only=True):
    """A model that was imported or exported, as ``--json`` prints it."""

    name: str
    variant: str
    backend: str
    digest: str
    size_bytes: int
    context_tokens: int
    path: str
    curated: bool


class _Deleted(Struct, frozen=True, kw_only=True):
    """What ``delete --json`` says."""

    name: str
    freed_bytes: int


def add_actions(actions: Any) -> None:
    """Adds the actions to those of ``models``."""
    verify = actions.add_parser("verify", help="hash every file of models, and name what changed")
    verify.add_argument("names", metavar="NAME", nargs="*", help="models (default: all)")
    verify.add_argument("--json", action="store_true")
    verify.set_defaults(run=run_verify)
    bring = actions.add_parser(
        "import", help="take a GGUF file, an OpenVINO folder or an exported model"
    )
    bring.add_argument("path", metavar="PATH", type=Path)
    bring.add_argument("--name", help="what it shall be called")
    bring.add_argument("--json", action="store_true")
    bring.set_defaults(run=run_import)
    export = actions.add_parser("export", help="copy a model to a folder, on a USB stick say")
    export.add_argument("name", metavar="NAME", help="a name, or name/variant")
    export.add_argument("folder", metavar="FOLDER", type=Path)
    export.add_argument("--json", action="store_true")
    export.set_defaults(run=run_export)
    delete = actions.add_parser("delete", help="delete the files of a model")
    delete.add_argument("name", metavar="NAME", help="a name, or name/variant")
    delete.add_argument("--yes", action="store_true", help="agree to what would be asked")
    delete.add_argument("--json", action="store_true")
    delete.set_defaults(run=run_delete)
    move = actions.add_parser("move", help="move all models to another folder or drive")
    move.add_argument("folder", metavar="FOLDER", type=Path, nargs="?")
    move.add_argument("--abandon", action="store_true", help="give up a move that isn't finished")
    move.add_argument("--json", action="store_true")
    move.set_defaults(run=run_move)


def run_verify(arguments: argparse.Namespace, services: Services) -> int:
    """Checks each model, also after one failed; exit code 1 if one did."""
    services.models.require_store()
    whole, broken = services.library.survey()
    models = [services.models.find(name) for name in arguments.names] or list(whole)
    problems = [] if arguments.names else [(f"{b.name}/{b.variant}", b.error) for b in broken]
    found = [_checked(arguments, name, error) for name, error in problems]
    for model in models:
        error: ContenoxError | None = None
        try:
            with job_bar("checking", quiet=arguments.json) as report:
                services.models.verify(model, report)
        except ContenoxError as fault:
            error = fault
        found.append(_checked(arguments, model.full_name, error))
    if not found:
        _say(arguments, "No model is installed. Get the starter model with: contenox starter")
    if arguments.json:
        print(msgspec.json.encode(found).decode())
    return 0 if all(one.right for one in found) else _EXIT_FAILED


def _checked(arguments: argparse.Namespace, name: str, error: ContenoxError | None) -> _Checked:
    if error is None:
        _say(arguments, f"{name}: every byte is what it was.")
        return _Checked(name=name, right=True)
    record = error.record()
    _say(arguments, f"{name}: {record.line}")
    return _Checked(name=name, right=False, error=record)


def run_import(arguments: argparse.Namespace, services: Services) -> int:
    with job_bar("importing", quiet=arguments.json) as report:
        models = services.models.import_from(arguments.path, arguments.name, report)
    for model in models:
        curated = "not curated" if model.imported else "its bytes are those of the curated list"
        _say(
            arguments,
            f"{model.full_name} is imported ({format_bytes(model.size_bytes)}, {curated}). "
            f"Ask it with: contenox chat --model {model.full_name} ...",
        )
    if arguments.json:
        print(msgspec.json.encode([_record(model) for model in models]).decode())
    return 0


def run_export(arguments: argparse.Namespace, services: Services) -> int:
    services.models.require_store()
    model = services.models.find(arguments.name)
    with job_bar("exporting", quiet=arguments.json) as report:
        there = services.models.export_to(model, arguments.folder, report)
    _say(
        arguments,
        f"{model.full_name} is in {there.folder}, and was read back and checked. "
        f"Take it in elsewhere with: contenox models import {there.folder}",
    )
    if arguments.json:
        print(msgspec.json.encode(_record(there)).decode())
    return 0


def run_delete(arguments: argparse.Namespace, services: Services) -> int:
    row = services.models.table.row(arguments.name)
    if row.state is RowState.AVAILABLE:
        raise UserError(
            "model_not_installed",
            f"{row.full_name} is not installed.",
            "Choose a name that 'contenox models list --installed' shows.",
        )
    if not confirm(_question(services, row), yes=arguments.yes):
        return _EXIT_FAILED
    freed = 0
    match row.state:
        case RowState.AWAY:
            services.models.table.forget(row)
            text = f"{row.full_name} is forgotten; its files were not touched."
        case RowState.BROKEN:
            broken = next(b for b in services.library.broken() if str(b.folder) == row.folder)
            services.library.discard(broken)
            text = f"What was left of {row.full_name} is deleted."
        case _:
            model = services.library.find(row.full_name)
            freed = freed_bytes(model.folder)
            services.library.delete(model)
            text = f"{row.full_name} is deleted; {format_bytes(freed)} are free again."
    _say(arguments, text)
    if arguments.json:
        deleted = _Deleted(name=row.full_name, freed_bytes=freed)
        print(msgspec.json.encode(deleted).decode())
    return 0


def run_move(arguments: argparse.Namespace, services: Services) -> int:
    move = services.models.store_move()
    if arguments.abandon:
        move.abandon()
        _say(arguments, f"The models stay in {services.library.store}.")
        return 0
    target = arguments.folder or move.unfinished()
    if target is None:
        raise UserError(
            "move_target", "It isn't said where the models shall move.", "Name the new folder."
        )
    with job_bar("moving", quiet=arguments.json) as report:

        def show(progress: MoveProgress) -> None:
            if progress.step is MoveStep.COPY:
                report(
                    ModelProgress(
                        model="all models",
                        done_bytes=progress.done_bytes,
                        total_bytes=progress.total_bytes,
                    )
                )

        end = move.run(target, show)
    count = f"{len(end.moved)} models are" if len(end.moved) != 1 else "One model is"
    _say(arguments, f"{count} in {end.store} now.")
    for name in end.left:
        _say(arguments, f"The old files of {name} are in use; delete them with the same command.")
    for name in end.broken:
        _say(arguments, f"{name} is damaged and stays in the old folder.")
    if arguments.json:
        print(msgspec.json.encode(end).decode())
    return _EXIT_FAILED if end.left else 0


def _question(services: Services, row: ModelRow) -> str:
    match row.state:
        case RowState.AWAY:
            return f"The drive of {row.full_name} is not there. Forget the model?"
        case RowState.BROKEN:
            return f"Delete what is left of {row.full_name} in {row.folder}?"
        case _:
            freed = freed_bytes(services.library.find(row.full_name).folder)
            linked = "" if freed else " (its files have a second name elsewhere and stay there)"
            return f"Delete {row.full_name} and free {format_bytes(freed)}{linked}?"


def _record(model: InstalledModel) -> _Installed:
    return _Installed(
        name=model.name,
        variant=model.variant,
        backend=model.backend,
        digest=model.digest,
        size_bytes=model.size_bytes,
        context_tokens=model.context_tokens,
        path=str(model.path),
        curated=not model.imported,
    )


def _say(arguments: argparse.Namespace, text: str) -> None:
    if not arguments.json:
        print(text)

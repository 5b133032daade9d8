"""``contenox describe``: what is asked of the library for a model, and what the library says."""

import argparse
from typing import Any

import msgspec
from msgspec import Struct
from rich.console import Console
from rich.table import Table

from app.core.units import format_bytes
from app.engine.outcome import SessionReport
from app.engine.spec import LoadSpec
from app.models.profile_files import profile_of
from app.workflows.ability import Ability, judge
from app.workflows.services import Services, TurnOptions

_BYTES = "_bytes"


class _Described(Struct, frozen=True, kw_only=True):
    """What ``--json`` prints."""

    model: str
    model_digest: str
    profile_digest: str
    backend: str
    device: str
    context_tokens: int
    abilities: dict[Ability, str]
    """``yes``, or who says no: the profile, the library, the pipeline or the template."""
    report: SessionReport


def add_parser(commands: Any) -> None:
    """Adds the command to ``commands``, what ``add_subparsers`` returned."""
    parser = commands.add_parser(
        "describe", help="load a model and show what was asked and what the library reports"
    )
    parser.add_argument("model", metavar="MODEL")
    parser.add_argument("--device", help="the device, such as CPU or GPU")
    parser.add_argument("--backend", choices=("openvino", "llama"))
    parser.add_argument("--context", type=int, metavar="TOKENS", help="the context to load it with")
    parser.add_argument("--json", action="store_true")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace, services: Services) -> int:
    """Loads the model in the engine process and prints its report."""
    model = services.find_model(arguments.model, arguments.backend)
    options = TurnOptions(device=arguments.device, context_tokens=arguments.context)
    spec = services.prepare_load(model, options)
    report = services.describe(spec)
    library = services.report_backend(model.backend)
    judged = judge(profile_of(model), library, report)
    abilities = {one.ability: str(one.denied_by or "yes") for one in judged}
    if arguments.json:
        print(msgspec.json.encode(_described(spec, report, abilities)).decode())
    else:
        _print(Console(), spec, report, abilities)
    return 0


def _described(spec: LoadSpec, report: SessionReport, abilities: dict[Ability, str]) -> _Described:
    return _Described(
        model=spec.model_name,
        model_digest=spec.model_digest,
        profile_digest=spec.profile_digest,
        backend=spec.backend,
        device=spec.device,
        context_tokens=spec.context_tokens,
        abilities=abilities,
        report=report,
    )


def _print(
    console: Console, spec: LoadSpec, report: SessionReport, abilities: dict[Ability, str]
) -> None:
    console.print(
        f"{spec.model_name} on {spec.device}, {spec.backend}, {report.pipeline} pipeline,"
        f" {spec.context_tokens:,} tokens of context"
    )
    metrics = {name: _figure(name, value) for name, value in report.metrics.items()}
    for title, values in (
        ("can", {str(one): _told(said) for one, said in abilities.items()}),
        ("asked", report.asked),
        ("library", report.library),
        ("metrics", metrics),
    ):
        if values:
            table = Table(title, "", box=None)
            for name, value in sorted(values.items()):
                table.add_row(name, value)
            console.print(table)
    for note in report.notes:
        console.print(note)


def _told(said: str) -> str:
    return said if said == "yes" else f"no, says the {said}"


def _figure(name: str, value: float) -> str:
    """A metric for people: bytes in a unit, whole numbers without a fraction."""
    if name.endswith(_BYTES):
        return f"{format_bytes(int(value))} ({int(value):,} bytes)"
    return f"{value:,.0f}" if value == int(value) else f"{value:,.3f}"

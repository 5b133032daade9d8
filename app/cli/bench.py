"""``contenox bench --report local-node``: what a warm context is worth on this machine.

``--report workloads`` is in ``certify_bench.py``.
"""

import argparse
import itertools
from collections.abc import Iterator
from typing import Any, Final

import msgspec
from rich.console import Console
from rich.table import Table

from app.cli.certify_bench import REPORT, run_report
from app.core.errors import ContenoxError
from app.core.units import format_duration
from app.engine.backends.registry import NATIVE_BACKENDS
from app.engine.client import EngineClient
from app.models.library import InstalledModel
from app.workflows.context_bench import QUICK, ContextBench, Row, Sizes, compare_prefill
from app.workflows.services import Services, TurnOptions

LOCAL_NODE: Final = "local-node"


class BackendRows(msgspec.Struct, frozen=True, kw_only=True):
    """The rows of one backend. ``error`` says why there are none."""

    backend: str
    model: str
    device: str
    rows: tuple[Row, ...]
    error: str = ""


def add_parser(commands: Any) -> None:
    """Adds the command to ``commands``, what ``add_subparsers`` returned."""
    parser = commands.add_parser("bench", help="measure this machine with an installed model")
    parser.add_argument("--report", choices=(LOCAL_NODE, REPORT), default=LOCAL_NODE)
    parser.add_argument("--model", help="an installed model (default: the setting, or the starter)")
    parser.add_argument("--device", help="CPU or a GPU such as GPU.0 (default: automatic)")
    parser.add_argument("--backend", choices=NATIVE_BACKENDS, help="one backend (default: all)")
    parser.add_argument("--quick", action="store_true", help="short texts: a minute, not many")
    parser.add_argument("--json", action="store_true")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace, services: Services) -> int:
    """Prints each row as it comes; exit code 1 if a goal is missed or a prediction was wrong."""
    if arguments.report == REPORT:
        return run_report(arguments, services)
    sizes = QUICK if arguments.quick else Sizes()
    console = Console(stderr=arguments.json, highlight=False, soft_wrap=True)
    results: list[BackendRows] = []
    for backend in (arguments.backend,) if arguments.backend else NATIVE_BACKENDS:
        try:
            model = services.find_model(arguments.model, backend)
        except ContenoxError as error:
            results.append(
                BackendRows(backend=backend, model="", device="", rows=(), error=error.message)
            )
            console.print(f"{backend}: {error.message}")
            continue
        rows = list(_shown(console, _measure(services, model, arguments.device, sizes)))
        spec = services.prepare_load(model, TurnOptions(device=arguments.device))
        results.append(
            BackendRows(
                backend=backend, model=model.full_name, device=spec.device, rows=tuple(rows)
            )
        )
        console.print(f"\n{model.full_name} on {backend}, {spec.device}")
        for table in _tables(results[-1]):
            console.print(table)
    if arguments.json:
        print(msgspec.json.encode(results).decode())
    missed = [row for result in results for row in result.rows if row.reached is False]
    return 1 if missed or not any(result.rows for result in results) else 0


def _measure(
    services: Services, model: InstalledModel, device: str | None, sizes: Sizes
) -> Iterator[Row]:
    spec = services.prepare_load(model, TurnOptions(device=device))
    yield from ContextBench(services.engine, spec, sizes).run()
    if spec.backend == "openvino":
        yield from compare_prefill(
            lambda: EngineClient(log_dir=services.data_root.logs), spec, sizes
        )


def _shown(console: Console, rows: Iterator[Row]) -> Iterator[Row]:
    with console.status("measuring") as status:
        for row in rows:
            status.update(f"{row.table}: {row.name}")
            yield row


def _tables(result: BackendRows) -> Iterator[Table]:
    """One for each group of rows, narrow enough for a console."""
    for title, rows in itertools.groupby(result.rows, key=lambda row: row.table):
        table = Table(
            "measured", "tokens", "time", "ratio", "goal", "reuse: predicted", "measured",
            "prefix", "ok", title=title, title_justify="left", box=None,
        )  # fmt: skip
        notes: list[str] = []
        for row in rows:
            table.add_row(*_cells(row))
            if row.note:
                notes.append(f"{row.name}: {row.note}")
        if notes:
            table.caption = "\n".join(notes)
            table.caption_justify = "left"
        yield table


def _cells(row: Row) -> tuple[str, ...]:
    return (
        row.name,
        f"{row.tokens:,}" if row.tokens else "",
        "" if row.seconds is None else format_duration(row.seconds),
        "" if row.ratio is None else f"{row.ratio:.4f} of {row.of}",
        "" if row.goal is None else f"<= {row.goal}",
        "" if row.predicted_tokens is None else f"{row.predicted_tokens:,}",
        "" if row.measured_tokens is None else f"{row.measured_tokens:,}",
        row.stable_hash,
        {True: "yes", False: "NO", None: ""}[row.reached],
    )

"""``contenox bench --report workloads``: product and bare library on three labelled prompts."""

import argparse
from typing import Final

import msgspec
from msgspec import Struct
from rich.console import Console
from rich.table import Table

from app.certify.certificate import MachineFacts, Spread
from app.certify.control import library_control
from app.certify.product import EngineModel
from app.certify.workloads import Workload, run_workloads
from app.cli.interrupts import interrupts
from app.models.identity import Stopped
from app.workflows.certification_facts import machine_facts
from app.workflows.services import Services, TurnOptions

REPORT: Final = "workloads"
_PAIRS: Final = 5
_QUICK_PAIRS: Final = 1
_EXIT_STOPPED: Final = 130


class WorkloadReport(Struct, frozen=True, kw_only=True):
    """What ``--json`` prints. ``load_s`` are the seconds of the product's load."""

    machine: MachineFacts
    model: str
    model_digest: str
    backend: str
    device: str
    context_tokens: int
    load_s: float
    control_load_s: float | None
    workloads: tuple[Workload, ...]


def run_report(arguments: argparse.Namespace, services: Services) -> int:
    """Prints a row for each workload; a refused one has its reason. Exit code 130 if stopped."""
    model = services.find_model(arguments.model, arguments.backend)
    spec = services.prepare_load(model, TurnOptions(device=arguments.device))
    pairs = _QUICK_PAIRS if arguments.quick else _PAIRS
    console = Console(stderr=True)
    try:
        with (
            interrupts() as interrupted,
            library_control(spec) as control,
            console.status("loading", spinner="dots") as status,
        ):
            product = EngineModel(services.engine, spec, interrupted)
            load_s = product.load()
            status.update("measuring")
            found = tuple(run_workloads(product, control, spec.context_tokens, pairs))
            control_load_s = control.load_s if control is not None else None
    except Stopped:
        return _EXIT_STOPPED
    report = WorkloadReport(
        machine=machine_facts(services.list_devices()),
        model=model.full_name,
        model_digest=model.digest,
        backend=spec.backend,
        device=spec.device,
        context_tokens=spec.context_tokens,
        load_s=load_s,
        control_load_s=control_load_s,
        workloads=found,
    )
    if arguments.json:
        print(msgspec.json.encode(report).decode())
    else:
        _print(report)
    return 0


def _print(report: WorkloadReport) -> None:
    console = Console(highlight=False, soft_wrap=True)
    control = (
        "" if report.control_load_s is None else f", bare library {report.control_load_s:.1f} s"
    )
    console.print(
        f"{report.model} on {report.backend}, {report.device}; {report.machine.cpu};"
        f" loaded in {report.load_s:.1f} s{control}",
        markup=False,
    )
    table = Table("workload", "tokens", "first token, s", "bare", "prefill/s", "bare", "decode/s",
                  "bare", "ratio", box=None)  # fmt: skip
    for one in report.workloads:
        if one.figures is None:
            continue
        first, prefill = one.figures.ttft_s, one.figures.prefill_tokens_per_s
        decode = one.figures.decode_tokens_per_s
        table.add_row(
            one.label,
            f"{one.figures.prompt_tokens:,} + {one.figures.decode_tokens}",
            _median(first.product, 2),
            _median(first.control, 2),
            _median(prefill.product, 0),
            _median(prefill.control, 0),
            _median(decode.product, 1),
            _median(decode.control, 1),
            _median(decode.ratio, 3),
        )
    console.print(table)
    for one in report.workloads:
        if one.figures is None:
            console.print(f"{one.label}: refused, because {one.refusal}", markup=False)


def _median(spread: Spread | None, digits: int) -> str:
    return "none" if spread is None else f"{spread.median:.{digits}f}"

"""``contenox certify``: checks and measures a model on a device of this machine."""

import argparse
import sys
from pathlib import Path
from typing import Any, Final

import msgspec
from rich.console import Console
from rich.table import Table

from app.certify.certificate import Certificate, Level, Pace, Spread, encode_certificate
from app.certify.certificate_store import CertificateStore
from app.certify.certifier import Step
from app.certify.plan import LEAST_ROUNDS
from app.certify.render import estimate_words, render_page
from app.cli.interrupts import interrupts
from app.core.errors import DataFault, UserError
from app.core.files import write_atomic
from app.core.paths import profiles_dir
from app.core.units import format_bytes, format_duration
from app.models.identity import Stopped
from app.workflows.certification import Certification
from app.workflows.measured import MeasuredModels
from app.workflows.services import Services

_EXIT_FAILED: Final = 1
_WIDE: Final = 140  # where nobody looks, nothing is cut
_EXIT_STOPPED: Final = 130
_PASSED: Final = {True: "passed", False: "FAILED", None: "doesn't apply"}


def add_parser(commands: Any) -> None:
    """Adds the command to ``commands``, what ``add_subparsers`` returned."""
    parser = commands.add_parser("certify", help="check and measure a model on this machine")
    parser.add_argument(
        "model", nargs="?", metavar="MODEL", help="an installed model; without one, list what is"
    )
    parser.add_argument("--device", help="CPU or a GPU such as GPU.0 (default: automatic)")
    parser.add_argument("--backend", choices=("llama", "openvino"), help="which library runs it")
    parser.add_argument(
        "--context",
        type=int,
        metavar="N",
        help=("the context to measure with; beyond the trained one if the profile declares it"),
    )
    parser.add_argument(
        "--rounds", type=int, metavar="N",
        help="at most N runs with each longer prompt, for a slow machine",
    )  # fmt: skip
    parser.add_argument(
        "--quick", action="store_true", help="about a minute; gives a provisional result only"
    )
    parser.add_argument("--json", action="store_true", help="print the certificate as JSON")
    parser.add_argument(
        "--publish", action="store_true", help="also put it into profiles/certificates/"
    )
    parser.add_argument(
        "--render", action="store_true", help="write docs/certification.md from those, and end"
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace, services: Services) -> int:
    if arguments.render:
        return _render(published_folder())
    if arguments.model is None:
        return _list(services, as_json=arguments.json)
    return _certify(arguments, services)


def published_folder() -> Path:
    """Where the certificates lie that come with the program."""
    return profiles_dir() / "certificates"


def _certify(arguments: argparse.Namespace, services: Services) -> int:
    if arguments.rounds is not None and arguments.rounds < LEAST_ROUNDS:
        raise UserError(
            "rounds_too_few", "Every prompt has to be run at least once.", "Use --rounds 1 or more."
        )
    model = services.find_model(arguments.model, arguments.backend)
    certification = Certification(
        services,
        model,
        device=arguments.device,
        context_tokens=arguments.context,
        quick=arguments.quick,
        rounds=arguments.rounds,
    )
    shown = _Steps(quiet=arguments.json)
    shown.begin(certification)
    try:
        with interrupts() as interrupted:
            certificate = certification.run(shown.show, interrupted)
    except Stopped:
        print("It was stopped; the same command goes on from there.", file=sys.stderr)
        return _EXIT_STOPPED
    finally:
        shown.end()
    if arguments.publish:
        CertificateStore(published_folder()).save(certificate)
    if arguments.json:
        print(encode_certificate(certificate).decode(), end="")
    else:
        _print(certificate, Console())
    return _EXIT_FAILED if certificate.level is Level.FAILED else 0


class _Steps:
    """Says on stderr what is being done, and about how long it will take."""

    def __init__(self, *, quiet: bool) -> None:
        self._quiet = quiet
        self._console = Console(stderr=True)
        self._status = self._console.status("starting", spinner="dots")
        self._told = False

    def begin(self, certification: Certification) -> None:
        if self._quiet:
            return
        spec, plan = certification.spec, certification.plan
        how = "the quick run, about a minute" if plan.quick else "the full run"
        sizes = ", ".join(f"{size.prompt_tokens:,}" for size in plan.sizes)
        self._console.print(
            f"{certification.model.full_name} on {spec.device}, {spec.context_tokens:,} tokens of"
            f" context: {how}, with prompts of {sizes} tokens. Ctrl-C stops it; what is finished"
            " is kept.",
            highlight=False,
        )
        expected_s = certification.expected_s()
        if expected_s is not None:
            self._told = True
            self._say_time(expected_s)
        self._status.start()

    def show(self, step: Step) -> None:
        if self._quiet:
            return
        if step.expected_s is not None and not self._told:
            self._told = True
            self._say_time(step.expected_s)
        left = ""
        if step.expected_s is not None:
            left = f", about {format_duration(step.expected_s)} left"
        self._status.update(f"{step.number} of {step.total}: {step.name}{left}")

    def _say_time(self, seconds: float) -> None:
        self._console.print(f"This takes about {format_duration(seconds)}.", highlight=False)

    def end(self) -> None:
        self._status.stop()


def _print(one: Certificate, console: Console) -> None:
    speed = one.throughput
    console.print(
        f"[bold]{one.level}[/bold]: answers {one.quality.verdict}, throughput {speed.verdict}"
        f" ({one.model.name}/{one.model.variant}, {one.key.backend}, {one.key.device})",
        highlight=False,
    )
    for why in (*one.quality.reasons, *speed.reasons):
        console.print(f"  {why}", highlight=False, markup=False)
    console.print(_checks(one))
    console.print(_figures(one))
    load, cancel = speed.load, speed.cancel
    again = "" if load.cached_s is None else f", again {load.cached_s:.2f} s ({load.cached_note})"
    rest = [f"load {load.cold_s:.2f} s{again}"]
    if speed.warm is not None:
        rest.append(
            f"reuse: {speed.warm.reused_tokens:,} of {speed.warm.prompt_tokens:,} tokens, first"
            f" token in {speed.warm.ratio:.2f} of the time"
        )
    rest.append(f"cancel: {_ms(cancel.decode_ms)} while writing, {_ms(cancel.prefill_ms)} reading")
    if speed.peak_memory_bytes is not None:
        rest.append(f"memory: at most {format_bytes(speed.peak_memory_bytes)}")
    if speed.drift is not None:
        rest.append(f"the control changed by {speed.drift.share:.0%} from beginning to end")
    rest += estimate_words(one)
    rest += [f"{left.prompt_tokens:,} tokens not tested: {left.reason}" for left in
             speed.not_tested]  # fmt: skip
    rest += [f"unsupported: {mode.mode}. {mode.words}" for mode in one.unsupported]
    for line in rest:
        console.print(f"  {line}", highlight=False, markup=False)


def _checks(one: Certificate) -> Table:
    table = Table("check", "required", "result", "seen", box=None)
    for check in one.quality.checks:
        required = "yes" if check.required else ""
        table.add_row(check.name, required, _PASSED[check.passed], _plain(check.detail))
    return table


def _figures(one: Certificate) -> Table:
    names = ("prompt", "first, s", "prefill/s", "decode/s", "control/s", "ratio", "ids")
    table = Table(*names, box=None)
    for depth in one.throughput.depths:
        decode: Pace = depth.decode_tokens_per_s
        table.add_row(
            f"{depth.prompt_tokens:,}",
            f"{depth.ttft_s.product.median:.3f}",
            f"{depth.prefill_tokens_per_s.product.median:.0f}",
            _spread(decode.product, 1),
            "none" if decode.control is None else f"{decode.control.median:.1f}",
            _spread(decode.ratio, 3),
            "same" if depth.same_ids else "differ",
        )
    return table


def _spread(spread: Spread | None, digits: int) -> str:
    if spread is None:
        return "none"
    text = f"{spread.median:.{digits}f}"
    if spread.runs > 1:
        text += f" ({spread.low:.{digits}f}..{spread.high:.{digits}f})"
    return text


def _ms(spread: Spread | None) -> str:
    return "not timed" if spread is None else f"{spread.median:.0f} ms"


def _plain(text: str) -> str:
    """Text of a model, which is no markup."""
    return text.replace("[", "\\[")


def _list(services: Services, *, as_json: bool) -> int:
    found, broken = services.certified.store.survey()
    for one in broken:
        print(f"{one.path.name} is no certificate: {one.reason}", file=sys.stderr)
    if as_json:
        print(msgspec.json.encode(found).decode())
        return 0
    if not found:
        print("No model is certified yet. Begin with: contenox certify MODEL --quick")
        return 0
    names = ("model", "device", "level", "decode/s", "context", "date", "holds")
    table = Table(*names, box=None)
    for row in MeasuredModels(services).survey():
        certificate, rate = row.certificate, row.certificate.decode_tokens_per_s
        table.add_row(
            row.title,
            certificate.key.device,
            certificate.level,
            "" if rate is None else f"{rate:.1f}",
            f"{certificate.context_tokens:,}{' (beyond)' if certificate.beyond_trained else ''}",
            certificate.date[:10],
            "yes" if row.stale is None else f"no: {row.stale.replace('_', ' ')}",
        )
    Console(width=None if sys.stdout.isatty() else _WIDE).print(table)
    return 0


def _render(folder: Path) -> int:
    target = folder.parent.parent / "docs" / "certification.md"
    if not target.parent.is_dir():
        raise UserError(
            "no_docs",
            "This installation has no docs folder, so there is no page to write.",
            "Run it in a checkout of the source.",
        )
    found, broken = CertificateStore(folder).survey()
    if broken:
        names = ", ".join(one.path.name for one in broken)
        raise DataFault(
            "certificate_invalid",
            f"{names} in profiles/certificates/ is no certificate: {broken[0].reason}.",
            "Mend or remove it; it was set aside under that name.",
        )
    write_atomic(target, render_page(found).encode())
    print(f"{target.name} has {len(found)} certificates.")
    return 0

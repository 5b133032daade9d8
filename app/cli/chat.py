"""``contenox chat``: one question, the answer streamed to stdout, the figures to stderr."""

import argparse
import queue
import sys
from typing import Any, Final

import msgspec
from msgspec import Struct
from rich.console import Console
from rich.status import Status

from app.cli.interrupts import interrupts
from app.core.errors import ContenoxError, ErrorRecord, UserError, from_record
from app.core.units import format_duration
from app.engine.chat import ChatMessage, Role, Sampling
from app.engine.manifest import SegmentKind
from app.engine.outcome import DeltaKind, FinishReason, Timings
from app.engine.protocol import (
    Delta,
    Failed,
    Finished,
    Generate,
    LoadProgress,
    PrefillProgress,
)
from app.models.library import InstalledModel
from app.workflows.automatic import automatic_device, automatic_variant
from app.workflows.context_overflow import remedy_for
from app.workflows.cpu_retry import RetriedOnCpu, TurnEvent
from app.workflows.measured import MeasuredModels
from app.workflows.services import Services, TurnOptions

_EXIT_CANCELLED: Final = 130
# How often the waiting console looks for Ctrl-C.
_POLL_S: Final = 0.1

_ENDS: Final = {
    FinishReason.LENGTH: "it reached --max-tokens",
    FinishReason.CANCELLED: "it was cancelled",
    FinishReason.DEADLINE: "its time was up",
    FinishReason.CONTEXT_FULL: "the model's context is full",
    FinishReason.POOL_EXHAUSTED: "the memory set aside for the context was used up",
    FinishReason.REPETITION: "it repeated itself",
    FinishReason.STALLED: "the model made no progress",
}


class _UsageReport(Struct, frozen=True, kw_only=True):
    prompt_tokens: int
    reused_tokens: int
    completion_tokens: int


class _ModelReport(Struct, frozen=True, kw_only=True):
    name: str
    digest: str


class _FailureReport(Struct, frozen=True, kw_only=True):
    device: str
    code: str
    message: str


class _Answer(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What ``--json`` prints last. ``failed_before`` is there where another device had failed."""

    text: str
    finish_reason: FinishReason
    usage: _UsageReport
    timings: Timings
    model: _ModelReport
    device: str
    backend: str
    failed_before: _FailureReport | None = None


def add_parser(commands: Any) -> None:
    """Adds the command to ``commands``, what ``add_subparsers`` returned."""
    parser = commands.add_parser("chat", help="ask a model one question")
    parser.add_argument("prompt", metavar="PROMPT", help="the question; - reads it from stdin")
    parser.add_argument("--model", help="an installed model (default: the setting, or the starter)")
    parser.add_argument("--device", help="CPU or a GPU such as GPU.0 (default: automatic)")
    parser.add_argument("--backend", choices=("llama", "openvino"), help="which library runs it")
    parser.add_argument("--system", metavar="TEXT", help="the system prompt")
    parser.add_argument("--max-tokens", type=_positive, default=1024, metavar="N")
    parser.add_argument("--temperature", type=_temperature, default=0.0, metavar="T")
    parser.add_argument("--seed", type=_seed, metavar="S")
    parser.add_argument("--json", action="store_true", help="print one JSON object at the end")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace, services: Services) -> int:
    options = TurnOptions(
        device=arguments.device,
        sampling=Sampling(temperature=arguments.temperature, seed=arguments.seed),
        max_tokens=arguments.max_tokens,
    )
    messages = _messages(arguments)
    model = services.find_model(arguments.model, arguments.backend)
    request = services.prepare_turn(model, messages, options)
    _say_why(arguments, services, model)
    written = _stream(services, request, quiet=arguments.json)
    finished = written.finished
    if arguments.json:
        print(msgspec.json.encode(_answer(written)).decode())
    else:
        print(_figures(written), file=sys.stderr)
        _offer_check(services, model)
    return _EXIT_CANCELLED if finished.reason is FinishReason.CANCELLED else 0


def _say_why(arguments: argparse.Namespace, services: Services, model: InstalledModel) -> None:
    """What numbers chose, and no person, is told with them."""
    chosen = [automatic_device(services, model, arguments.device)]
    if arguments.backend is None and "/" not in (arguments.model or ""):
        chosen.insert(0, automatic_variant(services, model))
    for one in chosen:
        if one is not None:
            print(one.sentence, file=sys.stderr)


def _offer_check(services: Services, model: InstalledModel) -> None:
    """After its first answer: a GPU that the model was never checked on is named, once."""
    offered = MeasuredModels(services).offer(model)
    if offered is not None:
        print(
            f"{model.name} was never checked on {offered.device_name}, so automatic means the CPU."
            f" About a minute: contenox certify {offered.model} --device {offered.device} --quick",
            file=sys.stderr,
        )


def _messages(arguments: argparse.Namespace) -> tuple[ChatMessage, ...]:
    prompt = arguments.prompt
    if prompt == "-":
        try:
            prompt = sys.stdin.buffer.read().decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise UserError(
                "not_utf8", f"The text on stdin is not UTF-8 (byte {error.start}).",
                "Save it as UTF-8 and try again.",
            ) from error  # fmt: skip
    if not prompt.strip():
        raise UserError("prompt_empty", "There is nothing to answer.", "Write a question.")
    messages = [ChatMessage(role=Role.USER, content=prompt)]
    if arguments.system:
        messages.insert(0, ChatMessage(role=Role.SYSTEM, content=arguments.system))
    return tuple(messages)


class _Written(Struct, frozen=True, kw_only=True):
    """``request`` is what was answered in the end, ``retried`` tells of the one that failed."""

    request: Generate
    text: str
    finished: Finished
    retried: RetriedOnCpu | None


def _stream(services: Services, request: Generate, *, quiet: bool) -> _Written:
    """Prints the answer as it comes; the first Ctrl-C cancels, and the end is still awaited."""
    events: queue.SimpleQueue[TurnEvent] = queue.SimpleQueue()
    services.turns.submit(request, events.put)
    pieces: list[str] = []
    retried: RetriedOnCpu | None = None
    console = Console(stderr=True)
    with interrupts() as interrupted, console.status("starting", spinner="dots") as status:
        while True:
            try:
                event = events.get(timeout=_POLL_S)
            except queue.Empty:
                if interrupted():
                    services.turns.cancel(request.request)
                continue
            if interrupted():
                services.turns.cancel(request.request)
            match event:
                case Delta(kind=DeltaKind.TEXT, text=text):
                    pieces.append(text)
                    if not quiet:
                        status.stop()
                        print(text, end="", flush=True)
                case Finished():
                    break
                case Failed():
                    _end_line(pieces, quiet=quiet)
                    raise _failure(event.error, request)
                case RetriedOnCpu():
                    retried = event
                    begun = "\n" if pieces and not quiet else ""
                    console.print(begun + _goes_on(event), markup=False, highlight=False)
                case _:
                    _show(status, event)
    _end_line(pieces, quiet=quiet)
    return _Written(
        request=request if retried is None else retried.again,
        text="".join(pieces),
        finished=event,
        retried=retried,
    )


def _failure(error: ErrorRecord, request: Generate) -> ContenoxError:
    """The engine doesn't know that there is no history and no file: what helps is said here."""
    if error.code == "context_overflow":
        sizes = ((SegmentKind(one.role.value), len(one.content)) for one in request.messages)
        error = msgspec.structs.replace(error, remedy=remedy_for(sizes))
    return from_record(error)


def _end_line(pieces: list[str], *, quiet: bool) -> None:
    if not quiet and pieces and not pieces[-1].endswith("\n"):
        print(flush=True)


def _goes_on(event: RetriedOnCpu) -> str:
    said = event.error.message.rstrip(".")
    return f"{event.device} failed: {said} [{event.error.code}]; the CPU goes on with the answer"


def _show(status: Status, event: TurnEvent) -> None:
    match event:
        case LoadProgress(stage=stage, fraction=fraction):
            share = "" if fraction is None else f" {fraction:.0%}"
            status.update(f"{stage}{share}")
        case PrefillProgress():
            status.update(f"reading {event.total_tokens:,} tokens, {event.done_tokens:,} done")


def _answer(written: _Written) -> _Answer:
    spec, finished, retried = written.request.spec, written.finished, written.retried
    usage = finished.usage
    return _Answer(
        text=written.text,
        finish_reason=finished.reason,
        usage=_UsageReport(
            prompt_tokens=usage.prompt_tokens,
            reused_tokens=usage.reused_tokens,
            completion_tokens=usage.completion_tokens,
        ),
        timings=finished.timings,
        model=_ModelReport(name=spec.model_name, digest=spec.model_digest),
        device=spec.device,
        backend=spec.backend,
        failed_before=None
        if retried is None
        else _FailureReport(
            device=retried.device, code=retried.error.code, message=retried.error.message
        ),
    )


def _figures(written: _Written) -> str:
    """One line for a person: what was counted and measured, prefill and decode apart."""
    finished = written.finished
    usage, timings = finished.usage, finished.timings
    parts = [f"{usage.prompt_tokens} tokens read"]
    if usage.reused_tokens:
        parts[0] += f" ({usage.reused_tokens} reused)"
    if timings.prefill_tokens_per_s is not None:
        parts.append(f"{timings.prefill_tokens_per_s:.1f} tokens/s prefill")
    if timings.ttft_s is not None:
        parts.append(f"first token after {format_duration(timings.ttft_s)}")
    parts.append(f"{usage.completion_tokens} tokens written")
    if timings.decode_tokens_per_s is not None:
        parts.append(f"{timings.decode_tokens_per_s:.1f} tokens/s decode")
    if timings.load_s:
        parts.append(f"loaded in {format_duration(timings.load_s)}")
    if finished.reason in _ENDS:
        parts.append(f"it ended because {_ENDS[finished.reason]}")
    if written.retried is not None:
        parts.append(f"written on the CPU after {written.retried.device} had failed")
    return "; ".join(parts)


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return number


def _temperature(text: str) -> float:
    number = float(text)
    if not 0 <= number <= 2:
        raise argparse.ArgumentTypeError("must be between 0 and 2")
    return number


def _seed(text: str) -> int:
    value = int(text)
    if not 0 <= value < 2**63:
        raise argparse.ArgumentTypeError("a seed is a whole number from 0 to 9223372036854775807")
    return value

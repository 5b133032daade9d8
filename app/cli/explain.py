"""``contenox explain``: what a prompt is made of, and what of it is reused."""

import argparse
import contextlib
import os
from pathlib import Path
from typing import Any, Final

import msgspec
from rich.console import Console
from rich.table import Table

from app.chats.records import ChatSettings, OverflowChoice
from app.chats.store import ChatStore
from app.core.errors import UserError
from app.core.units import format_duration
from app.engine.manifest import SegmentKind, SegmentRecord
from app.engine.outcome import ContextReport
from app.workflows.context import ChatParts, chat_segments, with_context, with_reserve
from app.workflows.context_chat import stored_talk
from app.workflows.context_files import pin
from app.workflows.context_overflow import Overflow
from app.workflows.context_talk import Cut, Talk
from app.workflows.explain import Explanation, Pass, explain
from app.workflows.services import Services
from app.workflows.turn_options import turn_options

_PASTED: Final = {
    SegmentKind.DIFF: "a pasted diff",
    SegmentKind.TEST_OUTPUT: "pasted output of tests",
    SegmentKind.TERMINAL: "a pasted log",
}
_CHOICES: Final = {
    OverflowChoice.LEAVE_OUT_OLDEST: "leave that out",
    OverflowChoice.SUMMARISE: "summarise the oldest messages",
    OverflowChoice.NEW_CHAT: "new chat with the pinned files",
}


def add_parser(commands: Any) -> None:
    """Adds the command to ``commands``, what ``add_subparsers`` returned."""
    parser = commands.add_parser(
        "explain", help="show what a prompt is made of and what of it is reused"
    )
    parser.add_argument("prompt", metavar="PROMPT", nargs="?", default="", help="the question")
    parser.add_argument("--chat", metavar="ID", help="a stored chat, with its files and history")
    parser.add_argument("--system", metavar="TEXT", default="", help="the system prompt")
    parser.add_argument(
        "--pin", metavar="FILE", nargs="+", action="extend", default=[],
        help="files and folders that are part of every prompt",
    )  # fmt: skip
    parser.add_argument("--model", help="an installed model (default: the setting, or the starter)")
    parser.add_argument("--device", help="CPU or a GPU such as GPU.0 (default: automatic)")
    parser.add_argument("--backend", choices=("llama", "openvino"), help="which library runs it")
    parser.add_argument("--context", type=int, metavar="N", help="tokens of context to load with")
    parser.add_argument(
        "--reserve", type=int, metavar="N", help="for the answer (default: as the window does)"
    )
    parser.add_argument("--count-only", action="store_true", help="compute nothing, only count")
    parser.add_argument("--json", action="store_true")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace, services: Services) -> int:
    talk, settings = _talk(arguments, services)
    segments = chat_segments(talk.read())
    if not segments:
        raise UserError(
            "prompt_empty", "There is nothing to explain.", "Write a question, or name a chat."
        )
    if arguments.model is None and settings.model_name is not None:
        model = services.find_model(settings.model_name, arguments.backend or settings.backend)
    else:
        model = services.find_model(arguments.model, arguments.backend)
    options = turn_options(settings.sampling, device=arguments.device or settings.device)
    options = msgspec.structs.replace(options, context_tokens=arguments.context)
    turn = with_reserve(with_context(services.prepare_turn(model, (), options), segments))
    if arguments.reserve is not None:
        turn = msgspec.structs.replace(turn, reserve_tokens=arguments.reserve)
    explained = explain(services.engine, turn, measure=not arguments.count_only, talk=talk)
    if arguments.json:
        print(msgspec.json.encode(explained).decode())
    else:
        _show(explained)
    if explained.overflow is not None:
        raise _refusal(explained.overflow)
    return 0


def _talk(arguments: argparse.Namespace, services: Services) -> tuple[Talk, ChatSettings]:
    """What is explained, and what a stored chat is answered with."""
    prompt, files = arguments.prompt, [Path(one) for one in arguments.pin]
    if not prompt and files and not os.path.exists(files[-1]):  # noqa: PTH110 - any text may come
        # "--pin FILE... PROMPT" gives the prompt to --pin.
        files.pop()
        prompt = arguments.pin[-1]
    pinned = pin(files)
    if arguments.chat is None:
        parts = ChatParts(system=arguments.system, pinned=pinned, turn=prompt)
        return Talk(parts=parts, message_ids=("turn",)), ChatSettings()
    with contextlib.closing(ChatStore(services.data_root.chats)) as store:
        stored = stored_talk(store, arguments.chat, prompt)
        settings = store.conversation(arguments.chat).result().settings
    parts = msgspec.structs.replace(
        stored.parts,
        system=arguments.system or stored.parts.system,
        pinned=(*stored.parts.pinned, *pinned),
    )
    return msgspec.structs.replace(stored, parts=parts), settings


def _show(explained: Explanation) -> None:
    console = Console(highlight=False, soft_wrap=True)
    report = explained.report
    console.print(f"{explained.model} on {explained.backend}, {explained.device}")
    console.print(_segments(report))
    console.print(
        f"prompt {report.prompt_tokens:,} + answer {report.reserve_tokens:,} ="
        f" {report.needed_tokens:,} of {report.context_tokens:,} tokens;"
        f" stable prefix {report.manifest.stable_tokens:,},"
        f" hash {report.manifest.stable_token_sha256[:12]}"
    )
    if report.pool_blocks_needed:
        console.print(f"{report.pool_blocks_needed:,} blocks of the cache are needed")
    if explained.cut is not None:
        console.print(f"Left out first: {_cut(explained.cut)}.")
    for name, one in (("first reading", explained.first), ("second reading", explained.second)):
        if one is not None:
            console.print(f"{name}: {_reading(one)}")
    if explained.after is not None:
        shares = ", ".join(f"{key} {share:.0%}" for key, share in explained.after.reused.items())
        console.print(f"cache {explained.after.usage:.1%} held; reused by class: {shares}")
    if explained.why_not:
        console.print(f"nothing is reused: {explained.why_not}")
    for note in report.notes:
        console.print(note)


def _segments(report: ContextReport) -> Table:
    table = Table("segment", "name", "class", "kept", "tokens", "from", "sha256", box=None)
    for one in report.manifest.segments:
        table.add_row(*_row(one))
        for part in one.inside:
            table.add_row(*_row(part, "  "))
    return table


def _row(one: SegmentRecord, indent: str = "") -> tuple[str, ...]:
    return (
        indent + one.kind,
        one.name,
        one.kind.cache_class.name.lower(),
        "stable" if one.kind.stable else "",
        "" if one.tokens is None else f"{one.tokens:,}",
        _start(one),
        one.text_sha256[:12],
    )


def _start(one: SegmentRecord) -> str:
    return "" if one.token_start is None else f"{one.token_start:,}"


def _reading(one: Pass) -> str:
    found = one.measured_reused_tokens
    parts = [f"{one.predicted_reused_tokens:,} tokens of reuse predicted"]
    parts.append("not measured" if found is None else f"{found:,} measured")
    if one.agrees is not None:
        parts.append("as predicted" if one.agrees else "NOT as predicted")
    if one.ttft_s is not None:
        parts.append(f"first token after {format_duration(one.ttft_s)}")
    return ", ".join(parts)


def _cut(cut: Cut) -> str:
    """What would be left out, in words."""
    parts = [
        f"{_PASTED[one.where.kind]} of {one.where.lines:,} lines ({one.part.tokens:,} tokens)"
        for one in cut.pasted
    ]
    if cut.messages:
        which = "oldest message" if cut.messages == 1 else f"{cut.messages:,} oldest messages"
        parts.append(f"the {which} ({cut.message_tokens:,} tokens)")
    again = f"; then about {cut.read_again_tokens:,} tokens after it are read again"
    return "; ".join(parts) + (again if cut.read_again_tokens else "")


def _refusal(overflow: Overflow) -> UserError:
    """What an answer to this prompt would be refused with."""
    remedy: str = overflow.remedy
    if overflow.choices:
        words = ", ".join(_CHOICES[choice] for choice in overflow.choices)
        remedy = f"In the window you can choose: {words}."
    return UserError(
        "context_overflow",
        f"It does not fit: {overflow.needed_tokens:,} tokens are needed,"
        f" {overflow.available_tokens:,} are available; {overflow.fixed_tokens:,} of them are fixed"
        f" and {overflow.history_tokens:,} are history.",
        remedy,
    )

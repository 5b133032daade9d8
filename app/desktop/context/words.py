"""The context of a chat in words: what is in it, what is read already, why a turn waits."""

from typing import Final

import msgspec
from PySide6.QtCore import QCoreApplication

from app.desktop.context import full_words
from app.desktop.context.parts import Group, Part
from app.desktop.wording import number
from app.engine.manifest import (
    CacheClass,
    Manifest,
    SegmentKind,
    SegmentRecord,
    join_history,
    reused_by_class,
)
from app.engine.outcome import ContextReport, PoolReport, Usage
from app.workflows.context import SUMMARY_NAME
from app.workflows.context_pins import Pin, PinState
from app.workflows.context_talk import Talk

# Qt's extractor knows this name.
translate = QCoreApplication.translate

# Parts of which there is one: a name would say nothing.
_NAMELESS: Final = (SegmentKind.SYSTEM, SegmentKind.USER)


def kind_name(kind: SegmentKind) -> str:
    """What a part of a prompt is called."""
    return {
        SegmentKind.SYSTEM: translate("context", "System prompt"),
        SegmentKind.TOOLS: translate("context", "Tools"),
        SegmentKind.REPO_RULES: translate("context", "Rules of a folder"),
        SegmentKind.REPO_MAP: translate("context", "Map of a folder"),
        SegmentKind.PINNED: translate("context", "Pinned file"),
        SegmentKind.DIFF: translate("context", "Diff"),
        SegmentKind.TEST_OUTPUT: translate("context", "Test output"),
        SegmentKind.TERMINAL: translate("context", "Log"),
        SegmentKind.HISTORY: translate("context", "Earlier messages"),
        SegmentKind.USER: translate("context", "Your message"),
    }[kind]


def segment_name(one: SegmentRecord) -> str:
    """What tells a part of a prompt from others of its kind."""
    if one.kind is SegmentKind.PINNED and one.name == SUMMARY_NAME:
        return translate("context", "summary of what was said before")
    return "" if one.kind in _NAMELESS else one.name


def inside_name(one: SegmentRecord) -> str:
    """What was pasted into the messages of the part above."""
    return translate("context", "in it: {kind}").format(kind=kind_name(one.kind))


def template_name() -> str:
    """What the chat template writes around the parts."""
    return translate("context", "Chat template")


def class_name(worth: CacheClass) -> str:
    """How much it is worth to keep a part ready."""
    return {
        CacheClass.HIGHEST: translate("context", "highest"),
        CacheClass.HIGH: translate("context", "high"),
        CacheClass.MEDIUM: translate("context", "medium"),
        CacheClass.LOW: translate("context", "low"),
    }[worth]


def pin_state(state: PinState) -> str:
    """What became of a pinned file; empty where it is the same."""
    return {
        PinState.CHANGED: translate("context", "changed since it was pinned"),
        PinState.MISSING: translate("context", "not there any more; the chat has its own copy"),
    }.get(state, "")


def used(used_tokens: int, context_tokens: int) -> str:
    """How full the context is."""
    return translate("context", "{used} of {available} tokens").format(
        used=number(used_tokens), available=number(context_tokens)
    )


def reuse(usage: Usage) -> str:
    """What of the last prompt had been read before: as predicted, and as measured."""
    predicted, reused = number(usage.predicted_reused_tokens), number(usage.reused_tokens)
    if not usage.reuse_measured:
        return translate(
            "context", "{predicted} tokens predicted; this pipeline measures nothing"
        ).format(predicted=predicted)
    if usage.predicted_reused_tokens == usage.reused_tokens:
        return translate("context", "{reused} tokens, as predicted").format(reused=reused)
    return translate("context", "{reused} tokens measured, {predicted} were predicted").format(
        reused=reused, predicted=predicted
    )


def group_name(group: Group) -> str:
    """What a part of the bar is called."""
    return {
        Group.INSTRUCTIONS: translate("context", "Instructions"),
        Group.FILES: translate("context", "Pinned files"),
        Group.HISTORY: translate("context", "Earlier messages"),
        Group.TURN: translate("context", "Your message"),
    }[group]


def bar(report: ContextReport, parts: tuple[Part, ...], talk: Talk) -> str:
    """The bar in words."""
    lines = [
        translate("context", "{used} of {available} tokens are used for the next turn.").format(
            used=number(report.prompt_tokens), available=number(report.context_tokens)
        )
    ]
    lines += [f"{group_name(one.group)}: {number(one.tokens)}" for one in parts]
    lines.append(
        translate("context", "Room for the answer: {count}").format(
            count=number(report.reserve_tokens)
        )
    )
    lines.append(ready(report))
    if not report.fits:
        lines.append(translate("context", "This is more than the model can read."))
    lines += full_words.left_out_sentences(talk)
    return "\n".join(lines)


def ready(report: ContextReport) -> str:
    """What of the next turn is read already, or why nothing is."""
    if report.pool is None:
        return translate("context", "The model isn't loaded, so nothing is read yet.")
    if not report.predicted_reused_tokens:
        return translate("context", "Nothing of it is read yet.")
    return translate("context", "{reused} of them are read already.").format(
        reused=number(report.predicted_reused_tokens)
    )


def pin_label(name: str, pin: Pin, tokens: int | None) -> str:
    """A pinned file in a few words; ``name`` may be shortened."""
    text = name if tokens is None else f"{name} · {number(tokens)}"
    if pin.state is PinState.CHANGED:
        return translate("context", "{file} · changed").format(file=text)
    if pin.state is PinState.MISSING:
        return translate("context", "{file} · gone").format(file=text)
    return text


def pin_sentence(pin: Pin, tokens: int | None) -> str:
    """All that is known about a pinned file."""
    lines = [f"{kind_name(pin.kind)}: {pin.name}"]
    if tokens is not None:
        lines.append(translate("context", "{count} tokens").format(count=number(tokens)))
    state = pin_state(pin.state)
    if state:
        lines.append(state)
    if pin.source:
        lines.append(pin.source)
    return "\n".join(lines)


def columns() -> tuple[str, ...]:
    """The headings of the panel's table."""
    return (
        translate("context", "Part"),
        translate("context", "Name"),
        translate("context", "Worth keeping"),
        translate("context", "Tokens"),
        translate("context", "Read already"),
    )


def used_with_reserve(report: ContextReport) -> str:
    """The sum of the next turn."""
    return translate(
        "context", "{prompt} tokens and {reserve} for the answer, of {available}"
    ).format(
        prompt=number(report.prompt_tokens),
        reserve=number(report.reserve_tokens),
        available=number(report.context_tokens),
    )


def summary_sentence(summary: str) -> str:
    return translate("context", "A summary stands for them: {summary}").format(summary=summary)


def stable(tokens: int, sha256: str) -> str:
    """The beginning that every turn has."""
    return translate("context", "{count} tokens at the beginning, hash {hash}").format(
        count=number(tokens), hash=sha256[:12]
    )


def pool(report: PoolReport) -> str:
    """How full the model's cache is."""
    return translate("context", "{held} of {capacity} tokens held").format(
        held=number(report.held_tokens), capacity=number(report.capacity_tokens)
    )


def reused_shares(manifest: Manifest, reused_tokens: int) -> str:
    """How much of each class was reused, such as "highest 100 %, low 40 %"."""
    shares = reused_by_class(manifest, reused_tokens)
    return ", ".join(
        f"{class_name(one)} {shares[one] * 100:.0f} %" for one in sorted(shares, reverse=True)
    )


def joined_history(segments: tuple[SegmentRecord, ...]) -> tuple[SegmentRecord, ...]:
    """The parts with the turns of the history as one, under a name of this language."""
    turns = sum(one.kind is SegmentKind.HISTORY for one in segments)
    name = translate("context", "{count} messages").format(count=number(turns))
    return tuple(
        msgspec.structs.replace(one, name=name) if one.kind is SegmentKind.HISTORY else one
        for one in join_history(segments)
    )


def why_not(report: ContextReport) -> str:
    """Why a loaded model holds no beginning of the prompt."""
    if report.differs_in == "stable_token_sha256":
        return translate("context", "The last turn began with other instructions or files.")
    if report.differs_in:
        return translate("context", "The last turn differs in {field}.").format(
            field=report.differs_in
        )
    return translate("context", "The model has not read this beginning yet, or has lost it since.")

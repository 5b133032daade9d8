"""The context of a chat in words: what is in it, what is read already, why a turn waits."""

from typing import Final

import msgspec
from PySide6.QtCore import QCoreApplication

from app.chats.records import OverflowChoice
from app.desktop.context.parts import Group, Part
from app.desktop.conversation import Conversation
from app.desktop.dates import moment_briefly
from app.desktop.turn_gate import Hold
from app.desktop.wording import error_line, number
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
from app.workflows.context_overflow import Remedy
from app.workflows.context_pins import Pin, PinState
from app.workflows.context_talk import Cut, PastedText, Talk
from app.workflows.reading_speed import SlowReading, SpeedSource

# Qt's extractor knows this name.
translate = QCoreApplication.translate

_MINUTE_S: Final = 60.0
# Parts of which there is one: a name would say nothing.
_NAMELESS: Final = (SegmentKind.SYSTEM, SegmentKind.USER)


def held(hold: Hold, chat: Conversation) -> tuple[str, str]:
    """Why a turn waits for the person, as a headline and a sentence with its sum."""
    if hold.slow is not None:
        return _slow(hold, hold.slow, chat)
    headline = translate("context", "This no longer fits into the model's context.")
    first = _first_cut(hold, chat)
    overflow = hold.overflow
    if overflow is None:
        if hold.error is None:
            return headline, first
        if hold.asked.talk.parts.history:
            return headline, _sentences(error_line(hold.error), first)
        return headline, _remedy(hold.asked.talk.remedy())
    sums = translate(
        "context",
        "{needed} tokens are needed, with room for the answer; {available} are available.",
    ).format(needed=number(overflow.needed_tokens), available=number(overflow.available_tokens))
    if not overflow.choices:
        rest = translate(
            "context",
            "Even without earlier messages it would be {fixed}. {remedy}",
        ).format(fixed=number(overflow.fixed_tokens), remedy=_remedy(overflow.remedy))
        if not overflow.history_tokens:
            rest = _remedy(overflow.remedy)
    elif hold.error is not None:
        rest = error_line(hold.error)
    else:
        rest = translate(
            "context",
            "Earlier messages take {history} of them. Nothing is left out unless you say so.",
        ).format(history=number(overflow.history_tokens))
    return headline, _sentences(sums, rest, first)


def _remedy(remedy: Remedy) -> str:
    return {
        Remedy.UNPIN: translate("context", "Unpin a file, or shorten the message."),
        Remedy.SHORTEN_OR_UNPIN: translate("context", "Shorten the message, or unpin a file."),
        Remedy.SHORTEN_SYSTEM: translate("context", "Shorten the system prompt, or the message."),
        Remedy.SHORTEN: translate("context", "Shorten the message."),
    }[remedy]


def _slow(hold: Hold, slow: SlowReading, chat: Conversation) -> tuple[str, str]:
    least, most = (max(1, round(one / _MINUTE_S)) for one in (slow.least_s, slow.most_s))
    if slow.source is SpeedSource.ESTIMATED:
        headline = translate("context", "Reading this may take {least} to {most} minutes.").format(
            least=number(least), most=number(most)
        )
        if least == most:
            headline = translate("context", "Reading this may take about {minutes} min.").format(
                minutes=number(most)
            )
    elif most > 1:
        headline = translate("context", "Reading this takes about {minutes} minutes.").format(
            minutes=number(most)
        )
    else:
        headline = translate("context", "Reading this takes about a minute.")
    tokens = 0 if hold.report is None else hold.report.unread_tokens
    sentence = translate(
        "context",
        "{tokens} tokens have to be read before the first word. It can be stopped at any time.",
    ).format(tokens=number(tokens))
    return headline, _sentences(sentence, _source(slow.source), _first_cut(hold, chat))


def _source(source: SpeedSource) -> str:
    """Where the figure comes from."""
    return {
        SpeedSource.CERTIFIED: translate(
            "context", "The speed was measured when this model was checked on this computer."
        ),
        SpeedSource.MEASURED: translate(
            "context", "The speed was measured with this model on this computer."
        ),
        SpeedSource.ESTIMATED: translate(
            "context",
            "This is estimated from what the processor can do; the model was not measured here"
            " yet.",
        ),
    }[source]


def _first_cut(hold: Hold, chat: Conversation) -> str:
    """What the choice to leave something out would leave out."""
    if not hold.cut:
        return ""
    return translate(
        "context",
        "What can be left out first: {parts}. Everything stays in the chat; the model just does not"
        " read it any more.",
    ).format(parts=_cut_parts(hold.cut, chat))


def left_out_now(cut: Cut, chat: Conversation) -> tuple[str, str]:
    """What was left out by the choice that a chat remembers, as a headline and a sentence."""
    headline = translate("context", "Something was left out, so that the chat fits.")
    sentence = translate(
        "context",
        "Left out: {parts}. Everything stays in the chat; the model just does not read it any"
        " more.",
    ).format(parts=_cut_parts(cut, chat))
    return headline, sentence


def _cut_parts(cut: Cut, chat: Conversation) -> str:
    parts = [pasted_text(one, chat) for one in cut.pasted]
    if cut.messages:
        parts.append(_oldest(cut))
    return "; ".join(parts)


def _oldest(cut: Cut) -> str:
    which = translate("context", "the oldest message")
    if cut.messages > 1:
        which = translate("context", "the {count} oldest messages").format(
            count=number(cut.messages)
        )
    if not cut.message_tokens:
        return which
    tokens = translate("context", "{count} tokens").format(count=number(cut.message_tokens))
    return f"{which} ({tokens})"


def pasted_text(one: PastedText, chat: Conversation) -> str:
    """A pasted text, such as "the pasted log of 12:03 (312 lines, 2,300 tokens)"."""
    name = {
        SegmentKind.DIFF: translate("context", "the pasted changes of {time}"),
        SegmentKind.TEST_OUTPUT: translate("context", "the pasted test output of {time}"),
        SegmentKind.TERMINAL: translate("context", "the pasted log of {time}"),
    }[one.where.kind].format(time=moment_briefly(chat.get(one.part.message).sent_at_ms))
    lines = translate("context", "{count} lines").format(count=number(one.where.lines))
    if not one.part.tokens:
        return f"{name} ({lines})"
    tokens = translate("context", "{count} tokens").format(count=number(one.part.tokens))
    return f"{name} ({lines}, {tokens})"


def _sentences(*some: str) -> str:
    return " ".join(one for one in some if one)


def ways_on(hold: Hold) -> tuple[tuple[str, str], ...]:
    """The buttons for a turn that waits: pairs of a key and a text, the advised one first."""
    shorten = ("shorten", translate("context", "Shorten the message"))
    if hold.slow is not None:
        ways: list[tuple[str, str]] = [("go", translate("context", "Read it"))]
        if hold.cut:
            ways.append((OverflowChoice.LEAVE_OUT_OLDEST, cut_name(hold.cut)))
        return (*ways, shorten)
    if hold.overflow is not None:
        choices = hold.overflow.choices
    elif hold.asked.talk.parts.history:
        choices = (OverflowChoice.LEAVE_OUT_OLDEST, OverflowChoice.NEW_CHAT)
    else:
        choices = ()
    if choices:
        return (*((one, _way_name(one, hold.cut)) for one in choices), shorten)
    # After a file was unpinned, or in another model.
    return (shorten, ("go", translate("context", "Try again")))


def _way_name(choice: OverflowChoice, cut: Cut | None) -> str:
    if choice is OverflowChoice.LEAVE_OUT_OLDEST and cut:
        return cut_name(cut)
    return choice_name(choice)


def cut_name(cut: Cut) -> str:
    """The button that leaves out what ``cut`` says."""
    if not cut.pasted:
        return translate("context", "Leave out the oldest messages")
    if not cut.messages:
        return translate("context", "Leave out what was pasted")
    return translate("context", "Leave out pasted text and old messages")


def remember() -> str:
    return translate("context", "Do the same from now on in this chat")


def kind_name(kind: SegmentKind) -> str:
    """What a part of a prompt is called."""
    return {
        SegmentKind.SYSTEM: translate("context", "System prompt"),
        SegmentKind.TOOLS: translate("context", "Tools"),
        SegmentKind.REPO_RULES: translate("context", "Rules of a folder"),
        SegmentKind.REPO_MAP: translate("context", "Map of a folder"),
        SegmentKind.PINNED: translate("context", "Pinned file"),
        SegmentKind.DIFF: translate("context", "Changes"),
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


def between() -> str:
    """What a template writes around the parts."""
    return translate("context", "Marks between the parts")


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
    lines += left_out_sentences(talk)
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


def left_out_sentences(talk: Talk) -> list[str]:
    """How much of a chat is not read any more."""
    found = []
    if talk.left_out:
        found.append(
            translate("context", "The {count} oldest messages are not read any more.").format(
                count=number(talk.left_out)
            )
        )
    pasted = len(talk.left_out_pasted)
    if pasted == 1:
        found.append(translate("context", "A pasted text is not read any more."))
    elif pasted:
        found.append(
            translate("context", "{count} pasted texts are not read any more.").format(
                count=number(pasted)
            )
        )
    return found


def left_out_pasted(talk: Talk, chat: Conversation) -> str:
    """Which pasted texts of the messages that are read are left out."""
    parts = "; ".join(pasted_text(one, chat) for one in talk.left_out_pasted)
    return translate("context", "Not read any more: {parts}.").format(parts=parts) if parts else ""


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


def choice_name(choice: OverflowChoice) -> str:
    """What happens in a chat when it is full."""
    return {
        OverflowChoice.LEAVE_OUT_OLDEST: translate(
            "context", "Leave out pasted text, then the oldest messages"
        ),
        OverflowChoice.SUMMARISE: translate("context", "Summarise the oldest messages"),
        OverflowChoice.NEW_CHAT: translate("context", "New chat with the pinned files"),
    }.get(choice, translate("context", "Ask me"))


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

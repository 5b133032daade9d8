"""The context of a chat in words: what is in it, what is read already, why a turn waits."""

from typing import Final

from PySide6.QtCore import QCoreApplication

from app.chats.records import OverflowChoice
from app.desktop.turn_gate import Hold
from app.desktop.wording import number
from app.engine.manifest import CacheClass, SegmentKind
from app.engine.outcome import Usage
from app.workflows.context_pins import PinState

# Qt's extractor knows this name.
translate = QCoreApplication.translate

_MINUTE_S: Final = 60.0


def held(hold: Hold) -> tuple[str, str]:
    """Why a turn waits for the person, as a headline and a sentence with its sum."""
    if hold.seconds is not None:
        return _slow(hold, hold.seconds)
    headline = translate("context", "This no longer fits into the model's context.")
    overflow = hold.overflow
    if overflow is None:
        reason = "" if hold.error is None else f"{hold.error.message} {hold.error.remedy}"
        return headline, reason
    sums = translate(
        "context",
        "{needed} tokens are needed, with room for the answer; {available} are available.",
    ).format(needed=number(overflow.needed_tokens), available=number(overflow.available_tokens))
    if not overflow.choices:
        rest = translate(
            "context",
            "The pinned files, the message and the answer alone take {fixed}. Unpin a file, or"
            " shorten the message.",
        ).format(fixed=number(overflow.fixed_tokens))
    elif hold.error is not None:
        rest = f"{hold.error.message} {hold.error.remedy}"
    else:
        rest = translate(
            "context",
            "Earlier messages take {history} of them. Nothing is left out unless you say so.",
        ).format(history=number(overflow.history_tokens))
    return headline, f"{sums} {rest}"


def _slow(hold: Hold, seconds: float) -> tuple[str, str]:
    headline = translate("context", "Reading this takes about {minutes} minutes.").format(
        minutes=number(max(1, round(seconds / _MINUTE_S)))
    )
    tokens = 0
    if hold.report is not None:
        tokens = hold.report.prompt_tokens - (hold.report.predicted_reused_tokens or 0)
    sentence = translate(
        "context",
        "{tokens} tokens have to be read before the first word. It can be stopped at any time.",
    ).format(tokens=number(tokens))
    return headline, sentence


def ways_on(hold: Hold) -> tuple[tuple[str, str], ...]:
    """The buttons for a turn that waits: pairs of a key and a text, the advised one first."""
    words = {
        OverflowChoice.LEAVE_OUT_OLDEST: translate("context", "Leave out the oldest messages"),
        OverflowChoice.SUMMARISE: translate("context", "Summarise the oldest messages"),
        OverflowChoice.NEW_CHAT: translate("context", "New chat with the pinned files"),
    }
    shorten = ("shorten", translate("context", "Shorten the message"))
    if hold.seconds is not None:
        ways = [("go", translate("context", "Read it"))]
        if hold.asked.talk.parts.history:
            ways.append((OverflowChoice.LEAVE_OUT_OLDEST, words[OverflowChoice.LEAVE_OUT_OLDEST]))
        return (*ways, shorten)
    if hold.overflow is not None:
        return (*((one, words[one]) for one in hold.overflow.choices), shorten)
    uncounted = (OverflowChoice.LEAVE_OUT_OLDEST, OverflowChoice.NEW_CHAT)
    if hold.asked.talk.parts.history:
        return (*((one, words[one]) for one in uncounted), shorten)
    return (shorten,)


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
        SegmentKind.TERMINAL: translate("context", "Log"),
        SegmentKind.HISTORY: translate("context", "Earlier messages"),
        SegmentKind.USER: translate("context", "Your message"),
    }[kind]


def class_name(kind: SegmentKind) -> str:
    """How much it is worth to keep a part ready."""
    return {
        CacheClass.HIGHEST: translate("context", "highest"),
        CacheClass.HIGH: translate("context", "high"),
        CacheClass.MEDIUM: translate("context", "medium"),
        CacheClass.LOW: translate("context", "low"),
    }[kind.cache_class]


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

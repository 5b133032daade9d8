"""What a person may do when the next message doesn't fit: nothing is ever cut in silence.

choice = remembered or ask the person
LEAVE_OUT -> talk = talk.after(talk.cut_to_fit(report)), told before it is done
SUMMARISE -> engine.submit(summary_request(...)); its text becomes ``ChatParts.summary``
NEW_CHAT  -> a chat with the pinned files and the turn alone
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import Final

import msgspec
from msgspec import Struct

from app.chats.records import OverflowChoice
from app.engine.chat import ChatMessage, Role, Sampling, ThinkingLevel
from app.engine.manifest import SegmentKind
from app.engine.outcome import ContextReport
from app.engine.protocol import Generate, new_request_id
from app.workflows.context_order import history_tokens

SUMMARY_TOKENS: Final = 400
_SUMMARY_ASKED: Final = (
    "Summarise the conversation so far for yourself, so that it can go on without its text: what"
    " was asked, what was decided, names, numbers and file names that matter. Write the summary"
    " only."
)


_UNPINNABLE: Final = (
    SegmentKind.REPO_RULES,
    SegmentKind.REPO_MAP,
    SegmentKind.PINNED,
    SegmentKind.DIFF,
    SegmentKind.TEST_OUTPUT,
    SegmentKind.TERMINAL,
)


class Remedy(StrEnum):
    """What a person can do where leaving out history doesn't help; the most helpful first."""

    UNPIN = "Unpin a file, or shorten the message."
    SHORTEN_OR_UNPIN = "Shorten the message, or unpin a file."
    SHORTEN_SYSTEM = "Shorten the system prompt, or the message."
    SHORTEN = "Shorten the message."


class Overflow(Struct, frozen=True, kw_only=True):
    """How much too long a prompt is, and which choices help.

    ``fixed_tokens`` are those of the stable segments, the turn and the template: no choice but the
    ``remedy`` changes them.
    """

    needed_tokens: int
    available_tokens: int
    fixed_tokens: int
    history_tokens: int
    choices: tuple[OverflowChoice, ...]
    remedy: Remedy = Remedy.SHORTEN


def remedy_for(parts: Iterable[tuple[SegmentKind, int]]) -> Remedy:
    """What to do about a prompt that is too long even without its history.

    Args:
        parts: what it is made of, with the size of each in any one unit.
    """
    sizes: Counter[SegmentKind] = Counter()
    for kind, size in parts:
        sizes[kind] += size
    pinned = sum(sizes[kind] for kind in _UNPINNABLE)
    largest = max(pinned, sizes[SegmentKind.SYSTEM], sizes[SegmentKind.USER])
    if pinned:
        return Remedy.UNPIN if pinned == largest else Remedy.SHORTEN_OR_UNPIN
    system = sizes[SegmentKind.SYSTEM]
    return Remedy.SHORTEN_SYSTEM if system and system == largest else Remedy.SHORTEN


def overflow_of(report: ContextReport) -> Overflow | None:
    """Says what can be done about a prompt that doesn't fit; ``None`` for one that does."""
    if report.fits:
        return None
    history = history_tokens(report)
    fixed = report.needed_tokens - history
    choices: list[OverflowChoice] = []
    if fixed <= report.context_tokens and history:
        choices = [
            OverflowChoice.LEAVE_OUT_OLDEST,
            OverflowChoice.SUMMARISE,
            OverflowChoice.NEW_CHAT,
        ]
    return Overflow(
        needed_tokens=report.needed_tokens,
        available_tokens=report.context_tokens,
        fixed_tokens=fixed,
        history_tokens=history,
        choices=tuple(choices),
        remedy=remedy_of(report),
    )


def remedy_of(report: ContextReport) -> Remedy:
    """The same for a prompt that was counted."""
    return remedy_for((one.kind, one.tokens or 0) for one in report.manifest.segments)


def summary_request(turn: Generate, history: Sequence[ChatMessage]) -> Generate:
    """The request whose answer stands for ``history``; greedy, without tools or thinking.

    The stable segments stay, so that their KV is reused. ``history`` must fit: see
    ``Talk.to_summarise``.
    """
    system = turn.messages[:1] if turn.messages[:1] and _is_system(turn.messages[0]) else ()
    asked = ChatMessage(role=Role.USER, content=_SUMMARY_ASKED)
    return msgspec.structs.replace(
        turn,
        request=new_request_id(),
        messages=(*system, *history, asked),
        segments=(),
        tools=(),
        sampling=Sampling(),
        thinking=ThinkingLevel.OFF,
        max_thinking_tokens=None,
        max_tokens=SUMMARY_TOKENS,
        reserve_tokens=SUMMARY_TOKENS,
    )


def _is_system(message: ChatMessage) -> bool:
    return message.role is Role.SYSTEM

"""A counted prompt as a few parts, for the bar and the panel."""

from enum import StrEnum
from typing import Final

from msgspec import Struct

from app.engine.manifest import SegmentKind
from app.engine.outcome import ContextReport
from app.workflows.context_talk import Talk


class ContextShown(Struct, frozen=True, kw_only=True):
    """The next turn of a chat, counted."""

    chat: str
    report: ContextReport
    talk: Talk


class Group(StrEnum):
    """Parts of a prompt that a person thinks of as one."""

    INSTRUCTIONS = "instructions"
    FILES = "files"
    HISTORY = "history"
    TURN = "turn"


GROUPS: Final = {
    SegmentKind.SYSTEM: Group.INSTRUCTIONS,
    SegmentKind.TOOLS: Group.INSTRUCTIONS,
    SegmentKind.REPO_RULES: Group.FILES,
    SegmentKind.REPO_MAP: Group.FILES,
    SegmentKind.PINNED: Group.FILES,
    SegmentKind.DIFF: Group.FILES,
    SegmentKind.TEST_OUTPUT: Group.FILES,
    SegmentKind.TERMINAL: Group.FILES,
    SegmentKind.HISTORY: Group.HISTORY,
    SegmentKind.USER: Group.TURN,
}


class Part(Struct, frozen=True, kw_only=True):
    """``reused_tokens`` of its ``tokens`` are read already."""

    group: Group
    tokens: int
    reused_tokens: int


def parts_of(report: ContextReport) -> tuple[Part, ...]:
    """The prompt from its beginning to its end; together the parts are all of its tokens.

    What the template writes between two segments belongs to the one before it; tools, which it
    writes as it likes, to what stands where they are.
    """
    found = [one for one in report.manifest.segments if one.token_start is not None]
    starts = [one.token_start or 0 for one in found]
    reused = report.predicted_reused_tokens or 0
    sums: dict[Group, tuple[int, int]] = {}
    for place, one in enumerate(found):
        start = starts[place] if place else 0
        end = starts[place + 1] if place + 1 < len(starts) else report.prompt_tokens
        group = GROUPS[one.kind]
        tokens, covered = sums.get(group, (0, 0))
        inside = min(max(reused - start, 0), end - start)
        sums[group] = (tokens + end - start, covered + inside)
    if not sums:
        sums[Group.TURN] = (report.prompt_tokens, reused)
    return tuple(
        Part(group=group, tokens=tokens, reused_tokens=covered)
        for group, (tokens, covered) in sums.items()
    )

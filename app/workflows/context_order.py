"""What a full chat leaves out first, and how much of it.

What was pasted goes before what was said: a question and its answer make sense without the log
they are about, and the log can be pasted again. Of what was pasted, the class of a segment decides
first: logs, then diffs and the output of failed tests. Of one class, what the model's cache doesn't
hold goes first, for leaving it out costs no reuse; then the oldest. Then the oldest turns go. The
last question with its answer, and what was pasted there, goes last, in the same order.
"""

from collections.abc import Iterable, Sequence
from typing import Final

from msgspec import Struct

from app.engine.chat import ChatMessage, Role
from app.engine.manifest import SegmentKind, SegmentRecord
from app.engine.outcome import ContextReport
from app.workflows.context_paste import find_pasted

# What stands in the place of a pasted text takes about so much; less isn't worth leaving out.
_NOTE_TOKENS: Final = 16


class Piece(Struct, frozen=True, kw_only=True):
    """What can be left out: messages ``start`` to ``end`` of the history, a question with what
    follows it, or the ``pasted``-th pasted text of message ``start``.

    ``held``: the cache of the loaded model has it. ``recent``: it belongs to the last question.
    """

    start: int
    end: int
    tokens: int
    pasted: int | None = None
    kind: SegmentKind = SegmentKind.HISTORY
    held: bool = False
    recent: bool = False

    def has(self, other: "Piece") -> bool:
        """Whether ``other`` is a pasted text in these messages."""
        return self.pasted is None and self.start <= other.start < self.end


class PastedSize(Struct, frozen=True, kw_only=True):
    kind: SegmentKind
    tokens: int
    held: bool = False


class MessageSize(Struct, frozen=True, kw_only=True):
    """What a message takes, with what the template puts around it, and what was pasted into it."""

    tokens: int
    pasted: tuple[PastedSize, ...] = ()


def counted_sizes(report: ContextReport) -> tuple[MessageSize, ...]:
    """The sizes of the messages of the history, in tokens.

    A message that can't be found in the prompt (the template rewrote it) counts as nothing here.
    """
    records = report.manifest.segments
    reused = report.predicted_reused_tokens or 0
    found: list[MessageSize] = []
    for index, one in enumerate(records):
        if one.kind is not SegmentKind.HISTORY:
            continue
        following = records[index + 1] if index + 1 < len(records) else None
        end = one.token_end if following is None else following.token_start
        start = one.token_start
        tokens = 0 if start is None or end is None else max(0, end - start)
        pasted = tuple(_pasted_size(part, reused) for part in one.inside)
        found.append(MessageSize(tokens=tokens, pasted=pasted))
    return tuple(found)


def history_tokens(report: ContextReport) -> int:
    """What the whole history takes, with what the template puts around it."""
    return sum(one.tokens for one in counted_sizes(report))


def _pasted_size(one: SegmentRecord, reused_tokens: int) -> PastedSize:
    start = one.token_start
    held = start is not None and start < reused_tokens
    return PastedSize(kind=one.kind, tokens=one.tokens or 0, held=held)


def written_sizes(history: Iterable[ChatMessage]) -> tuple[MessageSize, ...]:
    """The sizes in characters, for what is too long to be counted."""
    return tuple(
        MessageSize(
            tokens=len(one.content),
            pasted=tuple(
                PastedSize(kind=part.kind, tokens=part.end - part.start)
                for part in (find_pasted(one.content) if one.role is Role.USER else ())
            ),
        )
        for one in history
    )


def pieces(
    history: Sequence[ChatMessage], sizes: Sequence[MessageSize], *, last_stays: bool
) -> tuple[Piece, ...]:
    """All that can be left out of ``history``; not its last question if ``last_stays``."""
    starts = [n for n, one in enumerate(history) if n == 0 or one.role is Role.USER]
    ends = [*starts[1:], len(history)] if starts else []
    found: list[Piece] = []
    for start, end in zip(starts, ends, strict=True):
        recent = end == len(history)
        if recent and last_stays:
            break
        tokens = sum(size.tokens for size in sizes[start:end])
        found.append(Piece(start=start, end=end, tokens=tokens, recent=recent))
        for place, size in enumerate(sizes[start:end], start=start):
            found += [
                Piece(
                    start=place,
                    end=place + 1,
                    tokens=part.tokens - _NOTE_TOKENS,
                    pasted=number,
                    kind=part.kind,
                    held=part.held,
                    recent=recent,
                )
                for number, part in enumerate(size.pasted)
                if part.tokens > _NOTE_TOKENS
            ]
    return tuple(found)


def drop_order(found: Iterable[Piece]) -> list[Piece]:
    """What is worth least first."""
    return sorted(found, key=_worth)


def _worth(one: Piece) -> tuple[bool, bool, int, bool, int, int]:
    said = one.pasted is None
    held = one.held and not said  # turns go from the oldest on, whatever the cache holds
    return one.recent, said, one.kind.cache_class, held, one.start, one.pasted or 0


def leave_out(
    found: Iterable[Piece], total: int, *, goal: int, enough: int, limit: int
) -> tuple[Piece, ...]:
    """The pieces that are left out so that of ``total`` tokens at most ``goal`` are left.

    Turns go only where more than ``enough`` would be left without them, and what belongs to the
    last question only as far as more than ``limit`` would be.
    """
    chosen: list[Piece] = []
    left = total
    for piece in drop_order(found):
        if left <= _bound(piece, chosen, goal, enough, limit):
            break
        gone = [one for one in chosen if piece.has(one)]
        chosen = [one for one in chosen if one not in gone]
        chosen.append(piece)
        left -= piece.tokens - sum(one.tokens for one in gone)
    return tuple(chosen)


def _bound(piece: Piece, chosen: Sequence[Piece], goal: int, enough: int, limit: int) -> int:
    """How much may be left so that ``piece`` stays."""
    if piece.recent:
        return limit
    begins_turns = piece.pasted is None and all(one.pasted is not None for one in chosen)
    return enough if begins_turns else goal

"""A chat at one turn: all that could be read, what is read, and the steps that make it shorter."""

from collections.abc import Sequence
from typing import Final

import msgspec
from msgspec import Struct

from app.chats.records import ContextFields, PastedPart
from app.core.errors import UserError
from app.engine.chat import ChatMessage, Role
from app.engine.manifest import SegmentKind
from app.engine.outcome import ContextReport
from app.engine.protocol import Generate
from app.workflows.context import ChatParts, chat_segments, with_context
from app.workflows.context_order import (
    MessageSize,
    Piece,
    counted_sizes,
    history_tokens,
    leave_out,
    pieces,
    written_sizes,
)
from app.workflows.context_overflow import (
    SUMMARY_TOKENS,
    Remedy,
    remedy_for,
    remedy_of,
    summary_request,
)
from app.workflows.context_paste import Pasted, find_pasted, without_pasted

# After something is left out, the history takes at most this share of what it may take: the prompt
# then begins the same, and its KV is reused, for many turns.
_HISTORY_SHARE: Final = 0.5
# If pasted texts alone bring it down to this share, no turn is left out: the step is large enough.
_ENOUGH_SHARE: Final = 0.75
# What the request for a summary has beside the messages and the summary.
_SUMMARY_FRAME_TOKENS: Final = 96


class PastedText(Struct, frozen=True, kw_only=True):
    """A pasted text that is left out, or is going to be. ``where`` it stands in its message."""

    part: PastedPart
    where: Pasted


class Cut(Struct, frozen=True, kw_only=True):
    """What is left out: pasted texts, and so many of the oldest messages that are read yet.

    ``message_tokens`` is 0 where nothing was counted, and so is ``read_again_tokens``: what of the
    history stands behind the first of it, and is read again because the prompt differs from there.
    """

    pasted: tuple[PastedText, ...] = ()
    messages: int = 0
    message_tokens: int = 0
    read_again_tokens: int = 0
    kept_from: str | None = None

    def __bool__(self) -> bool:
        return bool(self.pasted or self.messages)

    def then(self, later: "Cut") -> "Cut":
        """Both, one after the other."""
        return Cut(
            pasted=(*self.pasted, *later.pasted),
            messages=self.messages + later.messages,
            message_tokens=self.message_tokens + later.message_tokens,
            read_again_tokens=later.read_again_tokens,
            kept_from=later.kept_from or self.kept_from,
        )


class Talk(Struct, frozen=True, kw_only=True):
    """``parts`` hold the whole history and no summary; ``context`` says what of it is read.

    ``message_ids`` are those of the history and, if there is a turn, of the turn.
    """

    parts: ChatParts
    message_ids: tuple[str, ...]
    context: ContextFields = ContextFields()

    @property
    def left_out(self) -> int:
        """How many of the oldest messages are not read."""
        kept_from = self.context.kept_from
        return self.message_ids.index(kept_from) if kept_from in self.message_ids else 0

    @property
    def left_out_pasted(self) -> tuple[PastedText, ...]:
        """The pasted texts that are not read, of messages that are."""
        found: list[PastedText] = []
        for place in range(self.left_out, len(self.parts.history)):
            gone = {one.number: one for one in self._gone(place)}
            pasted = find_pasted(self.parts.history[place].content) if gone else ()
            found += [
                PastedText(part=gone[number], where=where)
                for number, where in enumerate(pasted)
                if number in gone
            ]
        return tuple(found)

    def read(self) -> ChatParts:
        """What the model reads."""
        first = self.left_out
        return msgspec.structs.replace(
            self.parts,
            history=tuple(self._said(place) for place in range(first, len(self.parts.history))),
            summary=self.context.summary if first else "",
        )

    def request(self, request: Generate) -> Generate:
        """``request`` for what is read."""
        return with_context(request, chat_segments(self.read()))

    def without(self, first: int, summary: str = "") -> "Talk":
        """The same, read from message ``first`` on."""
        first = min(first, self._last_boundary())
        kept_from = self.message_ids[first] if first else None
        context = msgspec.structs.replace(self.context, kept_from=kept_from, summary=summary)
        return msgspec.structs.replace(self, context=context)

    # --- Leaving out ---------------------------------------------------------------------------

    def cut_to_fit(self, report: ContextReport) -> Cut:
        """What is left out so that ``report``, the count of ``read()``, would fit; in a large step.

        Raises:
            UserError: ``context_overflow``: no history helps.
        """
        room = report.context_tokens - report.needed_tokens + history_tokens(report)
        if room < 0:
            fixed = report.context_tokens - room
            raise UserError(
                "context_overflow",
                f"Even without earlier messages {fixed:,} tokens are needed, with room for the"
                f" answer; {report.context_tokens:,} are available.",
                remedy_of(report),
            )
        goal, enough = int(room * _HISTORY_SHARE), int(room * _ENOUGH_SHARE)
        return self._cut(counted_sizes(report), goal=goal, enough=enough, limit=room)

    def cut_in_half(self, report: ContextReport | None = None) -> Cut:
        """What is left out so that half of the history is left: for what takes too long to read, or
        without a ``report`` can't even be counted.

        Raises:
            UserError: ``context_overflow``: there is no history left.
        """
        sizes = written_sizes(self.read().history) if report is None else counted_sizes(report)
        half = sum(one.tokens for one in sizes) // 2
        cut = self._cut(sizes, goal=half, enough=half, limit=half)
        if report is None:  # characters are no tokens
            pasted = tuple(
                msgspec.structs.replace(one, part=msgspec.structs.replace(one.part, tokens=0))
                for one in cut.pasted
            )
            cut = msgspec.structs.replace(cut, pasted=pasted, message_tokens=0, read_again_tokens=0)
        return cut

    def after(self, cut: Cut) -> "Talk":
        """The same without what ``cut`` leaves out. An earlier summary stays."""
        context = self.context
        gone = {(one.message, one.number) for one in context.left_out_pasted}
        more = [one.part for one in cut.pasted if (one.part.message, one.part.number) not in gone]
        context = msgspec.structs.replace(
            context,
            left_out_pasted=(*context.left_out_pasted, *more),
            kept_from=cut.kept_from or context.kept_from,
        )
        return msgspec.structs.replace(self, context=context)

    def _cut(self, sizes: Sequence[MessageSize], *, goal: int, enough: int, limit: int) -> Cut:
        found = pieces(self.read().history, sizes, last_stays=not self.parts.turn)
        if not found:
            raise self._nothing_left()
        total = sum(one.tokens for one in sizes)
        chosen = leave_out(found, total, goal=goal, enough=enough, limit=limit)
        turns = [one for one in chosen if one.pasted is None]
        messages = max((one.end for one in turns), default=0)
        first = min((one.start for one in chosen), default=len(sizes))
        behind = sum(one.tokens for one in sizes[first:]) - sum(one.tokens for one in chosen)
        return Cut(
            pasted=tuple(
                self._pasted_text(one, sizes)
                for one in sorted(chosen, key=_place)
                if one.pasted is not None
            ),
            messages=messages,
            message_tokens=sum(one.tokens for one in turns),
            read_again_tokens=max(0, behind),
            kept_from=self.message_ids[self.left_out + messages] if messages else None,
        )

    def _pasted_text(self, piece: Piece, sizes: Sequence[MessageSize]) -> PastedText:
        assert piece.pasted is not None, "the caller looks"
        place = self.left_out + piece.start
        gone = {one.number for one in self._gone(place)}
        there = list(enumerate(find_pasted(self.parts.history[place].content)))
        number, where = [one for one in there if one[0] not in gone][piece.pasted]
        tokens = sizes[piece.start].pasted[piece.pasted].tokens
        part = PastedPart(message=self.message_ids[place], number=number, tokens=tokens)
        return PastedText(part=part, where=where)

    def _gone(self, place: int) -> list[PastedPart]:
        """What is not read of the pasted texts of one message of the history."""
        message = self.message_ids[place]
        return [one for one in self.context.left_out_pasted if one.message == message]

    def _said(self, place: int) -> ChatMessage:
        message = self.parts.history[place]
        gone = {one.number for one in self._gone(place)}
        if not gone:
            return message
        return msgspec.structs.replace(message, content=without_pasted(message.content, gone))

    # --- Summarising ---------------------------------------------------------------------------

    def to_summarise(self, report: ContextReport) -> tuple[ChatMessage, ...]:
        """The oldest messages that one summary is to stand for: as many as one reading holds.

        Raises:
            UserError: ``context_overflow``: no history helps, or its oldest message is too long.
        """
        history, sizes = self.read().history, counted_sizes(report)
        total = sum(one.tokens for one in sizes)
        room = max(0, report.context_tokens - report.needed_tokens + total)
        turns = [
            one
            for one in pieces(history, sizes, last_stays=not self.parts.turn)
            if one.pasted is None
        ]
        goal = int(room * _HISTORY_SHARE)
        chosen = leave_out(turns, total, goal=goal, enough=goal, limit=room)
        end = max((one.end for one in chosen), default=0)
        # Neither the turn nor the room for its answer is there when it is summarised.
        fixed = report.manifest.stable_tokens + SUMMARY_TOKENS + _SUMMARY_FRAME_TOKENS
        left = report.context_tokens - fixed
        taken = 0
        for place, size in enumerate(sizes[:end]):
            taken += size.tokens
            if taken > left:
                end = place
                break
        # What is kept begins with a turn of the person: some templates take nothing else.
        while 0 < end < len(history) and history[end].role is not Role.USER:
            end -= 1
        if not end:
            raise UserError(
                "summary_too_long",
                "The oldest message is too long to be summarised.",
                "Leave out the oldest turns instead.",
            )
        return history[:end]

    def summary(self, request: Generate, messages: tuple[ChatMessage, ...]) -> Generate:
        """The request whose answer stands for ``messages`` and for an earlier summary."""
        return summary_request(self.request(request), messages)

    def remedy(self) -> Remedy:
        """What to do where no history helps."""
        parts = self.parts
        sizes = [(one.kind, len(one.text)) for one in parts.pinned]
        sizes += [(SegmentKind.SYSTEM, len(parts.system)), (SegmentKind.USER, len(parts.turn))]
        return remedy_for(sizes)

    def _nothing_left(self) -> UserError:
        return UserError(
            "context_overflow",
            "Even without earlier messages this is longer than the model's context.",
            self.remedy(),
        )

    def _last_boundary(self) -> int:
        """What comes last is always read: the turn, or the answer that goes on and its question."""
        if self.parts.turn:
            return len(self.parts.history)
        places = [n for n, one in enumerate(self.parts.history) if one.role is Role.USER]
        return places[-1] if places else 0


def _place(piece: Piece) -> tuple[int, int]:
    return piece.start, piece.pasted or 0

"""A chat at one turn: all that could be read, what is read, and the steps that make it shorter."""

from typing import Final

import msgspec
from msgspec import Struct

from app.chats.records import ContextFields
from app.core.errors import UserError
from app.engine.chat import ChatMessage, Role
from app.engine.manifest import SegmentKind
from app.engine.outcome import ContextReport
from app.engine.protocol import Generate
from app.workflows.context import ChatParts, chat_segments, with_context
from app.workflows.context_chat import left_out
from app.workflows.context_overflow import (
    SUMMARY_TOKENS,
    Remedy,
    history_tokens,
    leave_out,
    remedy_for,
    summary_request,
)

SLOW_PREFILL_S: Final = 60.0
"""A turn that takes longer to read says so first."""

# What the request for a summary has beside the messages and the summary.
_SUMMARY_FRAME_TOKENS: Final = 96


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
        return left_out(self.message_ids, self.context)

    def read(self) -> ChatParts:
        """What the model reads."""
        first = self.left_out
        return msgspec.structs.replace(
            self.parts,
            history=self.parts.history[first:],
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

    def without_oldest(self, report: ContextReport) -> "Talk":
        """Leaves out so much that ``report``, the count of ``read()``, would fit.

        Raises:
            UserError: ``context_overflow``: no history helps.
        """
        return self.without(leave_out(report, self.parts.history, self.left_out))

    def halved(self) -> "Talk":
        """Leaves out half of what is read of the history: for what can't even be counted.

        Raises:
            UserError: ``context_overflow``: there is no history left.
        """
        first = self.left_out
        left = self._last_boundary() - first
        if left <= 0:
            raise self._nothing_left()
        half = first + (left + 1) // 2
        while half < len(self.parts.history) and not self._is_question(half):
            half += 1
        return self.without(half)

    def to_summarise(self, report: ContextReport) -> tuple[ChatMessage, ...]:
        """The oldest messages that one summary is to stand for: as many as one reading holds.

        Raises:
            UserError: ``context_overflow``: no history helps, or its oldest message is too long.
        """
        first = self.left_out
        end = self.without_oldest(report).left_out
        tokens = history_tokens(report)
        # Neither the turn nor the room for its answer is there when it is summarised.
        fixed = report.manifest.stable_tokens + SUMMARY_TOKENS + _SUMMARY_FRAME_TOKENS
        room = report.context_tokens - fixed
        taken = 0
        for place, count in enumerate(tokens[: end - first]):
            taken += count
            if taken > room:
                end = first + place
                break
        # What is kept begins with a turn of the person: some templates take nothing else.
        while end > first and end < len(self.parts.history) and not self._is_question(end):
            end -= 1
        if end <= first:
            raise UserError(
                "summary_too_long",
                "The oldest message is too long to be summarised.",
                "Leave out the oldest turns instead.",
            )
        return self.parts.history[first:end]

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

    def _is_question(self, place: int) -> bool:
        return self.parts.history[place].role is Role.USER

    def _last_boundary(self) -> int:
        """What comes last is always read: the turn, or the answer that goes on and its question."""
        if self.parts.turn:
            return len(self.parts.history)
        places = [n for n, one in enumerate(self.parts.history) if one.role is Role.USER]
        return places[-1] if places else 0


def slow_s(report: ContextReport, tokens_per_s: float | None) -> float | None:
    """Seconds that a turn takes to read, if they are more than ``SLOW_PREFILL_S``.

    Args:
        report: its count.
        tokens_per_s: how fast this model read before, for one that isn't loaded.
    """
    seconds = report.predicted_prefill_s
    if seconds is None and tokens_per_s:
        seconds = report.unread_tokens / tokens_per_s
    return seconds if seconds is not None and seconds > SLOW_PREFILL_S else None

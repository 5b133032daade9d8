"""Between the pressed key and the answer: the turn is counted, and held if it doesn't fit.

Nothing is cut in silence. What a person chose is done here, step by step, each followed by a count:
turns are left out, or the loaded model summarises them.
"""

from typing import Final

import msgspec
from PySide6.QtCore import QObject, Signal, Slot

from app.chats.records import OverflowChoice
from app.core.errors import ContenoxError, ErrorRecord, UserError
from app.desktop.engine_bridge import EngineBridge
from app.desktop.turn_maker import Asked
from app.desktop.turn_records import Admitted, Decision, Hold
from app.engine.outcome import ContextReport, DeltaKind, FinishReason
from app.engine.protocol import (
    Count,
    Counted,
    Delta,
    Failed,
    Finished,
    new_request_id,
)
from app.workflows.context_overflow import Overflow, overflow_of
from app.workflows.context_talk import Cut, Talk
from app.workflows.cpu_retry import TurnEvent
from app.workflows.reading_speed import SlowReading, slow_reading

# So many summaries, or halvings of what can't even be counted, are more than any chat needs.
_MOST_STEPS: Final = 64
CONTEXT_OVERFLOW: Final = "context_overflow"


class TurnGate(QObject):
    """Examines one turn at a time; lives in the GUI thread and never blocks it."""

    admitted = Signal(object)  # Admitted
    held = Signal(object)  # Hold
    failed = Signal(object)  # ErrorRecord
    stopped = Signal()
    summarising = Signal(int)  # how many messages

    def __init__(self, bridge: EngineBridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._asked: Asked | None = None
        self._decision = Decision()
        self._pending: str | None = None
        self._report: ContextReport | None = None
        self._summarised = 0  # messages; 0 while a count is pending
        self._summary = ""
        self._steps = 0
        self._cut = Cut()  # what was left out for this turn
        bridge.event_arrived.connect(self._on_event)

    def examine(self, asked: Asked, decision: Decision) -> None:
        """Ends in exactly one of the signals ``admitted``, ``held``, ``failed`` and ``stopped``."""
        self._decision = decision
        self._steps = 0
        self._cut = Cut()
        talk = asked.talk
        if decision.shortened is not None:
            remembered = talk.context.on_overflow
            context = msgspec.structs.replace(decision.shortened.context, on_overflow=remembered)
            talk = msgspec.structs.replace(talk, context=context)
            self._cut = decision.shortened.cut
        if decision.cut is not None:
            talk = talk.after(decision.cut)
            self._cut = self._cut.then(decision.cut)
        self._count(Asked(request=asked.request, talk=talk))

    def stop(self) -> None:
        """Asks for the end of the examination, if there is one; ``stopped`` follows."""
        if self._pending is not None:
            self._bridge.cancel(self._pending)

    def leave(self) -> None:
        """Forgets the turn; no signal follows."""
        self.stop()
        self._pending = None

    # --- Steps ---------------------------------------------------------------------------------

    def _count(self, asked: Asked) -> None:
        request = asked.talk.request(asked.request)
        self._asked = Asked(request=request, talk=asked.talk)
        self._report = None
        self._summarised = 0
        self._steps += 1
        count = Count(request=new_request_id(), turn=request)
        self._pending = count.request
        self._bridge.submit(count)

    def _leave_out(self, talk: Talk, cut: Cut) -> bool:
        """Counts again without what ``cut`` leaves out; false if that is nothing."""
        if not cut:
            return False
        self._cut = self._cut.then(cut)
        self._count_again(talk.after(cut))
        return True

    def _count_again(self, talk: Talk) -> None:
        assert self._asked is not None, "there is a turn"
        self._count(Asked(request=self._asked.request, talk=talk))

    @Slot(object)
    def _on_event(self, event: TurnEvent) -> None:
        if self._pending is None or getattr(event, "request", None) != self._pending:
            return
        match event:
            case Counted():
                self._report = event.report
            case Delta(kind=DeltaKind.TEXT):
                self._summary += event.text
            case Finished():
                self._pending = None
                self._on_finished(event)
            case Failed():
                self._pending = None
                self._on_failed(event.error)
            case _:
                pass

    def _on_finished(self, end: Finished) -> None:
        if end.reason is FinishReason.CANCELLED:
            self.stopped.emit()
        elif self._summarised:
            self._on_summarised()
        elif self._report is not None:
            self._decide(self._report)

    def _on_failed(self, error: ErrorRecord) -> None:
        if self._summarised:
            self.failed.emit(error)
        elif error.code == CONTEXT_OVERFLOW:
            self._shorten_uncounted(error)
        else:
            # The answer itself will tell what is wrong, if anything is.
            self._admit()

    def _admit(self) -> None:
        assert self._asked is not None, "there is a turn"
        self.admitted.emit(Admitted(asked=self._asked, report=self._report, cut=self._cut))

    def _decide(self, report: ContextReport) -> None:
        overflow = overflow_of(report)
        if overflow is None:
            slow = slow_reading(report, self._decision.speed)
            if slow is None or self._decision.unhurried:
                self._admit()
            else:
                self._shorten_slow(slow, report)
            return
        assert self._asked is not None, "there is a turn"
        talk = self._asked.talk
        choice = self._chosen()
        if choice is OverflowChoice.ASK or self._steps > _MOST_STEPS:
            self._hold(overflow=overflow)
            return
        try:
            if choice is OverflowChoice.SUMMARISE:
                self._summarise(talk, report)
                return
            cut = talk.cut_to_fit(report)
        except ContenoxError as error:
            self._hold(overflow=overflow, error=error.record())
            return
        if not self._leave_out(talk, cut):
            self._hold(overflow=overflow)

    def _chosen(self) -> OverflowChoice:
        """The choice for this turn, else the one that the chat remembers."""
        if self._decision.choice is not OverflowChoice.ASK:
            return self._decision.choice
        assert self._asked is not None, "there is a turn"
        return self._asked.talk.context.on_overflow

    def _shorten_uncounted(self, error: ErrorRecord) -> None:
        """A history that is too long to be counted is halved until it can be."""
        assert self._asked is not None, "there is a turn"
        if self._chosen() is not OverflowChoice.LEAVE_OUT_OLDEST or self._steps > _MOST_STEPS:
            self._hold(error=error)
            return
        talk = self._asked.talk
        try:
            cut = talk.cut_in_half()
        except ContenoxError as nothing_left:
            error = nothing_left.record()
            cut = Cut()
        if not self._leave_out(talk, cut):
            self._hold(error=error)

    def _shorten_slow(self, slow: SlowReading, report: ContextReport) -> None:
        """What takes long to read is halved, if that is what the person wants."""
        assert self._asked is not None, "there is a turn"
        talk = self._asked.talk
        if not self._decision.hurried:
            self._hold(slow=slow)
            return
        try:
            cut = talk.cut_in_half(report)
        except ContenoxError:
            cut = Cut()
        if not self._leave_out(talk, cut):
            self._hold(slow=slow)

    def _summarise(self, talk: Talk, report: ContextReport) -> None:
        assert self._asked is not None, "there is a turn"
        messages = talk.to_summarise(report)
        request = talk.summary(self._asked.request, messages)
        self._summarised, self._summary = len(messages), ""
        self._pending = request.request
        self.summarising.emit(len(messages))
        self._bridge.submit(request)

    def _on_summarised(self) -> None:
        assert self._asked is not None, "there is a turn"
        talk, summary = self._asked.talk, self._summary.strip()
        if not summary:
            error = UserError(
                "summary_empty",
                "The model wrote no summary.",
                "Leave out the oldest turns instead, or choose a larger model.",
            )
            self.failed.emit(error.record())
            return
        self._count_again(talk.without(talk.left_out + self._summarised, summary))

    def _hold(
        self,
        *,
        overflow: Overflow | None = None,
        slow: SlowReading | None = None,
        error: ErrorRecord | None = None,
    ) -> None:
        assert self._asked is not None, "there is a turn"
        self.held.emit(
            Hold(
                asked=self._asked,
                done=self._cut,
                report=self._report,
                overflow=overflow,
                slow=slow,
                cut=self._first_cut(overflow, slow),
                error=error,
            )
        )

    def _first_cut(self, overflow: Overflow | None, slow: SlowReading | None) -> Cut | None:
        """What can be left out first of a turn that waits."""
        assert self._asked is not None, "there is a turn"
        talk, report = self._asked.talk, self._report
        try:
            if report is None:
                return talk.cut_in_half()
            if overflow is not None:
                return talk.cut_to_fit(report) if overflow.choices else None
            return talk.cut_in_half(report) if slow is not None else None
        except ContenoxError:
            return None  # no history helps

"""The course of one turn: counted, sent, streamed, stored, ended.

An answer belongs to its conversation, not to what is shown: it goes on and is kept when another
chat is opened. One turn runs at a time, because one model is loaded.
"""

from functools import partial
from typing import Final

import msgspec
from PySide6.QtCore import QObject, Signal, Slot

from app.core.errors import ErrorRecord
from app.desktop.background import Worker
from app.desktop.conversation import AnswerStamp, Conversation, FailedRun, Message
from app.desktop.engine_bridge import EngineBridge
from app.desktop.kept_chats import KeptChats
from app.desktop.lifecycle import BUSY, Happening, TurnState, after
from app.desktop.running_turn import RunningTurn
from app.desktop.services import ModelEntry, PrepareTurn, Readings
from app.desktop.turn_gate import CONTEXT_OVERFLOW, TurnGate
from app.desktop.turn_maker import Asked, TurnMaker, Wanted
from app.desktop.turn_records import (
    SUMMARISING,
    Activity,
    Admitted,
    Change,
    Decision,
    Failure,
    HeldTurn,
    Hold,
    LeftOut,
    Piece,
    Retry,
)
from app.desktop.turn_wishes import begun, wishes_for, with_choice
from app.engine.outcome import DeltaKind, FinishReason
from app.engine.protocol import (
    Delta,
    Failed,
    Finished,
    LoadProgress,
    PrefillProgress,
)
from app.hardware.readings import DeviceReading
from app.workflows.cpu_retry import RetriedOnCpu, TurnEvent

UNDECIDED: Final = Decision()


class TurnCourse(QObject):
    """Follows a turn that ``start`` begins; the only place that changes the state."""

    activity_changed = Signal(object)  # Activity
    message_added = Signal(object)  # Change
    text_arrived = Signal(object)  # Piece
    answer_finished = Signal(object)  # Change
    turn_failed = Signal(object)  # Failure
    turn_retried = Signal(object)  # Retry
    prompt_read = Signal(str, object)  # the chat, and Admitted: its prompt is in the cache now
    turn_held = Signal(object)  # HeldTurn: it was not sent
    left_out = Signal(object)  # LeftOut: the model does not read it for this turn
    context_changed = Signal(object)  # Conversation: what of it is read is something else now
    branch_changed = Signal(str)  # the chat whose shown path is another now
    store_failed = Signal(object)  # ErrorRecord: a piece of an answer isn't stored

    def __init__(
        self,
        bridge: EngineBridge,
        prepare_turn: PrepareTurn,
        chats: KeptChats,
        worker: Worker,
        parent: QObject | None = None,
        *,
        readings: Readings | None = None,
    ) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self.maker = TurnMaker(chats, prepare_turn)
        self._gate = TurnGate(bridge, self)
        self._chats = chats
        self._worker = worker
        self._running: RunningTurn | None = None
        self._activity = Activity(state=TurnState.LOOKING)
        self._readings = readings
        self.model: ModelEntry | None = None
        self.device: DeviceReading | None = None
        self.engine_is_measured = False
        bridge.event_arrived.connect(self._on_event)
        self._gate.admitted.connect(self._on_admitted)
        self._gate.held.connect(self._on_held)
        self._gate.failed.connect(self._on_failed)
        self._gate.stopped.connect(self._on_gate_stopped)
        self._gate.summarising.connect(self._on_summarising)

    # --- State ---------------------------------------------------------------------------------

    @property
    def state(self) -> TurnState:
        return self._activity.state

    @property
    def engine_is_free(self) -> bool:
        """Whether something less urgent than a turn may use the engine."""
        return self.state is TurnState.IDLE and not self.engine_is_measured

    @property
    def running_answer(self) -> str | None:
        """The message that is being written."""
        return None if self._running is None else self._running.answer_id

    def happened(self, happening: Happening) -> None:
        """Applies ``happening`` by the transition table and tells the listeners."""
        self._move(happening)

    def _move(self, happening: Happening, **details: object) -> None:
        state = after(self.state, happening)
        self._activity = msgspec.structs.replace(self._activity, state=state, **details)
        self.activity_changed.emit(self._activity)

    # --- The course of a turn ------------------------------------------------------------------

    def start(
        self,
        conversation: Conversation,
        answer: Message,
        *,
        prompt_leaf: str,
        varied: bool = False,
        decision: Decision = UNDECIDED,
    ) -> None:
        """Has ``answer`` written, or gone on with, behind the path to ``prompt_leaf``."""
        model, device = self.model, self.device
        assert model is not None, "the callers look"
        stamp = AnswerStamp(model=model.name, backend=model.backend)
        settings = conversation.settings = with_choice(conversation.settings, model, device)
        wishes = wishes_for(answer, settings.sampling, varied=varied)
        running = self._running = RunningTurn(conversation, answer, stamp, wishes)
        self._move(
            Happening.SENT,
            model=model.name,
            stage="",
            fraction=None,
            done_tokens=0,
            total_tokens=0,
            reused_tokens=0,
        )
        wanted = Wanted(
            chat=conversation.id,
            path=conversation.path_to(prompt_leaf),
            settings=settings,
            model=model,
            device=device,
            wishes=wishes,
        )
        assert answer.parent is not None, "an answer follows a question"
        question = conversation.get(answer.parent)
        others = (one for one in conversation.siblings(question.id) if one != question.id)
        beside = next(others, None)
        chats, maker, readings = self._chats, self.maker, self._readings

        def prepare() -> tuple[Asked, Decision]:
            chats.begin_chat(wanted.chat, settings)
            chats.put_question(wanted.chat, question, beside)
            asked = maker.make(wanted)
            if readings is None:
                return asked, decision
            characters = sum(len(one.content) for one in asked.request.messages)
            speed = readings.of(asked.request.spec, characters)
            return asked, msgspec.structs.replace(decision, speed=speed)

        def examine(made: tuple[Asked, Decision]) -> None:
            if self._running is not running:
                return
            if self.state is TurnState.STOPPING:  # stopped before the engine heard of it
                self._on_gate_stopped()
            else:
                self._gate.examine(*made)

        self._worker.run(prepare, examine, self._on_failed)

    @Slot(object)
    def _on_admitted(self, admitted: Admitted) -> None:
        """Opens the answer in the store, then lets the engine begin."""
        running = self._running
        if running is None:
            return
        request, conversation = admitted.asked.request, running.conversation
        running.stamp = begun(running.stamp, request, admitted.report)
        context = admitted.asked.talk.context
        changed = context != conversation.settings.context
        if changed:
            conversation.settings = msgspec.structs.replace(conversation.settings, context=context)
            self.context_changed.emit(conversation)
        if admitted.cut:
            self.left_out.emit(LeftOut(chat=conversation.id, cut=admitted.cut))
        chat, settings, wishes = conversation.id, conversation.settings, running.wishes
        started = msgspec.structs.replace(conversation.get(running.answer_id), stamp=running.stamp)
        chats = self._chats

        def begin() -> None:
            if changed:
                chats.configure(chat, settings)
            chats.open_answer(started, wishes)

        def submit(_: None) -> None:
            if self._running is not running:
                return
            if self.state is TurnState.STOPPING:
                self._on_gate_stopped()
                return
            running.request = request.request
            running.asked = admitted
            self._bridge.submit(request)

        self._worker.run(begin, submit, self._on_failed)

    @Slot()
    def _on_gate_stopped(self) -> None:
        running = self._running
        if running is not None:
            self._end(msgspec.structs.replace(running.stamp, reason=FinishReason.CANCELLED))

    @Slot(int)
    def _on_summarising(self, messages: int) -> None:
        self._move(Happening.SUMMARY_BEGUN, stage=SUMMARISING, total_tokens=messages)

    @Slot(object)
    def _on_held(self, hold: Hold) -> None:
        """Takes the answer back; the question stays, and so does what there was of an answer."""
        running = self._running
        if running is None:
            return
        self._running = None
        conversation, answer = running.conversation, running.answer
        resumed = answer.stamp is not None
        if resumed:
            conversation.put(answer)
        else:
            conversation.take_back(answer.id)
        self._move(Happening.ENDED)
        self.branch_changed.emit(conversation.id)
        assert answer.parent is not None, "an answer follows a question"
        self.turn_held.emit(
            HeldTurn(
                chat=conversation.id,
                question=answer.parent,
                answer=answer.id if resumed else None,
                hold=hold,
            )
        )

    @Slot(object)
    def _on_event(self, event: TurnEvent) -> None:
        running = self._running
        if running is None or getattr(event, "request", None) != running.request:
            return
        match event:
            case LoadProgress():
                self._move(Happening.LOAD_SEEN, stage=event.stage, fraction=event.fraction)
            case PrefillProgress():
                self._move(
                    Happening.PREFILL_SEEN,
                    done_tokens=event.done_tokens,
                    total_tokens=event.total_tokens,
                    reused_tokens=event.reused_tokens,
                )
            case Delta():
                self._on_delta(running, event)
            case Finished():
                self._on_finished(running, event)
            case Failed():
                self._on_failed(event.error)
            case RetriedOnCpu():
                self._on_retried(running, event)
            case _:
                pass

    def _on_finished(self, running: RunningTurn, event: Finished) -> None:
        stamp = running.finish(event)
        readings = self._readings
        if readings is not None:
            keep = partial(readings.note, stamp.digest, stamp.device, stamp.usage, stamp.timings)
            self._worker.run(keep)
        if event.reason is not FinishReason.CANCELLED and running.asked is not None:
            self.prompt_read.emit(running.conversation.id, running.asked)
        self._end(stamp)

    def _on_delta(self, running: RunningTurn, event: Delta) -> None:
        if event.kind is DeltaKind.TOOL_CALL:
            return
        if self.state is not TurnState.ANSWERING:
            self._move(Happening.TEXT_SEEN)
        self.text_arrived.emit(running.write(event))
        if running.save_is_due:
            self._save_stream(running)

    def _on_retried(self, running: RunningTurn, event: RetriedOnCpu) -> None:
        """Closes the run that failed and begins another in the same answer."""
        chats, chat = self._chats, running.conversation.id
        answer = running.conversation.get(running.answer_id)
        if answer.thinking and not answer.text:  # it is thought anew, in a paragraph of its own
            gap = "\n\n"
            answer = running.conversation.extend(answer.id, thinking=gap)
            self.text_arrived.emit(Piece(chat=chat, message=answer.id, thinking=gap))
        before = FailedRun(device=event.device, error=event.error)
        failed = msgspec.structs.replace(
            answer, stamp=msgspec.structs.replace(running.stamp, error=event.error)
        )
        running.stamp = msgspec.structs.replace(
            begun(running.stamp, event.again, event.report), thinking_s=None, before=before
        )
        started = msgspec.structs.replace(answer, stamp=running.stamp)
        wishes = running.wishes
        running.take_unsaved()  # the run that failed is stored whole

        def keep() -> None:
            chats.end_answer(failed)
            chats.open_answer(started, wishes)

        self._worker.run(keep, failed=self.store_failed.emit)
        self._move(Happening.RETRIED, stage="", fraction=None)
        self.turn_retried.emit(Retry(chat=chat, before=before))

    def _save_stream(self, running: RunningTurn) -> None:
        chats, message = self._chats, running.answer_id
        text, thinking = running.take_unsaved()
        self._worker.run(
            lambda: chats.extend_answer(message, text, thinking), failed=self.store_failed.emit
        )

    def _end(self, stamp: AnswerStamp) -> None:
        """Closes the running turn; whatever was streamed stays."""
        running = self._running
        assert running is not None, "the callers look"
        self._running = None
        conversation = running.conversation
        message = msgspec.structs.replace(conversation.get(running.answer_id), stamp=stamp)
        conversation.put(message)
        chats = self._chats
        self._worker.run(lambda: chats.end_answer(message), failed=self.store_failed.emit)
        self._move(Happening.ENDED)
        self.answer_finished.emit(Change(chat=conversation.id, message=message))

    @Slot(object)
    def _on_failed(self, error: ErrorRecord) -> None:
        running = self._running
        if running is None:
            return
        self._end(msgspec.structs.replace(running.stamp, error=error))
        kept = running.conversation.get(running.answer_id)
        if error.code == CONTEXT_OVERFLOW and running.asked is not None:
            asked, report = running.asked.asked, running.asked.report
            assert kept.parent is not None, "an answer follows a question"
            self.turn_held.emit(
                HeldTurn(
                    chat=running.conversation.id,
                    question=kept.parent,
                    answer=kept.id,
                    hold=Hold(asked=asked, report=report, error=error),
                )
            )
            return
        self.turn_failed.emit(
            Failure(
                chat=running.conversation.id,
                error=error,
                message=kept.id if kept.text or kept.thinking else None,
            )
        )

    def busy(self) -> bool:
        """Whether a turn is running."""
        return self.state in BUSY

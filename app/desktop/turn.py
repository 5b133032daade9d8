"""One turn from the pressed key to the last word: the only place that changes the state.

An answer belongs to its conversation, not to what is shown: it goes on and is kept when another
chat is opened. One turn runs at a time, because one model is loaded.
"""

from typing import Final

import msgspec
from PySide6.QtCore import QObject, Signal, Slot

from app.core.errors import ErrorRecord
from app.desktop.background import Worker
from app.desktop.conversation import AnswerStamp, Conversation, FailedRun, Message
from app.desktop.engine_bridge import EngineBridge
from app.desktop.kept_chats import KeptChats
from app.desktop.lifecycle import BUSY, Action, Happening, TurnState, after, allows
from app.desktop.running_turn import RunningTurn
from app.desktop.services import ModelEntry, PrepareTurn
from app.desktop.turn_records import Activity, Change, Failure, Piece, Retry
from app.desktop.turn_wishes import begun, wishes_for, with_choice
from app.engine.chat import Role
from app.engine.outcome import DeltaKind, FinishReason
from app.engine.protocol import (
    Delta,
    Failed,
    Finished,
    Generate,
    LoadProgress,
    PrefillProgress,
)
from app.hardware.readings import DeviceReading
from app.workflows.cpu_retry import RetriedOnCpu, TurnEvent

_SAVE_EVERY_MS: Final = 600  # and what the disk takes: less than a second is ever lost


class TurnRunner(QObject):
    """Sends, follows, stops and resumes; lives in the GUI thread and never blocks it."""

    activity_changed = Signal(object)  # Activity
    message_added = Signal(object)  # Change
    text_arrived = Signal(object)  # Piece
    answer_finished = Signal(object)  # Change
    turn_failed = Signal(object)  # Failure
    turn_retried = Signal(object)  # Retry
    branch_changed = Signal(str)  # the chat whose shown path is another now
    store_failed = Signal(object)  # ErrorRecord: a piece of an answer isn't stored

    def __init__(
        self,
        bridge: EngineBridge,
        prepare_turn: PrepareTurn,
        chats: KeptChats,
        worker: Worker,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._prepare_turn = prepare_turn
        self._chats = chats
        self._worker = worker
        self._running: RunningTurn | None = None
        self._activity = Activity(state=TurnState.LOOKING)
        self.model: ModelEntry | None = None
        self.device: DeviceReading | None = None
        bridge.event_arrived.connect(self._on_event)

    # --- State ---------------------------------------------------------------------------------

    @property
    def state(self) -> TurnState:
        return self._activity.state

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

    # --- What a person asks for ----------------------------------------------------------------

    def send(self, conversation: Conversation, text: str) -> bool:
        """Adds the person's message and starts the answer; says whether it did."""
        if not allows(self.state, Action.SEND) or self.model is None or not text.strip():
            return False
        last = conversation.last
        question = conversation.add(Role.USER, text, parent=last.id if last else None)
        self.message_added.emit(Change(chat=conversation.id, message=question))
        self._answer(conversation, question)
        return True

    def edit(self, conversation: Conversation, message_id: str, text: str) -> bool:
        """Sends an edited copy of a message; the old one stays as another branch."""
        if not allows(self.state, Action.RESUME) or self.model is None or not text.strip():
            return False
        parent = conversation.get(message_id).parent
        question = conversation.add(Role.USER, text, parent=parent)
        self.branch_changed.emit(conversation.id)
        self._answer(conversation, question)
        return True

    def regenerate(
        self, conversation: Conversation, answer_id: str, *, varied: bool = False
    ) -> bool:
        """Answers the same question again; the old answer stays as another branch.

        ``varied``: sampled so that it doesn't become the same answer.
        """
        parent = conversation.get(answer_id).parent
        return parent is not None and self.answer(conversation, parent, varied=varied)

    def answer(self, conversation: Conversation, question_id: str, *, varied: bool = False) -> bool:
        """Answers a message that has no answer yet, or gives it another one."""
        if not allows(self.state, Action.RESUME) or self.model is None:
            return False
        question = conversation.get(question_id)
        conversation.show_only_to(question_id)
        self.branch_changed.emit(conversation.id)
        self._answer(conversation, question, varied=varied)
        return True

    def resume(self, conversation: Conversation, answer_id: str) -> bool:
        """Goes on with an answer that ended early, in the same message."""
        if not allows(self.state, Action.RESUME) or self.model is None:
            return False
        answer = msgspec.structs.replace(conversation.get(answer_id), stamp=None)
        conversation.put(answer)
        self._start(conversation, answer, prompt_leaf=answer.id)
        return True

    def stop(self) -> None:
        """Asks for the end of the running answer. What was streamed stays."""
        if not allows(self.state, Action.STOP) or self._running is None:
            return
        self._move(Happening.STOP_ASKED)
        if self._running.request is not None:
            self._bridge.cancel(self._running.request)

    def running_in(self, chat_id: str) -> bool:
        """Whether an answer is being written in a chat."""
        return self._running is not None and self._running.conversation.id == chat_id

    def stop_in(self, chat_id: str) -> None:
        """Stops the answer that is being written in a chat, if there is one."""
        if self.running_in(chat_id):
            self.stop()

    def close(self) -> None:
        """Ends the running answer for good: what was streamed is kept, as a stopped answer."""
        running = self._running
        self._move(Happening.CLOSED)
        if running is None:
            return
        if running.request is not None:
            self._bridge.cancel(running.request)
        self._end(msgspec.structs.replace(running.stamp, reason=FinishReason.CANCELLED))

    # --- The course of a turn ------------------------------------------------------------------

    def _answer(
        self, conversation: Conversation, question: Message, *, varied: bool = False
    ) -> None:
        answer = conversation.add(Role.ASSISTANT, parent=question.id)
        self.message_added.emit(Change(chat=conversation.id, message=answer))
        self._start(conversation, answer, prompt_leaf=question.id, varied=varied)

    def _start(
        self,
        conversation: Conversation,
        answer: Message,
        *,
        prompt_leaf: str,
        varied: bool = False,
    ) -> None:
        model, device = self.model, self.device
        assert model is not None, "the callers look"
        stamp = AnswerStamp(model=model.name, backend=model.backend)
        settings = conversation.settings = with_choice(conversation.settings, model, device)
        wishes = wishes_for(answer, settings.sampling, varied=varied)
        self._running = RunningTurn(conversation, answer, stamp, wishes)
        self._move(
            Happening.SENT,
            model=model.name,
            stage="",
            fraction=None,
            done_tokens=0,
            total_tokens=0,
            reused_tokens=0,
        )
        chat, messages = conversation.id, conversation.prompt(prompt_leaf)
        assert answer.parent is not None, "an answer follows a question"
        question = conversation.get(answer.parent)
        others = (one for one in conversation.siblings(question.id) if one != question.id)
        beside = next(others, None)
        chats, prepare_turn = self._chats, self._prepare_turn

        def prepare() -> Generate:
            chats.begin_chat(chat, settings)
            chats.put_question(chat, question, beside)
            request = prepare_turn(model, device, messages, wishes)
            started = msgspec.structs.replace(answer, stamp=begun(stamp, request))
            chats.open_answer(started, wishes)
            return request

        self._worker.run(prepare, self._on_prepared, self._on_failed)

    def _on_prepared(self, request: Generate) -> None:
        running = self._running
        if running is None:
            return
        if self.state is TurnState.STOPPING:  # stopped before the engine heard of it
            self._end(msgspec.structs.replace(running.stamp, reason=FinishReason.CANCELLED))
            return
        running.request = request.request
        running.stamp = begun(running.stamp, request)
        self._bridge.submit(request)

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
                running.end_thinking()
                self._end(
                    msgspec.structs.replace(
                        running.stamp,
                        reason=event.reason,
                        usage=event.usage,
                        timings=event.timings,
                        seed=event.seed,
                    )
                )
            case Failed():
                self._on_failed(event.error)
            case RetriedOnCpu():
                self._on_retried(running, event)
            case _:
                pass

    def _on_delta(self, running: RunningTurn, event: Delta) -> None:
        if event.kind is DeltaKind.TOOL_CALL:
            return
        if self.state is not TurnState.ANSWERING:
            self._move(Happening.TEXT_SEEN)
        running.note(event.kind)
        text = event.text if event.kind is DeltaKind.TEXT else ""
        thinking = event.text if event.kind is DeltaKind.THINKING else ""
        running.conversation.extend(running.answer_id, text, thinking)
        running.unsaved_text += text
        running.unsaved_thinking += thinking
        self.text_arrived.emit(
            Piece(
                chat=running.conversation.id,
                message=running.answer_id,
                text=text,
                thinking=thinking,
            )
        )
        if running.since_save.elapsed() >= _SAVE_EVERY_MS:
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
            begun(running.stamp, event.again), thinking_s=None, before=before
        )
        started = msgspec.structs.replace(answer, stamp=running.stamp)
        wishes = running.wishes
        running.unsaved_text = running.unsaved_thinking = ""

        def keep() -> None:
            chats.end_answer(failed)
            chats.open_answer(started, wishes)

        self._worker.run(keep, failed=self.store_failed.emit)
        self._move(Happening.RETRIED, stage="", fraction=None)
        self.turn_retried.emit(Retry(chat=chat, before=before))

    def _save_stream(self, running: RunningTurn) -> None:
        message = running.answer_id
        text, thinking = running.unsaved_text, running.unsaved_thinking
        running.unsaved_text = running.unsaved_thinking = ""
        running.since_save.restart()
        chats = self._chats
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

    def _on_failed(self, error: ErrorRecord) -> None:
        running = self._running
        if running is None:
            return
        self._end(msgspec.structs.replace(running.stamp, error=error))
        kept = running.conversation.get(running.answer_id)
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

"""What a person asks of a turn: to send, answer again, go on, stop."""

import msgspec

from app.desktop.conversation import Conversation, Message
from app.desktop.lifecycle import Action, Happening, allows
from app.desktop.turn_course import UNDECIDED, TurnCourse
from app.desktop.turn_records import Change, Decision
from app.engine.chat import Role
from app.engine.outcome import FinishReason


class TurnRunner(TurnCourse):
    """Sends, resumes and stops; lives in the GUI thread and never blocks it."""

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

    def answer(
        self,
        conversation: Conversation,
        question_id: str,
        *,
        varied: bool = False,
        decision: Decision = UNDECIDED,
    ) -> bool:
        """Answers a message that has no answer yet, or gives it another one.

        ``decision`` is what the person wants for a turn that was held.
        """
        if not allows(self.state, Action.RESUME) or self.model is None:
            return False
        question = conversation.get(question_id)
        conversation.show_only_to(question_id)
        self.branch_changed.emit(conversation.id)
        self._answer(conversation, question, varied=varied, decision=decision)
        return True

    def resume(
        self, conversation: Conversation, answer_id: str, *, decision: Decision = UNDECIDED
    ) -> bool:
        """Goes on with an answer that ended early, in the same message."""
        if not allows(self.state, Action.RESUME) or self.model is None:
            return False
        before = conversation.get(answer_id)
        conversation.put(msgspec.structs.replace(before, stamp=None))
        self.start(conversation, before, prompt_leaf=before.id, decision=decision)
        return True

    def stop(self) -> None:
        """Asks for the end of the running answer. What was streamed stays."""
        if not allows(self.state, Action.STOP) or self._running is None:
            return
        self._move(Happening.STOP_ASKED)
        if self._running.request is not None:
            self._bridge.cancel(self._running.request)
        else:
            self._gate.stop()

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
        self._gate.leave()
        if running.request is not None:
            self._bridge.cancel(running.request)
        self._end(msgspec.structs.replace(running.stamp, reason=FinishReason.CANCELLED))

    def _answer(
        self,
        conversation: Conversation,
        question: Message,
        *,
        varied: bool = False,
        decision: Decision = UNDECIDED,
    ) -> None:
        answer = conversation.add(Role.ASSISTANT, parent=question.id)
        self.message_added.emit(Change(chat=conversation.id, message=answer))
        self.start(conversation, answer, prompt_leaf=question.id, varied=varied, decision=decision)

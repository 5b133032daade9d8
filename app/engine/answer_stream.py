"""What stands between a backend's text and the window: one object for each answer.

It is a ``Control`` itself, so a backend hands it to whatever streams its text, and at the end asks
it how the answer ended. On the way the text meets, in this order: stop strings, thinking, calls.
"""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager

from app.core.errors import DataFault
from app.engine.backends.base import Control
from app.engine.chat import ThinkingLevel, ToolCall
from app.engine.loop_guard import LoopGuard
from app.engine.outcome import DeltaKind, FinishReason
from app.engine.protocol import Generate
from app.engine.stop_strings import StopStrings
from app.engine.thinking import (
    ThinkingSplitter,
    begin_answer,
    count_thinking_tokens,
    thinking_tags,
)
from app.engine.tool_calls import ToolCallSplitter, check_tools, to_json


class AnswerStream:
    """Sorts the text of one answer into answer, thinking and tool calls, and passes it on.

    A stop string ends it anywhere, also in the thinking; ``stop_reason`` then says ``STOP``. One
    that goes round in circles is ended with ``REPETITION``, one that thinks for too long with
    ``LENGTH``; what it wrote is passed on.
    White space that only parts the thinking or a call from what follows is layout and left out.

    Args:
        control: the request's own.
        request: its protocols, tools and stop strings count.

    Raises:
        UserError: ``tools_not_supported``, ``tool_schema_invalid``.
        DataFault: ``protocol_unknown``.
    """

    def __init__(self, control: Control, request: Generate) -> None:
        protocols = request.spec.protocols
        check_tools(protocols.tool_calls, request.tools)
        self._control = control
        self._tags = thinking_tags(protocols.reasoning)
        self._skips_thinking = request.thinking is ThinkingLevel.OFF
        self._may_think = request.max_thinking_tokens
        self._thought_pieces = 0
        self._opened = False
        self._stops = StopStrings(request.sampling.stop_strings)
        self._loops = LoopGuard()
        self._thinking: ThinkingSplitter | None = None
        self._calls: ToolCallSplitter | None = None
        if request.tools:
            self._calls = ToolCallSplitter(frozenset(tool.name for tool in request.tools))
        self._after_layout = False
        self._sent = False

    def begin(self, rendered: str, begun: str = "") -> str:
        """Returns the whole prompt; to be called once, before the first text.

        Args:
            rendered: the messages in the model's chat template.
            begun: the beginning of the answer, if it is to go on.
        """
        prompt, self._opened = begin_answer(rendered, begun, self._tags, skip=self._skips_thinking)
        if self._tags is not None and (self._opened or not begun):
            self._thinking = ThinkingSplitter(self._tags, opened=self._opened)
        return prompt

    def end(self, reason: FinishReason) -> FinishReason:
        """Passes on what was held back; returns why the answer ended.

        Args:
            reason: why the backend stopped.

        Raises:
            DataFault: ``tool_call_malformed``: the model ended by itself, and what it wrote as a
                call is none. Its text has been passed on.
        """
        self._part(self._stops.finish())
        if self._thinking is not None:
            for piece in self._thinking.finish():
                self._sort(piece.kind, piece.text)
        if self._calls is None:
            return reason
        for part in self._calls.finish():
            self._send(part)
        if reason is not FinishReason.STOP:
            return reason
        if self._calls.failure is not None:
            raise DataFault(
                "tool_call_malformed",
                f"The model wrote a tool call that can't be read: {self._calls.failure}.",
                "Send the message again, or choose a model that is verified for tools.",
            )
        return FinishReason.TOOL_CALLS if self._calls.calls else reason

    def thinking_tokens(self, ids: Sequence[int], decode: Callable[[Sequence[int]], str]) -> int:
        """Counts the thinking tokens among the answer's ``ids``: see ``count_thinking_tokens``."""
        if self._thinking is None or self._tags is None:
            return 0
        return count_thinking_tokens(ids, decode, self._tags, opened=self._opened)

    @property
    def open_call(self) -> str | None:
        """What there is of a call that has begun and not ended; ``None`` outside of one."""
        return None if self._calls is None else self._calls.open_call

    @property
    def may_end_at_a_token(self) -> bool:
        """Whether a piece of text can end the answer, so that each token has to come by itself.

        Going round in circles doesn't count: that takes hundreds of characters.
        """
        return self._stops.given or self._may_think is not None

    # --- Control ---

    def delta(self, kind: DeltaKind, text: str) -> None:
        """Takes the next piece of the answer: whole characters. Never raises."""
        self._sent = False
        if kind is DeltaKind.TEXT:
            self._loops.push(text)
            self._part(self._stops.push(text))
            if self._thinking is not None and self._thinking.inside:
                self._thought_pieces += 1  # a piece is a token, but for characters cut in two
        else:
            self._sort(kind, text)
        if not self._sent:
            # A long call is held back whole; whoever watches must not take that for a standstill.
            self._control.delta(DeltaKind.TEXT, "")

    def stop_reason(self) -> FinishReason | None:
        if self._stops.found:
            return FinishReason.STOP
        asked = self._control.stop_reason()
        if asked is None and self._loops.found:
            return FinishReason.REPETITION
        if asked is None and self._may_think is not None and self._thinking_too_long():
            return FinishReason.LENGTH
        return asked

    def _thinking_too_long(self) -> bool:
        inside = self._thinking is not None and self._thinking.inside
        return inside and self._thought_pieces >= (self._may_think or 0)

    def uninterruptible(self, tokens: int | None = None) -> AbstractContextManager[None]:
        return self._control.uninterruptible(tokens)

    def load_progress(self, stage: str, fraction: float | None = None) -> None:
        self._control.load_progress(stage, fraction)

    def prefill_progress(self, done_tokens: int, total_tokens: int, reused_tokens: int) -> None:
        self._control.prefill_progress(done_tokens, total_tokens, reused_tokens)

    # --- on its way ---

    def _part(self, text: str) -> None:
        if self._thinking is None:
            self._sort(DeltaKind.TEXT, text)
            return
        for piece in self._thinking.push(text):
            self._sort(piece.kind, piece.text)

    def _sort(self, kind: DeltaKind, text: str) -> None:
        if kind is not DeltaKind.TEXT:
            self._pass_on(kind, text)
            self._after_layout = kind is DeltaKind.THINKING
        elif self._calls is None:
            self._send(text)
        else:
            for part in self._calls.push(text):
                self._send(part)

    def _send(self, part: str | ToolCall) -> None:
        if isinstance(part, ToolCall):
            self._pass_on(DeltaKind.TOOL_CALL, to_json(part))
            self._after_layout = True
            return
        text = part.lstrip() if self._after_layout else part
        if text:
            self._after_layout = False
            self._pass_on(DeltaKind.TEXT, text)

    def _pass_on(self, kind: DeltaKind, text: str) -> None:
        self._sent = True
        self._control.delta(kind, text)

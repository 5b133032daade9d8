"""The prompt of a chat: its system prompt, pinned files, tools, history and the new turn.

segments = chat_segments(ChatParts(system=..., pinned=pin(paths), history=..., turn="Hi"))
request = with_context(services.prepare_turn(model, (), options), segments)
report = count(engine, request)
"""

from collections.abc import Iterable
from typing import Final

import msgspec
from msgspec import Struct

from app.core.errors import Bug
from app.engine.chat import ChatMessage, Role, ToolSpec
from app.engine.client import EngineClient
from app.engine.context import Segment, assemble
from app.engine.manifest import SegmentKind
from app.engine.outcome import ContextReport
from app.engine.protocol import Count, Counted, Event, Generate, Prefill, new_request_id
from app.workflows.context_paste import fence_pasted

SUMMARY_NAME: Final = "summary of what was said before"
"""The name of the segment that stands for the turns that were left out."""


class ChatParts(Struct, frozen=True, kw_only=True):
    """What a chat has, in its own terms.

    ``pinned`` come from ``context_files``. ``history`` ends before ``turn``; to continue an answer
    or to answer a last message again, it has that message and ``turn`` is empty. ``summary`` stands
    for the turns that were left out of ``history``.
    """

    system: str = ""
    pinned: tuple[Segment, ...] = ()
    tools: tuple[ToolSpec, ...] = ()
    summary: str = ""
    history: tuple[ChatMessage, ...] = ()
    turn: str = ""


def chat_segments(parts: ChatParts) -> tuple[Segment, ...]:
    """The segments of a chat. Diffs and logs in what the person wrote are fenced where they are."""
    segments = [Segment(kind=SegmentKind.SYSTEM, text=parts.system)] if parts.system else []
    segments += [Segment(kind=SegmentKind.TOOLS, tool=tool) for tool in parts.tools]
    segments += parts.pinned
    if parts.summary:
        segments.append(Segment(kind=SegmentKind.PINNED, name=SUMMARY_NAME, text=parts.summary))
    segments += [_turn(SegmentKind.HISTORY, message) for message in parts.history]
    if parts.turn:
        asked = ChatMessage(role=Role.USER, content=parts.turn)
        segments.append(_turn(SegmentKind.USER, asked))
    return tuple(segments)


def with_context(request: Generate, segments: Iterable[Segment]) -> Generate:
    """``request`` for the conversation that ``segments`` make; the rest of it stays."""
    made = assemble(segments)
    return msgspec.structs.replace(
        request, messages=made.messages, tools=made.tools, segments=made.spans
    )


def with_reserve(request: Generate) -> Generate:
    """``request`` with room for its answer: all it may write, up to a quarter of the context."""
    reserve = min(request.max_tokens, max(1, request.spec.context_tokens // 4))
    return msgspec.structs.replace(request, reserve_tokens=reserve)


def count(engine: EngineClient, turn: Generate) -> ContextReport:
    """Counts the prompt of ``turn`` exactly. Blocks; never waits for an answer.

    Raises:
        ContenoxError: the tokenizer or the template failed.
    """
    found: list[ContextReport] = []

    def listen(event: Event) -> None:
        if isinstance(event, Counted):
            found.append(event.report)

    engine.call(Count(request=new_request_id(), turn=turn), listen)
    if not found:
        raise Bug("not_counted", "The engine counted nothing.", "Try again.")
    return found[0]


def read_ahead(request: Generate, parts: ChatParts) -> Prefill:
    """The request that reads what every next turn of a chat begins with, while a person types."""
    segments = chat_segments(msgspec.structs.replace(parts, turn=""))
    return Prefill(request=new_request_id(), turn=with_context(request, segments))


def _turn(kind: SegmentKind, message: ChatMessage) -> Segment:
    """Marks pasted text, in a turn as in the history, so that both read the same."""
    if message.role is Role.USER:
        text, inside = fence_pasted(message.content)
        if inside:
            marked = msgspec.structs.replace(message, content=text)
            return Segment(kind=kind, message=marked, inside=inside)
    return Segment(kind=kind, message=message)

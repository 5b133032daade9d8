"""What is said to a model, and how it shall answer. Plain frozen values."""

from enum import StrEnum

from msgspec import Struct

from app.engine.manifest import SegmentKind


class Role(StrEnum):
    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"


class ToolCall(Struct, frozen=True, kw_only=True):
    """A call that the model made; the text of a ``Delta`` of that kind is one such as JSON.

    ``arguments`` is a JSON object as JSON text.
    """

    id: str
    name: str
    arguments: str


class ChatMessage(Struct, frozen=True, kw_only=True):
    """A turn. ``tool_calls`` are an assistant's; ``tool_call_id`` is the call a tool answers."""

    role: Role
    content: str
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str | None = None


class ToolSpec(Struct, frozen=True, kw_only=True):
    """A tool that the model may call. ``parameters_schema`` is a JSON schema as JSON text."""

    name: str
    description: str
    parameters_schema: str


class ThinkingLevel(StrEnum):
    """How much the model shall think before it answers; ``AUTO`` leaves it to the template."""

    AUTO = "auto"
    OFF = "off"
    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"


class SegmentSpan(Struct, frozen=True, kw_only=True):
    """Which part of which message is one segment: characters ``start`` to ``end`` of its content.

    ``message`` is -1 for a tool, whose text is in ``text``: a template writes it as it likes.
    ``inside`` is what was pasted into a turn, in its order.
    """

    kind: SegmentKind
    name: str = ""
    message: int = -1
    start: int = 0
    end: int = 0
    text: str = ""
    inside: tuple["SegmentSpan", ...] = ()


class Sampling(Struct, frozen=True, kw_only=True):
    """How the next token is chosen. ``temperature`` 0 means greedy: the most probable token.

    ``top_p`` 1, ``top_k`` 0, ``min_p`` 0 and ``repetition_penalty`` 1 each mean "not used".
    ``seed`` absent means a new random one, which ``Finished`` reports.
    """

    temperature: float = 0.0
    top_p: float = 1.0
    top_k: int = 0
    min_p: float = 0.0
    repetition_penalty: float = 1.0
    seed: int | None = None
    stop_strings: tuple[str, ...] = ()

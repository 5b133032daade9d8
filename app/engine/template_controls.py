"""What a chat template is told besides the messages, and which of it the template heeds.

Each backend renders templates with a library of its own; what they have in common is ``Render``.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import Any, Final

from app.core.errors import ContenoxError, UserError
from app.engine.chat import ChatMessage, Role, ThinkingLevel, ToolSpec
from app.engine.native_failure import NativeFailure

# The names under which templates look for these (Qwen3 and others; gpt-oss).
_ENABLE: Final = "enable_thinking"
_EFFORT: Final = "reasoning_effort"


@dataclass(frozen=True, slots=True)
class TemplateControls:
    """What a template gets besides the messages. ``None`` and empty mean: it isn't told."""

    tools: tuple[ToolSpec, ...] = ()
    enable_thinking: bool | None = None
    reasoning_effort: str | None = None

    def tools_as_json(self) -> list[dict[str, Any]] | None:
        """The tools in the form that templates expect; their schemas must be JSON."""
        if not self.tools:
            return None
        return [
            {
                "type": "function",
                "function": {
                    "name": tool.name,
                    "description": tool.description,
                    "parameters": json.loads(tool.parameters_schema),
                },
            }
            for tool in self.tools
        ]

    def variables(self) -> dict[str, bool | str]:
        """The template's extra variables that are set."""
        found: dict[str, bool | str] = {}
        if self.enable_thinking is not None:
            found[_ENABLE] = self.enable_thinking
        if self.reasoning_effort is not None:
            found[_EFFORT] = self.reasoning_effort
        return found


def as_template_sees(message: ChatMessage) -> dict[str, Any]:
    """A message in the form that templates expect; a call's arguments are an object, not text."""
    seen: dict[str, Any] = {"role": message.role.value, "content": message.content}
    if message.tool_calls:
        seen["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": json.loads(call.arguments)},
            }
            for call in message.tool_calls
        ]
    if message.tool_call_id is not None:
        seen["tool_call_id"] = message.tool_call_id
    return seen


Render = Callable[[tuple[ChatMessage, ...], TemplateControls], str]
"""Renders messages up to where the answer begins; raises what the backend raises for a template."""


@dataclass(frozen=True, slots=True)
class TemplateTraits:
    """Which controls change what a template renders; nothing else proves that it has them.

    ``thinks``: the answer's beginning or a control speaks of thinking.
    """

    tools: bool = False
    enable_thinking: bool = False
    reasoning_effort: bool = False
    thinks: bool = False


HEEDS_CHAT: Final = "chat"
HEEDS_TOOLS: Final = "tools"
THINKS: Final = "thinks"


def heeded(probed: Callable[[], TemplateTraits]) -> tuple[str, ...]:
    """What a template was seen to heed, by name; nothing if it can't be rendered."""
    try:
        traits = probed()
    except (ContenoxError, NativeFailure):
        return ()
    return (HEEDS_CHAT, *(one.name for one in fields(traits) if getattr(traits, one.name)))


_PLAIN: Final = TemplateControls()
_PROBE_TOOL: Final = ToolSpec(
    name="probe_tool",
    description="Answers nothing.",
    parameters_schema='{"type": "object", "properties": {"q": {"type": "string"}}}',
)
_PROBE_TURN: Final = (ChatMessage(role=Role.USER, content="Hello."),)
# How known families begin their thinking: Qwen and DeepSeek, Cohere, gpt-oss, Llama Nemotron.
_STARTS: Final = (
    "<think>",
    "<|START_THINKING|>",
    "<|channel|>analysis",
    "<|start_header_id|>analysis<|end_header_id|>",
)


def probe(render: Render) -> TemplateTraits:
    """Renders a short dialogue with and without each control and compares.

    A template that fails with a control doesn't have it.

    Raises:
        Exception: whatever ``render`` raises for the plain dialogue: the template is no good.
    """
    plain = render(_PROBE_TURN, _PLAIN)
    on = _try(render, TemplateControls(enable_thinking=True))
    off = _try(render, TemplateControls(enable_thinking=False))
    low = _try(render, TemplateControls(reasoning_effort="low"))
    high = _try(render, TemplateControls(reasoning_effort="high"))
    with_tool = _try(render, TemplateControls(tools=(_PROBE_TOOL,)))
    enable = on is not None and off is not None and on != off
    effort = low is not None and high is not None and low != high
    starts = any(start in text for text in (plain, on) if text for start in _STARTS)
    return TemplateTraits(
        tools=with_tool is not None and with_tool != plain and _PROBE_TOOL.name in with_tool,
        enable_thinking=enable,
        reasoning_effort=effort,
        thinks=enable or effort or starts,
    )


def controls_for(
    level: ThinkingLevel, tools: tuple[ToolSpec, ...], traits: Callable[[], TemplateTraits]
) -> TemplateControls:
    """Says ``level`` in the words that the template has; what it lacks is left out.

    A template that knows efforts only can't switch thinking off: it gets the lowest.

    Args:
        level: ``AUTO`` tells the template nothing.
        tools: what the model may call.
        traits: the template's; asked only if there is something to tell it.

    Raises:
        UserError: ``tools_not_supported``: the model would never hear of its tools.
    """
    controls = TemplateControls(tools=tools)
    if level is ThinkingLevel.AUTO and not tools:
        return controls
    found = traits()
    if tools and not found.tools:
        raise UserError(
            "tools_not_supported",
            "This model's chat template has no place for tools.",
            "Choose a model that is verified for tools, or send the message without them.",
        )
    if level is ThinkingLevel.AUTO:
        return controls
    if found.enable_thinking:
        controls = replace(controls, enable_thinking=level is not ThinkingLevel.OFF)
    if found.reasoning_effort:
        effort = ThinkingLevel.LOW if level is ThinkingLevel.OFF else level
        controls = replace(controls, reasoning_effort=effort.value)
    return controls


def _try(render: Render, controls: TemplateControls) -> str | None:
    try:
        return render(_PROBE_TURN, controls)
    except (ContenoxError, NativeFailure):
        return None

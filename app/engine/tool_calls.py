"""Reads tool calls out of an answer, strictly.

A model calls a tool by writing ``<tool_call>``, a JSON object and ``</tool_call>``; OpenVINO GenAI
and llama.cpp are made to hold it to that form (``backends/openvino_structure.py``,
``backends/llama_grammar.py``). What is between the tags is parsed as JSON, nothing else is looked
for, and nothing is repaired. Which protocols there are, and why not the others:
docs/decisions/0071-one-form-of-tool-call.md.
"""

import json
import re
from collections.abc import Sequence
from typing import Any, Final, NoReturn

import msgspec

from app.core.errors import DataFault, UserError
from app.engine.chat import ToolCall, ToolSpec
from app.engine.thinking import undecided
from app.engine.tool_schema import invalid, parameters

OPENING: Final = "<tool_call>"
CLOSING: Final = "</tool_call>"

TOOL_PROTOCOLS: Final = frozenset(
    {
        "openvino:json_schema_tool_calls",
        "llama:json_schema_tool_calls",
        "llama:common_chat_tool_parser",
    }
)
"""The protocol names that a profile may give for tool calls."""

REFUSED_PROTOCOLS: Final = {
    "openvino:llama3_json_tool_parser": "it reads any JSON object in an answer as a call, and the"
    " library's paged pipeline doesn't run it",
    "openvino:llama3_pythonic_tool_parser": "it loses arguments that aren't strings",
    "openvino:vllm_parser_wrapper": "it needs vLLM, which isn't part of this program",
}
"""Protocol names that other programs know and this one doesn't support, with the reason."""

_NAME: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")
_MAX_TOOLS: Final = 64


class MalformedCall(Exception):
    """What the model wrote between the tags is no call of one of its tools."""


def check_tools(protocol: str | None, tools: Sequence[ToolSpec]) -> None:
    """Checks, before anything is generated, that ``tools`` can be offered.

    Args:
        protocol: the profile's name for how this model writes calls.

    Raises:
        UserError: ``tools_not_supported``, ``tool_schema_invalid``.
        DataFault: ``protocol_unknown``.
    """
    if not tools:
        return
    if protocol is None:
        raise UserError(
            "tools_not_supported",
            "This model's profile names no way to call tools.",
            "Choose a model that is verified for tools, or send the message without them.",
        )
    if protocol not in TOOL_PROTOCOLS:
        reason = REFUSED_PROTOCOLS.get(protocol, "there is no such protocol")
        raise DataFault(
            "protocol_unknown",
            f"The profile's tool protocol {protocol!r} isn't supported: {reason}.",
            f"Use one of: {', '.join(sorted(TOOL_PROTOCOLS))}.",
        )
    if len(tools) > _MAX_TOOLS or len({tool.name for tool in tools}) != len(tools):
        raise invalid(f"There may be at most {_MAX_TOOLS} tools, each with a name of its own")
    for tool in tools:
        if not _NAME.fullmatch(tool.name):
            raise invalid(f"The tool name {tool.name[:80]!r} isn't 1 to 64 letters, digits, _ or -")
        parameters(tool)


def parse_call(payload: str, names: frozenset[str], number: int) -> ToolCall:
    """Reads the text between the tags.

    Args:
        payload: JSON.
        names: the tools that may be called.
        number: which call of the answer this is, from 1.

    Raises:
        MalformedCall: with the reason.
    """
    try:
        call = json.loads(payload, object_pairs_hook=_unique, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise MalformedCall(f"it is no JSON ({error})") from error
    if not isinstance(call, dict) or call.keys() != {"name", "arguments"}:
        raise MalformedCall("it isn't an object with a name and arguments")
    name, arguments = call["name"], call["arguments"]
    if not isinstance(name, str) or name not in names:
        raise MalformedCall(f"there is no tool named {str(name)[:80]!r}")
    if not isinstance(arguments, dict):
        raise MalformedCall("its arguments are no object")
    compact = json.dumps(arguments, ensure_ascii=False, separators=(",", ":"))
    return ToolCall(id=f"call_{number}", name=name, arguments=compact)


class ToolCallSplitter:
    """Takes an answer in pieces of any length; gives back plain text and whole calls.

    A malformed call comes back as the text that it is, tags included; ``failure`` then says why,
    and the answer counts as failed. So does a call that the answer's end cuts off.

    Args:
        names: the tools that may be called.
    """

    def __init__(self, names: frozenset[str]) -> None:
        self._names = names
        self._held = ""
        self.calls = 0
        self.failure: str | None = None

    @property
    def open_call(self) -> str | None:
        """What the answer has of a call that has begun and not ended; ``None`` outside of one."""
        begun = self._held.startswith(OPENING)
        return self._held.removeprefix(OPENING) if begun else None

    def push(self, text: str) -> list[str | ToolCall]:
        """Takes the next piece and returns what is decided by it."""
        self._held += text
        parts: list[str | ToolCall] = []
        while True:
            start = self._held.find(OPENING)
            if start < 0:
                self._take(parts, len(self._held) - undecided(self._held, OPENING))
                return parts
            self._take(parts, start)
            end = self._held.find(CLOSING)
            if end < 0:
                return parts
            parts.append(self._call(self._held[len(OPENING) : end]))
            self._held = self._held[end + len(CLOSING) :]

    def finish(self) -> list[str | ToolCall]:
        """Returns what was held back: a call that has no end is text."""
        parts: list[str | ToolCall] = []
        if self._held.startswith(OPENING):
            self.failure = self.failure or "it has no end"
        self._take(parts, len(self._held))
        return parts

    def _call(self, payload: str) -> str | ToolCall:
        try:
            call = parse_call(payload, self._names, self.calls + 1)
        except MalformedCall as error:
            self.failure = self.failure or str(error)
            return f"{OPENING}{payload}{CLOSING}"
        self.calls += 1
        return call

    def _take(self, parts: list[str | ToolCall], length: int) -> None:
        text, self._held = self._held[:length], self._held[length:]
        if text:
            parts.append(text)


def to_json(call: ToolCall) -> str:
    """The text of a ``Delta`` that carries ``call``."""
    return msgspec.json.encode(call).decode()


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key is there twice")
    return found


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")

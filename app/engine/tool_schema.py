"""The schemas of tools: what is refused, and what of them a grammar holds an answer to.

A schema comes from outside and becomes a grammar in native code, which nothing can interrupt. So it
is bounded here, and what takes that code long is left out: docs/decisions/0071.
"""

import json
import re
from typing import Any, Final

from app.core.errors import UserError
from app.engine.chat import ToolSpec

_MAX_SCHEMA_CHARACTERS: Final = 32 * 1024
_MAX_DEPTH: Final = 32
_MAX_ITEMS: Final = 100

# How JSON schema nests: a mapping of names to schemas, a list of schemas, one schema. All else is
# data, such as an enum.
_NAMED: Final = frozenset({"properties", "patternProperties", "$defs", "definitions"})
_LISTED: Final = frozenset({"anyOf", "oneOf", "allOf", "prefixItems"})
_SINGLE: Final = frozenset({"items", "additionalProperties", "unevaluatedProperties", "not"})

_COUNTED: Final = re.compile(r"\{\d*,?\d*\}")


def parameters(tool: ToolSpec) -> dict[str, Any]:
    """Returns the tool's parameter schema.

    Raises:
        UserError: ``tool_schema_invalid``: it is no JSON schema of an object, too long or too deep.
    """
    if len(tool.parameters_schema) > _MAX_SCHEMA_CHARACTERS:
        raise invalid(
            f"The schema of {tool.name} has more than {_MAX_SCHEMA_CHARACTERS} characters"
        )
    try:
        schema = json.loads(tool.parameters_schema)
    except (ValueError, RecursionError) as error:
        raise invalid(f"The schema of {tool.name} is no JSON ({error})") from error
    if not isinstance(schema, dict) or schema.get("type") != "object":
        raise invalid(f'The schema of {tool.name} doesn\'t say "type": "object"')
    if _is_deep(schema):
        raise invalid(f"The schema of {tool.name} is nested more than {_MAX_DEPTH} deep")
    return schema


def call_schema(tool: ToolSpec, place: str = "#") -> dict[str, Any]:
    """The JSON schema of a call of ``tool`` for a grammar: its name, and its arguments' form.

    Args:
        tool: one that ``parameters`` accepts.
        place: where in its document the result will be, as a JSON pointer; references go there.

    Lengths of strings, patterns that count or aren't anchored at both ends, and large counts of
    items are left out: a tool has to check those itself. On openvino-genai 2026.4.1 a ``maxLength``
    of 256 took 15 s, a pattern ``.{1,1000}`` 90 s.

    Raises:
        UserError: ``tool_schema_invalid``.
    """
    arguments = _relaxed(parameters(tool), f"{place}/properties/arguments")
    return {
        "type": "object",
        "properties": {"name": {"enum": [tool.name]}, "arguments": arguments},
        "required": ["name", "arguments"],
        "additionalProperties": False,
    }


def invalid(sentence: str) -> UserError:
    """The error of a definition that can't be offered; ``sentence`` has no full stop."""
    return UserError(
        "tool_schema_invalid",
        f"{sentence}.",
        "Mend the tool's definition, or send the message without it.",
    )


def _relaxed(schema: Any, place: str) -> Any:
    """Returns ``schema`` without what is slow, for a document that has it at ``place``."""
    if not isinstance(schema, dict):
        return schema
    return {
        key: _inner(key, value, place) for key, value in schema.items() if not _is_slow(key, value)
    }


def _inner(key: str, value: Any, place: str) -> Any:
    if key in _NAMED and isinstance(value, dict):
        if key == "patternProperties" and any(map(_COUNTED.search, value)):
            raise invalid("A name's pattern has a counted repetition")
        return {name: _relaxed(inner, place) for name, inner in value.items()}
    if key in _LISTED and isinstance(value, list):
        return [_relaxed(inner, place) for inner in value]
    if key == "$ref":
        # A converter of the llama binding would fetch what lies elsewhere.
        if not isinstance(value, str) or not re.fullmatch(r"#(/.*)?", value):
            raise invalid(f"A schema refers to {str(value)[:80]!r}, which is not inside it")
        return place + value.removeprefix("#")
    return _relaxed(value, place) if key in _SINGLE else value


def _is_slow(key: str, value: Any) -> bool:
    match key:
        case "minLength" | "maxLength":
            return True
        case "pattern":
            anchored = isinstance(value, str) and value.startswith("^") and value.endswith("$")
            return not anchored or _COUNTED.search(value) is not None
        case "minItems" | "maxItems":
            return isinstance(value, int) and value > _MAX_ITEMS
    return False


def _is_deep(value: Any) -> bool:
    """Whether ``value`` is nested more than allowed, found level by level without recursion."""
    level = [value]
    for _ in range(_MAX_DEPTH):
        level = [
            inner
            for outer in level
            if isinstance(outer, dict | list)
            for inner in (outer.values() if isinstance(outer, dict) else outer)
        ]
        if not level:
            return False
    return True

"""What of a tool's schema a grammar gets."""

import json

import pytest

from app.core.errors import UserError
from app.engine.chat import ToolSpec
from app.engine.tool_schema import call_schema


def tool(schema: str) -> ToolSpec:
    return ToolSpec(name="weather", description="A tool.", parameters_schema=schema)


def arguments(schema: object) -> object:
    return call_schema(tool(json.dumps(schema)))["properties"]["arguments"]


def test_the_schema_of_a_call_holds_the_name_and_the_tools_own_schema() -> None:
    schema = '{"type": "object", "properties": {"city": {"type": "string"}}}'
    assert call_schema(tool(schema)) == {
        "type": "object",
        "properties": {"name": {"enum": ["weather"]}, "arguments": json.loads(schema)},
        "required": ["name", "arguments"],
        "additionalProperties": False,
    }


def test_what_takes_the_grammar_compiler_long_is_left_out() -> None:
    slow = {
        "type": "object",
        "properties": {
            "a": {"type": "string", "minLength": 1, "maxLength": 4096},
            "b": {"anyOf": [{"type": "string", "pattern": "^x{1,1000}$"}, {"type": "null"}]},
            "open": {"type": "string", "pattern": "[a-z]"},
            "c": {"type": "array", "items": {"type": "string", "maxLength": 9}, "maxItems": 10_000},
        },
        "$defs": {"d": {"type": "string", "maxLength": 9}},
    }
    assert arguments(slow) == {
        "type": "object",
        "properties": {
            "a": {"type": "string"},
            "b": {"anyOf": [{"type": "string"}, {"type": "null"}]},
            "open": {"type": "string"},
            "c": {"type": "array", "items": {"type": "string"}},
        },
        "$defs": {"d": {"type": "string"}},
    }


def test_names_and_data_are_no_keywords() -> None:
    kept = {
        "type": "object",
        "properties": {
            "maxLength": {"type": "integer", "maximum": 10},
            "pattern": {"type": "string", "pattern": "^[a-z]+$"},
            "e": {"enum": [{"maxLength": 5}, "{3}"]},
            "f": {"type": "array", "maxItems": 3},
        },
        "additionalProperties": False,
    }
    assert arguments(kept) == kept


def test_a_counted_pattern_of_names_is_refused() -> None:
    with pytest.raises(UserError) as caught:
        arguments({"type": "object", "patternProperties": {"a{9}": {}}})
    assert caught.value.code == "tool_schema_invalid"


def test_references_keep_their_aim_in_the_schema_of_the_call() -> None:
    schema = {
        "type": "object",
        "properties": {"a": {"$ref": "#/$defs/d"}, "again": {"$ref": "#"}},
        "$defs": {"d": {"type": "string"}},
    }
    at = "#/definitions/x/properties/arguments"
    call = call_schema(tool(json.dumps(schema)), "#/definitions/x")
    assert call["properties"]["arguments"]["properties"] == {
        "a": {"$ref": f"{at}/$defs/d"},
        "again": {"$ref": at},
    }


@pytest.mark.parametrize("aim", ["https://example.org/schema", "other.json#/a", "", 5])
def test_a_reference_to_elsewhere_is_refused(aim: object) -> None:
    with pytest.raises(UserError) as caught:
        arguments({"type": "object", "properties": {"a": {"$ref": aim}}})
    assert caught.value.code == "tool_schema_invalid"

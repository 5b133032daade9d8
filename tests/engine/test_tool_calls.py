"""Tool calls: read strictly, refused clearly, and no text lost."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.errors import DataFault, UserError
from app.engine.chat import ToolCall, ToolSpec
from app.engine.tool_calls import (
    REFUSED_PROTOCOLS,
    TOOL_PROTOCOLS,
    MalformedCall,
    ToolCallSplitter,
    check_tools,
    parse_call,
)

NAMES = frozenset({"weather", "clock"})
GOOD = '{"name": "weather", "arguments": {"city": "Zürich", "days": 2}}'


def tool(name: str = "weather", schema: str = '{"type": "object"}') -> ToolSpec:
    return ToolSpec(name=name, description="A tool.", parameters_schema=schema)


def split(*pieces: str) -> tuple[str, list[ToolCall], str | None]:
    splitter = ToolCallSplitter(NAMES)
    parts = [part for text in pieces for part in splitter.push(text)] + splitter.finish()
    text = "".join(part for part in parts if isinstance(part, str))
    return text, [part for part in parts if isinstance(part, ToolCall)], splitter.failure


def test_a_call_becomes_compact_json() -> None:
    assert parse_call(f"\n{GOOD}\n", NAMES, 1) == ToolCall(
        id="call_1", name="weather", arguments='{"city":"Zürich","days":2}'
    )


@pytest.mark.parametrize(
    "payload",
    [
        "",
        "weather()",
        '{"name": "weather"}',
        '{"name": "weather", "arguments": "x"}',
        '{"name": "weather", "arguments": {}, "more": 1}',
        '{"name": "weather", "parameters": {}}',
        '{"name": "rm", "arguments": {}}',
        '{"name": ["weather"], "arguments": {}}',
        '[{"name": "weather", "arguments": {}}]',
        '{"name": "weather", "arguments": {"a": NaN}}',
        '{"name": "weather", "arguments": {"a": 1, "a": 2}}',
        GOOD + GOOD,
        "[" * 100_000,
    ],
)
def test_what_is_no_call_is_refused(payload: str) -> None:
    with pytest.raises(MalformedCall):
        parse_call(payload, NAMES, 1)


def test_calls_are_numbered_and_the_text_around_them_stays() -> None:
    clock = '{"name":"clock","arguments":{}}'
    text, calls, failure = split(
        f"Well, <tool_call>\n{GOOD}\n</tool_call>\n<tool_call>{clock}</tool_call> done."
    )
    assert text == "Well, \n done."
    assert [(call.id, call.name) for call in calls] == [("call_1", "weather"), ("call_2", "clock")]
    assert failure is None


@pytest.mark.parametrize(
    "text",
    [
        "<tool_call>oops</tool_call>",
        "a <tool_call> b",
        '<tool_call>\n{"name": "weather", "argu',
    ],
)
def test_a_malformed_call_stays_text_and_is_told(text: str) -> None:
    assert split(text)[:2] == (text, [])
    assert split(text)[2] is not None


def test_bare_json_is_text() -> None:
    assert split(GOOD) == (GOOD, [], None)


def test_what_only_looks_like_a_tag_is_text() -> None:
    assert split("a <tool", "_box> <", "tool_call") == ("a <tool_box> <tool_call", [], None)


@given(
    parts=st.lists(
        st.sampled_from(
            ["<tool_call>", "</tool_call>", GOOD, "<", "tool_", "call>", "a", "\n", "漢🙂"]
        ),
        max_size=8,
    ),
    cuts=st.lists(st.integers(0, 300), max_size=10),
)
def test_any_cut_gives_the_same(parts: list[str], cuts: list[int]) -> None:
    text = "".join(parts)
    ends = sorted({min(cut, len(text)) for cut in cuts} | {0, len(text)})
    pieces = [text[start:end] for start, end in pairwise(ends)]
    assert split(*pieces) == split(text)
    if not split(text)[1]:
        assert split(text)[0] == text


def test_tools_without_a_protocol_are_refused_never_ignored() -> None:
    check_tools(None, ())
    with pytest.raises(UserError) as caught:
        check_tools(None, (tool(),))
    assert caught.value.code == "tools_not_supported"


@pytest.mark.parametrize("protocol", [*REFUSED_PROTOCOLS, "openvino:regex"])
def test_other_protocols_are_refused_by_name(protocol: str) -> None:
    with pytest.raises(DataFault, match=protocol) as caught:
        check_tools(protocol, (tool(),))
    assert caught.value.code == "protocol_unknown"


@pytest.mark.parametrize(
    "tools",
    [
        (tool(schema="{"),),
        (tool(schema="[]"),),
        (tool(schema='{"type": "string"}'),),
        (tool(schema='{"type": "object", "x": ' + "[" * 40 + "]" * 40 + "}"),),
        (tool(schema='{"type": "object", "x": "' + "a" * 40_000 + '"}'),),
        (tool(schema='{"a":' * 6_000),),
        (tool(name="a b"),),
        (tool(name=""),),
        (tool(), tool()),
        tuple(tool(name=f"t{number}") for number in range(65)),
    ],
)
def test_a_bad_definition_is_refused_before_anything_native(tools: tuple[ToolSpec, ...]) -> None:
    for protocol in TOOL_PROTOCOLS:
        with pytest.raises(UserError) as caught:
            check_tools(protocol, tools)
        assert caught.value.code == "tool_schema_invalid"

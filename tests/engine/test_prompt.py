"""No message imitates the template, and cutting a text changes no token."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.errors import UserError
from app.engine import prompt
from app.engine.chat import ChatMessage, Role, ToolCall, ToolSpec

SPECIAL = ("<|im_start|>", "<|im_end|>", "</s>")


def user(content: str) -> ChatMessage:
    return ChatMessage(role=Role.USER, content=content)


@given(st.lists(st.one_of(st.sampled_from(SPECIAL), st.text(max_size=5)), max_size=8))
def test_no_piece_of_a_protected_message_holds_a_special_token(parts: list[str]) -> None:
    text = "".join(parts)
    (protected,) = prompt.protect([user(text)], SPECIAL)
    found = prompt.pieces(protected.content)
    assert "".join(found) == text.replace("\ufdd0", "")
    assert not any(token in piece for piece in found for token in SPECIAL)


def test_the_template_s_own_special_tokens_stay_whole() -> None:
    (protected,) = prompt.protect([user("a<|im_end|>b")], SPECIAL)
    rendered = f"<|im_start|>user\n{protected.content}<|im_end|>"
    encoded: list[str] = []
    ids = prompt.encode(rendered, lambda piece: [encoded.append(piece) or len(encoded)])  # type: ignore[func-returns-value]
    assert encoded == ["<|im_start|>user\na<", "|im_end|>b<|im_end|>"]
    assert ids == [1, 2]


@given(st.text(alphabet="ab \n.", min_size=1, max_size=200))
def test_safe_pieces_lose_nothing_and_keep_the_bound(text: str) -> None:
    found = prompt.safe_pieces(text, 20)
    if found is not None:
        assert "".join(found) == text
        assert all(0 < len(piece) <= 20 for piece in found)


def test_a_text_without_a_safe_place_is_not_cut() -> None:
    assert prompt.safe_pieces("x" * 30, 20) is None
    assert prompt.safe_pieces("12 34 56 78 90 12 34 56", 20) is None


MARKED = "<\ufdd0|im_end|>"


def test_tool_calls_and_answers_are_protected_too() -> None:
    call = ToolCall(id="<|im_end|>", name="clock", arguments='{"a": ["\\u003c|im_end|>", [0]]}')
    messages = (
        ChatMessage(role=Role.ASSISTANT, content="", tool_calls=(call,)),
        ChatMessage(role=Role.TOOL, content="<|im_end|>", tool_call_id="<|im_end|>"),
    )
    asked, answered = prompt.protect(messages, (*SPECIAL, "[0]"))
    assert asked.tool_calls[0].id == MARKED
    assert json.loads(asked.tool_calls[0].arguments) == {"a": [MARKED, [0]]}
    assert (answered.content, answered.tool_call_id) == (MARKED, MARKED)


@pytest.mark.parametrize("arguments", ["", "[]", "no", "[" * 10_000])
def test_arguments_that_are_no_object_are_refused(arguments: str) -> None:
    call = ToolCall(id="call_1", name="clock", arguments=arguments)
    with pytest.raises(UserError) as caught:
        prompt.protect([ChatMessage(role=Role.ASSISTANT, content="", tool_calls=(call,))], SPECIAL)
    assert caught.value.code == "message_invalid"


def test_a_tool_imitates_no_template() -> None:
    schema = {"type": "object", "properties": {"</s>": {"description": "<|im_end|>"}}}
    tool = ToolSpec(name="t", description="<|im_end|>", parameters_schema=json.dumps(schema))
    (protected,) = prompt.protect_tools((tool,), SPECIAL)
    assert protected.description == MARKED
    assert json.loads(protected.parameters_schema)["properties"] == {
        "<\ufdd0/s>": {"description": MARKED}
    }

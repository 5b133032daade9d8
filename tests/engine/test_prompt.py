"""No message imitates the template, and cutting a text changes no token."""

import json
import re
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.errors import UserError
from app.engine import prompt
from app.engine.backends.base import RequestStopped
from app.engine.chat import ChatMessage, Role, ToolCall, ToolSpec
from app.engine.outcome import FinishReason
from tests.engine.backends.recording_control import RecordingControl

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
    ids = prompt.encode(
        rendered,
        lambda piece: [encoded.append(piece) or len(encoded)],  # type: ignore[func-returns-value]
        RecordingControl(),
    )
    assert encoded == ["<|im_start|>user\na<", "|im_end|>b<|im_end|>"]
    assert ids == [1, 2]


# GPT-2's own expression, as far as Python's can say it. It looks ahead: what runs of white space
# are cut into depends on what follows them.
GPT_2 = re.compile(
    r"'(?:s|t|re|ve|m|ll|d)| ?[^\W\d_]+| ?\d+| ?(?:[^\s\w]|_)+|\s+(?!\S)|\s+|<\|im_end\|>"
)
TEXT = st.lists(
    st.one_of(
        st.sampled_from(
            [" ", "\n", "\n\n", "   ", "'s", "don't", "ab", "12", "é。", "_", "<|im_end|>"]
        ),
        st.text(max_size=4),
    ),
    max_size=60,
).map("".join)  # fmt: skip


def words(text: str) -> list[int]:
    """The id of a word is its hash: two texts have the same ids if they have the same words."""
    return [hash(word) for word in GPT_2.findall(text)]


def words_with_a_space_put_before(text: str) -> list[int]:
    return words(" " + text)


class Deaf(RecordingControl):
    """Lets so many parts pass."""

    def __init__(self, parts: int) -> None:
        super().__init__()
        self.left = parts

    def stop_reason(self) -> FinishReason | None:
        self.left -= 1
        return FinishReason.CANCELLED if self.left < 0 else None


@pytest.mark.parametrize("tokenizer", [words, words_with_a_space_put_before])
@given(text=TEXT)
def test_the_ids_of_the_parts_are_those_of_the_whole(
    tokenizer: Callable[[str], list[int]], text: str
) -> None:
    found = list(prompt.parts(text, tokenizer, 10))
    assert [one for part in found for one in tokenizer(part)] == (tokenizer(text) if text else [])


@pytest.mark.parametrize("tokenizer", [words, words_with_a_space_put_before])
def test_written_text_is_parted_everywhere(tokenizer: Callable[[str], list[int]]) -> None:
    found = list(prompt.parts("The sea is blue, isn't it?\n\n" * 200, tokenizer, 50))
    assert len(found) > 100
    assert max(map(len, found)) <= 50
    assert len(list(prompt.parts("今天天气很好。" * 100, words, 50))) > 10


def test_a_special_token_is_never_cut() -> None:
    rendered = "<|im_end|>" * 100
    whole = [1] * 100

    def tokenizer(text: str) -> list[int]:
        return [1 if one == "<|im_end|>" else 2 for one in re.findall(r"<\|im_end\|>|.", text)]

    assert prompt.encode(rendered, tokenizer, RecordingControl(), longest=15) == whole


def test_a_cancel_is_heard_between_two_parts() -> None:
    encoded: list[str] = []

    def tokenizer(text: str) -> list[int]:
        encoded.append(text)
        return words(text)

    with pytest.raises(RequestStopped):
        prompt.encode("the sea " * 100, tokenizer, Deaf(3), longest=200)
    assert sum(len(one) > 2 * 64 for one in encoded) == 3


@pytest.mark.parametrize("run", ["x", "=", " ", "\n", "今"])
def test_a_stretch_without_a_boundary_is_read_whole_but_not_for_ever(run: str) -> None:
    short, long = "a b " + run * 90_000, "a b " + run * 150_000
    assert "".join(prompt.parts(short, words, 20_000)) == short
    with pytest.raises(UserError) as refused:
        list(prompt.parts(long, words, 20_000))
    assert refused.value.code == "text_unbroken"


def test_boundaries_that_a_tokenizer_does_not_know_are_no_reason_to_refuse() -> None:
    text = "the sea " * 50_000
    position = iter(range(10**9))
    assert list(prompt.parts(text, lambda _: [next(position)], 20_000)) == [text]


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

"""One answer, sorted on its way from the backend to the window."""

from contextlib import AbstractContextManager, nullcontext

import msgspec
import pytest

from app.core.errors import DataFault, UserError
from app.engine.answer_stream import AnswerStream
from app.engine.chat import Sampling, ThinkingLevel, ToolCall, ToolSpec
from app.engine.outcome import DeltaKind, FinishReason
from app.engine.protocol import Generate
from app.engine.spec import LoadSpec, Protocols, ScriptedRuntime

REASONING = "openvino:reasoning_incremental_parser"
TOOLS = "openvino:json_schema_tool_calls"
WEATHER = ToolSpec(name="weather", description="", parameters_schema='{"type": "object"}')
CALL = '<tool_call>\n{"name": "weather", "arguments": {"city": "Bern"}}\n</tool_call>'


class Window:
    """Collects what arrives; pieces of one kind are joined."""

    def __init__(self) -> None:
        self.parts: list[tuple[DeltaKind, str]] = []
        self.asked_to_stop: FinishReason | None = None
        self.heard = 0

    def stop_reason(self) -> FinishReason | None:
        return self.asked_to_stop

    def uninterruptible(self, tokens: int | None = None) -> AbstractContextManager[None]:
        return nullcontext()

    def load_progress(self, stage: str, fraction: float | None = None) -> None: ...

    def prefill_progress(self, done_tokens: int, total_tokens: int, reused_tokens: int) -> None: ...

    def delta(self, kind: DeltaKind, text: str) -> None:
        self.heard += 1
        if not text:
            return
        if self.parts and self.parts[-1][0] is kind and kind is not DeltaKind.TOOL_CALL:
            self.parts[-1] = (kind, self.parts[-1][1] + text)
        else:
            self.parts.append((kind, text))


def request(
    *,
    reasoning: str | None = None,
    tool_calls: str | None = None,
    tools: tuple[ToolSpec, ...] = (),
    stop_strings: tuple[str, ...] = (),
) -> Generate:
    spec = LoadSpec(
        model_name="m",
        model_path="",
        model_digest="",
        context_tokens=100,
        protocols=Protocols(reasoning=reasoning, tool_calls=tool_calls),
        runtime=ScriptedRuntime(),
    )
    return Generate(
        request="r",
        spec=spec,
        messages=(),
        tools=tools,
        sampling=Sampling(stop_strings=stop_strings),
    )


def run(
    asked: Generate,
    text: str,
    *,
    rendered: str = "A:",
    begun: str = "",
    reason: FinishReason = FinishReason.STOP,
) -> tuple[list[tuple[DeltaKind, str]], FinishReason]:
    results = []
    for pieces in ([text], list(text)):
        window = Window()
        stream = AnswerStream(window, asked)
        stream.begin(rendered, begun)
        for piece in pieces:
            stream.delta(DeltaKind.TEXT, piece)
        results.append((window.parts, stream.end(reason)))
    assert results[0] == results[1]
    return results[0][0], results[0][1]


def test_without_protocols_the_text_is_plain() -> None:
    text = f"<think>a</think>{CALL}"
    assert run(request(), text) == ([(DeltaKind.TEXT, text)], FinishReason.STOP)


def test_thinking_and_answer_are_parted_and_the_layout_between_is_left_out() -> None:
    parts, reason = run(request(reasoning=REASONING), "<think>\na\n</think>\n\nHi. \n")
    assert parts == [(DeltaKind.THINKING, "\na\n"), (DeltaKind.TEXT, "Hi. \n")]
    assert reason is FinishReason.STOP


def test_an_answer_that_ends_inside_its_thinking_keeps_the_text() -> None:
    parts, reason = run(request(reasoning=REASONING), "<think>so </th", reason=FinishReason.LENGTH)
    assert parts == [(DeltaKind.THINKING, "so </th")]
    assert reason is FinishReason.LENGTH


def test_a_template_that_opens_the_thinking_is_heeded() -> None:
    parts, _ = run(request(reasoning=REASONING), "a</think>b", rendered="A:<think>\n")
    assert parts == [(DeltaKind.THINKING, "a"), (DeltaKind.TEXT, "b")]


def test_an_answer_that_goes_on_is_past_its_thinking() -> None:
    stream = AnswerStream(Window(), request(reasoning=REASONING))
    assert stream.begin("A:<think>\n", "Bern is") == "A:<think>\n\n</think>\n\nBern is"
    parts, _ = run(request(reasoning=REASONING), "<think>x</think>", begun="Bern is")
    assert parts == [(DeltaKind.TEXT, "<think>x</think>")]


def test_a_tool_call_ends_the_answer_as_one() -> None:
    asked = request(tool_calls=TOOLS, tools=(WEATHER,))
    parts, reason = run(asked, f"I'll look.\n{CALL}\n{CALL}\n")
    assert [kind for kind, _ in parts] == [DeltaKind.TEXT, DeltaKind.TOOL_CALL, DeltaKind.TOOL_CALL]
    assert parts[0][1] == "I'll look.\n"
    assert msgspec.json.decode(parts[2][1], type=ToolCall) == ToolCall(
        id="call_2", name="weather", arguments='{"city":"Bern"}'
    )
    assert reason is FinishReason.TOOL_CALLS


def test_a_call_inside_the_thinking_is_a_thought() -> None:
    asked = request(reasoning=REASONING, tool_calls=TOOLS, tools=(WEATHER,))
    parts, reason = run(asked, f"<think>{CALL}</think>No need.")
    assert parts == [(DeltaKind.THINKING, CALL), (DeltaKind.TEXT, "No need.")]
    assert reason is FinishReason.STOP


def test_a_malformed_call_keeps_the_text_and_fails() -> None:
    window = Window()
    stream = AnswerStream(window, request(tool_calls=TOOLS, tools=(WEATHER,)))
    stream.begin("A:")
    stream.delta(DeltaKind.TEXT, "So: <tool_call>oops</tool_call> and on")
    with pytest.raises(DataFault) as caught:
        stream.end(FinishReason.STOP)
    assert caught.value.code == "tool_call_malformed"
    assert window.parts == [(DeltaKind.TEXT, "So: <tool_call>oops</tool_call> and on")]


@pytest.mark.parametrize("reason", [FinishReason.LENGTH, FinishReason.CANCELLED])
def test_a_call_that_was_cut_off_is_text_and_no_failure(reason: FinishReason) -> None:
    asked = request(tool_calls=TOOLS, tools=(WEATHER,))
    cut = CALL[:30]
    assert run(asked, cut, reason=reason) == ([(DeltaKind.TEXT, cut)], reason)


def test_without_tools_a_call_is_text() -> None:
    assert run(request(tool_calls=TOOLS), CALL) == ([(DeltaKind.TEXT, CALL)], FinishReason.STOP)


def test_tools_for_a_model_without_a_protocol_are_refused() -> None:
    with pytest.raises(UserError) as caught:
        AnswerStream(Window(), request(tools=(WEATHER,)))
    assert caught.value.code == "tools_not_supported"


def test_a_call_that_is_held_back_still_shows_progress() -> None:
    window = Window()
    stream = AnswerStream(window, request(tool_calls=TOOLS, tools=(WEATHER,)))
    stream.begin("A:")
    for letter in CALL[:-1]:
        stream.delta(DeltaKind.TEXT, letter)
    assert window.parts == []
    assert window.heard == len(CALL) - 1


def test_a_stop_is_passed_through() -> None:
    window = Window()
    stream = AnswerStream(window, request())
    assert stream.stop_reason() is None
    window.asked_to_stop = FinishReason.CANCELLED
    assert stream.stop_reason() is FinishReason.CANCELLED


def test_a_stop_string_ends_the_answer_as_if_the_model_had() -> None:
    window = Window()
    stream = AnswerStream(window, request(stop_strings=("mula",)))
    stream.begin("A:")
    stream.delta(DeltaKind.TEXT, "a form")
    assert stream.stop_reason() is None
    stream.delta(DeltaKind.TEXT, "ula")
    assert stream.stop_reason() is FinishReason.STOP
    stream.delta(DeltaKind.TEXT, " that the library runs ahead with")
    assert stream.end(FinishReason.STOP) is FinishReason.STOP
    assert window.parts == [(DeltaKind.TEXT, "a for")]


def _think(stream: AnswerStream, pieces: int) -> None:
    stream.delta(DeltaKind.TEXT, "<think>")
    for number in range(pieces):
        stream.delta(DeltaKind.TEXT, f"thought{number} ")


def test_a_thinking_over_its_budget_ends_the_answer() -> None:
    window = Window()
    asked = msgspec.structs.replace(request(reasoning=REASONING), max_thinking_tokens=100)
    stream = AnswerStream(window, asked)
    stream.begin("")
    _think(stream, 98)
    assert stream.stop_reason() is None
    for number in range(3):
        stream.delta(DeltaKind.TEXT, f"more{number} ")
    assert stream.stop_reason() is FinishReason.LENGTH
    assert stream.end(FinishReason.LENGTH) is FinishReason.LENGTH
    assert window.parts[0][0] is DeltaKind.THINKING


def test_an_answer_is_free_of_the_budget_of_its_thinking() -> None:
    window = Window()
    asked = msgspec.structs.replace(request(reasoning=REASONING), max_thinking_tokens=100)
    stream = AnswerStream(window, asked)
    stream.begin("")
    _think(stream, 60)
    stream.delta(DeltaKind.TEXT, "</think>")
    for number in range(200):
        stream.delta(DeltaKind.TEXT, f"word{number} ")
    assert stream.stop_reason() is None


def test_a_thinking_that_is_not_wanted_is_closed_before_it_begins() -> None:
    asked = msgspec.structs.replace(request(reasoning=REASONING), thinking=ThinkingLevel.OFF)
    window = Window()
    stream = AnswerStream(window, asked)
    assert stream.begin("<|user|>Hi<|assistant|><think>\n").endswith("<think>\n\n</think>\n\n")
    stream.delta(DeltaKind.TEXT, "Hello")
    stream.end(FinishReason.STOP)
    assert window.parts == [(DeltaKind.TEXT, "Hello")]


def test_an_answer_that_goes_round_in_circles_ends_and_keeps_its_text() -> None:
    window = Window()
    stream = AnswerStream(window, request())
    stream.begin("")
    written = 0
    while stream.stop_reason() is None and written < 4000:
        stream.delta(DeltaKind.TEXT, "again, ")
        written += 7
    assert stream.stop_reason() is FinishReason.REPETITION
    assert stream.end(FinishReason.REPETITION) is FinishReason.REPETITION
    assert window.parts == [(DeltaKind.TEXT, "again, " * (written // 7))]
    window.asked_to_stop = FinishReason.CANCELLED
    assert stream.stop_reason() is FinishReason.CANCELLED


def test_a_stop_string_counts_inside_the_thinking_too() -> None:
    parts, _ = run(request(reasoning=REASONING, stop_strings=("END",)), "<think>a b ENDc</think>d")
    assert parts == [(DeltaKind.THINKING, "a b ")]


def test_thinking_tokens_come_from_ids() -> None:
    words = ["<think>", "a", "</think>", "b"]

    def decode(ids: object) -> str:
        assert isinstance(ids, list)
        return "".join(words[one] for one in ids)

    stream = AnswerStream(Window(), request(reasoning=REASONING))
    stream.begin("A:")
    assert stream.thinking_tokens([0, 1, 1, 2, 3], decode) == 4
    plain = AnswerStream(Window(), request())
    plain.begin("A:")
    assert plain.thinking_tokens([0, 1, 1, 2, 3], decode) == 0

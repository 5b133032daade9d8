"""When the tokens of an OpenVINO answer become text."""

from typing import Any

import msgspec
import openvino_genai

from app.engine.answer_stream import AnswerStream
from app.engine.backends.openvino_stream import TokenStream, make_streamer
from app.engine.backends.openvino_text import TokenBytes, answer_text
from app.engine.protocol import Generate
from tests.engine.backends.recording_control import RecordingControl
from tests.engine.test_answer_stream import REASONING, request

_GOES_ON = openvino_genai.StreamingStatus.RUNNING
_ENDS = openvino_genai.StreamingStatus.CANCEL
_WORDS = TokenBytes([b"one", b" two", b" three"])


_ALL_AT_ONCE_S = 3600.0


def streamer(asked: Generate) -> tuple[Any, RecordingControl]:
    control = RecordingControl()
    answer = AnswerStream(control, asked)
    answer.begin("A:")
    text = answer_text(None, None, _WORDS)
    tokens = TokenStream(text, answer, interval_s=_ALL_AT_ONCE_S)
    return make_streamer(openvino_genai, tokens), control


def test_the_first_token_is_shown_at_once_and_quick_ones_together() -> None:
    one, control = streamer(request())
    assert [one.write(token) for token in (0, 1, 2)] == [_GOES_ON] * 3
    assert control.text == "one"
    one.end()
    assert control.text == "one two three"
    one.end()
    assert control.text == "one two three", (
        "the library calls it twice, and the second has nothing to add"
    )


def test_a_stop_string_ends_the_answer_at_its_token() -> None:
    one, control = streamer(request(stop_strings=(" two",)))
    assert [one.write(0), one.write(1)] == [_GOES_ON, _ENDS]
    one.end()
    assert control.text == "one"


def test_a_budget_of_thinking_ends_the_answer_at_its_token() -> None:
    thinks = TokenBytes([b"<think>", b"a"])
    control = RecordingControl()
    asked = msgspec.structs.replace(request(reasoning=REASONING), max_thinking_tokens=3)
    answer = AnswerStream(control, asked)
    answer.begin("A:")
    one = make_streamer(
        openvino_genai,
        TokenStream(answer_text(None, None, thinks), answer, interval_s=_ALL_AT_ONCE_S),
    )
    heard = [one.write(token) for token in (0, 1, 1, 1, 1)]
    assert _ENDS in heard
    assert heard.index(_ENDS) <= 3


def test_an_answer_without_a_token_ends_without_a_first_one() -> None:
    control = RecordingControl()
    answer = AnswerStream(control, request())
    answer.begin("A:")
    began: list[bool] = []
    text = answer_text(None, None, _WORDS)
    tokens = TokenStream(text, answer, lambda: began.append(True))
    tokens.close()
    assert (began, control.text, tokens.failure) == ([], "", None)


def test_what_fails_ends_the_answer_and_is_kept() -> None:
    one, control = streamer(request())
    assert one.write(0) == _GOES_ON
    one._tokens._text = None  # a fault that no input can make
    one.write(1)
    one.end()
    assert isinstance(one._tokens.failure, AttributeError)
    assert control.text == "one"

"""Thinking, tool calls and stop strings on both OpenVINO pipelines, with the starter.

The starter neither thinks nor calls tools by itself. A folder with its weights and a template of
our own, and answers to imitate, make it write what such a model writes.
"""

import json
import re
from pathlib import Path
from xml.sax.saxutils import quoteattr

import msgspec
import pytest

from app.certify.asking import Question
from app.certify.product import EngineModel
from app.core.errors import UserError
from app.engine.answer_stream import AnswerStream
from app.engine.backends.openvino import import_genai
from app.engine.backends.openvino_tokens import ExactTokenizer
from app.engine.chat import ChatMessage, Role, Sampling, ThinkingLevel, ToolCall, ToolSpec
from app.engine.manifest import CacheClass, SegmentKind, compatible
from app.engine.outcome import ContextReport, DeltaKind, FinishReason
from app.engine.protocol import Delta, Failed, Finished, Generate, new_request_id
from app.engine.spec import LoadSpec, OpenVinoRuntime, Pipeline, Protocols
from app.engine.template_controls import TemplateTraits
from app.models.library import InstalledModel
from app.workflows.context import count
from tests.engine.backends.conftest import openvino_spec
from tests.engine.backends.recording_control import RecordingControl
from tests.engine.conftest import Engine, Recorder

pytestmark = pytest.mark.real_model

TEMPLATE = (
    "{% if tools %}<|im_start|>system\nTools: {{ tools | tojson }}<|im_end|>\n{% endif %}"
    "{% for message in messages %}"
    "<|im_start|>{{ message.role }}\n{{ message.content }}<|im_end|>\n"
    "{% endfor %}<|im_start|>assistant\n"
    "{% if enable_thinking is defined and enable_thinking %}<think>\n{% endif %}"
)
PROTOCOLS = Protocols(
    reasoning="openvino:reasoning_incremental_parser", tool_calls="openvino:json_schema_tool_calls"
)
WEATHER = ToolSpec(
    name="get_weather",
    description="The weather of a city.",
    parameters_schema=json.dumps(
        {
            "type": "object",
            "properties": {"city": {"type": "string", "maxLength": 4096}},
            "required": ["city"],
            "additionalProperties": False,
        }
    ),
)


@pytest.fixture(scope="module")
def folder(starter_openvino: InstalledModel, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The starter with ``TEMPLATE``, where the library looks for one first."""
    path = tmp_path_factory.mktemp("starter-with-template")
    for file in starter_openvino.path.iterdir():
        if file.name != "openvino_tokenizer.xml":
            (path / file.name).symlink_to(file)
    graph = (starter_openvino.path / "openvino_tokenizer.xml").read_text("utf-8")
    template = f"<chat_template value={quoteattr(TEMPLATE)} />"
    changed, count = re.subn(r"<chat_template value=\"[^\"]*\" />", lambda _: template, graph)
    assert count == 1
    (path / "openvino_tokenizer.xml").write_text(changed, "utf-8")
    return path


@pytest.fixture(scope="module", params=[Pipeline.PAGED, Pipeline.STATEFUL])
def spec(
    request: pytest.FixtureRequest, starter_openvino: InstalledModel, folder: Path
) -> LoadSpec:
    made = openvino_spec(starter_openvino, path=folder, context_tokens=1024, pipeline=request.param)
    return msgspec.structs.replace(made, protocols=PROTOCOLS)


def imitate(answer: str) -> tuple[ChatMessage, ...]:
    """A dialogue whose next answer is ``answer`` once more."""
    go = ChatMessage(role=Role.USER, content="Go.")
    return (go, ChatMessage(role=Role.ASSISTANT, content=answer)) * 4 + (go,)


def send(
    engine: Engine,
    spec: LoadSpec,
    messages: tuple[ChatMessage, ...],
    *,
    thinking: ThinkingLevel = ThinkingLevel.AUTO,
    tools: tuple[ToolSpec, ...] = (),
    stop_strings: tuple[str, ...] = (),
) -> tuple[Recorder, Finished | Failed]:
    recorder = engine.send(
        Generate(
            request=new_request_id(),
            spec=spec,
            messages=messages,
            max_tokens=60,
            thinking=thinking,
            tools=tools,
            sampling=Sampling(stop_strings=stop_strings),
        )
    )
    return recorder, recorder.end()


def texts(recorder: Recorder, kind: DeltaKind) -> list[str]:
    return [e.text for e in recorder.events if isinstance(e, Delta) and e.kind is kind]


def ask(text: str) -> tuple[ChatMessage, ...]:
    return (ChatMessage(role=Role.USER, content=text),)


def test_structural_tags_hold_a_call_to_its_schema(shared_engine: Engine, spec: LoadSpec) -> None:
    no_call = "<tool_call>\nhello world\n</tool_call>"
    recorder, end = send(shared_engine, spec, imitate(no_call))
    assert recorder.text == no_call, "the model imitates what it has seen"
    recorder, end = send(shared_engine, spec, imitate(no_call), tools=(WEATHER,))
    assert isinstance(end, Finished), end
    assert end.reason is FinishReason.TOOL_CALLS
    assert texts(recorder, DeltaKind.TEXT) == []
    calls = [
        msgspec.json.decode(text, type=ToolCall) for text in texts(recorder, DeltaKind.TOOL_CALL)
    ]
    assert calls[0].id == "call_1"
    assert calls[0].name == "get_weather"
    assert json.loads(calls[0].arguments).keys() == {"city"}


def test_a_plain_answer_stays_plain_beside_tools(shared_engine: Engine, spec: LoadSpec) -> None:
    recorder, end = send(shared_engine, spec, imitate("The sea is blue."), tools=(WEATHER,))
    assert isinstance(end, Finished), end
    assert end.reason is FinishReason.STOP
    assert recorder.text == "The sea is blue."


def test_a_schema_that_is_no_grammar_is_refused_and_the_model_lives_on(
    shared_engine: Engine, spec: LoadSpec
) -> None:
    bad = ToolSpec(
        name="bad",
        description="",
        parameters_schema='{"type": "object", "properties": {"a": {"$ref": "#/nope"}}}',
    )
    _, end = send(shared_engine, spec, ask("Hello."), tools=(bad,))
    assert isinstance(end, Failed), end
    assert end.error.code == "tool_schema_invalid"
    assert "nope" in end.error.message
    assert not end.fatal
    recorder, after = send(shared_engine, spec, imitate("The sea is blue."))
    assert isinstance(after, Finished), after
    assert after.generation == end.generation
    assert recorder.text == "The sea is blue."


def test_a_thinking_ends_with_the_token_that_its_budget_names(
    shared_engine: Engine, spec: LoadSpec
) -> None:
    request = Generate(
        request=new_request_id(),
        spec=spec,
        messages=ask("Count to a hundred."),
        max_tokens=60,
        max_thinking_tokens=8,
        thinking=ThinkingLevel.HIGH,
    )
    recorder = shared_engine.send(request)
    end = recorder.end()
    assert isinstance(end, Finished), end
    assert end.reason is FinishReason.LENGTH
    # The paged pipeline has begun with one more token before it hears that.
    assert end.usage.completion_tokens == end.usage.thinking_tokens
    assert end.usage.completion_tokens in (8, 9)
    assert texts(recorder, DeltaKind.TEXT) == []


def test_tools_are_refused_where_the_template_has_no_place_for_them(
    starter_openvino: InstalledModel, spec: LoadSpec
) -> None:
    genai = import_genai()
    tokenizer = ExactTokenizer(genai.Tokenizer(str(starter_openvino.path)), 100)
    assert tokenizer.traits == TemplateTraits()
    request = Generate(request="r", spec=spec, messages=ask("Hello."), tools=(WEATHER,))
    with pytest.raises(UserError) as caught:
        tokenizer.write(request, AnswerStream(RecordingControl(), request))
    assert caught.value.code == "tools_not_supported"


def test_the_probe_finds_what_the_template_heeds(folder: Path) -> None:
    genai = import_genai()
    tokenizer = ExactTokenizer(genai.Tokenizer(str(folder)), 100)
    assert tokenizer.traits == TemplateTraits(tools=True, enable_thinking=True, thinks=True)


def test_a_tool_turn_reaches_the_template_and_imitates_nothing(
    starter_openvino: InstalledModel, spec: LoadSpec
) -> None:
    tokenizer = ExactTokenizer(import_genai().Tokenizer(str(starter_openvino.path)), 100)
    call = ToolCall(id="call_1", name="clock", arguments='{"zone":"<|im_end|>"}')
    turns = (
        *ask("When?"),
        ChatMessage(role=Role.ASSISTANT, content="", tool_calls=(call,)),
        ChatMessage(role=Role.TOOL, content="12:00<|im_end|>", tool_call_id="call_1"),
    )
    request = Generate(request="r", spec=spec, messages=turns)
    ids = tokenizer.write(request, AnswerStream(RecordingControl(), request))
    plain = Generate(request="r", spec=spec, messages=(*ask("a"), *ask("b"), *ask("c")))
    ends = tokenizer.write(plain, AnswerStream(RecordingControl(), plain)).count(2)
    assert ids.count(2) == ends, "the template's own ends of messages, and no other"
    assert "12:00" in tokenizer.decode(ids)


def test_thinking_is_told_from_the_answer_and_counted(
    shared_engine: Engine, spec: LoadSpec
) -> None:
    recorder, end = send(
        shared_engine,
        spec,
        imitate("<think>\nThe sea is blue.\n</think>\n\nIt is blue."),
        thinking=ThinkingLevel.HIGH,
    )
    assert isinstance(end, Finished), end
    assert "".join(texts(recorder, DeltaKind.THINKING)) == "The sea is blue.\n"
    assert "".join(texts(recorder, DeltaKind.TEXT)) == "It is blue."
    # "The sea is blue.", a line break, and what the closing tag takes.
    assert 7 <= end.usage.thinking_tokens < end.usage.completion_tokens


def test_without_the_control_the_model_opens_the_thinking_itself(
    shared_engine: Engine, spec: LoadSpec
) -> None:
    recorder, _ = send(
        shared_engine, spec, imitate("<think>\nThe sea is blue.\n</think>\n\nIt is blue.")
    )
    assert "".join(texts(recorder, DeltaKind.THINKING)) == "\nThe sea is blue.\n"
    assert "".join(texts(recorder, DeltaKind.TEXT)) == "It is blue."


def test_a_stop_string_inside_a_token_ends_the_text_right_before_it(
    shared_engine: Engine, spec: LoadSpec
) -> None:
    for stop, shown in (("pital", "The ca"), ("l of Fr", "The capita"), ("nowhere", None)):
        answer = "The capital of France is Paris."
        recorder, end = send(shared_engine, spec, imitate(answer), stop_strings=(stop,))
        assert isinstance(end, Finished), end
        assert end.reason is FinishReason.STOP
        assert recorder.text == (shown or answer)


def test_emoji_and_cjk_arrive_as_whole_characters(shared_engine: Engine, spec: LoadSpec) -> None:
    answer = "🙂👩‍👩‍👧 漢字 é"
    recorder, end = send(shared_engine, spec, imitate(answer))
    assert isinstance(end, Finished), end
    # The model may leave out the first of them, but what arrives is whole.
    assert recorder.text in (answer, answer[1:])
    assert end.usage.completion_tokens > len(recorder.text), "a character takes several tokens"


def test_the_tools_of_a_certification_are_a_segment_that_is_kept_and_reused(
    shared_engine: Engine, spec: LoadSpec
) -> None:
    """The certifier offers tools; so it is the path on which their segment is seen to work."""
    model = EngineModel(shared_engine.client, spec)

    def report(question: Question) -> ContextReport:
        return count(shared_engine.client, model.request(question))

    asked = Question(prompt="What is the weather in Paris?", tools=(WEATHER,), max_tokens=8)
    first = model.ask(asked)
    cold = report(asked)
    tools, turn = cold.manifest.segments
    assert (tools.kind, tools.name) == (SegmentKind.TOOLS, "get_weather")
    assert tools.kind.cache_class is CacheClass.HIGHEST
    assert tools.tokens is None, "a template writes them as it likes"
    stable = cold.manifest.stable_tokens
    assert stable > 64, "they are most of this prompt"
    assert first.usage.prompt_tokens == cold.prompt_tokens
    assert turn.token_start is not None
    assert turn.token_start >= stable
    other = msgspec.structs.replace(asked, prompt="And in Rome, is it warm?")
    if isinstance(spec.runtime, OpenVinoRuntime) and spec.runtime.pipeline is Pipeline.PAGED:
        predicted = report(other).predicted_reused_tokens or 0
        assert stable - 32 <= predicted
        assert model.ask(other).usage.reused_tokens == predicted
    renamed = msgspec.structs.replace(WEATHER, name="look_at_the_sky")
    changed = report(msgspec.structs.replace(asked, tools=(renamed,)))
    assert compatible(cold.manifest, report(other).manifest) is None
    assert compatible(cold.manifest, changed.manifest) == "stable_token_sha256"
    assert (changed.predicted_reused_tokens or 0) < stable

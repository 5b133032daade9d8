"""Tool calls and thinking on llama.cpp, with the starter and a template that knows both."""

import json
from collections.abc import Iterator

import msgspec
import pytest

from app.core.errors import UserError
from app.engine.backends.base import Outcome
from app.engine.backends.jinja_template import ChatTemplate
from app.engine.backends.llama import LlamaBackend
from app.engine.backends.llama_grammar import call_grammar
from app.engine.backends.llama_session import LlamaSession
from app.engine.chat import ChatMessage, Role, Sampling, ThinkingLevel, ToolCall, ToolSpec
from app.engine.outcome import DeltaKind, FinishReason
from app.engine.protocol import Generate
from app.engine.spec import LoadSpec, Protocols
from app.models.library import InstalledModel
from tests.engine.backends.llama_required import llama_spec, require_llama
from tests.engine.backends.recording_control import RecordingControl

pytestmark = pytest.mark.real_model

TEMPLATE = (
    "{% if tools %}<|im_start|>system\nTools: {{ tools | tojson }}<|im_end|>\n{% endif %}"
    "{% for message in messages %}"
    "<|im_start|>{{ message.role }}\n{{ message.content }}<|im_end|>\n"
    "{% endfor %}<|im_start|>assistant\n"
    "{% if enable_thinking is defined and enable_thinking %}<think>\n{% endif %}"
)
NO_CALL = "<tool_call>\nhello world\n</tool_call>"


def tool(name: str, **properties: object) -> ToolSpec:
    schema = {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
        "$defs": {"city": {"enum": ["Bern", "Zürich"]}},
    }
    return ToolSpec(name=name, description="", parameters_schema=json.dumps(schema))


WEATHER = tool("get_weather", city={"$ref": "#/$defs/city"}, days={"type": "integer"})
CLOCK = tool("clock")


@pytest.fixture(scope="module")
def spec(request: pytest.FixtureRequest) -> LoadSpec:
    require_llama()
    model = request.getfixturevalue("starter_gguf")
    assert isinstance(model, InstalledModel)
    protocols = Protocols(
        reasoning="llama:common_chat_reasoning_parser", tool_calls="llama:json_schema_tool_calls"
    )
    return msgspec.structs.replace(llama_spec(model, context_tokens=1024), protocols=protocols)


@pytest.fixture(scope="module")
def session(spec: LoadSpec) -> Iterator[LlamaSession]:
    opened = LlamaBackend().open_session(spec, RecordingControl())
    opened.prompts.template = ChatTemplate(TEMPLATE)
    yield opened
    opened.close()


def run(
    session: LlamaSession,
    spec: LoadSpec,
    answer: str,
    *tools: ToolSpec,
    thinking: ThinkingLevel = ThinkingLevel.AUTO,
    temperature: float = 0.0,
    repetition_penalty: float = 1.0,
) -> tuple[Outcome, RecordingControl]:
    """Lets the model imitate ``answer``."""
    go = ChatMessage(role=Role.USER, content="Go.")
    messages = (go, ChatMessage(role=Role.ASSISTANT, content=answer)) * 4 + (go,)
    control = RecordingControl()
    outcome = session.generate(
        Generate(
            request="r",
            spec=spec,
            messages=messages,
            max_tokens=80,
            thinking=thinking,
            tools=tools,
            sampling=Sampling(
                temperature=temperature, seed=7, repetition_penalty=repetition_penalty
            ),
        ),
        control,
    )
    return outcome, control


def texts(control: RecordingControl, kind: DeltaKind) -> list[str]:
    return [text for one, text in control.deltas if one is kind]


@pytest.mark.parametrize(("temperature", "penalty"), [(0.0, 1.0), (0.7, 1.1)])
def test_a_grammar_holds_a_call_to_its_schema(
    session: LlamaSession, spec: LoadSpec, temperature: float, penalty: float
) -> None:
    _, control = run(session, spec, NO_CALL)
    assert control.text == NO_CALL, "the model imitates what it has seen"
    outcome, control = run(
        session,
        spec,
        NO_CALL,
        CLOCK,
        WEATHER,
        temperature=temperature,
        repetition_penalty=penalty,
    )
    assert outcome.reason is FinishReason.TOOL_CALLS
    call = msgspec.json.decode(texts(control, DeltaKind.TOOL_CALL)[0], type=ToolCall)
    assert (call.id, call.name) in {("call_1", "clock"), ("call_1", "get_weather")}
    keys = {"clock": set(), "get_weather": {"city", "days"}}[call.name]
    assert json.loads(call.arguments).keys() == keys


def test_after_a_call_the_answer_is_free_again(session: LlamaSession, spec: LoadSpec) -> None:
    call = '<tool_call>\n{"name": "clock", "arguments": {}}\n</tool_call> and on'
    outcome, control = run(session, spec, call, CLOCK)
    assert outcome.reason is FinishReason.TOOL_CALLS
    assert control.text == "and on"


def test_a_plain_answer_stays_plain_beside_tools(session: LlamaSession, spec: LoadSpec) -> None:
    outcome, control = run(session, spec, "The sea is blue.", WEATHER)
    assert outcome.reason is FinishReason.STOP
    assert control.text == "The sea is blue."


@pytest.mark.parametrize("properties", [{"a": {"$ref": "#/nope"}}, {"a": {"type": 7}}])
def test_a_schema_that_is_no_grammar_is_refused_and_the_model_lives_on(
    session: LlamaSession, spec: LoadSpec, properties: dict[str, object]
) -> None:
    with pytest.raises(UserError) as caught:
        run(session, spec, "The sea is blue.", tool("bad", **properties))
    assert caught.value.code == "tool_schema_invalid"
    assert run(session, spec, "The sea is blue.")[1].text == "The sea is blue."


def test_thinking_is_told_from_the_answer_and_counted(
    session: LlamaSession, spec: LoadSpec
) -> None:
    text = "<think>\nThe sea is blue.\n</think>\n\nIt is blue."
    outcome, control = run(session, spec, text, thinking=ThinkingLevel.HIGH)
    assert "".join(texts(control, DeltaKind.THINKING)) == "The sea is blue.\n"
    assert control.text == "It is blue."
    assert 7 <= outcome.usage.thinking_tokens < outcome.usage.completion_tokens


def test_a_grammar_ends_with_the_closing_tag() -> None:
    require_llama()
    grammar = call_grammar([tool("say", text={"type": "string"})])
    assert r'char ::= [^"\\\x00-\x1F\x7F] |' in grammar, "no line breaks in strings"
    assert grammar.endswith('call ::= "\\n"? root "\\n"? "</tool_call>"\n')

"""Thinking, tool calls and embeddings through the engine process, without weights."""

import math

import msgspec
import pytest

from app.engine.chat import ToolSpec
from app.engine.outcome import DeltaKind, FinishReason
from app.engine.protocol import Delta, Embed, Embedded, Failed, Finished, new_request_id
from app.engine.spec import LoadSpec, Protocols
from tests.engine.conftest import Engine, Recorder, ask, scripted

WEATHER = ToolSpec(name="weather", description="", parameters_schema='{"type": "object"}')
ANSWER = (
    "<think>The user wants the weather.</think>\n\nI'll look.\n"
    '<tool_call>\n{"name": "weather", "arguments": {"city": "Bern"}}\n</tool_call>'
)


def speaking(answer: str) -> LoadSpec:
    protocols = Protocols(
        reasoning="openvino:reasoning_parser", tool_calls="openvino:json_schema_tool_calls"
    )
    return msgspec.structs.replace(scripted(answer=answer), protocols=protocols)


def embed(engine: Engine, spec: LoadSpec, *texts: str) -> tuple[Recorder, Finished | Failed]:
    recorder = Recorder()
    engine.client.submit(Embed(request=new_request_id(), spec=spec, texts=texts), recorder)
    return recorder, recorder.end()


def test_an_answer_arrives_sorted(engine: Engine) -> None:
    request = msgspec.structs.replace(ask(speaking(ANSWER), "Hi"), tools=(WEATHER,))
    recorder = engine.send(request)
    end = recorder.end()
    assert isinstance(end, Finished), end
    assert end.reason is FinishReason.TOOL_CALLS
    assert end.usage.thinking_tokens == 5
    by_kind = {
        kind: "".join(e.text for e in recorder.events if isinstance(e, Delta) and e.kind is kind)
        for kind in DeltaKind
    }
    assert by_kind[DeltaKind.THINKING] == "The user wants the weather."
    assert by_kind[DeltaKind.TEXT] == "I'll look.\n"
    assert msgspec.json.decode(by_kind[DeltaKind.TOOL_CALL])["name"] == "weather"


def test_tools_without_a_protocol_are_refused_before_the_load(engine: Engine) -> None:
    recorder = engine.send(msgspec.structs.replace(ask(scripted(), "Hi"), tools=(WEATHER,)))
    end = recorder.end()
    assert isinstance(end, Failed), end
    assert (end.error.code, end.fatal, end.generation) == ("tools_not_supported", False, 0)


def test_texts_become_vectors_of_length_one(engine: Engine) -> None:
    spec = msgspec.structs.replace(scripted(), embeds=True)
    recorder, end = embed(engine, spec, "a", "b", "a")
    assert isinstance(end, Finished), end
    (embedded,) = (event for event in recorder.events if isinstance(event, Embedded))
    first, second, third = embedded.vectors
    assert first == third != second
    assert math.hypot(*first) == pytest.approx(1)


def test_a_model_that_is_not_meant_to_embed_is_refused(engine: Engine) -> None:
    _, end = embed(engine, scripted(), "a")
    assert isinstance(end, Failed), end
    assert (end.error.code, end.fatal, end.generation) == ("embeddings_not_supported", False, 0)


def test_an_embedding_model_answers_nothing(engine: Engine) -> None:
    spec = msgspec.structs.replace(scripted(), embeds=True)
    end = engine.send(ask(spec, "Hi")).end()
    assert isinstance(end, Failed), end
    assert (end.error.code, end.fatal) == ("chat_not_supported", False)
    _, after = embed(engine, spec, "a")
    assert isinstance(after, Finished), after
    assert after.generation == end.generation

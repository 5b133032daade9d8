"""A profile may name exactly the protocols that the engine speaks, and refuses what it refuses."""

from app.engine.thinking import THINKING_PROTOCOLS
from app.engine.tool_calls import REFUSED_PROTOCOLS, TOOL_PROTOCOLS
from app.models.profile import (
    LlamaReasoningProtocol,
    LlamaToolProtocol,
    OpenVinoReasoningProtocol,
    OpenVinoToolProtocol,
)
from app.models.profile_files import REFUSALS


def test_every_reasoning_protocol_of_a_profile_is_spoken() -> None:
    named = {*OpenVinoReasoningProtocol, *LlamaReasoningProtocol} - {""}
    assert {str(name) for name in named} == set(THINKING_PROTOCOLS)


def test_every_tool_protocol_of_a_profile_is_spoken() -> None:
    named = {*OpenVinoToolProtocol, *LlamaToolProtocol} - {""}
    assert {str(name) for name in named} == set(TOOL_PROTOCOLS)


def test_what_the_engine_refuses_a_profile_refuses() -> None:
    assert set(REFUSED_PROTOCOLS) <= set(REFUSALS)

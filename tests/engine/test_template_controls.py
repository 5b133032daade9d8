"""What a template is told, and how it is found out what it heeds."""

from typing import Any, NoReturn

import pytest
from jinja2.sandbox import ImmutableSandboxedEnvironment

from app.core.errors import DataFault, UserError
from app.engine.chat import ChatMessage, Role, ThinkingLevel, ToolCall, ToolSpec
from app.engine.template_controls import (
    TemplateControls,
    TemplateTraits,
    as_template_sees,
    controls_for,
    probe,
)

TOOL = ToolSpec(name="clock", description="The time.", parameters_schema='{"type": "object"}')
QWEN3 = (
    "{% if tools %}{% for tool in tools %}{{ tool | tojson }}{% endfor %}{% endif %}"
    "{% for m in messages %}{{ m.role }}: {{ m.content }}\n{% endfor %}assistant:"
    "{% if enable_thinking is defined and enable_thinking is false %}<think>\n\n</think>{% endif %}"
)
OSS = "effort={{ reasoning_effort or 'medium' }} {{ messages[0].content }}<|channel|>"
PLAIN = "{{ messages[0].content }} A:"
OPENS = "{{ messages[0].content }} A:<think>\n"
REFUSES_TOOLS = "{% if tools %}{{ raise_exception('no tools') }}{% endif %}A:"


def refuse(message: str) -> NoReturn:
    raise DataFault("template_failed", message, "Choose another model.")


def traits_of(source: str) -> TemplateTraits:
    environment = ImmutableSandboxedEnvironment()
    environment.globals["raise_exception"] = refuse
    template = environment.from_string(source)

    def render(messages: tuple[ChatMessage, ...], controls: TemplateControls) -> str:
        variables: dict[str, Any] = {**controls.variables(), "tools": controls.tools_as_json()}
        shown = [{"role": str(m.role), "content": m.content} for m in messages]
        return template.render(messages=shown, **variables)

    return probe(render)


@pytest.mark.parametrize(
    ("source", "traits"),
    [
        (QWEN3, TemplateTraits(tools=True, enable_thinking=True, thinks=True)),
        (OSS, TemplateTraits(reasoning_effort=True, thinks=True)),
        (PLAIN, TemplateTraits()),
        (OPENS, TemplateTraits(thinks=True)),
        (REFUSES_TOOLS, TemplateTraits()),
    ],
)
def test_a_template_has_the_controls_that_change_what_it_renders(
    source: str, traits: TemplateTraits
) -> None:
    assert traits_of(source) == traits


def test_a_template_that_always_fails_is_told() -> None:
    with pytest.raises(DataFault) as caught:
        traits_of("{{ raise_exception('never') }}")
    assert caught.value.code == "template_failed"


BOTH = TemplateTraits(enable_thinking=True, reasoning_effort=True, thinks=True)


@pytest.mark.parametrize(
    ("level", "traits", "variables"),
    [
        (ThinkingLevel.AUTO, BOTH, {}),
        (ThinkingLevel.OFF, BOTH, {"enable_thinking": False, "reasoning_effort": "low"}),
        (ThinkingLevel.HIGH, BOTH, {"enable_thinking": True, "reasoning_effort": "high"}),
        (
            ThinkingLevel.OFF,
            TemplateTraits(enable_thinking=True, thinks=True),
            {"enable_thinking": False},
        ),
        (
            ThinkingLevel.OFF,
            TemplateTraits(reasoning_effort=True, thinks=True),
            {"reasoning_effort": "low"},
        ),
        (ThinkingLevel.HIGH, TemplateTraits(), {}),
    ],
)
def test_a_level_is_said_in_the_words_that_the_template_has(
    level: ThinkingLevel, traits: TemplateTraits, variables: dict[str, bool | str]
) -> None:
    controls = controls_for(level, (), lambda: traits)
    assert controls.variables() == variables
    assert controls.tools == ()


def test_tools_are_told_to_a_template_that_has_a_place_for_them() -> None:
    controls = controls_for(ThinkingLevel.OFF, (TOOL,), lambda: traits_of(QWEN3))
    assert controls == TemplateControls(tools=(TOOL,), enable_thinking=False)
    with pytest.raises(UserError) as caught:
        controls_for(ThinkingLevel.AUTO, (TOOL,), lambda: traits_of(PLAIN))
    assert caught.value.code == "tools_not_supported"


def test_a_template_is_not_probed_for_nothing() -> None:
    def fail() -> TemplateTraits:
        raise AssertionError

    assert controls_for(ThinkingLevel.AUTO, (), fail) == TemplateControls()


def test_tools_have_the_form_that_templates_expect() -> None:
    assert TemplateControls().tools_as_json() is None
    assert TemplateControls(tools=(TOOL,)).tools_as_json() == [
        {
            "type": "function",
            "function": {
                "name": "clock",
                "description": "The time.",
                "parameters": {"type": "object"},
            },
        }
    ]


def test_a_tool_turn_has_the_form_that_templates_expect() -> None:
    call = ToolCall(id="call_1", name="clock", arguments='{"zone":"UTC"}')
    asked = ChatMessage(role=Role.ASSISTANT, content="", tool_calls=(call,))
    answered = ChatMessage(role=Role.TOOL, content="12:00", tool_call_id="call_1")
    assert as_template_sees(asked)["tool_calls"] == [
        {
            "id": "call_1",
            "type": "function",
            "function": {"name": "clock", "arguments": {"zone": "UTC"}},
        }
    ]
    assert as_template_sees(answered) == {
        "role": "tool",
        "content": "12:00",
        "tool_call_id": "call_1",
    }
    assert as_template_sees(ChatMessage(role=Role.USER, content="a")) == {
        "role": "user",
        "content": "a",
    }

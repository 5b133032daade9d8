"""An ability holds where profile, library, pipeline and template all say so; else one is named."""

import pytest

from app.core.errors import EnvironmentFault
from app.engine.outcome import BackendReport, SessionReport
from app.models.profile import (
    Claim,
    Evidence,
    GenAi,
    LlamaProfile,
    LlamaToolCalls,
    LlamaToolProtocol,
    OpenVinoProfile,
    OpenVinoReasoning,
    OpenVinoReasoningProtocol,
    OpenVinoToolCalls,
    OpenVinoToolProtocol,
    Profile,
    Status,
)
from app.workflows.ability import Ability, Voice, judge

PRESENT = BackendReport(name="openvino", version="2026.4.1")
ABSENT = BackendReport(
    name="openvino",
    error=EnvironmentFault("backend_missing", "It is not installed.", "Install it.").record(),
)
VERIFIED = Evidence(tools=Claim(status=Status.VERIFIED, source="A test."))
EVERYTHING = OpenVinoProfile(
    can_embed=True,
    tool_calls=OpenVinoToolCalls(protocol=OpenVinoToolProtocol.JSON_SCHEMA),
    reasoning=OpenVinoReasoning(protocol=OpenVinoReasoningProtocol.REASONING),
    evidence=VERIFIED,
)
PAGED = SessionReport(pipeline="paged", template=("chat", "tools", "thinks"))


def denied(
    profile: Profile, library: BackendReport, session: SessionReport | None
) -> dict[Ability, Voice | None]:
    return {one.ability: one.denied_by for one in judge(profile, library, session)}


def test_all_four_say_yes() -> None:
    found = denied(EVERYTHING, PRESENT, PAGED)
    assert found.pop(Ability.EMBEDDINGS) is Voice.PIPELINE  # it is loaded to answer
    assert set(found.values()) == {None}
    embedding = denied(EVERYTHING, PRESENT, SessionReport(pipeline="embedding"))
    assert [one for one, voice in embedding.items() if voice is None] == [Ability.EMBEDDINGS]


def test_the_profile_is_asked_first() -> None:
    silent = denied(OpenVinoProfile(can_chat=False), ABSENT, None)
    assert silent[Ability.CHAT] is silent[Ability.STREAM] is Voice.PROFILE
    assert silent[Ability.TOOLS] is silent[Ability.EMBEDDINGS] is Voice.PROFILE
    unverified = OpenVinoProfile(
        tool_calls=OpenVinoToolCalls(protocol=OpenVinoToolProtocol.JSON_SCHEMA)
    )
    assert denied(unverified, PRESENT, PAGED)[Ability.TOOLS] is Voice.PROFILE
    uncached = OpenVinoProfile(genai=GenAi(enable_prefix_caching=False))
    assert denied(uncached, PRESENT, PAGED)[Ability.REUSE] is Voice.PROFILE


@pytest.mark.parametrize(
    "profile",
    [
        EVERYTHING,
        LlamaProfile(
            can_embed=True,
            can_think=True,
            tool_calls=LlamaToolCalls(protocol=LlamaToolProtocol.JSON_SCHEMA),
            evidence=VERIFIED,
        ),
    ],
    ids=["openvino", "llama"],
)
def test_without_the_library_nothing_holds(profile: Profile) -> None:
    assert set(denied(profile, ABSENT, None).values()) == {Voice.LIBRARY}
    assert set(denied(profile, ABSENT, PAGED).values()) == {Voice.LIBRARY}


def test_what_is_not_loaded_is_not_claimed() -> None:
    assert set(denied(EVERYTHING, PRESENT, None).values()) == {Voice.PIPELINE}


def test_the_stateful_pipeline_reuses_nothing() -> None:
    stateful = SessionReport(pipeline="stateful", template=("chat", "tools", "thinks"))
    found = denied(EVERYTHING, PRESENT, stateful)
    assert found[Ability.REUSE] is Voice.PIPELINE
    assert found[Ability.CHAT] is None


@pytest.mark.parametrize(
    ("template", "lost"),
    [
        ((), {Ability.CHAT, Ability.PROMPT, Ability.STREAM, Ability.THINKING, Ability.TOOLS}),
        (("chat",), {Ability.THINKING, Ability.TOOLS}),
        (("chat", "tools"), {Ability.THINKING}),
    ],
)
def test_the_template_has_the_last_word(template: tuple[str, ...], lost: set[Ability]) -> None:
    found = denied(EVERYTHING, PRESENT, SessionReport(pipeline="paged", template=template))
    assert {one for one, voice in found.items() if voice is Voice.TEMPLATE} == lost

"""Each fault of a model fails exactly the check that is for it, through a real engine process."""

from pathlib import Path

import pytest

from app.certify.asking import Answer, Counted, Question
from app.certify.certificate import CheckResult
from app.certify.checks import (
    CHECKS,
    Circumstances,
    agree_cached,
    agree_with_cpu,
    run_check,
    sample,
)
from app.certify.product import EngineModel
from app.core.errors import EnvironmentFault
from app.engine.client import EngineClient
from app.engine.outcome import FinishReason
from app.engine.spec import LoadSpec, Protocols
from tests.certify.script import PLAIN, REPLIES, STORY, scripted_model


def results(
    client: EngineClient, spec: LoadSpec, protocols: Protocols = PLAIN
) -> dict[str, CheckResult]:
    model = EngineModel(client, spec)
    model.load()
    cold = sample(model)
    model.load()
    circumstances = Circumstances(protocols=protocols, recall_tokens=300)
    found = [agree_cached(cold, sample(model))]
    if spec.runtime.fault == "wrong_when_cached":  # type: ignore[union-attr]
        model = EngineModel(client, scripted_model())  # the checks are asked of the first load
    found += [run_check(check, model, circumstances) for check in CHECKS]
    return {one.name: one for one in found}


def failed(found: dict[str, CheckResult]) -> set[str]:
    return {name for name, one in found.items() if one.passed is False}


def test_a_sane_model_passes_every_check_that_applies(client: EngineClient) -> None:
    found = results(client, scripted_model())
    assert failed(found) == set(), found
    assert {name for name, one in found.items() if one.passed is None} == {
        "thinking_split",
        "tool_call",
    }


@pytest.mark.parametrize(
    ("fault", "check"),
    [
        ("echoes", "no_prompt_echo"),
        ("loops", "no_loops"),
        ("leaks_marks", "clean_text"),
        ("cheats_counters", "honest_counters"),
        ("wrong_when_cached", "cached_agreement"),
    ],
)
def test_a_fault_fails_exactly_the_check_that_is_for_it(
    client: EngineClient, tmp_path: Path, fault: str, check: str
) -> None:
    found = results(client, scripted_model(fault, cache=str(tmp_path / "compiled")))
    assert failed(found) == {check}, found
    assert found[check].required


@pytest.mark.parametrize(
    ("part", "reply", "check", "required"),
    [
        ("Repeat this line exactly, and write nothing else: blue", "Sure!", "exact_echo", False),
        ("Repeat this line exactly, and write nothing else: Gr", "Gr??e", "unicode_round_trip",
         False),
        ("red boat?", "I don't know.", "marker_recall", False),
        ("lighthouse", f"{STORY}\nUser: and then?", "no_prompt_echo", True),
        ("lighthouse", STORY.replace("rope", "r\ufffdpe"), "clean_text", True),
    ],
)  # fmt: skip
def test_a_wrong_answer_fails_exactly_the_check_that_is_for_it(
    client: EngineClient, part: str, reply: str, check: str, required: bool
) -> None:
    found = results(client, scripted_model(replies=((part, reply), *REPLIES)))
    assert failed(found) == {check}, found
    assert found[check].required is required


def test_two_wrong_facts_are_forgiven_and_three_are_not(client: EngineClient) -> None:
    model = EngineModel(client, scripted_model(replies=(("capital", "Rome"), ("2 + 2", "5"))))
    known = next(check for check in CHECKS if check.name == "known_answers")
    assert run_check(known, model, Circumstances()).passed is False
    fine = (("capital", "Rome"), ("2 + 2", "5"), *REPLIES)
    result = run_check(known, EngineModel(client, scripted_model(replies=fine)), Circumstances())
    assert (result.passed, result.detail[:12]) == (True, "3 of 5 right")


def test_a_circle_after_eighty_words_is_told_and_not_held_against_the_machine(
    client: EngineClient,
) -> None:
    late = f"{STORY} {STORY[:200]} " + "she read it once more and put it down again " * 6
    model = EngineModel(client, scripted_model(replies=(("lighthouse", late),)))
    check = next(check for check in CHECKS if check.name == "no_loops")
    result = run_check(check, model, Circumstances())
    assert result.passed is True
    assert "but later: " in result.detail


def test_what_a_profile_declares_has_to_work(client: EngineClient) -> None:
    protocols = Protocols(
        reasoning="openvino:reasoning_incremental_parser",
        tool_calls="openvino:json_schema_tool_calls",
    )
    call = '<tool_call>{"name": "get_weather", "arguments": {"city": "Paris"}}</tool_call>'
    good = (
        ("weather in Paris", call),
        ("2 + 2", "<think>It is two and two.</think>It is 4."),
        *REPLIES,
    )
    found = results(client, scripted_model(replies=good, protocols=protocols), protocols)
    assert (found["thinking_split"].passed, found["tool_call"].passed) == (True, True), found
    bad = (("weather in Paris", call.replace("Paris", "Rome")), *REPLIES)
    found = results(client, scripted_model(replies=bad, protocols=protocols), protocols)
    assert failed(found) == {"thinking_split", "tool_call"}


class Deaf:
    """A model whose every answer reaches the limit, or fails."""

    def __init__(self, error: EnvironmentFault | None = None) -> None:
        self.error = error

    def ask(self, question: Question) -> Answer:
        if self.error is not None:
            raise self.error
        return Answer(text="x", reason=FinishReason.LENGTH)

    def count(self, prompt: str) -> Counted:
        return Counted(tokens=1, ids_sha256="")


def test_an_answer_that_never_ends_by_itself_fails() -> None:
    check = next(check for check in CHECKS if check.name == "ends_by_itself")
    assert run_check(check, Deaf(), Circumstances()).passed is False


def test_a_request_that_fails_is_a_failed_check_with_its_sentence() -> None:
    error = EnvironmentFault("engine_died", "It stopped.", "Again.")
    result = run_check(CHECKS[0], Deaf(error), Circumstances())
    assert (result.passed, result.detail) == (False, "It stopped. [engine_died]")


def test_agreement_with_the_cpu_forgives_later_words_and_no_other_sentence() -> None:
    cpu = ("The capital of France is Paris.", "It is 4.", "We live on the planet Earth.")
    late = ("The capital of France is Paris, a city.", "It is 4.", "I say Earth.")
    assert agree_with_cpu(late, cpu).passed is True
    assert agree_with_cpu(("!!!!", "!!!!", "We live on the planet Mars"), cpu).passed is False
    assert agree_with_cpu(cpu, None).passed is None


def test_every_required_check_says_why() -> None:
    assert all(check.required_because or check.name for check in CHECKS)
    required = {check.name for check in CHECKS if check.required_because}
    assert "exact_echo" not in required
    assert {"no_prompt_echo", "no_loops", "clean_text", "honest_counters"} <= required

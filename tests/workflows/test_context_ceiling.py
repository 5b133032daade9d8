"""More context than a model was trained for: declared, measured, and only then used."""

from collections.abc import Iterator

import msgspec
import pytest

from app.certify.certificate import Certificate, Verdict, level_of
from app.certify.checks import CHECKS, Circumstances, run_check
from app.certify.plan import plan_for
from app.core.errors import UserError
from app.core.paths import DataRoot
from app.models.profile import LlamaProfile, LlamaRuntimeControls, OpenVinoProfile, Profile
from app.models.profile_files import profile_of
from app.workflows.context_ceiling import context_ceiling, require_declared
from tests.certify.test_checks import Deaf
from tests.certify.test_devices import Machine

TRAINED = 128  # what the tiny model's manifest says
DECLARED = 256


@pytest.fixture
def machine(data_root: DataRoot) -> Iterator[Machine]:
    made = Machine(data_root)
    yield made
    made.services.close()


def _declare(machine: Machine, tokens: int) -> Profile:
    """A person's own profile, in the model's folder."""
    path = machine.model.folder / "contenox-openvino.json"
    path.write_text(f'{{"context_length": {tokens}}}', encoding="utf-8")
    return profile_of(machine.model)


def _prove(
    machine: Machine, tokens: int, quality: Verdict = Verdict.PASSED, *, quick: bool = False
) -> Certificate:
    made = machine.certify("CPU", 20.0, quality=quality)
    machine.services.certified.store.drop(made)
    longer = msgspec.structs.replace(
        made,
        context_tokens=tokens,
        trained_context_tokens=TRAINED,
        quick=quick,
        level=level_of(quality, made.throughput.verdict, quick=quick),
    )
    machine.services.certified.store.save(longer)
    return longer


@pytest.mark.parametrize(
    ("profile", "proven", "expected"),
    [
        (OpenVinoProfile(), 0, 128),
        (OpenVinoProfile(context_length=64), 0, 64),
        (OpenVinoProfile(context_length=256), 0, 128),
        (OpenVinoProfile(context_length=256), 200, 200),
        (OpenVinoProfile(context_length=150), 200, 150),
        (LlamaProfile(context_length=256, runtime=LlamaRuntimeControls(num_ctx=100)), 200, 100),
    ],
)
def test_the_ceiling_is_the_least_of_profile_and_what_was_trained_or_proven(
    machine: Machine, profile: Profile, proven: int, expected: int
) -> None:
    assert context_ceiling(machine.model, profile, proven) == expected


def test_what_the_profile_does_not_declare_is_not_even_measured(machine: Machine) -> None:
    require_declared(machine.model, OpenVinoProfile(), TRAINED)
    require_declared(machine.model, OpenVinoProfile(context_length=DECLARED), DECLARED)
    for profile in (OpenVinoProfile(), OpenVinoProfile(context_length=DECLARED - 1)):
        with pytest.raises(UserError, match="trained for 128 tokens") as caught:
            require_declared(machine.model, profile, DECLARED)
        assert caught.value.code == "context_not_declared"
        assert "context_length to 256" in caught.value.remedy


def test_a_declared_context_counts_once_it_was_proven_and_while_that_holds(
    machine: Machine,
) -> None:
    certified = machine.services.certified
    profile = _declare(machine, DECLARED)
    assert certified.proven_context(machine.model, profile, "CPU") == 0
    _prove(machine, DECLARED)
    assert certified.proven_context(machine.model, profile, "CPU") == DECLARED
    assert certified.proven_context(machine.model, profile, "GPU") == 0
    other = _declare(machine, DECLARED + 1)
    assert certified.proven_context(machine.model, other, "CPU") == 0


def test_a_failed_and_a_quick_run_prove_nothing(machine: Machine) -> None:
    certified = machine.services.certified
    profile = _declare(machine, DECLARED)
    _prove(machine, DECLARED, Verdict.FAILED)
    assert certified.proven_context(machine.model, profile, "CPU") == 0
    assert certified.failed(machine.model, profile) == ()
    _prove(machine, DECLARED, quick=True)
    assert certified.proven_context(machine.model, profile, "CPU") == 0


def test_a_long_certificate_lies_beside_the_ordinary_one(machine: Machine) -> None:
    profile = _declare(machine, DECLARED)
    _prove(machine, DECLARED)
    ordinary = machine.certify("CPU", 30.0)
    store = machine.services.certified.store
    assert len(store.all()) == 2
    standing = machine.services.certified.standing(machine.model, "CPU")
    assert standing is not None
    assert standing.certificate == ordinary
    passed = machine.services.certified.passed(machine.model, profile)
    assert [one.tokens_per_s for one in passed] == [30.0]


def test_beyond_the_trained_context_the_markers_decide_and_fill_it() -> None:
    recall = next(check for check in CHECKS if check.name == "marker_recall")
    ordinary = run_check(recall, Deaf(), Circumstances())
    longer = run_check(recall, Deaf(), Circumstances(beyond_trained=True))
    assert (ordinary.passed, ordinary.required) == (False, False)
    assert (longer.passed, longer.required) == (False, True)
    plan = plan_for(16_384, quick=False, beyond_trained=True)
    assert plan.recall_tokens == 16_384 - plan.decode_tokens - 1 - 300
    assert plan_for(16_384, quick=False).recall_tokens == 3000


def test_fewer_rounds_leave_the_runs_that_decide() -> None:
    plan = plan_for(8192, quick=False, rounds=1)
    assert [(one.prompt_tokens, one.runs, one.turns) for one in plan.sizes] == [
        (128, 2, 16), (512, 1, 1), (2048, 1, 1), (4096, 1, 1), (8127, 1, 1),
    ]  # fmt: skip
    usual = plan_for(8192, quick=False)
    assert [one.runs for one in usual.sizes] == [6, 5, 3, 3, 2]
    assert [one.fresh for one in usual.sizes] == [True, False, False, False, False]
    assert usual.left_s(4, 100, 10) < usual.left_s(3, 100, 10) < usual.expected_s(100, 10)

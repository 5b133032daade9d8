"""Whole certifications, through a real engine process with the scripted backend inside."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec
import pytest

from app.certify.asking import Answer, Question
from app.certify.certificate import (
    Certificate,
    Drift,
    Level,
    MachineFacts,
    ModelFacts,
    Pace,
    PowerState,
    Spread,
    Verdict,
)
from app.certify.certifier import Certifier, Ports, Step, Subject
from app.certify.measure import ControlPort, ControlRun, Size, pace_of, spread_of
from app.certify.plan import Plan, plan_for
from app.certify.product import EngineModel
from app.certify.progress import ProgressFile
from app.certify.verdict import judge_throughput
from app.engine.client import EngineClient
from app.engine.spec import LoadSpec, Protocols
from app.models.identity import Stopped, never_stop
from tests.certify.samples import certificate, key
from tests.certify.script import REPLIES, STORY, scripted_model

_START = datetime(2026, 11, 3, 12, tzinfo=UTC)
_PLAN = Plan(
    quick=False,
    sizes=(
        Size(prompt_tokens=64, runs=3, decode_tokens=24),
        Size(prompt_tokens=128, runs=2, decode_tokens=24),
    ),
    not_tested=(),
    decode_tokens=24,
    warm_tokens=128,
    recall_tokens=200,
    cancels=1,
    drift_runs=1,
)


class Steady(EngineModel):
    """The product, with a decode rate that no busy machine changes."""

    def ask(self, question: Question) -> Answer:
        answer = super().ask(question)
        if "tell a story" not in question.prompt:
            return answer
        steady = msgspec.structs.replace(answer.timings, decode_tokens_per_s=50.0)
        return msgspec.structs.replace(answer, timings=steady)


class Twin:
    """A control that decodes a share of 100 tokens/s."""

    load_s = 0.5

    def __init__(self, model: EngineModel, shares: Callable[[], float], ids: str = "") -> None:
        self._model = model
        self._shares = shares
        self._ids = ids

    def run(self, prompt: str, max_tokens: int) -> ControlRun:
        counted = self._model.count(prompt)
        answer = self._model.ask(Question(prompt=prompt, max_tokens=max_tokens))
        assert answer.timings.decode_tokens_per_s is not None
        return ControlRun(
            prompt_tokens=counted.tokens,
            completion_tokens=answer.usage.completion_tokens,
            ids_sha256=self._ids or counted.ids_sha256,
            ttft_s=0.1,
            decode_tokens_per_s=100.0 * self._shares(),
        )


class Bench:
    """Everything that a certification needs, with a scripted model."""

    def __init__(self, client: EngineClient, folder: Path, spec: LoadSpec) -> None:
        self.client = client
        self.folder = folder
        self.spec = spec
        self.steps: list[Step] = []
        self.controls = self.open_controls = 0
        self.power = "mains"
        self.now = _START
        self.plan = _PLAN
        self.control: Callable[[EngineModel], ControlPort | None] = lambda model: Twin(
            model, lambda: 0.5
        )

    def certify(self, stop: Callable[[], bool] = never_stop) -> Certificate:
        model = Steady(self.client, self.spec, stop)

        @contextmanager
        def open_control() -> Iterator[ControlPort | None]:
            self.open_controls += 1
            self.controls += 1
            yield self.control(model)
            self.open_controls -= 1

        of = key()
        subject = Subject(
            key=of,
            model=ModelFacts(
                name="tiny", variant="openvino", source="here", digest=of.model_digest,
                profile_digest=of.profile_digest,
            ),
            machine=MachineFacts(
                cpu="A CPU", physical_cores=1, logical_cores=2, memory_bytes=1, system="Linux"
            ),
            app_version="1",
            context_tokens=6000,
            trained_context_tokens=8000,
            protocols=Protocols(),
            cached_note="scripted",
            reuses_prefixes=True,
        )  # fmt: skip
        ports = Ports(
            product=model,
            open_control=open_control,
            open_cpu=None,
            read_power=lambda: (self.power, None),
            peak_memory_bytes=lambda: 1000,
            now=lambda: self.now,
        )
        progress = ProgressFile(self.folder, of)
        return Certifier(subject, self.plan, ports, progress, self.steps.append).run()

    @property
    def names(self) -> list[str]:
        return [step.name for step in self.steps]


def test_the_runs_that_decide_are_of_fresh_starts_of_both(bench: Bench) -> None:
    deciding = Size(prompt_tokens=64, runs=2, turns=5, decode_tokens=12, fresh=True)
    other = Size(prompt_tokens=128, runs=2, decode_tokens=24)
    bench.plan = msgspec.structs.replace(_PLAN, sizes=(deciding, other))
    loads = []
    load = Steady.load

    def counted(model: Steady) -> float:
        loads.append(bench.controls)
        return load(model)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Steady, "load", counted)
        found = bench.certify()
    depth, longer = found.throughput.depths
    ratio = depth.decode_tokens_per_s.ratio
    assert ratio is not None
    assert (ratio.runs, depth.turns, depth.decode_tokens) == (2, 5, 12)
    assert (longer.turns, longer.decode_tokens) == (1, 24)
    assert loads == [0, 1, 2, 2, 4, 4], "cold, again; then after its control, and before the next"
    assert bench.controls == 5
    assert bench.open_controls == 0
    assert found.level is Level.CERTIFIED


def test_a_run_counts_by_its_medians_and_one_without_answers_not_at_all() -> None:
    pace = pace_of([[(10, 10), (12, 10), (90, 10)], [], [(8, 10), (8, None)]])
    assert pace.ratio == Spread(median=1.0, low=0.8, high=1.2, runs=2)
    assert pace.product == Spread(median=10.0, low=8.0, high=12.0, runs=2)
    assert pace_of([[(10, None)]]).ratio is None


@pytest.fixture
def bench(client: EngineClient, tmp_path: Path) -> Bench:
    return make(client, tmp_path)


def make(client: EngineClient, folder: Path, fault: str | None = None) -> Bench:
    spec = scripted_model(
        fault,
        replies=(*REPLIES, ("tell a story", STORY)),
        cache=str(folder / "compiled"),
        token_s=0.001,
        prefill_token_s=0.0004,
    )
    return Bench(client, folder, spec)


def test_a_sane_model_on_a_quiet_machine_is_certified_with_every_field_measured(
    bench: Bench,
) -> None:
    found = bench.certify()
    assert (found.level, found.quality.verdict, found.throughput.verdict) == (
        Level.CERTIFIED, Verdict.PASSED, Verdict.PASSED,
    ), found  # fmt: skip
    speed = found.throughput
    assert [one.decode_tokens_per_s.product.runs for one in speed.depths] == [3, 2]
    assert all(one.same_ids for one in speed.depths)
    assert all(0.98 * size.prompt_tokens - 2 <= one <= size.prompt_tokens for size, one in zip(
        bench.plan.sizes, found.tested_prompt_tokens, strict=True))  # fmt: skip
    assert speed.load.control_s == 0.5
    assert speed.load.cached_s is not None
    assert speed.warm is not None
    assert speed.warm.reused_tokens > 0
    assert speed.warm.ratio < 0.9
    assert speed.cancel.decode_ms is not None
    assert speed.cancel.prefill_ms is not None
    assert (speed.peak_memory_bytes, found.power.source) == (1000, "mains")
    assert not list(bench.folder.glob("*.unfinished"))
    assert bench.steps[-1].expected_s is not None
    assert bench.names.index("estimate") < bench.names.index("check: known_answers")


@pytest.mark.parametrize(
    ("fault", "check"),
    [
        ("echoes", "no_prompt_echo"),
        ("loops", "no_loops"),
        ("leaks_marks", "clean_text"),
        ("wrong_when_cached", "cached_agreement"),
        ("cheats_counters", "honest_counters"),
    ],
)
def test_a_fault_fails_the_certificate_by_exactly_its_check(
    client: EngineClient, tmp_path: Path, fault: str, check: str
) -> None:
    found = make(client, tmp_path, fault).certify()
    assert found.level is Level.FAILED
    assert {one.name for one in found.quality.checks if one.passed is False} == {check}
    assert found.quality.reasons[0].startswith(check)


def test_a_machine_that_changed_meanwhile_gives_a_provisional_result(bench: Bench) -> None:
    rates = iter([0.5] * 6 + [0.3])
    bench.control = lambda model: Twin(model, lambda: next(rates))
    found = bench.certify()
    assert found.level is Level.PROVISIONAL
    assert "the machine changed meanwhile" in found.throughput.reasons[0]


def test_a_product_that_beats_its_library_was_compared_on_a_busy_machine() -> None:
    fast = spread_of([1.26])
    depth = msgspec.structs.replace(
        certificate().throughput.depths[0], decode_tokens_per_s=Pace(product=fast, ratio=fast)
    )
    power = PowerState(source="mains", source_at_end="mains")
    drift = Drift(first_tokens_per_s=10, last_tokens_per_s=10)
    verdict, reasons = judge_throughput([depth], drift, power, quick=False)
    assert verdict is Verdict.PROVISIONAL
    assert "1.26 of its library's rate" in " ".join(reasons)


def test_a_slow_product_fails_only_where_the_machine_was_quiet(bench: Bench) -> None:
    bench.control = lambda model: Twin(model, lambda: 1000.0)
    found = bench.certify()
    assert (found.level, found.throughput.verdict) == (Level.FAILED, Verdict.FAILED)
    assert "0.98 is needed" in found.throughput.reasons[0]


def test_other_ids_no_control_and_another_power_source_are_doubts(bench: Bench) -> None:
    bench.control = lambda model: Twin(model, lambda: 0.5, ids="f" * 64)
    assert "did not read the same token ids" in bench.certify().throughput.reasons[0]
    bench.control = lambda model: None
    assert "no control" in bench.certify().throughput.reasons[0]


def test_the_quick_run_is_never_certified(bench: Bench) -> None:
    bench.plan = msgspec.structs.replace(_PLAN, quick=True)
    found = bench.certify()
    assert (found.level, found.quality.verdict) == (Level.PROVISIONAL, Verdict.PASSED)


def test_a_stopped_run_goes_on_where_it_was(bench: Bench) -> None:
    def stop() -> bool:
        return bench.names[-1:] == ["measure: 128 tokens"]

    with pytest.raises(Stopped):
        bench.certify(stop)
    first = bench.names
    bench.steps.clear()
    bench.power = "battery"
    found = bench.certify()
    again = set(bench.names) & set(first)
    assert again == {"estimate", "measure: 128 tokens"}
    assert found.level is Level.PROVISIONAL
    assert found.throughput.reasons == ("the power went from mains to battery",)
    assert len(found.quality.checks) == 13


def test_what_is_too_old_or_of_another_plan_is_not_gone_on_with(bench: Bench) -> None:
    with pytest.raises(Stopped):
        bench.certify(lambda: bench.names[-1:] == ["measure: 64 tokens"])
    bench.steps.clear()
    bench.now = _START + timedelta(hours=13)
    with pytest.raises(Stopped):
        bench.certify(lambda: bench.names[-1:] == ["measure: 64 tokens"])
    assert "load" in bench.names
    bench.steps.clear()
    bench.plan = msgspec.structs.replace(_PLAN, decode_tokens=20)
    bench.certify()
    assert "load" in bench.names


def test_a_damaged_progress_file_begins_anew(bench: Bench) -> None:
    (bench.folder / f"{key().slug}.unfinished").write_bytes(b"{")
    assert bench.certify().level is Level.CERTIFIED


@pytest.mark.parametrize("context", [100, 300, 2000, 4097, 8192, 32768])
def test_each_size_is_measured_or_refused_with_a_reason(context: int) -> None:
    for quick in (False, True):
        plan = plan_for(context, quick=quick)
        measured = {size.prompt_tokens for size in plan.sizes}
        refused = {one.prompt_tokens for one in plan.not_tested}
        largest = context - plan.decode_tokens - 1
        assert plan.sizes
        assert measured | refused == {128, 512, 2048, 4096, largest}
        assert not measured & refused
        assert max(measured) <= largest
        assert all(one.reason for one in plan.not_tested)
        assert (largest in measured) != quick or context == 100
    full, quick_plan = plan_for(8192, quick=False), plan_for(8192, quick=True)
    assert full.expected_s(100, 10) > 5 * quick_plan.expected_s(100, 10)

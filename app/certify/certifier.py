"""A certification from its first load to the certificate: checks, measurements, verdicts.

Every step's result is stored before the next begins, so an interrupted run goes on from there.
"""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack
from datetime import UTC, datetime
from typing import Final

import msgspec
from msgspec import Struct

from app.certify.certificate import (
    CancelLatency,
    Certificate,
    CertificateKey,
    DepthFigures,
    Drift,
    LoadFigures,
    MachineFacts,
    ModelFacts,
    PowerState,
    Throughput,
    UnsupportedMode,
    level_of,
)
from app.certify.checks import (
    CHECKS,
    Circumstances,
    agree_cached,
    agree_with_cpu,
    run_check,
    sample,
)
from app.certify.estimate import hold_against
from app.certify.measure import (
    ControlPort,
    Pair,
    Product,
    Size,
    control_rate,
    figures_of,
    measure_cancel,
    measure_depth,
    measure_warm,
    run_pairs,
)
from app.certify.plan import Plan, slower_by
from app.certify.progress import Finished, ProgressFile
from app.certify.verdict import judge_quality, judge_throughput
from app.engine.spec import Protocols
from app.hardware.expected_speed import ExpectedSpeed

ACCOUNTING: Final = (
    "Prompt tokens are the ids that the model's tokenizer makes of the rendered prompt; written"
    " tokens are the ids that the library returned, its end token included. Nothing is counted from"
    " text. Prefill is prompt tokens over the time to the first token; decode is the tokens after"
    " the first over the time from the first to the last."
)


_QUICK_START_S: Final = 10.0  # a model that takes longer to load is started once
_SERIES: Final = 1000  # prompt numbers set apart for each step


class Step(Struct, frozen=True, kw_only=True):
    """What is being done. ``expected_s`` is for all that is left, once it can be told."""

    name: str
    number: int
    total: int
    expected_s: float | None = None


class Subject(Struct, frozen=True, kw_only=True):
    """What is certified, and all that is known about it beforehand.

    ``cached_note`` says what the second load is on this device; ``reuses_prefixes`` whether the
    pipeline can. ``expected`` is what the machine's probes let expect, where they can.
    """

    key: CertificateKey
    model: ModelFacts
    machine: MachineFacts
    app_version: str
    context_tokens: int
    trained_context_tokens: int
    protocols: Protocols
    cached_note: str
    reuses_prefixes: bool
    expected: ExpectedSpeed | None = None
    unsupported: tuple[UnsupportedMode, ...] = ()


class Ports(Struct, frozen=True, kw_only=True):
    """The machinery. ``open_control`` and ``open_cpu`` last as long as they are entered.

    ``open_cpu`` is absent if the device is the CPU. ``read_power`` gives source and charge.
    """

    product: Product
    open_control: Callable[[], AbstractContextManager[ControlPort | None]]
    open_cpu: Callable[[], AbstractContextManager[Product]] | None
    read_power: Callable[[], tuple[str, float | None]]
    peak_memory_bytes: Callable[[], int | None]
    now: Callable[[], datetime] = lambda: datetime.now(UTC)


class Certifier:
    """Certifies one subject. Made for one run.

    Args:
        subject: what.
        plan: how thoroughly.
        ports: with what.
        progress: what an earlier run has finished of it.
        report: told of each step before it begins.
    """

    def __init__(
        self,
        subject: Subject,
        plan: Plan,
        ports: Ports,
        progress: ProgressFile,
        report: Callable[[Step], None],
    ) -> None:
        self._subject = subject
        self._plan = plan
        self._ports = ports
        self._progress = progress
        self._report = report
        self._controls = ExitStack()
        self._control: ControlPort | None = None
        self._number = 0
        self._expected_s: float | None = None
        source, charge = ports.read_power()
        power = PowerState(source=source, source_at_end=source, charge_percent=charge)
        fresh = Finished(
            key=subject.key,
            plan=plan,
            app_version=subject.app_version,
            started=ports.now().isoformat(timespec="seconds"),
            power=power,
        )
        self._done = progress.load(fresh, ports.now())

    def run(self) -> Certificate:
        """Does what is left and returns the certificate, which isn't stored yet.

        Raises:
            Stopped: the person ended it; what is finished is kept.
            ContenoxError: a load or a measurement failed; what is finished is kept.
        """
        self._load()
        with self._controls:
            self._fresh_control()
            self._estimate()
            self._check()
            self._load_again()
            self._measure()
            drift = self._drift()
        self._compare_with_cpu()
        certificate = self._issue(drift)
        self._progress.clear()
        return certificate

    # --- steps ---

    def _fresh_control(self) -> None:
        """Starts the control in a process of its own; one that runs is ended before."""
        self._controls.close()
        self._control = self._controls.enter_context(self._ports.open_control())

    def _load(self) -> None:
        if self._done.load is not None:
            return
        self._begin("load")
        cold_s = self._ports.product.load()
        figures = LoadFigures(cold_s=cold_s, cached_note=self._subject.cached_note)
        self._keep(load=figures, answers=sample(self._ports.product))

    def _load_again(self) -> None:
        """After the checks: what only the second load gets wrong fails one check alone."""
        load = self._done.load
        assert load is not None
        if load.cached_s is not None:
            return
        self._begin("check: cached_agreement")
        cached_s = self._ports.product.load()
        agreement = agree_cached(self._done.answers, sample(self._ports.product))
        self._keep(
            load=msgspec.structs.replace(load, cached_s=cached_s),
            checks=(*self._done.checks, agreement),
        )

    def _estimate(self) -> None:
        """Times one short pair, so that the rest can be told in minutes."""
        control = self._control
        self._begin("estimate")
        if control is not None and self._done.first_control_rate is None:
            rate = control_rate(control, self._plan.decode_tokens, self._plan.drift_runs)
            load = self._done.load
            assert load is not None
            with_control = msgspec.structs.replace(load, control_s=control.load_s)
            self._keep(first_control_rate=rate, load=with_control)
        size = msgspec.structs.replace(self._plan.sizes[0], runs=1)
        probe = measure_depth(self._ports.product, None, size, 0)
        self._expected_s = self._plan.expected_s(
            probe.prefill_tokens_per_s.product.median, probe.decode_tokens_per_s.product.median
        )

    def _check(self) -> None:
        circumstances = Circumstances(
            protocols=self._subject.protocols,
            recall_tokens=self._plan.recall_tokens,
            beyond_trained=self._subject.context_tokens > self._subject.trained_context_tokens,
        )
        known = {one.name for one in self._done.checks}
        for check in CHECKS:
            if check.name in known:
                continue
            self._begin(f"check: {check.name}")
            result = run_check(check, self._ports.product, circumstances)
            self._keep(checks=(*self._done.checks, result))

    def _measure(self) -> None:
        product = self._ports.product
        for number, size in self._series():
            self._begin(f"measure: {size.prompt_tokens} tokens")
            figures = self._figures(size, number)
            self._keep(depths=(*self._done.depths, figures))
            self._expect(figures)
        if self._subject.reuses_prefixes and self._done.warm is None:
            self._begin("measure: reuse")
            self._keep(warm=measure_warm(product, self._plan.warm_tokens, 50 * _SERIES))
        if self._done.cancel is None:
            self._begin("measure: cancel")
            cancel = measure_cancel(
                product, self._plan.warm_tokens, 60 * _SERIES, self._plan.cancels
            )
            self._keep(cancel=cancel)

    def _figures(self, size: Size, number: int) -> DepthFigures:
        load = self._done.load
        if size.fresh and load is not None and load.cold_s <= _QUICK_START_S:
            return figures_of(self._fresh_runs(size, number))
        return measure_depth(self._ports.product, self._control, size, number)

    def _fresh_runs(self, size: Size, number: int) -> list[list[Pair]]:
        """The pairs of each run, in fresh processes for each half of it."""
        spare = iter(range(number + size.runs * size.turns, number + _SERIES))
        runs: list[list[Pair]] = []
        for run in range(size.runs):
            numbers = size.numbers(number, run)
            middle = len(numbers) // 2
            runs.append([])
            for product_first, part in ((False, numbers[:middle]), (True, numbers[middle:])):
                self._start_both(product_first=product_first)
                # The first answer of a process is slower than all that follow.
                warming = next(spare)
                self._take(size, range(warming, warming + 1))
                runs[-1] += self._take(size, part)
        return runs

    def _start_both(self, *, product_first: bool) -> None:
        """Both end before one begins: a process gets the memory that the last one gave back."""
        self._controls.close()
        self._ports.product.unload()
        if product_first:
            self._ports.product.load()
        self._fresh_control()
        if not product_first:
            self._ports.product.load()

    def _take(self, size: Size, numbers: range) -> list[Pair]:
        return run_pairs(self._ports.product, self._control, size, numbers)

    def _expect(self, seen: DepthFigures) -> None:
        """Tells anew how long the rest takes, by what was just seen."""
        slower = slower_by(seen.prompt_tokens)
        self._expected_s = self._plan.left_s(
            len(self._done.depths),
            seen.prefill_tokens_per_s.product.median * slower,
            seen.decode_tokens_per_s.product.median * slower,
        )

    def _series(self) -> Iterator[tuple[int, Size]]:
        for index, size in enumerate(self._plan.sizes):
            if index >= len(self._done.depths):
                yield (index + 1) * _SERIES, size

    def _drift(self) -> Drift | None:
        control = self._control
        first = self._done.first_control_rate
        if control is None or first is None:
            return None
        self._begin("control again")
        last = control_rate(control, self._plan.decode_tokens, self._plan.drift_runs)
        return Drift(first_tokens_per_s=first, last_tokens_per_s=last)

    def _compare_with_cpu(self) -> None:
        answers: tuple[str, ...] | None = None
        if self._ports.open_cpu is not None:
            self._begin("check: cpu_agreement")
            with self._ports.open_cpu() as cpu:
                answers = sample(cpu)
        result = agree_with_cpu(self._done.answers, answers)
        others = [one for one in self._done.checks if one.name != result.name]
        self._keep(checks=(*others, result))

    # --- the certificate ---

    def _issue(self, drift: Drift | None) -> Certificate:
        done, subject = self._done, self._subject
        assert done.load is not None
        source, _ = self._ports.read_power()
        power = msgspec.structs.replace(done.power, source_at_end=source)
        quality = judge_quality(done.checks)
        quick = self._plan.quick
        verdict, reasons = judge_throughput(done.depths, drift, power, quick=quick)
        return Certificate(
            level=level_of(quality.verdict, verdict, quick=quick),
            quick=quick,
            key=subject.key,
            date=self._ports.now().isoformat(timespec="seconds"),
            app_version=subject.app_version,
            machine=subject.machine,
            power=power,
            model=subject.model,
            context_tokens=subject.context_tokens,
            trained_context_tokens=subject.trained_context_tokens,
            tested_prompt_tokens=tuple(one.prompt_tokens for one in done.depths),
            quality=quality,
            throughput=Throughput(
                verdict=verdict,
                reasons=reasons,
                accounting=ACCOUNTING,
                load=done.load,
                depths=done.depths,
                not_tested=self._plan.not_tested,
                warm=done.warm,
                cancel=done.cancel or CancelLatency(),
                peak_memory_bytes=self._ports.peak_memory_bytes(),
                drift=drift,
                estimate=hold_against(subject.expected, done.depths),
            ),
            unsupported=subject.unsupported,
        )

    def _keep(self, **changes: object) -> None:
        self._done = msgspec.structs.replace(self._done, **changes)
        self._progress.save(self._done)

    def _begin(self, name: str) -> None:
        self._number += 1
        total = 8 + len(CHECKS) + len(self._plan.sizes)
        self._report(Step(name=name, number=self._number, total=total, expected_s=self._expected_s))

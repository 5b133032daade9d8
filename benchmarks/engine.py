"""Measures the engine against the bare library: decode, time to first token, cancel latency.

    python -m benchmarks.engine [--backend openvino] [--runs 6] [--turns 16] [--cancels 20]
                                [--json FILE]

Product and control run in turn on the same model, device and ids: A B B A, with short answers,
since a machine's noise comes and goes within seconds. Half the turns of a run are answered by fresh
processes of which the control was started first, half by others of which the product was: which
memory a process gets can make it some percent slower for life. A run counts by its medians. Prefill
and decode are never mixed: a decode rate counts the tokens after the first over the time from the
first to the last. The control is ``app/engine/backends/raw_control.py``.
"""

import argparse
import itertools
import queue
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import msgspec
from rich.console import Console
from rich.table import Table

from app.composition import build_services
from app.engine.backends.jinja_template import ChatTemplate
from app.engine.backends.raw_control import RawControl, RawRun, raw_control
from app.engine.chat import ChatMessage, Role
from app.engine.client import EngineClient
from app.engine.protocol import (
    Delta,
    Event,
    Failed,
    Finished,
    Generate,
    Load,
    PrefillProgress,
    Unload,
    new_request_id,
)
from app.engine.spec import LoadSpec
from app.models.gguf import read_gguf
from app.workflows.services import Services
from benchmarks.machine import Machine, this_machine

TURN_TOKENS: Final = 16
WHOLE_TOKENS: Final = 96
PREFILL_WORDS: Final = 900
LONG_WORDS: Final = 3600
CALL_S: Final = 0.2  # about what one native call of a prefill takes
WORDS: Final = "the sea is blue and the sky is grey while the wind blows over the harbour".split()  # noqa: SIM905


class Ratio(msgspec.Struct, frozen=True, kw_only=True):
    """Product over control, run by run. ``goal`` is what the median must reach.

    ``turns``: pairs of answers in each of the ``runs``.
    """

    name: str
    product_median: float
    control_median: float
    ratio_median: float
    ratio_min: float
    ratio_max: float
    goal: float
    at_least: bool
    runs: int
    turns: int

    @property
    def reached(self) -> bool:
        return self.ratio_median >= self.goal if self.at_least else self.ratio_median <= self.goal


class Latency(msgspec.Struct, frozen=True, kw_only=True):
    """Milliseconds from the cancel to the request's end."""

    name: str
    median_ms: float
    p95_ms: float
    worst_ms: float
    goal_p95_ms: float
    runs: int

    @property
    def reached(self) -> bool:
        return self.p95_ms <= self.goal_p95_ms


class Result(msgspec.Struct, frozen=True, kw_only=True):
    backend: str
    model: str
    device: str
    machine: Machine
    ratios: tuple[Ratio, ...]
    latencies: tuple[Latency, ...]


class Product:
    """Runs requests through the engine process."""

    def __init__(self, client: EngineClient, spec: LoadSpec) -> None:
        self._client = client
        self._spec = spec

    def request(self, text: str, max_tokens: int) -> Generate:
        return Generate(
            request=new_request_id(),
            spec=self._spec,
            messages=(ChatMessage(role=Role.USER, content=text),),
            max_tokens=max_tokens,
        )

    def end_process(self) -> None:
        """The next request starts the engine in a fresh process."""
        self._client.call(Unload(request=new_request_id()))

    def load(self) -> None:
        """Costs nothing if the model is loaded."""
        self._client.call(Load(request=new_request_id(), spec=self._spec))

    def run(self, text: str, max_tokens: int) -> tuple[Finished, float]:
        """Returns the end and the wall time of the whole request."""
        started = time.perf_counter()
        finished = self._client.call(self.request(text, max_tokens))
        return finished, time.perf_counter() - started

    def cancel_s(self, text: str, when: Callable[[Event], bool], later_s: float = 0.0) -> float:
        """Cancels ``later_s`` after the first event that ``when`` accepts.

        Returns the seconds until the end.
        """
        request = self.request(text, 1000)
        events: queue.SimpleQueue[Event] = queue.SimpleQueue()
        self._client.submit(request, events.put)
        while not when(event := events.get()):
            assert not isinstance(event, Finished | Failed), event
        time.sleep(later_s)
        started = time.perf_counter()
        self._client.cancel(request.request)
        while not isinstance(event, Finished | Failed):
            event = events.get()
        return time.perf_counter() - started


def sentence(number: int, words: int) -> str:
    """A prompt that shares no KV block with one of another number."""
    return f"{number} {number * 7919} tell a story: " + " ".join(
        WORDS[(number + index) % len(WORDS)] for index in range(words)
    )


Pairs = list[tuple[float, float]]
"""Figures of the product and of the control."""


class Samples:
    """What was measured, a list of pairs for each run."""

    def __init__(self) -> None:
        self.decode: list[Pairs] = []
        self.whole: list[Pairs] = []
        self.first: list[Pairs] = []
        self._control_first = itertools.cycle((False, True, True, False))

    def begin_run(self) -> None:
        for figures in (self.decode, self.whole, self.first):
            figures.append([])

    def take(
        self, product: Product, control: RawControl, render: Callable[[str], str], numbers: range
    ) -> None:
        """Measures one start of both, for the run that has begun.

        Args:
            numbers: of the prompts with short answers; the first warms both up and doesn't count.
        """
        for number in numbers:
            finished, raw, _ = self._pair(
                product, control, render, sentence(number, 20), TURN_TOKENS
            )
            rate = finished.timings.decode_tokens_per_s
            if number != numbers[0] and rate is not None:
                self.decode[-1].append((rate, raw.decode_tokens_per_s))
        text = sentence(numbers.stop, 20)
        finished, raw, wall_s = self._pair(product, control, render, text, WHOLE_TOKENS)
        ours = finished.usage.completion_tokens / wall_s
        self.whole[-1].append((ours, raw.completion_tokens / raw.wall_s))
        for number in numbers[:2]:  # again the first warms both up
            text = sentence(number + 1000, PREFILL_WORDS)
            finished, raw, _ = self._pair(product, control, render, text, 2)
        assert finished.timings.ttft_s is not None
        self.first[-1].append((finished.timings.ttft_s, raw.ttft_s))

    def _pair(
        self,
        product: Product,
        control: RawControl,
        render: Callable[[str], str],
        text: str,
        max_tokens: int,
    ) -> tuple[Finished, RawRun, float]:
        """Both answer ``text``; returns the ends, and the product's seconds for the whole."""
        control_first = next(self._control_first)
        before = control.run(render(text), max_tokens) if control_first else None
        finished, wall_s = product.run(text, max_tokens)
        raw = before or control.run(render(text), max_tokens)
        assert finished.usage.prompt_tokens == raw.prompt_tokens, "both must read the same ids"
        return finished, raw, wall_s

    def ratios(self) -> list[Ratio]:
        return [
            ratio("decode, tokens/s", self.decode, 0.98, at_least=True),
            ratio("short prompt and answer end to end, tokens/s", self.whole, 0.9, at_least=True),
            ratio(
                f"time to first token, {PREFILL_WORDS} words, s", self.first, 1.5, at_least=False
            ),
        ]


def ratio(name: str, runs: Sequence[Pairs], goal: float, *, at_least: bool) -> Ratio:
    median = statistics.median
    ratios = [median(ours / theirs for ours, theirs in pairs) for pairs in runs]
    return Ratio(
        name=name,
        product_median=median(median(ours for ours, _ in pairs) for pairs in runs),
        control_median=median(median(theirs for _, theirs in pairs) for pairs in runs),
        ratio_median=median(ratios),
        ratio_min=min(ratios),
        ratio_max=max(ratios),
        goal=goal,
        at_least=at_least,
        runs=len(runs),
        turns=max(map(len, runs)),
    )


def cancels(product: Product, runs: int) -> list[Latency]:
    decode = [
        product.cancel_s(sentence(2000 + n, 20), lambda event: isinstance(event, Delta))
        for n in range(runs)
    ]
    prefill = []
    for number in range(runs):
        share = (number + 1) / (runs + 2)

        def reached(event: Event, share: float = share) -> bool:
            return (
                isinstance(event, PrefillProgress)
                and event.done_tokens >= share * event.total_tokens
            )

        # Progress is told between two native calls; a person cancels at any moment of one.
        later_s = CALL_S * number / runs
        prefill.append(product.cancel_s(sentence(3000 + number, LONG_WORDS), reached, later_s))
    return [
        latency("cancel in decode", decode),
        latency("cancel in a 4,000-token prefill", prefill),
    ]


def latency(name: str, seconds: Sequence[float]) -> Latency:
    ordered = sorted(1000 * one for one in seconds)
    return Latency(
        name=name,
        median_ms=statistics.median(ordered),
        p95_ms=ordered[max(0, round(0.95 * len(ordered)) - 1)],
        worst_ms=ordered[-1],
        goal_p95_ms=250,
        runs=len(ordered),
    )


def measure(services: Services, backend: str, runs: int, turns: int, cancelled: int) -> Result:
    machine = this_machine()
    model = services.find_model(None, backend)
    spec = services.prepare_load(model)
    template = read_gguf(services.find_model(None, "llama").path).chat_template
    assert template is not None
    renderer = ChatTemplate(template)

    def render(text: str) -> str:
        return renderer.render(
            (ChatMessage(role=Role.USER, content=text),), {"add_generation_prompt": True}
        )

    product = Product(services.engine, spec)
    samples = Samples()
    half = turns // 2
    firsts = itertools.count(step=half + 2)
    for _ in range(runs):
        samples.begin_run()
        for product_first in (False, True):
            product.end_process()
            if product_first:
                product.load()
            with raw_control(backend, spec.model_path, spec.device) as control:
                product.load()
                first = next(firsts)
                samples.take(product, control, render, range(first, first + half + 1))
    return Result(
        backend=backend,
        model=model.full_name,
        device=spec.device,
        machine=machine,
        ratios=tuple(samples.ratios()),
        latencies=tuple(cancels(product, cancelled)) if cancelled else (),
    )


def show(results: Sequence[Result]) -> None:
    console = Console()
    for result in results:
        machine = result.machine
        console.print(
            f"\n{result.model} on {result.backend}, {result.device}: {machine.cpu},"
            f" {machine.logical_cores} logical cores, {machine.system},"
            f" load average {machine.load_average}"
        )
        table = Table("measured", "product", "control", "ratio (min..max)", "goal", "reached")
        for one in result.ratios:
            table.add_row(
                one.name,
                f"{one.product_median:.3g}",
                f"{one.control_median:.3g}",
                f"{one.ratio_median:.3f} ({one.ratio_min:.3f}..{one.ratio_max:.3f})",
                f"{'>=' if one.at_least else '<='} {one.goal}",
                "yes" if one.reached else "NO",
            )
        for late in result.latencies:
            table.add_row(
                f"{late.name}, ms",
                f"p50 {late.median_ms:.0f}  p95 {late.p95_ms:.0f}  worst {late.worst_ms:.0f}",
                "",
                "",
                f"p95 <= {late.goal_p95_ms:.0f}",
                "yes" if late.reached else "NO",
            )
        console.print(table)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--backend", choices=("openvino", "llama"), action="append")
    parser.add_argument("--runs", type=int, default=6, help="each has two starts of both")
    parser.add_argument("--turns", type=int, default=16, help="short answers of each, a run")
    parser.add_argument("--cancels", type=int, default=20, help="of each kind; 0 measures none")
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    services = build_services()
    try:
        services.ensure_starter(lambda _progress: None)
        backends = arguments.backend or ["openvino", "llama"]
        results = [
            measure(services, one, arguments.runs, arguments.turns, arguments.cancels)
            for one in backends
        ]
    finally:
        services.close()
    show(results)
    if arguments.json:
        arguments.json.write_bytes(msgspec.json.format(msgspec.json.encode(results)))
    return 0


if __name__ == "__main__":
    sys.exit(main())

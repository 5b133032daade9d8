"""Measures, through the product, what a warm context is worth: the report ``local-node``.

Everything runs through the engine process as a chat does. Each figure is of one run unless it says
how many; what counts are ratios on one machine, not seconds. A prefix has exactly the tokens that
its table names.
"""

import contextlib
import os
import queue
import statistics
import time
from collections.abc import Callable, Iterator
from typing import Final

import msgspec
from msgspec import Struct

from app.engine.backends.openvino_prefill import DEFER_VARIABLE
from app.engine.client import EngineClient
from app.engine.outcome import ContextReport
from app.engine.protocol import (
    Delta,
    Event,
    Failed,
    Finished,
    Generate,
    PrefillProgress,
    Unload,
    new_request_id,
)
from app.engine.spec import LoadSpec, OpenVinoRuntime
from app.workflows.bench_texts import BenchTexts
from app.workflows.context import count

_PAIRS: Final = 3
_INTO_A_BLOCK: Final = 20
_QUESTIONS: Final = tuple(
    f"And where is the {place}?" for place in ("crane", "light", "wall", "basin", "quay")
)


class Row(Struct, frozen=True, kw_only=True):
    """One line of a table. ``ratio`` is to what ``of`` names; ``goal`` is its upper bound."""

    table: str
    name: str
    tokens: int = 0
    seconds: float | None = None
    ratio: float | None = None
    of: str = ""
    goal: float | None = None
    predicted_tokens: int | None = None
    measured_tokens: int | None = None
    stable_hash: str = ""
    note: str = ""

    @property
    def reached(self) -> bool | None:
        """Whether the goal is met and the prediction came true; ``None`` if neither was set."""
        verdicts = []
        if self.goal is not None and self.ratio is not None:
            verdicts.append(self.ratio <= self.goal)
        if self.predicted_tokens is not None and self.measured_tokens is not None:
            verdicts.append(not self.prediction_failed)
        return all(verdicts) if verdicts else None

    @property
    def prediction_failed(self) -> bool:
        """Whether another reuse than the predicted one was measured."""
        return self.measured_tokens not in (None, self.predicted_tokens)


class Sizes(Struct, frozen=True, kw_only=True):
    """How long prefixes and suffixes are, in tokens, and how often a cancel is tried."""

    prefixes: tuple[int, ...] = (4000, 8000)
    suffixes: tuple[int, ...] = (0, 256, 1000, 2000, 4000)
    suffix_prefix: int = 2000
    goals: tuple[float, ...] = (0.02, 0.008)
    cancels: int = 10


QUICK: Final = Sizes(prefixes=(600,), suffixes=(0, 128), suffix_prefix=400, goals=(0.5,), cancels=2)


class ContextBench:
    """Runs the tables for one model.

    Args:
        engine: a client whose engine nobody else uses meanwhile.
        spec: what to load.
        sizes: how much.
    """

    def __init__(self, engine: EngineClient, spec: LoadSpec, sizes: Sizes) -> None:
        self._engine = engine
        self._spec = spec
        self._sizes = sizes
        self._texts = BenchTexts(engine, spec)

    def run(self) -> Iterator[Row]:
        """The rows, each as soon as it is measured."""
        self._texts.calibrate()
        for size, goal in zip(self._sizes.prefixes, self._sizes.goals, strict=True):
            yield from self._reuse(size, goal)
        yield from self._growth()
        yield from self._cancelled()
        yield from self._snapshots()
        yield from self._eviction()

    # --- the tables ---

    def _reuse(self, size: int, goal: float) -> Iterator[Row]:
        """S2 and S2.5: cold, warm, edited."""
        table = f"S2 and S2.5: stable prefix of {size:,} tokens"
        text = self._texts.exactly(size)
        report, end = self._timed(self._texts.turn(text, "What is the mole?"))
        cold = end.timings.ttft_s or 0.0
        yield self._row(table, "cold", report, end)
        yield self._warm(table, "warm, same stable prefix", text, cold, goal)
        # A paged cache reuses whole blocks of 16 or 32: this one ends inside of one.
        shorter = self._texts.exactly(size - _INTO_A_BLOCK, text)
        yield self._warm(table, f"warm, {_INTO_A_BLOCK} tokens shorter", shorter, cold)
        edited = self._texts.turn("Edited. " + text, "And where is the crane?")
        yield self._row(table, "stable segment edited", *self._timed(edited), of="cold", cold=cold)

    def _warm(
        self, table: str, name: str, text: str, cold: float, goal: float | None = None
    ) -> Row:
        """The median of several questions behind the same text."""
        turns = [self._timed(self._texts.turn(text, question)) for question in _QUESTIONS]
        rows = [
            self._row(
                table, f"{name}, median of {len(turns)}", *turn, of="cold", cold=cold, goal=goal
            )
            for turn in turns
        ]
        rows.sort(key=lambda row: row.ratio or 0.0)
        wrong = [row for row in rows if row.prediction_failed]
        row = (wrong or [rows[len(rows) // 2]])[0]
        note = f"{rows[0].ratio or 0.0:.4f} to {rows[-1].ratio or 0.0:.4f}"
        return msgspec.structs.replace(row, note=note)

    def _growth(self) -> Iterator[Row]:
        table = f"suffix growth behind a warm prefix of {self._sizes.suffix_prefix:,} tokens"
        text = self._texts.text(self._sizes.suffix_prefix)
        _, first = self._timed(self._texts.turn(text, "Ready?"))
        cold = first.timings.ttft_s or 0.0
        for size in self._sizes.suffixes:
            question = f"{self._texts.number()} What? " + (self._texts.text(size) if size else "")
            report, end = self._timed(self._texts.turn(text, question))
            yield self._row(table, f"suffix {size:,}", report, end, of="cold prefix", cold=cold)

    def _cancelled(self) -> Iterator[Row]:
        size = self._sizes.prefixes[0]
        table = f"cancel inside a prefill of {size:,} tokens"
        seconds = sorted(
            self._cancel(
                self._texts.turn(self._texts.text(size), "?"), (n + 1) / (self._sizes.cancels + 1)
            )[0]
            for n in range(self._sizes.cancels)
        )
        p95 = seconds[max(0, round(0.95 * len(seconds)) - 1)]
        yield Row(table=table, name=f"until the end is told, p95 of {len(seconds)}", seconds=p95,
                  ratio=p95 / 0.25, of="250 ms", goal=1.0)  # fmt: skip
        turn = self._texts.turn(self._texts.text(size), "What is the mole?")
        _, done = self._cancel(turn, 0.5)
        report, end, text = self._answered(turn)
        reused = end.usage.reused_tokens
        self._unload()
        _, again, fresh = self._answered(turn)
        row = self._row(table, "recovery: the same turn again", report, end, of="a whole reading",
                        cold=again.timings.ttft_s or 0.0)  # fmt: skip
        note = f"{done:,} tokens had been read, {reused:,} were reused"
        yield msgspec.structs.replace(row, note=note)
        same = "the same" if text == fresh else "NOT the same"
        yield Row(table=table, name="recovery: the answer", note=f"{same} as after a reload")

    def _snapshots(self) -> Iterator[Row]:
        size = self._sizes.prefixes[0]
        table = f"snapshot of a stable prefix of {size:,} tokens"
        if isinstance(self._spec.runtime, OpenVinoRuntime):
            note = "unsupported: OpenVINO GenAI can't write the paged pipeline's cache"
            yield Row(table=table, name="save and restore", note=note)
            return
        text = self._texts.text(size)
        _, cold = self._timed(self._texts.turn(text, "What is the mole?"))
        started = time.perf_counter()
        self._unload()
        yield Row(table=table, name="save and unload", seconds=time.perf_counter() - started)
        report = count(self._engine, self._texts.turn(text, "And the crane?"))
        end = self._engine.call(self._texts.turn(text, "And the crane?"))
        row = self._row(table, "restore and first token", report, end, of="recomputing",
                        cold=cold.timings.ttft_s or 0.0)  # fmt: skip
        note = f"{end.usage.restored_tokens:,} tokens restored"
        yield msgspec.structs.replace(row, predicted_tokens=None, note=note)

    def _eviction(self) -> Iterator[Row]:
        """Two chats that together are larger than the pool."""
        size = self._sizes.prefixes[0]
        table = f"two chats of {size:,} tokens"
        runtime = self._spec.runtime
        spec = self._spec
        if isinstance(runtime, OpenVinoRuntime):
            block = 16 if runtime.device.startswith("GPU") else 32
            blocks = int(1.4 * size) // block
            smaller = msgspec.structs.replace(runtime, cache_size_gib=None, num_kv_blocks=blocks)
            spec = msgspec.structs.replace(spec, runtime=smaller)
            table += f" in a pool of {blocks * block:,}"
        else:
            table += " in a cache of one sequence"
        one, other = self._texts.text(size), self._texts.text(size)
        cold = 0.0
        for name, text in (
            ("first chat", one), ("second chat", other), ("first chat again", one),
            ("first chat, once more", one),
        ):  # fmt: skip
            turn = msgspec.structs.replace(self._texts.turn(text, f"{name}?"), spec=spec)
            report, end = self._timed(turn)
            yield self._row(table, name, report, end, of="first chat" if cold else "", cold=cold)
            cold = cold or end.timings.ttft_s or 0.0

    # --- parts ---

    def calibrate(self) -> None:
        """Loads the model and finds out how long a text is."""
        self._texts.calibrate()

    def cold_reading(self) -> Finished:
        """Reads a prefix that nothing has read before."""
        turn = self._texts.turn(self._texts.text(self._sizes.prefixes[0]), "What is the mole?")
        return self._timed(turn)[1]

    def _timed(self, turn: Generate) -> tuple[ContextReport, Finished]:
        if self._engine.loaded != turn.spec:
            # A load is no part of a time to first token, and a prediction needs a loaded model.
            ready = msgspec.structs.replace(self._texts.turn("Ready.", "Ready?"), spec=turn.spec)
            self._engine.call(ready)
        report = count(self._engine, turn)
        return report, self._engine.call(turn)

    def _answered(self, turn: Generate) -> tuple[ContextReport, Finished, str]:
        pieces: list[str] = []

        def listen(event: Event) -> None:
            if isinstance(event, Delta):
                pieces.append(event.text)

        report = count(self._engine, turn)
        again = msgspec.structs.replace(turn, request=new_request_id(), max_tokens=16)
        return report, self._engine.call(again, listen), "".join(pieces)

    def _cancel(self, turn: Generate, share: float) -> tuple[float, int]:
        """Cancels when ``share`` of the prompt is read; returns the seconds, and what was read."""
        events: queue.SimpleQueue[Event] = queue.SimpleQueue()
        turn = msgspec.structs.replace(turn, request=new_request_id(), max_tokens=64)
        self._engine.submit(turn, events.put)
        done = 0
        while not isinstance(event := events.get(), Finished | Failed):
            if isinstance(event, PrefillProgress):
                done = event.done_tokens
                if done >= share * event.total_tokens:
                    break
        started = time.perf_counter()
        self._engine.cancel(turn.request)
        while not isinstance(event, Finished | Failed):
            event = events.get()
            if isinstance(event, PrefillProgress):
                done = event.done_tokens
        return time.perf_counter() - started, done

    def _unload(self) -> None:
        self._engine.call(Unload(request=new_request_id()))

    def _row(
        self, table: str, name: str, report: ContextReport, end: Finished, *,
        of: str = "", cold: float = 0.0, goal: float | None = None,
    ) -> Row:  # fmt: skip
        ttft_s = end.timings.ttft_s
        usage = end.usage
        return Row(
            table=table,
            name=name,
            tokens=report.prompt_tokens,
            seconds=ttft_s,
            ratio=ttft_s / cold if of and ttft_s is not None and cold else None,
            of=of,
            goal=goal,
            predicted_tokens=report.predicted_reused_tokens,
            measured_tokens=usage.reused_tokens if usage.reuse_measured else None,
            stable_hash=report.manifest.stable_token_sha256[:12],
        )


def compare_prefill(
    open_engine: Callable[[], EngineClient], spec: LoadSpec, sizes: Sizes
) -> Iterator[Row]:
    """Physical against deferred prefill, A B A B, each in an engine of its own.

    Args:
        open_engine: makes a client; its engine starts with the first request.
    """
    table = f"physical and deferred prefill of {sizes.prefixes[0]:,} tokens"
    seconds: tuple[list[float], list[float]] = ([], [])
    last: list[Finished] = []
    with contextlib.ExitStack() as engines:
        benches: list[ContextBench] = []
        for deferred in ("", "1"):
            engine = open_engine()
            engines.callback(engine.close)
            bench = ContextBench(engine, spec, sizes)
            with _environment(DEFER_VARIABLE, deferred):
                bench.calibrate()
            benches.append(bench)
        for _ in range(_PAIRS):
            last = [bench.cold_reading() for bench in benches]
            for end, found in zip(last, seconds, strict=True):
                found.append(end.timings.ttft_s or 0.0)
    physical = statistics.median(seconds[0])
    for name, end, found in zip(("physical", "deferred"), last, seconds, strict=True):
        usage = end.usage
        median = statistics.median(found)
        yield Row(
            table=table, name=f"{name}, median of {_PAIRS}", tokens=usage.prompt_tokens,
            seconds=median, ratio=median / physical, of="physical",
            note=f"{usage.physical_prefill_calls} physical calls of"
            f" {usage.physical_prefill_tokens:,} tokens, {usage.deferred_prefill_calls} deferred of"
            f" {usage.deferred_prefill_tokens:,}",
        )  # fmt: skip


@contextlib.contextmanager
def _environment(name: str, value: str) -> Iterator[None]:
    """Sets a variable for the processes that are started meanwhile."""
    before = os.environ.get(name)
    os.environ[name] = value
    try:
        yield
    finally:
        if before is None:
            del os.environ[name]
        else:
            os.environ[name] = before

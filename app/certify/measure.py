"""The measurements: product and control in turn, on the same device and the same token ids.

Prefill and decode are never mixed. Each pair has a prompt of its own, so that nothing is reused;
the two take turns at who is first. Several pairs can make a run, whose medians are its figures.
"""

import statistics
from collections.abc import Sequence
from typing import Final, Protocol

from msgspec import Struct

from app.certify.asking import Answer, Ask, Counted, Question
from app.certify.certificate import (
    CancelLatency,
    DepthFigures,
    Pace,
    Spread,
    WarmReuse,
)
from app.core.errors import EnvironmentFault

_WORDS: Final = "the sea is blue and the sky is grey while the wind blows over the harbour".split()  # noqa: SIM905
_TRIES: Final = 6
_SLACK: Final = 0.02
_LEAST_DECODED: Final = 4

Both = tuple[float, float | None]
"""A figure of the product, and of the control if there is one."""


class ControlRun(Struct, frozen=True, kw_only=True):
    """One greedy run of the bare library; the decode rate counts the tokens after the first."""

    prompt_tokens: int
    completion_tokens: int
    ids_sha256: str
    ttft_s: float
    decode_tokens_per_s: float


class ControlPort(Protocol):
    """The bare library in a process of its own."""

    @property
    def load_s(self) -> float: ...

    def run(self, prompt: str, max_tokens: int) -> ControlRun:
        """Answers the user's message ``prompt``; raises ``EnvironmentFault``."""


class Product(Ask, Protocol):
    """The engine as the window uses it; raises as ``Ask`` does."""

    def load(self) -> float:
        """Loads anew; returns the seconds."""

    def unload(self) -> None:
        """Gives up what is loaded, and its process."""

    def cancel_s(self, prompt: str, *, in_prefill: bool) -> float | None:
        """Seconds from a cancel to the end; ``None`` if the request ended before."""


class Size(Struct, frozen=True, kw_only=True):
    """A prompt size and how it is measured.

    ``decode_tokens``: what each answer may write. ``turns``: how many answers of each side make a
    run; their median is its figure. What slows a machine down comes and goes within seconds, so
    many short answers in turn say more than few long ones. ``fresh``: half the turns of a run are
    answered by processes of which the control was started first, half by others of which the
    product was: which memory a process gets can make it some percent slower for life.
    """

    prompt_tokens: int
    runs: int
    decode_tokens: int
    turns: int = 1
    fresh: bool = False

    def numbers(self, number: int, run: int) -> range:
        """The numbers of a run's prompts, if the first run's begin with ``number``."""
        first = number + run * self.turns
        return range(first, first + self.turns)


class Pair(Struct, frozen=True, kw_only=True):
    """One prompt, answered by the product and by the control."""

    counted: Counted
    product: Answer
    control: ControlRun | None


def story(number: int, words: int) -> str:
    """A prompt that shares no whole KV block with one of another number."""
    rest = " ".join(_WORDS[(number + at) % len(_WORDS)] for at in range(words))
    return f"{number} {number * 7919} tell a story: {rest}"


def sized_prompt(ask: Ask, tokens: int, number: int) -> tuple[str, Counted]:
    """A prompt of at most ``tokens``, and at least 98 % of them, as the tokenizer counts.

    Raises:
        EnvironmentFault: ``prompt_not_sized``: not even the shortest one is that short.
    """
    words = max(tokens - 40, 1)
    best: tuple[str, Counted] | None = None
    for _ in range(_TRIES):
        text = story(number, words)
        counted = ask.count(text)
        over = counted.tokens - tokens
        if over <= 0 and (best is None or counted.tokens > best[1].tokens):
            best = text, counted
        if -max(_SLACK * tokens, 2) <= over <= 0 or (over > 0 and words == 1):
            break
        words = max(words - over, 1)
    if best is None:
        raise EnvironmentFault(
            "prompt_not_sized",
            f"No prompt of {tokens} tokens can be made for this model.",
            "Choose a longer context.",
        )
    return best


def run_pair(
    product: Product,
    control: ControlPort | None,
    prompt: tuple[str, Counted],
    max_tokens: int,
    *,
    control_first: bool,
) -> Pair:
    """Both answer the same prompt."""
    text, counted = prompt
    before = control.run(text, max_tokens) if control and control_first else None
    answer = product.ask(Question(prompt=text, max_tokens=max_tokens))
    after = control.run(text, max_tokens) if control and not control_first else None
    return Pair(counted=counted, product=answer, control=before or after)


def measure_depth(
    product: Product, control: ControlPort | None, size: Size, number: int
) -> DepthFigures:
    """Measures one size in the processes that run.

    Args:
        number: the first prompt's; no other size may use the same.

    Raises:
        EnvironmentFault: ``nothing_to_measure``: every answer ended at once.
    """
    return figures_of(
        [run_pairs(product, control, size, size.numbers(number, run)) for run in range(size.runs)]
    )


def run_pairs(
    product: Product, control: ControlPort | None, size: Size, numbers: range
) -> list[Pair]:
    """Runs a pair for each of ``numbers``, each side first in turn."""
    pairs: list[Pair] = []
    for number in numbers:
        prompt = sized_prompt(product, size.prompt_tokens, number)
        first = bool(number % 2)
        pairs.append(run_pair(product, control, prompt, size.decode_tokens, control_first=first))
    return pairs


def figures_of(runs: Sequence[Sequence[Pair]]) -> DepthFigures:
    """The medians of one size's runs; what was reused can't be told as prefill and is left out.

    Raises:
        EnvironmentFault: ``nothing_to_measure``.
    """
    ttft: list[list[Both]] = []
    prefill: list[list[Both]] = []
    decode: list[list[Both]] = []
    for run in runs:
        for figures in (ttft, prefill, decode):
            figures.append([])
        for pair in run:
            timings, other = pair.product.timings, pair.control
            completed = pair.product.usage.completion_tokens
            if completed < _LEAST_DECODED or not timings.decode_tokens_per_s:
                continue
            theirs = other.decode_tokens_per_s if other else None
            decode[-1].append((timings.decode_tokens_per_s, theirs))
            if timings.ttft_s and timings.prefill_tokens_per_s:
                ttft[-1].append((timings.ttft_s, other.ttft_s if other else None))
                rate = other.prompt_tokens / other.ttft_s if other and other.ttft_s else None
                prefill[-1].append((timings.prefill_tokens_per_s, rate))
    if not any(decode) or not any(prefill):
        raise EnvironmentFault(
            "nothing_to_measure",
            "Every answer ended before its speed could be measured.",
            "Choose another model; this one answers nothing to an ordinary prompt.",
        )
    pairs = [pair for run in runs for pair in run]
    return DepthFigures(
        prompt_tokens=max(pair.counted.tokens for pair in pairs),
        decode_tokens=max(pair.product.usage.completion_tokens for pair in pairs),
        turns=max(len(run) for run in runs),
        same_ids=all(_same_ids(pair) for pair in pairs),
        ttft_s=pace_of(ttft),
        prefill_tokens_per_s=pace_of(prefill),
        decode_tokens_per_s=pace_of(decode),
    )


def _same_ids(pair: Pair) -> bool:
    return pair.control is not None and pair.control.ids_sha256 == pair.counted.ids_sha256


def measure_warm(product: Product, prompt_tokens: int, number: int) -> WarmReuse:
    """Reads one prompt twice; the second time what is reused costs nothing."""
    text, counted = sized_prompt(product, prompt_tokens, number)
    cold, warm = (product.ask(Question(prompt=text, max_tokens=2)) for _ in range(2))
    return WarmReuse(
        prompt_tokens=counted.tokens,
        reused_tokens=warm.usage.reused_tokens,
        cold_ttft_s=cold.timings.ttft_s or 0.0,
        warm_ttft_s=warm.timings.ttft_s or 0.0,
    )


def measure_cancel(product: Product, prompt_tokens: int, number: int, runs: int) -> CancelLatency:
    """Cancels answers while they are written, and prompts while they are read."""
    decode: list[float] = []
    prefill: list[float] = []
    for index in range(runs):
        short = product.cancel_s(story(number + index, 20), in_prefill=False)
        long, _ = sized_prompt(product, prompt_tokens, number + runs + index)
        reading = product.cancel_s(long, in_prefill=True)
        decode += [] if short is None else [1000 * short]
        prefill += [] if reading is None else [1000 * reading]
    return CancelLatency(
        decode_ms=spread_of(decode) if decode else None,
        prefill_ms=spread_of(prefill) if prefill else None,
    )


def control_rate(control: ControlPort, decode_tokens: int, runs: int) -> float:
    """The control's decode rate with one and the same prompt: what the machine can do now."""
    prompt = story(1, 60)
    return statistics.median(
        control.run(prompt, decode_tokens).decode_tokens_per_s for _ in range(runs)
    )


def spread_of(values: Sequence[float]) -> Spread:
    return Spread(
        median=statistics.median(values), low=min(values), high=max(values), runs=len(values)
    )


def pace_of(runs: Sequence[Sequence[Both]]) -> Pace:
    """Both sides and their ratio, a figure for each run; without a control neither of the latter.

    A run without any answer has no figure.
    """
    seen = [run for run in runs if run]
    compared = [both for run in runs if (both := [(one, other) for one, other in run if other])]
    median = statistics.median
    return Pace(
        product=spread_of([median(one for one, _ in run) for run in seen]),
        control=spread_of([median(other for _, other in run) for run in compared])
        if compared
        else None,
        ratio=spread_of([median(one / other for one, other in run) for run in compared])
        if compared
        else None,
    )

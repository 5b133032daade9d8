"""What the paged and the stateful pipeline have in common: one generation, ids in, ids out."""

import secrets
from dataclasses import dataclass
from typing import Any, Final

from app.engine.backends.base import Control, Outcome, rate
from app.engine.backends.openvino_stream import TokenStream
from app.engine.backends.openvino_structure import structure_for
from app.engine.chat import Sampling
from app.engine.native_failure import translate
from app.engine.outcome import FinishReason, Timings, Usage
from app.engine.protocol import Generate

_NO_LIMIT: Final = 2**64 - 1
"""The library's own "no limit" for ``max_length`` (SIZE_MAX)."""


def fresh_config(genai: Any, max_new_tokens: int) -> Any:
    """A configuration that inherits the model's stop tokens and nothing else of its file.

    The library would let a ``max_length`` in the model's generation_config.json cap prompt and
    answer together, and a ``num_beams`` there would forbid streaming.
    """
    config = genai.GenerationConfig()
    config.max_new_tokens = max_new_tokens
    config.max_length = _NO_LIMIT
    config.apply_chat_template = False
    return config


@dataclass(frozen=True, slots=True)
class AnswerPlan:
    """How one answer is to be generated.

    ``room``: tokens that the context has left for it. ``seed``: absent under greedy decoding.
    """

    config: Any
    room: int
    seed: int | None


def plan_answer(genai: Any, request: Generate, room: int) -> AnswerPlan:
    """Turns a request into the library's configuration.

    Stop strings are not in it: ``AnswerStream`` heeds them exactly.

    Args:
        room: the tokens that the context has left for the answer.
    """
    config = fresh_config(genai, min(request.max_tokens, room))
    sampling = request.sampling
    seed = sampling.seed
    if seed is None and sampling.temperature > 0:
        # The library's own default is always the same seed.
        seed = secrets.randbits(32)
    _apply(config, sampling, seed)
    if request.tools:
        config.structured_output_config = structure_for(genai, request.tools)
    return AnswerPlan(config, room, seed)


def _apply(config: Any, sampling: Sampling, seed: int | None) -> None:
    if sampling.temperature > 0:
        config.do_sample = True
        config.temperature = sampling.temperature
        config.top_p = sampling.top_p
        config.min_p = sampling.min_p
        if sampling.top_k > 0:
            config.top_k = sampling.top_k
        config.rng_seed = seed
    config.repetition_penalty = sampling.repetition_penalty


def raise_if_failed(tokens: TokenStream) -> None:
    """Raises what the stream had to keep to itself."""
    if tokens.failure is not None:
        raise translate(tokens.failure) from tokens.failure


def finish_reason(
    genai: Any, finish: Any, control: Control, *, produced: int, room: int
) -> FinishReason:
    """Says why the library ended, including the two ends that it does not tell apart."""
    finishes = genai.GenerationFinishReason
    if finish == finishes.STOP:
        return FinishReason.STOP
    if finish == finishes.LENGTH:
        return FinishReason.CONTEXT_FULL if produced >= room else FinishReason.LENGTH
    return control.stop_reason() or FinishReason.POOL_EXHAUSTED


def make_outcome(
    reason: FinishReason, usage: Usage, plan: AnswerPlan, perf_metrics: Any, before_s: float
) -> Outcome:
    """Joins counts and the library's counters (microseconds).

    Args:
        usage: with the completion counted.
        before_s: what was computed of the prompt before the call that ``perf_metrics`` measured.
    """
    raw = perf_metrics.raw_metrics
    timings = Timings()
    if raw.m_times_to_first_token:
        ttft_s = before_s + raw.m_times_to_first_token[0] / 1e6
        timings = Timings(
            ttft_s=ttft_s,
            prefill_tokens_per_s=rate(usage.prompt_tokens - usage.reused_tokens, ttft_s),
            decode_tokens_per_s=rate(len(raw.m_durations), sum(raw.m_durations) / 1e6),
        )
    fatal = reason is FinishReason.POOL_EXHAUSTED
    return Outcome(reason, usage, timings, seed=plan.seed, fatal=fatal)

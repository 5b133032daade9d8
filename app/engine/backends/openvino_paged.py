"""A model on OpenVINO GenAI's ``ContinuousBatchingPipeline``: paged attention, prefix reuse.

Ids go in and ids come out, so that counts are exact. The prompt is computed in chunks through the
prefix cache: each chunk is a ``generate`` of a longer prefix with one new token, since nothing else
lets a prefill be cancelled (measured on 2026.4.1; one chunk costs 1 to 4 % over one long call).
"""

import secrets
import time
from dataclasses import dataclass
from typing import Any, Final

from app.core.errors import UserError
from app.engine.backends.base import Control, Outcome, rate
from app.engine.backends.openvino_stream import make_streamer
from app.engine.backends.openvino_tokens import ExactTokenizer
from app.engine.faults import NativeFailure, fault, translate
from app.engine.prefix_blocks import PrefixBlocks
from app.engine.protocol import (
    FinishReason,
    Generate,
    OpenVinoRuntime,
    Sampling,
    Timings,
    Usage,
)

_NO_LIMIT: Final = 2**64 - 1
"""The library's own "no limit" for ``max_length`` (SIZE_MAX)."""

_SMALLEST_CHUNK: Final = 32
_FIRST_CHUNK: Final = 128
_CHUNK_TARGET_S: Final = 0.17
"""What a chunk should take, so that a cancel is answered within 250 ms also on a busy machine."""


@dataclass(slots=True)
class _Prefill:
    """Where the chunked prefill ended. ``reason`` is ``None`` if the whole prompt may follow."""

    reason: FinishReason | None
    done: int


class PagedSession:
    """One pipeline and the account of what its pool holds.

    Args:
        genai: the module ``openvino_genai``.
        pipeline: a ``ContinuousBatchingPipeline`` with prefix caching and an explicit pool.
        runtime: what it was built with.
        context_tokens: the most that prompt and answer may hold together.
        block_tokens: tokens in a KV block.
    """

    def __init__(
        self,
        genai: Any,
        pipeline: Any,
        runtime: OpenVinoRuntime,
        *,
        context_tokens: int,
        block_tokens: int,
    ) -> None:
        self._genai = genai
        self._pipeline = pipeline
        self._runtime = runtime
        self._context_tokens = context_tokens
        self._block_tokens = block_tokens
        self._raw_tokenizer = pipeline.get_tokenizer()
        self._tokenizer = ExactTokenizer(self._raw_tokenizer, context_tokens)
        self._chunk_tokens = _FIRST_CHUNK
        self.pool_blocks = self._warm_up()
        self._held = PrefixBlocks(block_tokens, self.pool_blocks)

    def generate(self, request: Generate, control: Control) -> Outcome:
        ids = self._tokenizer.encode(self._tokenizer.render(request.messages))
        self._admit(ids, request)
        reused = self._held.reusable_tokens(ids)
        usage = Usage(prompt_tokens=len(ids), reused_tokens=reused)
        started = time.perf_counter()
        control.prefill_progress(reused, len(ids), reused)
        prefill = self._prefill(ids, reused, control)
        if prefill.reason is not None:
            fatal = prefill.reason is FinishReason.POOL_EXHAUSTED
            return Outcome(prefill.reason, usage, Timings(), fatal=fatal)
        return self._answer(ids, request, control, usage, started)

    def close(self) -> None:
        self._pipeline = None
        self._raw_tokenizer = None

    def _admit(self, ids: list[int], request: Generate) -> None:
        if not ids:
            raise UserError("prompt_empty", "There is nothing to answer.", "Write a message.")
        if len(ids) >= self._context_tokens:
            raise UserError(
                "context_overflow",
                f"The conversation has {len(ids):,} tokens; the model's context holds"
                f" {self._context_tokens:,}, one of them for the answer.",
                "Shorten the message, or start a new chat.",
            )

    def _prefill(self, ids: list[int], reused: int, control: Control) -> _Prefill:
        """Computes all but the last chunk of ``ids``; the streamed call does the rest."""
        done = reused
        while True:
            reason = control.stop_reason()
            if reason is not None:
                return _Prefill(reason, done)
            chunk = self._chunk_tokens
            if done + chunk >= len(ids):
                return _Prefill(None, done)
            started = time.perf_counter()
            result = self._run(ids[: done + chunk], self._config(max_new_tokens=1))
            self._adapt(chunk, time.perf_counter() - started)
            if result.finish_reasons[0] == self._genai.GenerationFinishReason.NONE:
                return _Prefill(FinishReason.POOL_EXHAUSTED, done)
            done += chunk
            self._held.remember(ids[:done])
            control.prefill_progress(done, len(ids), reused)

    def _adapt(self, chunk: int, seconds: float) -> None:
        """Sets the next chunk's size; whole blocks, and never more than twice the last one."""
        fitting = int(chunk * min(_CHUNK_TARGET_S / max(seconds, 1e-6), 2.0))
        largest = self._runtime.max_num_batched_tokens
        whole = fitting // self._block_tokens * self._block_tokens
        self._chunk_tokens = max(_SMALLEST_CHUNK, min(whole, largest))

    def _answer(
        self,
        ids: list[int],
        request: Generate,
        control: Control,
        usage: Usage,
        started: float,
    ) -> Outcome:
        room = self._context_tokens - len(ids)
        limit = min(request.max_tokens, room)
        seed = request.sampling.seed
        if seed is None and request.sampling.temperature > 0:
            seed = secrets.randbits(32)
        config = self._config(max_new_tokens=limit)
        _apply_sampling(config, request.sampling, seed)
        streamer = make_streamer(self._genai, self._raw_tokenizer, control)
        before_s = time.perf_counter() - started
        result = self._run(ids, config, streamer)
        if streamer.failure is not None:
            raise translate(streamer.failure) from streamer.failure
        produced: list[int] = list(result.m_generation_ids[0])
        # The last token's KV was never computed.
        self._held.remember(ids + produced[:-1])
        reason = self._reason(result, control, at_end=len(produced) >= room)
        return Outcome(
            reason,
            Usage(
                prompt_tokens=usage.prompt_tokens,
                reused_tokens=usage.reused_tokens,
                completion_tokens=len(produced),
            ),
            _timings(result, before_s, usage.prompt_tokens - usage.reused_tokens),
            seed=seed,
            fatal=reason is FinishReason.POOL_EXHAUSTED,
        )

    def _reason(self, result: Any, control: Control, *, at_end: bool) -> FinishReason:
        finish = self._genai.GenerationFinishReason
        match result.finish_reasons[0]:
            case finish.STOP:
                return FinishReason.STOP
            case finish.LENGTH:
                return FinishReason.CONTEXT_FULL if at_end else FinishReason.LENGTH
            case _:
                # The library ends a cancelled request and one that its pool could not hold alike.
                return control.stop_reason() or FinishReason.POOL_EXHAUSTED

    def _config(self, *, max_new_tokens: int) -> Any:
        """A fresh configuration: of the model's own it inherits the stop tokens alone."""
        config = self._genai.GenerationConfig()
        config.max_new_tokens = max_new_tokens
        # A total length in the model's generation_config.json must cap nothing.
        config.max_length = _NO_LIMIT
        config.apply_chat_template = False
        return config

    def _run(self, ids: list[int], config: Any, streamer: Any = None) -> Any:
        """One native call; the only place that calls the pipeline.

        Raises:
            NativeFailure: what the library raised.
        """
        import numpy as np
        import openvino as ov

        tensor = ov.Tensor(np.asarray([ids], dtype=np.int64))
        try:
            return self._pipeline.generate([tensor], [config], streamer)[0]
        except (RuntimeError, MemoryError) as error:
            raise translate(error) from error

    def _warm_up(self) -> int:
        """Generates one token, so that the pool is allocated and the kernels are compiled now.

        Returns the number of blocks in the pool, from the share of it that a prompt of two blocks
        takes.

        Raises:
            NativeFailure: ``pool_exhausted``, ``out_of_memory`` and the like.
        """
        result = self._run([0] * (self._block_tokens + 1), self._config(max_new_tokens=1))
        used_percent = self._pipeline.get_metrics().cache_usage
        if not result.m_generation_ids[0] or used_percent <= 0:
            raise NativeFailure(fault("pool_exhausted"), "the warm-up gave no token")
        return round(2 * 100 / float(used_percent))


def _apply_sampling(config: Any, sampling: Sampling, seed: int | None) -> None:
    if sampling.temperature > 0:
        config.do_sample = True
        config.temperature = sampling.temperature
        config.top_p = sampling.top_p
        config.min_p = sampling.min_p
        if sampling.top_k > 0:
            config.top_k = sampling.top_k
        config.rng_seed = seed
    config.repetition_penalty = sampling.repetition_penalty
    config.stop_strings = set(sampling.stop_strings)


def _timings(result: Any, before_s: float, computed_tokens: int) -> Timings:
    """Reads the library's counters, which are in microseconds.

    ``before_s`` is the time that the chunks before the streamed call took.
    """
    raw = result.perf_metrics.raw_metrics
    if not raw.m_times_to_first_token:
        return Timings()
    ttft_s = before_s + raw.m_times_to_first_token[0] / 1e6
    decode_s = sum(raw.m_durations) / 1e6
    return Timings(
        ttft_s=ttft_s,
        prefill_tokens_per_s=rate(computed_tokens, ttft_s),
        decode_tokens_per_s=rate(len(raw.m_durations), decode_s),
    )

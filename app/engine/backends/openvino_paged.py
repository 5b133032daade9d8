"""A model on OpenVINO GenAI's ``ContinuousBatchingPipeline``: paged attention, prefix reuse.

Ids go in and ids come out, so that counts are exact. The prompt is computed in chunks through the
prefix cache: each chunk is a ``generate`` of a longer prefix with one new token, since nothing else
lets a prefill be cancelled (measured on 2026.4.1; one chunk costs 1 to 4 % over one long call).
"""

import logging
import time
from contextlib import ExitStack, closing
from typing import Any, Final

import msgspec

from app.core.errors import UserError
from app.engine.admission import admit, room_for
from app.engine.answer_stream import AnswerStream
from app.engine.backends.base import Control, Outcome
from app.engine.backends.openvino_generation import (
    finish_reason,
    fresh_config,
    make_outcome,
    plan_answer,
    raise_if_failed,
)
from app.engine.backends.openvino_prefill import PromptWork, prefill_deferred
from app.engine.backends.openvino_report import flatten, read_metrics, read_words
from app.engine.backends.openvino_steps import (
    QUICK_TOKENS_PER_S,
    STEPS_INTERVAL_S,
    Answered,
    answer_in_steps,
)
from app.engine.backends.openvino_stream import INTERVAL_S, TokenStream, make_streamer
from app.engine.backends.openvino_structure import schema_refusals
from app.engine.backends.openvino_tokens import ExactTokenizer
from app.engine.faults import fault
from app.engine.native_failure import NATIVE_ERRORS, NativeFailure, translate
from app.engine.outcome import FinishReason, SessionReport, Timings, Usage
from app.engine.pool_steps import Call, measured_reuse
from app.engine.protocol import Generate
from app.engine.reuse import PoolBooks, PrefillSpeed, shared_beginning
from app.engine.spec import OpenVinoRuntime, Pipeline
from app.engine.template_controls import heeded

_log = logging.getLogger(__name__)

_SMALLEST_CHUNK: Final = 32
_FIRST_CHUNK: Final = 128
_CHUNK_TARGET_S: Final = 0.17
"""What a chunk should take, so that a cancel is answered within 250 ms also on a busy machine."""


class PagedSession:
    """One pipeline and the account of what its pool holds.

    Args:
        genai: the module ``openvino_genai``.
        pipeline: a ``ContinuousBatchingPipeline`` with prefix caching and an explicit pool.
        runtime: what it was built with.
        context_tokens: the most that prompt and answer may hold together.
        block_tokens: tokens in a KV block.
        warm_up_tokens: length of the first prompt; a sparse kernel needs a long one to run at all.
        scheduler_words: the library's own description of the scheduler it was given.
        notes: sentences about what was decided in the load.
    """

    pipeline = Pipeline.PAGED

    def __init__(
        self,
        genai: Any,
        pipeline: Any,
        runtime: OpenVinoRuntime,
        *,
        context_tokens: int,
        block_tokens: int,
        warm_up_tokens: int = 0,
        scheduler_words: str = "",
        notes: tuple[str, ...] = (),
    ) -> None:
        self._genai = genai
        self._pipeline = pipeline
        self._runtime = runtime
        self._scheduler_words = scheduler_words
        self._notes = notes
        self.block_tokens = block_tokens
        self.pool_blocks = self._warm_up(warm_up_tokens)
        self.room = room_for(context_tokens, self.pool_blocks, block_tokens)
        self.books = PoolBooks(
            block_tokens, self.pool_blocks, caching=runtime.enable_prefix_caching
        )
        self.speed = PrefillSpeed()
        self._deferred = prefill_deferred()
        self.tokenizer = ExactTokenizer(pipeline.get_tokenizer(), context_tokens)
        self._answer_text = self.tokenizer.answer_texts(genai)
        self._chunk_tokens = _FIRST_CHUNK
        self._decode_tokens_per_s = 0.0

    def generate(self, request: Generate, control: Control) -> Outcome:
        stream = AnswerStream(control, request)
        ids = self.tokenizer.write(request, stream)
        room = admit(len(ids), request.reserve_tokens, self.room)
        work = PromptWork(ids, self.books.reusable_tokens(ids), self._deferred)
        control.prefill_progress(work.done, len(ids), work.done)
        reason = self._prefill(work, len(ids), control)
        if reason is not None:
            fatal = reason is FinishReason.POOL_EXHAUSTED
            return Outcome(reason, work.usage(), Timings(), fatal=fatal)
        return self._answer(work, request, stream, room)

    def prefill(self, turn: Generate, control: Control) -> Outcome:
        """See ``ReusingSession``. Whole blocks are computed, always in calls of their own."""
        if not self._runtime.enable_prefix_caching:
            raise UserError(
                "prefill_not_supported",
                "The model's profile switches prefix caching off.",
                "Remove enable_prefix_caching from the profile.",
            )

        def write(asked: Generate) -> list[int]:
            return self.tokenizer.write(asked, AnswerStream(control, asked))

        ids = shared_beginning(turn, write)
        del ids[len(ids) // self.block_tokens * self.block_tokens :]
        if not ids:
            return Outcome(FinishReason.STOP, Usage(), Timings())
        admit(len(ids), turn.reserve_tokens, self.room)
        # One more token, so that the last block may be found to be there already.
        work = PromptWork(ids, self.books.reusable_tokens([*ids, 0]), deferred=False)
        control.prefill_progress(work.done, len(ids), work.done)
        reason = self._prefill(work, len(ids) + self._runtime.max_num_batched_tokens, control)
        fatal = reason is FinishReason.POOL_EXHAUSTED
        return Outcome(reason or FinishReason.STOP, work.usage(), Timings(), fatal=fatal)

    def describe(self) -> SessionReport:
        metrics = read_metrics(self._pipeline.get_metrics())
        pool_tokens = self.pool_blocks * self.block_tokens
        metrics["pool_blocks"] = self.pool_blocks
        metrics["block_tokens"] = self.block_tokens
        metrics["kv_bytes_per_token"] = metrics["cache_size_in_bytes"] / pool_tokens
        return SessionReport(
            pipeline=self.pipeline,
            asked=flatten(self._runtime),
            library=read_words(self._scheduler_words),
            metrics=metrics,
            template=heeded(lambda: self.tokenizer.traits),
            notes=(*self._notes, *self.tokenizer.notes),
        )

    def close(self) -> None:
        self._pipeline = None

    def _prefill(self, work: PromptWork, end: int, control: Control) -> FinishReason | None:
        """Computes the prompt in chunks, but for one that would reach ``end``.

        Returns why it ended early, or ``None``.
        """
        ids = work.ids
        while True:
            reason = control.stop_reason()
            chunk = min(self._chunk_tokens, len(ids) - work.done)
            alone = self._runtime.enable_prefix_caching and not work.deferred
            if reason is not None or not alone or chunk <= 0 or work.done + chunk >= end:
                return reason
            started = time.perf_counter()
            until = work.done + chunk
            result = self._run(ids[:until], fresh_config(self._genai, max_new_tokens=1))
            seconds = time.perf_counter() - started
            if result.finish_reasons[0] == self._genai.GenerationFinishReason.NONE:
                return FinishReason.POOL_EXHAUSTED
            produced = len(result.m_generation_ids[0])
            self._measure(work, until, produced, self._pipeline.get_metrics().avg_cache_usage)
            if chunk == self._chunk_tokens:
                self._adapt(chunk, seconds)
            self.speed.note(chunk, seconds)
            work.computed(until)
            self.books.remember(ids[:until])
            control.prefill_progress(until, len(ids), work.reused)

    def _measure(
        self, work: PromptWork, prompt_tokens: int, produced_tokens: int, use_percent: float
    ) -> None:
        """Holds the first call's counters against what the books said."""
        work.native_calls += 1
        if work.native_calls > 1 or not self._runtime.device.startswith("CPU"):
            return
        runtime = self._runtime
        call = Call(
            prompt_tokens=prompt_tokens,
            produced_tokens=produced_tokens,
            average_percent=use_percent,
            pool_blocks=self.pool_blocks,
            block_tokens=self.block_tokens,
            batch_tokens=runtime.max_num_batched_tokens
            if runtime.dynamic_split_fuse
            else max(runtime.max_num_batched_tokens, prompt_tokens),
        )
        work.measured = measured_reuse(call, work.predicted)
        if work.measured in (None, work.predicted):
            return
        _log.warning(
            "reuse: %d tokens of %d were expected, %d measured",
            work.predicted,
            prompt_tokens,
            work.measured,
        )
        self.books.forget()

    def _adapt(self, chunk: int, seconds: float) -> None:
        """Sets the next chunk's size; whole blocks, and never more than twice the last one."""
        fitting = int(chunk * min(_CHUNK_TARGET_S / max(seconds, 1e-6), 2.0))
        whole = fitting // self.block_tokens * self.block_tokens
        self._chunk_tokens = max(_SMALLEST_CHUNK, min(whole, self._runtime.max_num_batched_tokens))

    def _answer(
        self, work: PromptWork, request: Generate, stream: AnswerStream, room: int
    ) -> Outcome:
        ids = work.ids
        plan = plan_answer(self._genai, request, room)
        before_s = time.perf_counter() - work.started
        with schema_refusals(), ExitStack() as prefill:
            if work.deferred:
                prefill.enter_context(stream.uninterruptible(len(ids)))
            in_steps = self._goes_in_steps(request, work)
            tokens = TokenStream(
                self._answer_text(),
                stream,
                on_first_token=prefill.close,
                interval_s=STEPS_INTERVAL_S if in_steps else INTERVAL_S,
            )
            with closing(tokens):
                answered = (
                    answer_in_steps(self._genai, self._pipeline, _tensor(ids), plan.config, tokens)
                    if in_steps
                    else self._answer_streamed(ids, plan.config, tokens)
                )
        raise_if_failed(tokens)
        produced = answered.ids
        self._measure(work, len(ids), answered.measured_tokens, answered.use_percent)
        # The last token's KV was never computed.
        self.books.remember(ids + produced[:-1])
        reason = finish_reason(
            self._genai,
            answered.finish,
            stream,
            produced=len(produced),
            room=plan.room,
        )
        reason = stream.end(reason)
        usage = msgspec.structs.replace(
            work.usage(),
            completion_tokens=len(produced),
            thinking_tokens=stream.thinking_tokens(produced, self.tokenizer.decode),
        )
        outcome = make_outcome(reason, usage, plan, answered.perf_metrics, before_s)
        self.speed.note(len(ids) - work.done, (outcome.timings.ttft_s or 0.0) - before_s)
        self._decode_tokens_per_s = outcome.timings.decode_tokens_per_s or 0.0
        return outcome

    def _goes_in_steps(self, request: Generate, work: PromptWork) -> bool:
        """Whether the answer is a quick one, whose first step computes all that is left of the
        prompt and fails at nothing that ``generate`` would survive.
        """
        runtime = self._runtime
        in_one_step = runtime.enable_prefix_caching and not work.deferred
        plain = runtime.dynamic_split_fuse and not request.tools
        return in_one_step and plain and self._decode_tokens_per_s >= QUICK_TOKENS_PER_S

    def _answer_streamed(self, ids: list[int], config: Any, tokens: TokenStream) -> Answered:
        result = self._run(ids, config, make_streamer(self._genai, tokens))
        produced = list(result.m_generation_ids[0])
        return Answered(
            ids=produced,
            finish=result.finish_reasons[0],
            perf_metrics=result.perf_metrics,
            measured_tokens=len(produced),
            use_percent=float(self._pipeline.get_metrics().avg_cache_usage),
        )

    def _run(self, ids: list[int], config: Any, streamer: Any = None) -> Any:
        """One native call.

        Raises:
            NativeFailure: what the library raised.
        """
        try:
            return self._pipeline.generate([_tensor(ids)], [config], streamer)[0]
        except NATIVE_ERRORS as error:
            raise translate(error) from error

    def _warm_up(self, at_least_tokens: int) -> int:
        """Generates one token, so that the pool is allocated and the kernels are compiled now.

        Returns the number of blocks in the pool, from the share of it that the prompt takes.

        Raises:
            NativeFailure: ``pool_exhausted``, ``out_of_memory`` and the like.
        """
        blocks = max(2, -(-(at_least_tokens + 1) // self.block_tokens))
        # One token in the last block: prompt and new token fill exactly this many.
        prompt = [0] * ((blocks - 1) * self.block_tokens + 1)
        result = self._run(prompt, fresh_config(self._genai, max_new_tokens=1))
        used_percent = float(self._pipeline.get_metrics().cache_usage)
        if not result.m_generation_ids[0] or used_percent <= 0:
            raise NativeFailure(fault("pool_exhausted"), "the warm-up gave no token")
        return round(blocks * 100 / used_percent)


def _tensor(ids: list[int]) -> Any:
    import numpy as np
    import openvino as ov

    return ov.Tensor(np.asarray([ids], dtype=np.int64))

"""A model on OpenVINO GenAI's ``LLMPipeline`` with the SDPA backend: no paging, no prefix reuse.

The fallback for a model whose graph has no attention operation that can be paged.

# WORKAROUND(openvino-genai 2026.4.1): the pipeline crashes if ids and chat histories are mixed in
# its life; only ids are ever given to it.
"""

import time
from contextlib import ExitStack, closing
from typing import Any, Final

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
from app.engine.backends.openvino_report import flatten
from app.engine.backends.openvino_stream import TokenStream, make_streamer
from app.engine.backends.openvino_structure import schema_refusals
from app.engine.backends.openvino_tokens import ExactTokenizer
from app.engine.faults import fault
from app.engine.native_failure import NATIVE_ERRORS, NativeFailure, translate
from app.engine.outcome import SessionReport, Usage
from app.engine.protocol import Generate
from app.engine.reuse import NoBooks, PrefillSpeed
from app.engine.spec import OpenVinoRuntime, Pipeline
from app.engine.template_controls import heeded

_UNSUPPORTED: Final = (
    "Unsupported on the stateful pipeline: paged attention, prefix reuse, scheduler controls,"
    " metrics, sparse attention."
)


class StatefulSession:
    """One pipeline. Each prompt is computed whole; its prefill can only be ended by our exit.

    Args:
        genai: the module ``openvino_genai``.
        pipeline: an ``LLMPipeline`` with ``ATTENTION_BACKEND`` SDPA.
        runtime: what it was built with.
        context_tokens: the most that prompt and answer may hold together.
        notes: sentences about what was decided in the load.
    """

    pipeline = Pipeline.STATEFUL

    def __init__(
        self,
        genai: Any,
        pipeline: Any,
        runtime: OpenVinoRuntime,
        *,
        context_tokens: int,
        notes: tuple[str, ...] = (),
    ) -> None:
        self._genai = genai
        self._runtime = runtime
        self._notes = notes
        self._pipeline = pipeline
        self._room = room_for(context_tokens)
        self.books = NoBooks(context_tokens)
        self.speed = PrefillSpeed()
        self._warm_up()
        self.tokenizer = ExactTokenizer(pipeline.get_tokenizer(), context_tokens)
        self._answer_text = self.tokenizer.answer_texts(genai)

    def generate(self, request: Generate, control: Control) -> Outcome:
        stream = AnswerStream(control, request)
        ids = self.tokenizer.write(request, stream)
        room = admit(len(ids), request.reserve_tokens, self._room)
        plan = plan_answer(self._genai, request, room)
        control.prefill_progress(0, len(ids), 0)
        started = time.perf_counter()
        with ExitStack() as prefill:
            prefill.enter_context(schema_refusals())
            prefill.enter_context(stream.uninterruptible(len(ids)))
            tokens = TokenStream(self._answer_text(), stream, on_first_token=prefill.close)
            before_s = time.perf_counter() - started
            with closing(tokens):
                result = self._run(ids, plan.config, make_streamer(self._genai, tokens))
        raise_if_failed(tokens)
        produced: list[int] = list(result.tokens[0])
        reason = finish_reason(
            self._genai, result.finish_reasons[0], stream, produced=len(produced), room=plan.room
        )
        reason = stream.end(reason)
        usage = Usage(
            prompt_tokens=len(ids),
            completion_tokens=len(produced),
            thinking_tokens=stream.thinking_tokens(produced, self.tokenizer.decode),
        )
        outcome = make_outcome(reason, usage, plan, result.perf_metrics, before_s)
        self.speed.note(len(ids), outcome.timings.ttft_s or 0.0)
        return outcome

    def prefill(self, turn: Generate, control: Control) -> Outcome:
        """Refused: nothing that is computed ahead would be found again."""
        raise UserError(
            "prefill_not_supported",
            "The stateful pipeline keeps nothing from one prompt to the next.",
            "Choose a model that the paged pipeline runs.",
        )

    def describe(self) -> SessionReport:
        return SessionReport(
            pipeline=self.pipeline,
            asked=flatten(self._runtime),
            template=heeded(lambda: self.tokenizer.traits),
            notes=(*self._notes, *self.tokenizer.notes, _UNSUPPORTED),
        )

    def close(self) -> None:
        self._pipeline = None

    def _run(self, ids: list[int], config: Any, streamer: Any = None) -> Any:
        import numpy as np
        import openvino as ov

        tensor = ov.Tensor(np.asarray([ids], dtype=np.int64))
        try:
            return self._pipeline.generate(tensor, config, streamer)
        except NATIVE_ERRORS as error:
            raise translate(error) from error

    def _warm_up(self) -> None:
        if not self._run([0], fresh_config(self._genai, max_new_tokens=1)).tokens[0]:
            raise NativeFailure(fault("engine_failed"), "the warm-up gave no token")

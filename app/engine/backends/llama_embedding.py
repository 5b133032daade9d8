"""Turns texts into vectors with llama.cpp."""

import ctypes
import math
from collections.abc import Sequence
from typing import Any, Final

from app.core.errors import UserError
from app.engine.admission import refuse_giant_text
from app.engine.backends.base import Control
from app.engine.backends.llama_abort import AbortFlag
from app.engine.backends.llama_context import thread_count
from app.engine.backends.llama_model import LlamaModel
from app.engine.backends.llama_native import Native
from app.engine.native_failure import translate_log
from app.engine.outcome import FinishReason
from app.engine.spec import LlamaRuntime, LoadSpec
from app.models.gguf import GgufModel

# llama.h: take what the model's file says, or the mean over all tokens where it says nothing.
_POOLING_OF_THE_MODEL: Final = -1
_POOLING_MEAN: Final = 1

Vector = tuple[float, ...]


class LlamaEmbedder:
    """One loaded model that embeds; whether it is meant to is its profile's word.

    Args:
        native: the loaded library.
        gguf: the checked header of the model's file.
        spec: what to load; its context is the most tokens that one text may have.
        control: hears the progress and may stop the load.

    Raises:
        RequestStopped: ``control`` said so; nothing stays loaded.
        NativeFailure: the library failed; nothing stays loaded.
    """

    def __init__(self, native: Native, gguf: GgufModel, spec: LoadSpec, control: Control) -> None:
        self._native = native
        self._api = native.api
        self._limit = min(spec.context_tokens, gguf.context_length)
        self._abort = AbortFlag(native.api)
        self._model = LlamaModel(native, gguf, control)
        native.log.clear()
        self._context = self._api.llama_init_from_model(
            self._model.handle, self._parameters(gguf, spec)
        )
        if not self._context:
            self._model.close()
            raise translate_log(native.log.text(), "llama_init_from_model")
        self._batch = self._api.llama_batch_init(self._limit, 0, 1)
        self._size: int = self._api.llama_model_n_embd_out(self._model.handle)

    def _parameters(self, gguf: GgufModel, spec: LoadSpec) -> Any:
        runtime = spec.runtime
        assert isinstance(runtime, LlamaRuntime)
        declared = f"{gguf.architecture}.pooling_type" in gguf.container.metadata
        parameters = self._api.llama_context_default_params()
        # A model that looks in both directions needs a whole text in one batch.
        parameters.n_ctx = parameters.n_batch = parameters.n_ubatch = self._limit
        parameters.n_threads = parameters.n_threads_batch = thread_count(runtime)
        parameters.embeddings = True
        parameters.pooling_type = _POOLING_OF_THE_MODEL if declared else _POOLING_MEAN
        parameters.abort_callback = self._abort.predicate
        parameters.abort_callback_data = self._abort.data
        return parameters

    def embed(self, texts: Sequence[str], control: Control) -> tuple[Vector, ...] | FinishReason:
        """Returns a vector of length 1 for each text, or why it was stopped.

        Raises:
            UserError: ``text_empty`` or ``context_overflow``, before anything is computed.
            NativeFailure: the computation failed.
        """
        tokens: list[list[int]] = []
        for text in texts:
            reason = control.stop_reason()
            if reason is not None:
                return reason
            tokens.append(self._tokens(text))
        vectors: list[Vector] = []
        with self._abort.watching(control):
            for one in tokens:
                vector = None if control.stop_reason() else self._vector(one, control)
                if vector is None:
                    return control.stop_reason() or FinishReason.CANCELLED
                vectors.append(vector)
                control.prefill_progress(
                    sum(map(len, tokens[: len(vectors)])), sum(map(len, tokens)), 0
                )
        return tuple(vectors)

    def _tokens(self, text: str) -> list[int]:
        refuse_giant_text(text, self._limit)
        tokens = self._model.tokenize_document(text)
        if not tokens:
            raise UserError("text_empty", "There is no text to embed.", "Leave empty texts out.")
        if len(tokens) > self._limit:
            raise UserError(
                "context_overflow",
                f"A text has {len(tokens):,} tokens; the model reads at most {self._limit:,}.",
                "Cut the text into shorter ones.",
            )
        return tokens

    def _vector(self, tokens: list[int], control: Control) -> Vector | None:
        """Computes one text; ``None`` if it was stopped."""
        memory = self._api.llama_get_memory(self._context)
        if memory:
            self._api.llama_memory_clear(memory, True)
        batch = self._batch
        batch.n_tokens = len(tokens)
        for place, token in enumerate(tokens):
            batch.token[place] = token
            batch.pos[place] = place
            batch.n_seq_id[place] = 1
            batch.seq_id[place][0] = 0
            batch.logits[place] = 1
        self._native.log.clear()
        result = self._api.llama_decode(self._context, batch)
        if result != 0:
            if control.stop_reason() is not None:
                return None
            raise translate_log(self._native.log.text(), f"llama_decode returned {result}")
        values = self._api.llama_get_embeddings_seq(self._context, 0)
        if not values:
            raise translate_log("", "llama_get_embeddings_seq gave nothing")
        return _normalised(ctypes.cast(values, ctypes.POINTER(ctypes.c_float))[: self._size])

    def close(self) -> None:
        """Frees the model. Idempotent."""
        context, self._context = self._context, None
        if context:
            self._api.llama_batch_free(self._batch)
            self._api.llama_free(context)
        self._model.close()


def _normalised(values: Sequence[float]) -> Vector:
    length = math.sqrt(math.fsum(value * value for value in values))
    return tuple(value / length for value in values) if length > 0 else tuple(values)

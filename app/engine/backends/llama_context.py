"""The KV cache of a loaded model: what it holds, what of it can be reused, and computing more."""

import ctypes
import enum
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import psutil

from app.core.errors import DataFault, EnvironmentFault, UserError
from app.core.units import format_bytes
from app.engine.backends.llama_abort import AbortFlag
from app.engine.backends.llama_model import LlamaModel
from app.engine.backends.llama_native import Native
from app.engine.native_failure import translate_log
from app.engine.spec import LlamaRuntime
from app.models.gguf import GgufModel

# Bytes for 32 elements, and the number of the type in ggml.h.
_KV_TYPES: Final = {"f16": (64, 1), "q8_0": (34, 8), "q4_0": (18, 2)}

_DECODED: Final = 0
_ABORTED: Final = 2
_FLASH_ATTENTION_OFF: Final = 0
_FLASH_ATTENTION_ON: Final = 1


class Step(enum.Enum):
    """How a computation ended."""

    DONE = "done"
    STOPPED = "stopped"


def kv_bytes_per_token(gguf: GgufModel, kv_cache_type: str) -> int:
    """The bytes that one token takes in the cache, over all layers."""
    block_bytes, _ = _KV_TYPES[kv_cache_type]
    elements = sum(gguf.kv_head_counts) * (gguf.head_dim + gguf.value_head_dim)
    return -(-elements * block_bytes // 32)


def check_memory(gguf: GgufModel, context_tokens: int, kv_cache_type: str) -> None:
    """Refuses a model whose weights and cache exceed the free memory.

    Raises:
        UserError: ``kv_cache_type_unknown``.
        EnvironmentFault: ``out_of_memory``, with the sum.
    """
    if kv_cache_type not in _KV_TYPES:
        raise UserError(
            "kv_cache_type_unknown",
            f"The llama backend has no KV cache of type {kv_cache_type}.",
            f"Choose one of {', '.join(_KV_TYPES)}.",
        )
    cache = kv_bytes_per_token(gguf, kv_cache_type) * context_tokens
    available = psutil.virtual_memory().available
    if gguf.size_bytes + cache > available:
        raise EnvironmentFault(
            "out_of_memory",
            f"The model needs {format_bytes(gguf.size_bytes)} and its context "
            f"{format_bytes(cache)}, but {format_bytes(available)} of memory are free.",
            "Close other programs, or choose a smaller model or a shorter context.",
        )


def thread_count(runtime: LlamaRuntime) -> int:
    """The threads to compute with: one core is left to the rest of the machine."""
    return runtime.threads or max(1, (psutil.cpu_count(logical=False) or 1) - 1)


class LlamaContext:
    """One sequence of tokens in the cache.

    Raises:
        NativeFailure: the library could not make it.
    """

    def __init__(
        self,
        native: Native,
        model: LlamaModel,
        runtime: LlamaRuntime,
        context_tokens: int,
        abort: AbortFlag,
    ) -> None:
        self._native = native
        self._api: Any = native.api
        self.batch_tokens = max(1, min(runtime.batch_tokens, context_tokens))
        self._held: list[int] = []
        native.log.clear()
        self.handle = self._api.llama_init_from_model(
            model.handle, self._parameters(runtime, context_tokens, abort)
        )
        if not self.handle:
            raise translate_log(native.log.text(), "llama_init_from_model")
        self._memory = self._api.llama_get_memory(self.handle)

    def _parameters(self, runtime: LlamaRuntime, context_tokens: int, abort: AbortFlag) -> Any:
        _, kv_type = _KV_TYPES[runtime.kv_cache_type]
        # A quantised cache of values works with flash attention only.
        flash = runtime.flash_attention or runtime.kv_cache_type != "f16"
        parameters = self._api.llama_context_default_params()
        parameters.n_ctx = context_tokens
        parameters.n_batch = parameters.n_ubatch = self.batch_tokens
        parameters.n_threads = parameters.n_threads_batch = thread_count(runtime)
        parameters.flash_attn_type = _FLASH_ATTENTION_ON if flash else _FLASH_ATTENTION_OFF
        parameters.type_k = parameters.type_v = kv_type
        parameters.abort_callback = abort.predicate
        parameters.abort_callback_data = abort.data
        return parameters

    @property
    def held_tokens(self) -> int:
        """How many tokens are in the cache."""
        return len(self._held)

    def held(self) -> list[int]:
        """A copy of the ids in the cache; any thread may ask."""
        return self._held.copy()

    def computed_tokens(self, expected: int = 0) -> int:
        """The library's own count of tokens computed since the last call of this.

        It counts tokens in batches and single ones, and says 1 for none of either kind; so whether
        one single token was computed can't be told, and is taken from ``expected``.
        """
        self._api.llama_synchronize(self.handle)
        counted = self._api.llama_perf_context(self.handle)
        self._api.llama_perf_context_reset(self.handle)
        batched, single = int(counted.n_p_eval), int(counted.n_eval)
        batched = 0 if batched == 1 else batched
        if single == 1:
            single = 1 if expected - batched == 1 else 0
        return batched + single

    def reuse(self, prompt: Sequence[int]) -> int:
        """Drops all but the longest common beginning with ``prompt``; returns its length.

        At least the last token of the prompt is left to compute: it gives the first answer token.
        """
        common = 0
        for held, wanted in zip(self._held, prompt[:-1], strict=False):
            if held != wanted:
                break
            common += 1
        return self._keep(common)

    def _keep(self, count: int) -> int:
        # Some architectures can't take back single tokens; then nothing is kept.
        if not self._api.llama_memory_seq_rm(self._memory, 0, count, -1):
            self._api.llama_memory_clear(self._memory, True)
            count = 0
        del self._held[count:]
        return count

    def compute(self, tokens: Sequence[int]) -> Step:
        """Appends ``tokens`` to the cache; ``STOPPED`` if the abort flag interrupted it.

        What was in the cache before stays usable either way.

        Raises:
            NativeFailure: the computation failed.
        """
        count = len(tokens)
        ids = (self._api.llama_token * count)(*tokens)
        self._native.log.clear()
        result = self._api.llama_decode(self.handle, self._api.llama_batch_get_one(ids, count))
        if result == _DECODED:
            self._held.extend(tokens)
            return Step.DONE
        self._keep(len(self._held))
        if result == _ABORTED:
            return Step.STOPPED
        raise translate_log(self._native.log.text(), f"llama_decode returned {result}")

    def save(self, path: Path) -> int:
        """Writes the cache and its tokens to ``path``; returns the bytes written.

        Raises:
            EnvironmentFault: ``state_unwritable``.
        """
        count = len(self._held)
        ids = (self._api.llama_token * count)(*self._held)
        written: int = self._api.llama_state_seq_save_file(
            self.handle, os.fsencode(path), 0, ids, count
        )
        if written == 0:
            raise EnvironmentFault(
                "state_unwritable",
                f"The state of the context can't be written to {path}.",
                "Free some space on that disk, or mend the folder's permissions.",
            )
        return written

    def restore(self, path: Path, room: int) -> int:
        """Replaces the cache by what ``save`` wrote; returns the tokens in it.

        The file must come from the same model with the same type of cache, which only its writer
        can know.

        Args:
            path: the file.
            room: the most tokens that may be in it.

        Raises:
            DataFault: ``state_damaged``; the cache is empty then.
        """
        self.clear()
        ids = (self._api.llama_token * room)()
        count = ctypes.c_size_t()
        read = self._api.llama_state_seq_load_file(
            self.handle, os.fsencode(path), 0, ids, room, ctypes.byref(count)
        )
        if read == 0:
            self.clear()
            raise DataFault(
                "state_damaged",
                "The saved state of the context can't be read.",
                "Send the message again; the conversation is read anew.",
            )
        self._held = list(ids[: count.value])
        return count.value

    def settings(self) -> dict[str, str]:
        """What the library made of the parameters, by its own names."""
        api, handle = self._api, self.handle
        return {
            "n_ctx": str(api.llama_n_ctx(handle)),
            "n_batch": str(api.llama_n_batch(handle)),
            "n_ubatch": str(api.llama_n_ubatch(handle)),
            "n_threads": str(api.llama_n_threads(handle)),
            "n_threads_batch": str(api.llama_n_threads_batch(handle)),
        }

    def clear(self) -> None:
        """Empties the cache."""
        self._api.llama_memory_clear(self._memory, True)
        self._held.clear()

    def close(self) -> None:
        """Frees the cache. Idempotent."""
        handle, self.handle = self.handle, None
        if handle:
            self._api.llama_free(handle)

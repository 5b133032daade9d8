"""The control that the product is measured against: the bare library, in a process of its own.

It shares no code with the product's path: no slot, no tickets, no streamer, no chunks. Both
backends are driven as their libraries' own examples do, on the ids that the library makes itself.
"""

import hashlib
import multiprocessing
import os
import time
from array import array
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from multiprocessing.connection import Connection
from typing import Any

import psutil
from msgspec import Struct

from app.core.errors import EnvironmentFault
from app.models.identity import Stopped, never_stop

_LOAD_TIMEOUT_S = 600.0
_POLL_S = 0.1
_SURELY_WHOLE = 4096  # tokens that each tokenizer takes in one piece


class RawRun(Struct, frozen=True, kw_only=True):
    """One greedy generation. ``wall_s`` is the whole call; ``decode_s`` is without the prefill.

    ``ids_sha256`` is over the prompt's ids as 64-bit little-endian integers.
    """

    prompt_tokens: int
    ids_sha256: str = ""
    completion_tokens: int
    ttft_s: float
    decode_s: float
    wall_s: float
    text: str

    @property
    def decode_tokens_per_s(self) -> float:
        return (self.completion_tokens - 1) / self.decode_s if self.decode_s > 0 else 0.0


class RawControl:
    """A loaded model in its own process. Made by ``raw_control``."""

    def __init__(
        self, connection: Connection, load_s: float, stop: Callable[[], bool] = never_stop
    ) -> None:
        self._connection = connection
        self._stop = stop
        self.load_s = load_s

    def run(self, prompt: str, max_tokens: int, *, as_message: bool = False) -> RawRun:
        """Generates greedily from the rendered ``prompt``. Blocks.

        Args:
            prompt: the whole prompt.
            as_message: it is a user's message instead, which the library's own chat template
                renders; OpenVINO only.

        Raises:
            EnvironmentFault: ``control_died``.
            Stopped: ``stop`` said so; the control is of no use after that.
        """
        try:
            self._connection.send((prompt, max_tokens, as_message))
            while not self._connection.poll(_POLL_S):
                if self._stop():
                    raise Stopped
            result = self._connection.recv()
        except (EOFError, OSError) as error:
            raise _died() from error
        assert isinstance(result, RawRun)
        return result


@contextmanager
def raw_control(
    backend: str,
    model_path: str,
    device: str,
    threads: int = 0,
    context_tokens: int = 8192,
    stop: Callable[[], bool] = never_stop,
) -> Iterator[RawControl]:
    """Loads a model with the bare library of ``backend`` and ends its process afterwards.

    Args:
        backend: ``openvino`` or ``llama``.
        threads: llama.cpp's threads; 0 is all physical cores but one, as in the product.
        context_tokens: llama.cpp's context; OpenVINO's pool has one GiB.
        stop: whether the person wants it to end; looked at while a run is awaited.

    Raises:
        EnvironmentFault: ``control_died``.
    """
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    target = _openvino if backend == "openvino" else _llama
    process = context.Process(
        target=target, args=(theirs, model_path, device, threads, context_tokens), daemon=True
    )
    process.start()
    theirs.close()
    try:
        if not ours.poll(_LOAD_TIMEOUT_S):
            raise _died()
        try:
            load_s = ours.recv()
        except EOFError as error:
            raise _died() from error
        yield RawControl(ours, load_s, stop)
    finally:
        ours.close()
        process.kill()
        process.join()


def _died() -> EnvironmentFault:
    return EnvironmentFault(
        "control_died",
        "The control measurement ended unexpectedly.",
        "Run the measurement again; if it happens twice, the library fails on this model.",
    )


def _openvino(
    connection: Connection, model_path: str, device: str, threads: int, context_tokens: int
) -> None:
    del threads, context_tokens
    import openvino_genai as genai

    started = time.perf_counter()
    scheduler = genai.SchedulerConfig()
    scheduler.cache_size = 1
    scheduler.enable_prefix_caching = False
    pipeline = genai.ContinuousBatchingPipeline(model_path, scheduler, device, {})
    connection.send(time.perf_counter() - started)
    tokenizer = pipeline.get_tokenizer()

    def run(prompt: str, max_tokens: int, as_message: bool) -> RawRun:
        if as_message:
            message = {"role": "user", "content": prompt}
            prompt = tokenizer.apply_chat_template([message], add_generation_prompt=True)
        ids = whole_ids(tokenizer, prompt)
        config = genai.GenerationConfig(max_new_tokens=max_tokens)
        config.max_length = 2**64 - 1
        begun = time.perf_counter()
        result = pipeline.generate([_tensor(ids)], [config])[0]
        wall_s = time.perf_counter() - begun
        produced = list(result.m_generation_ids[0])
        raw = result.perf_metrics.raw_metrics
        return RawRun(
            prompt_tokens=len(ids),
            ids_sha256=_sha256(ids),
            completion_tokens=len(produced),
            ttft_s=raw.m_times_to_first_token[0] / 1e6,
            decode_s=sum(raw.m_durations) / 1e6,
            wall_s=wall_s,
            text=tokenizer.decode(produced),
        )

    _answer(connection, run)


def whole_ids(tokenizer: Any, text: str) -> list[int]:
    """The ids of the whole text: a tokenizer may cut at a length, and says nothing."""
    ids: list[int] = tokenizer.encode(text, add_special_tokens=False).input_ids.data[0].tolist()
    if len(ids) < _SURELY_WHOLE:
        return ids
    longer = tokenizer.encode(text + text[-len(text) // 2 :], add_special_tokens=False)
    if longer.input_ids.shape[1] > len(ids):
        return ids
    middle = text.rindex(" ", 0, len(text) // 2)
    return whole_ids(tokenizer, text[:middle]) + whole_ids(tokenizer, text[middle:])


def _tensor(ids: list[int]) -> Any:
    import numpy
    import openvino

    return openvino.Tensor(numpy.array([ids], dtype=numpy.int64))


def _llama(
    connection: Connection, model_path: str, device: str, threads: int, context_tokens: int
) -> None:
    del device
    from app.engine.backends.llama_native import load_native

    lib: Any = load_native().api
    started = time.perf_counter()
    model = lib.llama_model_load_from_file(
        os.fsencode(model_path), lib.llama_model_default_params()
    )
    vocabulary = lib.llama_model_get_vocab(model)
    parameters = lib.llama_context_default_params()
    parameters.n_ctx = context_tokens
    parameters.n_batch = 256
    # 0 would be the library's own default, four, on any machine.
    threads = threads or max(1, (psutil.cpu_count(logical=False) or 1) - 1)
    parameters.n_threads = parameters.n_threads_batch = threads
    parameters.flash_attn_type = 0
    context = lib.llama_init_from_model(model, parameters)
    sampler = lib.llama_sampler_init_greedy()
    connection.send(time.perf_counter() - started)

    def run(prompt: str, max_tokens: int, as_message: bool) -> RawRun:
        assert not as_message
        data = prompt.encode()
        space = (lib.llama_token * (len(data) + 8))()
        count = lib.llama_tokenize(vocabulary, data, len(data), space, len(space), False, True)
        lib.llama_memory_clear(lib.llama_get_memory(context), True)
        begun = time.perf_counter()
        for start in range(0, count, 256):
            part = (lib.llama_token * min(256, count - start))(
                *space[start : min(start + 256, count)]
            )
            lib.llama_decode(context, lib.llama_batch_get_one(part, len(part)))
        produced = [lib.llama_sampler_sample(sampler, context, -1)]
        first = time.perf_counter()
        while len(produced) < max_tokens and not lib.llama_vocab_is_eog(vocabulary, produced[-1]):
            one = (lib.llama_token * 1)(produced[-1])
            lib.llama_decode(context, lib.llama_batch_get_one(one, 1))
            produced.append(lib.llama_sampler_sample(sampler, context, -1))
        end = time.perf_counter()
        return RawRun(
            prompt_tokens=count,
            ids_sha256=_sha256(space[:count]),
            completion_tokens=len(produced),
            ttft_s=first - begun,
            decode_s=end - first,
            wall_s=end - begun,
            text="",
        )

    _answer(connection, run)


def _answer(connection: Connection, run: Any) -> None:
    """Serves requests until the parent closes the pipe."""
    while True:
        try:
            request = connection.recv()
        except (EOFError, OSError):
            return
        connection.send(run(*request))


def _sha256(ids: Sequence[int]) -> str:
    return hashlib.sha256(array("q", ids).tobytes()).hexdigest()

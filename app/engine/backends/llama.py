"""Runs GGUF models with llama.cpp on the CPU."""

import logging
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msgspec

from app.core.errors import ContenoxError, UserError
from app.engine.backends.base import Control, LoadStopped, Outcome, rate
from app.engine.backends.jinja_template import ChatTemplate
from app.engine.backends.llama_abort import AbortFlag
from app.engine.backends.llama_context import LlamaContext, Step, check_memory, kv_bytes_per_token
from app.engine.backends.llama_model import LlamaModel
from app.engine.backends.llama_native import Native, load_native
from app.engine.backends.llama_sampler import Sampler, choose_seed
from app.engine.backends.llama_text import AnswerText
from app.engine.prompt import encode, protect, split_begun
from app.engine.protocol import (
    BackendReport,
    ChatMessage,
    DeltaKind,
    FinishReason,
    Generate,
    LlamaRuntime,
    LoadSpec,
    SessionReport,
    Timings,
    Usage,
)
from app.models.gguf import GgufModel, read_gguf

_log = logging.getLogger(__name__)

_DEVICE: Final = "CPU"


@dataclass(slots=True)
class _Decoded:
    """What a decode loop has counted. Times are of ``time.perf_counter``."""

    tokens: int = 0
    first_at: float = 0.0
    last_at: float = 0.0

    def count(self) -> None:
        self.last_at = time.perf_counter()
        self.first_at = self.first_at or self.last_at
        self.tokens += 1


class LlamaSession:
    """One loaded model and its KV cache.

    Args:
        native: the loaded library.
        gguf: the checked header of the model's file.
        spec: what to load.
        control: hears the progress and may stop the load.

    Raises:
        LoadStopped: ``control`` said so; nothing stays loaded.
        NativeFailure: the library failed; nothing stays loaded.
    """

    def __init__(self, native: Native, gguf: GgufModel, spec: LoadSpec, control: Control) -> None:
        runtime = spec.runtime
        assert isinstance(runtime, LlamaRuntime)
        self._native = native
        self._runtime = runtime
        self._kv_bytes_per_token = kv_bytes_per_token(gguf, runtime.kv_cache_type)
        self._context_tokens = spec.context_tokens
        self._template = ChatTemplate(gguf.chat_template)
        self._protected = tuple(token.text for token in gguf.special_tokens() if token.is_control)
        self._abort = AbortFlag(native.api)
        self._context: LlamaContext | None = None
        self._model = LlamaModel(native, gguf, control)
        self._begin = self._model.begin_token
        self._template_tokens = {
            "bos_token": self._model.token_text(gguf.tokenizer.bos_id),
            "eos_token": self._model.token_text(gguf.tokenizer.eos_id),
        }
        try:
            context = LlamaContext(native, self._model, runtime, spec.context_tokens, self._abort)
            self._context = context
            self._warm_up(context, control)
        except BaseException:
            self.close()
            raise

    def _warm_up(self, context: LlamaContext, control: Control) -> None:
        """Computes one token, so that the first answer doesn't pay for what happens only once."""
        control.load_progress("warming up")
        with self._abort.watching(control):
            context.compute([self._begin or 0])
        context.clear()
        reason = control.stop_reason()
        if reason is not None:
            raise LoadStopped(reason)

    def generate(self, request: Generate, control: Control) -> Outcome:
        context = self._context
        assert context is not None, "the session is closed"
        prompt = self._encode(request.messages)
        self._admit(len(prompt))
        seed = choose_seed(request.sampling)
        with self._abort.watching(control):
            started = time.perf_counter()
            reused = context.reuse(prompt)
            stopped = self._prefill(context, prompt, reused, control)
            usage = Usage(prompt_tokens=len(prompt), reused_tokens=reused)
            if stopped is not None:
                return Outcome(stopped, usage, Timings(), seed)
            decoded = _Decoded()
            reason = self._decode(context, prompt, request, seed, control, decoded)
        usage = Usage(
            prompt_tokens=len(prompt), reused_tokens=reused, completion_tokens=decoded.tokens
        )
        return Outcome(reason, usage, _timings(started, len(prompt) - reused, decoded), seed)

    def describe(self) -> SessionReport:
        native, context = self._native, self._context
        assert context is not None, "the session is closed"
        asked = msgspec.to_builtins(self._runtime)
        return SessionReport(
            pipeline=self._runtime.device.lower(),
            asked={name: str(value) for name, value in asked.items()},
            library=context.settings() | {"model": self._model.description()},
            metrics={
                "kv_bytes_per_token": self._kv_bytes_per_token,
                "held_tokens": context.held_tokens,
            },
            notes=(native.system_info,),
        )

    def count_tokens(self, messages: tuple[ChatMessage, ...]) -> int:
        """The exact number of prompt tokens that ``messages`` become.

        Raises:
            DataFault: ``template_missing`` or ``template_failed``.
        """
        return len(self._encode(messages))

    def close(self) -> None:
        context, self._context = self._context, None
        if context is not None:
            context.close()
        self._model.close()

    def _encode(self, messages: tuple[ChatMessage, ...]) -> list[int]:
        asked, begun = split_begun(protect(messages, self._protected))
        rendered = self._template.render(asked, self._template_tokens)
        prompt = encode(rendered + begun, self._model.tokenize)
        # Most templates write the begin token themselves; it must be there once.
        if self._begin is not None and prompt[:1] != [self._begin]:
            prompt.insert(0, self._begin)
        return prompt

    def _admit(self, prompt_tokens: int) -> None:
        if prompt_tokens == 0:
            raise UserError("prompt_empty", "There is nothing to answer.", "Write a message.")
        if prompt_tokens >= self._context_tokens:
            raise UserError(
                "context_overflow",
                f"The conversation has {prompt_tokens:,} tokens; the model's context holds"
                f" {self._context_tokens:,}, at least one of them for the answer.",
                "Shorten the message, or start a new chat.",
            )

    def _prefill(
        self, context: LlamaContext, prompt: list[int], reused: int, control: Control
    ) -> FinishReason | None:
        """Computes what is missing of ``prompt``; returns why it was stopped, if it was."""
        control.prefill_progress(reused, len(prompt), reused)
        for start in range(reused, len(prompt), context.batch_tokens):
            reason = control.stop_reason()
            if reason is not None:
                return reason
            if context.compute(prompt[start : start + context.batch_tokens]) is Step.STOPPED:
                return control.stop_reason() or FinishReason.CANCELLED
            control.prefill_progress(context.held_tokens, len(prompt), reused)
        return control.stop_reason()

    def _decode(
        self,
        context: LlamaContext,
        prompt: list[int],
        request: Generate,
        seed: int | None,
        control: Control,
        decoded: _Decoded,
    ) -> FinishReason:
        """Streams the answer; returns why it ended."""
        text = AnswerText(request.sampling.stop_strings)
        sampler = Sampler(
            self._native.api,
            request.sampling,
            seed,
            prompt,
            self._context_tokens,
            self._model.token_count,
        )
        try:
            limit = min(request.max_tokens, self._context_tokens - len(prompt))
            reason = self._stream(context, sampler, text, limit, control, decoded)
        finally:
            sampler.close()
        rest = text.finish()
        if rest:
            control.delta(DeltaKind.TEXT, rest)
        if reason is None:
            full = request.max_tokens > limit
            reason = FinishReason.CONTEXT_FULL if full else FinishReason.LENGTH
        return reason

    def _stream(
        self,
        context: LlamaContext,
        sampler: Sampler,
        text: AnswerText,
        limit: int,
        control: Control,
        decoded: _Decoded,
    ) -> FinishReason | None:
        """Decodes at most ``limit`` tokens; ``None`` means that the limit ended it."""
        while decoded.tokens < limit:
            token = sampler.sample(context.handle)
            decoded.count()
            if self._model.is_end(token):
                return FinishReason.STOP
            shown = text.push(self._model.piece(token))
            if shown:
                control.delta(DeltaKind.TEXT, shown)
            if text.stopped:
                return FinishReason.STOP
            if decoded.tokens == limit:
                return None
            reason = control.stop_reason()
            if reason is None and context.compute([token]) is Step.STOPPED:
                reason = control.stop_reason() or FinishReason.CANCELLED
            if reason is not None:
                return reason
        return None


def _timings(started: float, computed_tokens: int, decoded: _Decoded) -> Timings:
    if not decoded.tokens:
        return Timings()
    ttft_s = decoded.first_at - started
    return Timings(
        ttft_s=ttft_s,
        prefill_tokens_per_s=rate(computed_tokens, ttft_s),
        decode_tokens_per_s=rate(decoded.tokens - 1, decoded.last_at - decoded.first_at),
    )


class LlamaBackend:
    """llama.cpp through the ctypes layer of llama-cpp-python; see docs/decisions/0020."""

    name = "llama"

    def open_session(self, spec: LoadSpec, control: Control) -> LlamaSession:
        runtime = spec.runtime
        assert isinstance(runtime, LlamaRuntime)
        if runtime.device != _DEVICE:
            raise UserError(
                "device_unavailable",
                f"The llama backend runs models on the CPU only, not on {runtime.device}.",
                "Choose CPU, or the model's OpenVINO variant.",
            )
        control.load_progress("checking")
        # The native reader ends the process on some damaged files; ours never does.
        gguf = read_gguf(Path(spec.model_path))
        check_memory(gguf, spec.context_tokens, runtime.kv_cache_type)
        native = load_native()
        reason = control.stop_reason()
        if reason is not None:
            raise LoadStopped(reason)
        return LlamaSession(native, gguf, spec, control)

    def report(self) -> BackendReport:
        try:
            native = load_native()
        except ContenoxError as error:
            return BackendReport(name=self.name, error=error.record())
        return BackendReport(
            name=self.name,
            version=native.library_version,
            components={
                "llama-cpp-python": native.binding_version,
                "llama.cpp": native.library_version,
                "ggml": native.ggml_version,
                "cpu": native.system_info,
            },
        )

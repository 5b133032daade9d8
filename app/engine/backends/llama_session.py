"""One model in llama.cpp: load, prefill, decode, close."""

import logging
import time
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from app.engine.admission import admit, room_for
from app.engine.answer_stream import AnswerStream
from app.engine.backends.base import Control, Outcome, RequestStopped, heed, rate
from app.engine.backends.llama_abort import AbortFlag
from app.engine.backends.llama_context import LlamaContext, Step, kv_bytes_per_token
from app.engine.backends.llama_grammar import CallSampler, call_grammar
from app.engine.backends.llama_model import LlamaModel
from app.engine.backends.llama_native import Native
from app.engine.backends.llama_prompt import PromptWriter
from app.engine.backends.llama_sampler import Sampler, choose_seed
from app.engine.backends.llama_snapshots import PrefixKeeper
from app.engine.backends.llama_vocabulary import identity, tokenizer_digest
from app.engine.backends.token_text import WholeCharacters
from app.engine.context_report import stable_tokens
from app.engine.outcome import DeltaKind, FinishReason, SessionReport, Timings, Usage
from app.engine.protocol import Generate
from app.engine.reuse import PrefillSpeed, SequenceBooks, shared_beginning
from app.engine.snapshots import SnapshotStore
from app.engine.spec import LlamaRuntime, LoadSpec
from app.engine.template_controls import heeded
from app.models.gguf import GgufModel

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class _Answer:
    """The ids chosen so far. Times are of ``time.perf_counter``."""

    ids: list[int] = field(default_factory=list)
    first_at: float = 0.0
    last_at: float = 0.0

    def add(self, token: int) -> None:
        self.last_at = time.perf_counter()
        self.first_at = self.first_at or self.last_at
        self.ids.append(token)

    def timings(self, started: float, computed_tokens: int) -> Timings:
        """Rates, where ``computed_tokens`` of the prompt were computed since ``started``."""
        if not self.ids:
            return Timings()
        ttft_s = self.first_at - started
        return Timings(
            ttft_s=ttft_s,
            prefill_tokens_per_s=rate(computed_tokens, ttft_s),
            decode_tokens_per_s=rate(len(self.ids) - 1, self.last_at - self.first_at),
        )


class LlamaSession:
    """One loaded model and its KV cache.

    Args:
        native: the loaded library.
        gguf: the checked header of the model's file.
        spec: what to load.
        control: hears the progress and may stop the load.

    Raises:
        RequestStopped: ``control`` said so; nothing stays loaded.
        NativeFailure: the library failed; nothing stays loaded.
    """

    pipeline = "llama"

    def __init__(self, native: Native, gguf: GgufModel, spec: LoadSpec, control: Control) -> None:
        runtime = spec.runtime
        assert isinstance(runtime, LlamaRuntime)
        self._native = native
        self._runtime = runtime
        self._context_tokens = spec.context_tokens
        self._room = room_for(spec.context_tokens)
        self.books = SequenceBooks(self._held, spec.context_tokens)
        self.speed = PrefillSpeed()
        self._kv_bytes_per_token = kv_bytes_per_token(gguf, runtime.kv_cache_type)
        self._abort = AbortFlag(native.api)
        self._context: LlamaContext | None = None
        self._model = LlamaModel(native, gguf, control)
        try:
            self.prompts = PromptWriter(gguf, self._model)
            context = LlamaContext(native, self._model, runtime, spec.context_tokens, self._abort)
            self._context = context
            digest = tokenizer_digest(gguf)
            kv = identity(spec, runtime, gguf, native.library_version, digest)
            self._keeper = PrefixKeeper(context, spec.context_tokens, kv, self.speed)
            self._warm_up(context, control)
        except BaseException:
            self.close()
            raise

    def _warm_up(self, context: LlamaContext, control: Control) -> None:
        """Computes one token, so that the first answer doesn't pay for what happens only once."""
        control.load_progress("warming up")
        with self._abort.watching(control):
            context.compute([self._model.begin_token or 0])
        context.clear()
        heed(control)

    def generate(self, request: Generate, control: Control) -> Outcome:
        context = self._context
        assert context is not None, "the session is closed"
        stream = AnswerStream(control, request)
        prompt = self.prompts.write(request, stream)
        grammar = call_grammar(request.tools) if request.tools else None
        room = admit(len(prompt), request.reserve_tokens, self._room)
        seed = choose_seed(request.sampling)
        answer = _Answer()
        with self._abort.watching(stream):
            started = time.perf_counter()
            restored = self._keeper.restore(prompt)
            reused = context.reuse(prompt)
            context.computed_tokens()
            reason = self._prefill(context, prompt, reused, stream)
            usage = self._read(context, prompt, reused, time.perf_counter() - started)
            if reason is None:
                sampler = self._sampler(request, seed, prompt, stream, grammar)
                reason = self._decode(context, room, request, sampler, stream, answer)
                reason = stream.end(reason)
        self._note_stable(request, prompt, control)
        usage = msgspec.structs.replace(
            usage,
            restored_tokens=restored,
            completion_tokens=len(answer.ids),
            thinking_tokens=stream.thinking_tokens(answer.ids, self._model.text),
        )
        return Outcome(reason, usage, answer.timings(started, len(prompt) - reused), seed)

    def prefill(self, turn: Generate, control: Control) -> Outcome:
        """See ``ReusingSession``."""
        context = self._context
        assert context is not None, "the session is closed"

        def write(asked: Generate) -> list[int]:
            return self.prompts.write(asked, AnswerStream(control, asked))

        prompt = shared_beginning(turn, write)
        if not prompt:
            return Outcome(FinishReason.STOP, Usage(), Timings())
        admit(len(prompt), turn.reserve_tokens, self._room)
        with self._abort.watching(control):
            started = time.perf_counter()
            reused = context.reuse([*prompt, -1])
            context.computed_tokens()
            reason = self._prefill(context, prompt, reused, control)
            usage = self._read(context, prompt, reused, time.perf_counter() - started)
        return Outcome(reason or FinishReason.STOP, usage, Timings())

    def _read(self, context: LlamaContext, prompt: list[int], reused: int, seconds: float) -> Usage:
        """The counts of a prompt that was read, as far as it was; the reuse is the library's."""
        expected = context.held_tokens - reused
        computed = context.computed_tokens(expected)
        self.speed.note(computed, seconds)
        if computed != expected:
            _log.warning("reuse: %d tokens were to be computed, %d were", expected, computed)
        return Usage(
            prompt_tokens=len(prompt),
            reused_tokens=max(0, context.held_tokens - computed),
            predicted_reused_tokens=reused,
            reuse_measured=True,
            physical_prefill_calls=-(-computed // context.batch_tokens),
            physical_prefill_tokens=computed,
        )

    def keep_in(self, store: SnapshotStore) -> None:
        """See ``KeepingSession``."""
        self._keeper.store = store

    def keep_prefix(self) -> None:
        """See ``KeepingSession``."""
        self._keeper.save()

    def _note_stable(self, request: Generate, prompt: list[int], control: Control) -> None:
        """Remembers what an unload may save. Who has stopped the answer doesn't wait for that."""
        tokens = 0
        if self._keeper.store is not None and request.segments:
            try:
                heed(control)
                tokens = stable_tokens(
                    request,
                    prompt,
                    lambda turn: self.prompts.write(turn, AnswerStream(control, turn)),
                )
            except RequestStopped:
                return
        self._keeper.note_stable(prompt[:tokens])

    def _held(self) -> list[int]:
        context = self._context
        return [] if context is None else context.held()

    def count_tokens(self, request: Generate, control: Control) -> int:
        """The exact number of prompt tokens that ``request`` has.

        Raises:
            ContenoxError: what ``generate`` would raise before it computes anything.
        """
        return len(self.prompts.write(request, AnswerStream(control, request)))

    def save_state(self, path: Path) -> int:
        """Writes what the cache holds to ``path``; returns the bytes. See ``LlamaContext.save``."""
        context = self._context
        assert context is not None, "the session is closed"
        return context.save(path)

    def restore_state(self, path: Path) -> int:
        """Returns the tokens that are held again. See ``LlamaContext.restore``."""
        context = self._context
        assert context is not None, "the session is closed"
        return context.restore(path, self._context_tokens)

    def describe(self) -> SessionReport:
        context = self._context
        assert context is not None, "the session is closed"
        asked = msgspec.to_builtins(self._runtime)
        return SessionReport(
            pipeline=self.pipeline,
            asked={name: str(value) for name, value in asked.items()},
            library=context.settings() | {"model": self._model.description()},
            metrics={
                "kv_bytes_per_token": self._kv_bytes_per_token,
                "held_tokens": context.held_tokens,
            },
            template=heeded(lambda: self.prompts.traits),
            notes=(self._native.system_info,),
        )

    def close(self) -> None:
        context, self._context = self._context, None
        if context is not None:
            context.close()
        self._model.close()

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

    def _sampler(
        self,
        request: Generate,
        seed: int | None,
        prompt: list[int],
        stream: AnswerStream,
        grammar: str | None,
    ) -> Sampler | CallSampler:
        """What chooses the tokens; with a ``grammar``, it also holds tool calls to their form."""
        api = self._native.api
        sampler = Sampler(
            api,
            request.sampling,
            seed,
            prompt,
            self._context_tokens,
            self._model.token_count,
        )
        if grammar is None:
            return sampler
        try:
            vocabulary = api.llama_model_get_vocab(self._model.handle)
            return CallSampler(api, vocabulary, sampler, stream, grammar)
        except BaseException:
            sampler.close()
            raise

    def _decode(
        self,
        context: LlamaContext,
        room: int,
        request: Generate,
        sampler: Sampler | CallSampler,
        stream: AnswerStream,
        answer: _Answer,
    ) -> FinishReason:
        """Streams the answer; returns why it ended."""
        try:
            limit = min(request.max_tokens, room)
            reason = self._stream(context, sampler, limit, stream, answer)
        finally:
            sampler.close()
        if reason is not None:
            return reason
        return FinishReason.CONTEXT_FULL if request.max_tokens > room else FinishReason.LENGTH

    def _stream(
        self,
        context: LlamaContext,
        sampler: Sampler | CallSampler,
        limit: int,
        stream: AnswerStream,
        answer: _Answer,
    ) -> FinishReason | None:
        """Decodes at most ``limit`` tokens; ``None`` means that the limit ended it."""
        characters = WholeCharacters()
        while len(answer.ids) < limit:
            token = sampler.sample(context.handle)
            answer.add(token)
            if self._model.is_end(token):
                return FinishReason.STOP
            text = characters.push(self._model.piece(token))
            if text:
                stream.delta(DeltaKind.TEXT, text)
            reason = stream.stop_reason()
            if reason is not None:
                return reason
            if len(answer.ids) == limit:
                return None
            if context.compute([token]) is Step.STOPPED:
                return stream.stop_reason() or FinishReason.CANCELLED
        return None

"""A deterministic stand-in for a model, so that everything above it is tested without weights.

It ships with the program. A token is a word with the white space after it.
``ScriptedRuntime.fault`` makes it fail in one of the ways that native libraries fail.
"""

import hashlib
import math
import os
import re
import time
import zlib
from collections.abc import Sequence
from enum import StrEnum
from typing import Final

import msgspec

import app
from app.core.errors import EnvironmentFault
from app.engine.admission import admit, room_for
from app.engine.answer_stream import AnswerStream
from app.engine.backends.base import Control, Outcome, Vector, rate
from app.engine.backends.context_port import WrittenPrompt
from app.engine.backends.scripted_answers import loaded_before, scripted_text, told_tokens
from app.engine.chat import ChatMessage, Role
from app.engine.faults import fault
from app.engine.manifest import Identity
from app.engine.native_failure import NativeFailure
from app.engine.outcome import BackendReport, DeltaKind, FinishReason, SessionReport, Timings, Usage
from app.engine.protocol import Generate
from app.engine.reuse import PrefillSpeed, SequenceBooks
from app.engine.spec import LoadSpec, ScriptedRuntime
from app.engine.template_controls import HEEDS_CHAT

_WORD: Final = re.compile(r"\S+\s*|\s+")
_PREFILL_CHUNK: Final = 32
_TOKENS_BEFORE_FAULT: Final = 3
_FOR_EVER_S: Final = 3600.0


class ScriptedFault(StrEnum):
    """What can go wrong on demand."""

    LOAD_FAILS = "load_fails"
    LOAD_ABORTS = "load_aborts"
    DECODE_FAILS = "decode_fails"
    DECODE_ABORTS = "decode_aborts"
    POOL_EXHAUSTED = "pool_exhausted"
    COMPUTE_HANGS = "compute_hangs"
    COMPUTE_FREEZES = "compute_freezes"
    COUNT_HANGS = "count_hangs"
    CLOSE_HANGS = "close_hangs"
    CLOSE_FAILS = "close_fails"


class ScriptedSession:
    """Answers every prompt with the script."""

    pipeline = "scripted"

    def __init__(self, spec: LoadSpec, runtime: ScriptedRuntime) -> None:
        self._spec = spec
        self._runtime = runtime
        self._cached = loaded_before(runtime.compiled_cache_dir)
        self._held: list[str] = []
        self.books = SequenceBooks(lambda: _ids(self._held), spec.context_tokens)
        self.speed = PrefillSpeed()

    def generate(self, request: Generate, control: Control) -> Outcome:
        prompt = _words(request.messages)
        admit(len(prompt), request.reserve_tokens, room_for(self._spec.context_tokens))
        stream = AnswerStream(control, request)
        stream.begin("")
        started = time.perf_counter()
        usage = Usage(prompt_tokens=len(prompt), reused_tokens=self._common(prompt))
        stopped = self._prefill(prompt, usage.reused_tokens, control)
        if stopped is not None:
            return Outcome(stopped, usage, Timings())
        ttft_s = time.perf_counter() - started
        words = _WORD.findall(self._answer(request))
        reason, produced = self._decode(words, request, len(prompt), stream)
        decode_s = time.perf_counter() - started - ttft_s
        reason = stream.end(reason)
        thinking = stream.thinking_tokens(
            range(produced), lambda ids: "".join(words[one] for one in ids)
        )
        told = told_tokens(self._runtime, produced)
        return Outcome(
            reason,
            msgspec.structs.replace(usage, completion_tokens=told, thinking_tokens=thinking),
            Timings(
                ttft_s=ttft_s,
                prefill_tokens_per_s=rate(len(prompt) - usage.reused_tokens, ttft_s),
                decode_tokens_per_s=rate(told - 1, decode_s),
            ),
            seed=request.sampling.seed,
            fatal=reason is FinishReason.POOL_EXHAUSTED,
        )

    def prefill(self, turn: Generate, control: Control) -> Outcome:
        prompt = _words(turn.messages)
        usage = Usage(prompt_tokens=len(prompt), reused_tokens=self._common([*prompt, ""]))
        reason = self._prefill(prompt, usage.reused_tokens, control)
        return Outcome(reason or FinishReason.STOP, usage, Timings())

    def describe(self) -> SessionReport:
        asked = {name: str(value) for name, value in msgspec.to_builtins(self._runtime).items()}
        return SessionReport(pipeline=self.pipeline, asked=asked, template=(HEEDS_CHAT,))

    def close(self) -> None:
        self._held = []
        match self._runtime.fault:
            case ScriptedFault.CLOSE_HANGS:
                time.sleep(_FOR_EVER_S)
            case ScriptedFault.CLOSE_FAILS:
                raise RuntimeError("scripted")

    def _common(self, prompt: list[str]) -> int:
        common = 0
        for held, new in zip(self._held, prompt[:-1], strict=False):
            if held != new:
                break
            common += 1
        return common

    def _prefill(self, prompt: list[str], reused: int, control: Control) -> FinishReason | None:
        if self._runtime.fault == ScriptedFault.COMPUTE_HANGS:
            _hang(len(prompt), control)
        if self._runtime.fault == ScriptedFault.COMPUTE_FREEZES:
            _freeze()
        for start in range(reused, len(prompt), _PREFILL_CHUNK):
            reason = control.stop_reason()
            if reason is not None:
                return reason
            done = min(start + _PREFILL_CHUNK, len(prompt))
            time.sleep((done - start) * self._runtime.prefill_token_s)
            self._held = prompt[:done]
            control.prefill_progress(done, len(prompt), reused)
        return control.stop_reason()

    def _decode(
        self, words: list[str], request: Generate, prompt_tokens: int, control: Control
    ) -> tuple[FinishReason, int]:
        room = self._spec.context_tokens - prompt_tokens
        for produced, word in enumerate(words):
            reason = control.stop_reason()
            if reason is None and produced >= request.max_tokens:
                reason = FinishReason.LENGTH
            if reason is None and produced >= room:
                reason = FinishReason.CONTEXT_FULL
            if reason is None and produced == _TOKENS_BEFORE_FAULT:
                reason = self._fail()
            if reason is not None:
                return reason, produced
            time.sleep(self._runtime.token_s)
            control.delta(DeltaKind.TEXT, word)
        return FinishReason.STOP, len(words)

    def _fail(self) -> FinishReason | None:
        match self._runtime.fault:
            case ScriptedFault.DECODE_ABORTS:
                os.abort()
            case ScriptedFault.DECODE_FAILS:
                raise NativeFailure(fault("pool_corrupted"), "scripted")
            case ScriptedFault.POOL_EXHAUSTED:
                return FinishReason.POOL_EXHAUSTED
        return None

    def _answer(self, request: Generate) -> str:
        asked = [one.content for one in request.messages if one.role is Role.USER]
        answer = scripted_text(
            self._runtime, asked[-1] if asked else "", request.max_tokens, cached=self._cached
        )
        last = request.messages[-1] if request.messages else None
        begun = last.content if last is not None and last.role is Role.ASSISTANT else ""
        return answer.removeprefix(begun)


class ScriptedTokenizer:
    """Counts words."""

    def __init__(self, runtime: ScriptedRuntime) -> None:
        self._fault = runtime.fault

    notes: tuple[str, ...] = ()

    def write(self, turn: Generate, control: Control) -> WrittenPrompt:
        if self._fault == ScriptedFault.COUNT_HANGS:
            time.sleep(_FOR_EVER_S)
        words = _words(turn.messages)
        return WrittenPrompt("".join(words), _ids(words))

    def encode(self, text: str, control: Control) -> list[int]:
        return _ids(_WORD.findall(text))

    def protect(self, text: str) -> str:
        return text

    def identity(self, spec: LoadSpec) -> Identity:
        return Identity(
            model_digest=spec.model_digest,
            tokenizer_digest="words",
            template_digest="none",
            profile_digest=spec.profile_digest,
            backend="scripted",
            backend_version=app.__version__,
            device=spec.device,
            attention="dense",
            context_tokens=spec.context_tokens,
            rope="",
            kv_precision="",
            block_tokens=0,
        )

    def close(self) -> None:
        pass


def _words(messages: Sequence[ChatMessage]) -> list[str]:
    return _WORD.findall("".join(message.content + " " for message in messages))


def _ids(words: Sequence[str]) -> list[int]:
    return [zlib.crc32(word.encode("utf-8", "surrogatepass")) for word in words]


def _hang(tokens: int, control: Control) -> None:
    """A native call that never comes back."""
    with control.uninterruptible(tokens):
        time.sleep(_FOR_EVER_S)


def _freeze() -> None:
    """A native call that never comes back and lets no other thread run."""
    re.fullmatch(r"(a+)+b", "a" * 1000)


class ScriptedEmbedder:
    """Makes a vector of eight numbers out of a text's hash."""

    def __init__(self, runtime: ScriptedRuntime) -> None:
        self._fault = runtime.fault

    def embed(self, texts: Sequence[str], control: Control) -> tuple[Vector, ...] | FinishReason:
        vectors: list[Vector] = []
        for text in texts:
            reason = control.stop_reason()
            if reason is not None:
                return reason
            if self._fault == ScriptedFault.COMPUTE_HANGS:
                _hang(len(text.split()), control)
            values = [byte - 127.5 for byte in hashlib.sha256(text.encode()).digest()[:8]]
            length = math.hypot(*values)
            vectors.append(tuple(value / length for value in values))
        return tuple(vectors)

    def close(self) -> None:
        pass


class ScriptedBackend:
    """See the module's text."""

    name = "scripted"

    def open_session(self, spec: LoadSpec, control: Control) -> ScriptedSession:
        runtime = spec.runtime
        assert isinstance(runtime, ScriptedRuntime)
        control.load_progress("loading")
        if runtime.fault == ScriptedFault.LOAD_ABORTS:
            os.abort()
        if runtime.fault == ScriptedFault.LOAD_FAILS:
            raise EnvironmentFault(
                "out_of_memory",
                "There isn't enough memory for this model with this context.",
                "Close other programs, or choose a smaller model or a shorter context.",
            )
        with control.uninterruptible():
            time.sleep(runtime.load_s)
        return ScriptedSession(spec, runtime)

    def open_embedder(self, spec: LoadSpec, control: Control) -> ScriptedEmbedder:
        control.load_progress("loading")
        assert isinstance(spec.runtime, ScriptedRuntime)
        return ScriptedEmbedder(spec.runtime)

    def open_tokenizer(self, spec: LoadSpec, control: Control) -> ScriptedTokenizer:
        assert isinstance(spec.runtime, ScriptedRuntime)
        return ScriptedTokenizer(spec.runtime)

    def report(self) -> BackendReport:
        return BackendReport(name=self.name, version=app.__version__)

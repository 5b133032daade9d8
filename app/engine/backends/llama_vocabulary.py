"""Counts prompts for GGUF models with the vocabulary alone, without the weights."""

import hashlib

from app.engine.answer_stream import AnswerStream
from app.engine.backends.base import Control
from app.engine.backends.context_port import WrittenPrompt
from app.engine.backends.llama_model import LlamaModel
from app.engine.backends.llama_native import Native
from app.engine.backends.llama_prompt import PromptWriter
from app.engine.manifest import Identity
from app.engine.protocol import Generate
from app.engine.spec import LlamaRuntime, LoadSpec
from app.models.gguf import GgufModel
from app.models.gguf_container import GgufArray

_TOKENIZER_KEYS = "tokenizer.ggml."
_CHUNK_BYTES = 1 << 20


class LlamaPromptTokenizer:
    """The vocabulary of a GGUF file, loaded a second time beside the model's own.

    Args:
        native: the loaded library.
        gguf: the checked header of the model's file.
        control: may stop the load.
    """

    def __init__(self, native: Native, gguf: GgufModel, control: Control) -> None:
        self._native = native
        self._gguf = gguf
        self._model = LlamaModel(native, gguf, control, vocabulary_only=True)
        self._writer = PromptWriter(gguf, self._model)
        self._tokenizer_digest = tokenizer_digest(gguf)

    def write(self, turn: Generate, control: Control) -> WrittenPrompt:
        return self._writer.write_prompt(turn, AnswerStream(control, turn))

    def encode(self, text: str, control: Control) -> list[int]:
        return self._writer.encode(text, control)

    def protect(self, text: str) -> str:
        return self._writer.protect(text)

    def identity(self, spec: LoadSpec) -> Identity:
        runtime = spec.runtime
        assert isinstance(runtime, LlamaRuntime)
        return identity(
            spec, runtime, self._gguf, self._native.library_version, self._tokenizer_digest
        )

    @property
    def notes(self) -> tuple[str, ...]:
        return ()

    def close(self) -> None:
        self._model.close()


def identity(
    spec: LoadSpec, runtime: LlamaRuntime, gguf: GgufModel, version: str, tokenizer_digest: str
) -> Identity:
    """What decides the KV of the model in ``gguf``."""
    rope = (
        f"base {gguf.rope_freq_base}, dimensions {gguf.rope_dimension_count},"
        f" scaling {gguf.rope_scaling_type} {gguf.rope_scaling_factor},"
        f" window {gguf.sliding_window}, trained {gguf.context_length}"
    )
    return Identity(
        model_digest=spec.model_digest,
        tokenizer_digest=tokenizer_digest,
        template_digest=hashlib.sha256((gguf.chat_template or "").encode()).hexdigest(),
        profile_digest=spec.profile_digest,
        backend="llama",
        backend_version=version,
        device=runtime.device,
        attention="flash" if runtime.flash_attention else "dense",
        context_tokens=spec.context_tokens,
        rope=rope,
        kv_precision=runtime.kv_cache_type,
        block_tokens=0,
    )


def tokenizer_digest(gguf: GgufModel) -> str:
    """The sha256 over all that the file says about its tokenizer, the template aside."""
    digest = hashlib.sha256()
    with gguf.path.open("rb") as file:
        for key, value in sorted(gguf.container.metadata.items()):
            if not key.startswith(_TOKENIZER_KEYS):
                continue
            digest.update(key.encode() + b"\0")
            if not isinstance(value, GgufArray):
                digest.update(repr(value).encode() + b"\0")
                continue
            file.seek(value.offset)
            left = value.size_bytes
            while left > 0 and (data := file.read(min(left, _CHUNK_BYTES))):
                digest.update(data)
                left -= len(data)
    return digest.hexdigest()

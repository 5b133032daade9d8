"""Counts prompts for OpenVINO models without loading one."""

import hashlib
from pathlib import Path
from typing import Any

import msgspec

from app.engine.answer_stream import AnswerStream
from app.engine.backends.base import Control
from app.engine.backends.context_port import WrittenPrompt
from app.engine.backends.openvino_sparse import plan_sparse
from app.engine.backends.openvino_tokens import ExactTokenizer
from app.engine.manifest import Identity
from app.engine.native_failure import translate
from app.engine.protocol import Generate
from app.engine.spec import LoadSpec, OpenVinoRuntime
from app.models.artifact import OpenVinoFolder

_TOKENIZER_FILES = ("openvino_tokenizer.xml", "openvino_tokenizer.bin")
_ROPE_KEYS = ("rope_theta", "rope_scaling", "rope_parameters", "max_position_embeddings")


class OpenVinoPromptTokenizer:
    """The tokenizer of a model's folder, in an instance of its own.

    Args:
        genai: the module ``openvino_genai``.
        folder: the checked folder.
        context_tokens: the longest prompt that will be served.
        block_tokens: tokens in a KV block of the device.
    """

    def __init__(
        self, genai: Any, folder: OpenVinoFolder, context_tokens: int, block_tokens: int
    ) -> None:
        self._folder = folder
        self._block_tokens = block_tokens
        self._version = str(genai.get_version())
        try:
            tokenizer = genai.Tokenizer(str(folder.path))
        except (RuntimeError, MemoryError) as error:
            raise translate(error) from error
        self._exact = ExactTokenizer(tokenizer, context_tokens)
        self._tokenizer_digest = _digest(folder.path)

    def write(self, turn: Generate, control: Control) -> WrittenPrompt:
        return self._exact.write_prompt(turn, AnswerStream(control, turn))

    def encode(self, text: str, control: Control) -> list[int]:
        return self._exact.encode(text, control)

    def protect(self, text: str) -> str:
        return self._exact.protect(text)

    def identity(self, spec: LoadSpec) -> Identity:
        runtime = spec.runtime
        assert isinstance(runtime, OpenVinoRuntime)
        sparse = plan_sparse(runtime).attempts[0]
        return Identity(
            model_digest=spec.model_digest,
            tokenizer_digest=self._tokenizer_digest,
            template_digest=hashlib.sha256((self._folder.chat_template or "").encode()).hexdigest(),
            profile_digest=spec.profile_digest,
            backend=f"openvino {runtime.pipeline}",
            backend_version=self._version,
            device=runtime.device,
            attention="dense" if sparse is None else msgspec.json.encode(sparse).decode(),
            context_tokens=spec.context_tokens,
            rope=_rope(self._folder.path),
            kv_precision=runtime.kv_cache_precision,
            block_tokens=self._block_tokens,
        )

    @property
    def notes(self) -> tuple[str, ...]:
        return self._exact.notes

    def close(self) -> None:
        """Nothing to do: the tokenizer goes with its last reference."""


def _digest(folder: Path) -> str:
    """The sha256 over the tokenizer's files; they were checked before."""
    digest = hashlib.sha256()
    for name in _TOKENIZER_FILES:
        data = (folder / name).read_bytes()
        digest.update(len(data).to_bytes(8, "little") + data)
    return digest.hexdigest()


def _rope(folder: Path) -> str:
    """What config.json says about positions, in a canonical form."""
    config = msgspec.json.decode((folder / "config.json").read_bytes(), type=dict[str, Any])
    nested = config.get("text_config")
    places = [config, nested] if isinstance(nested, dict) else [config]
    found = {key: place[key] for place in places for key in _ROPE_KEYS if key in place}
    return msgspec.json.encode(found, order="deterministic").decode()

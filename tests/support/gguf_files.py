"""Writes small GGUF files: a whole one, or one with a chosen defect."""

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

_UINT32, _FLOAT32, _BOOL, _STRING, _ARRAY, _INT32 = 4, 6, 7, 8, 9, 5

TOKENS = ("<|endoftext|>", "<|im_start|>", "<|im_end|>", "hello", "world", "é漢", "x", "y")


def default_metadata() -> dict[str, Any]:
    """The metadata of a model with two layers, four heads and eight tokens."""
    return {
        "general.architecture": "llama",
        "general.name": "Tiny",
        "general.file_type": 0,
        "llama.block_count": 2,
        "llama.context_length": 128,
        "llama.embedding_length": 32,
        "llama.feed_forward_length": 64,
        "llama.attention.head_count": 4,
        "llama.attention.head_count_kv": 2,
        "llama.attention.layer_norm_rms_epsilon": 1e-5,
        "llama.rope.freq_base": 10000.0,
        "tokenizer.ggml.model": "gpt2",
        "tokenizer.ggml.tokens": list(TOKENS),
        "tokenizer.ggml.token_type": [3, 3, 3, 1, 1, 1, 1, 4],
        "tokenizer.ggml.merges": ["h e", "w o"],
        "tokenizer.ggml.bos_token_id": 1,
        "tokenizer.ggml.eos_token_id": 2,
        "tokenizer.ggml.add_bos_token": False,
        "tokenizer.chat_template": "{{ messages }}",
    }


def default_tensors() -> dict[str, tuple[int, ...]]:
    """Tensor shapes that fit ``default_metadata``; all elements are 32-bit floats."""
    shapes: dict[str, tuple[int, ...]] = {"token_embd.weight": (32, len(TOKENS))}
    for layer in range(2):
        shapes[f"blk.{layer}.attn_norm.weight"] = (32,)
        shapes[f"blk.{layer}.attn_q.weight"] = (32, 32)
    return shapes


@dataclass
class GgufDraft:
    """What a file shall say. Tests change one thing and write it."""

    metadata: dict[str, Any] = field(default_factory=default_metadata)
    tensors: dict[str, tuple[int, ...]] = field(default_factory=default_tensors)
    tensor_type: int = 0
    version: int = 3
    alignment: int = 32
    shift_bytes: int = 0

    def without(self, key: str) -> "GgufDraft":
        """Removes a metadata key."""
        del self.metadata[key]
        return self

    def with_metadata(self, changes: Mapping[str, Any]) -> "GgufDraft":
        """Sets metadata."""
        self.metadata.update(changes)
        return self

    def header(self) -> bytes:
        """The bytes before the tensor data."""
        out = bytearray(b"GGUF")
        out += struct.pack("<IQQ", self.version, len(self.tensors), len(self.metadata))
        for key, value in self.metadata.items():
            out += _text(key) + _value(value)
        offset = self.shift_bytes
        for name, shape in self.tensors.items():
            out += _text(name) + struct.pack(f"<I{len(shape)}Q", len(shape), *shape)
            out += struct.pack("<IQ", self.tensor_type, offset)
            offset += self._room(shape)
        return bytes(out)

    def content(self) -> bytes:
        """The whole file, with zeros for the tensor data."""
        out = bytearray(self.header())
        out += bytes(-len(out) % self.alignment + self.shift_bytes)
        out += bytes(sum(self._room(shape) for shape in self.tensors.values()))
        return bytes(out)

    def write(self, path: Path) -> Path:
        """Writes the file and returns its path."""
        path.write_bytes(self.content())
        return path

    def _room(self, shape: Sequence[int]) -> int:
        size = 4
        for dimension in shape:
            size *= min(dimension, 1024)
        return -(-size // self.alignment) * self.alignment


def _text(text: str) -> bytes:
    data = text.encode()
    return struct.pack("<Q", len(data)) + data


def _value(value: Any) -> bytes:
    if isinstance(value, list):
        kind = _STRING if value and isinstance(value[0], str) else _INT32
        items = b"".join(_text(v) if kind == _STRING else struct.pack("<i", v) for v in value)
        return struct.pack("<IIQ", _ARRAY, kind, len(value)) + items
    if isinstance(value, bool):
        return struct.pack("<I?", _BOOL, value)
    if isinstance(value, str):
        return struct.pack("<I", _STRING) + _text(value)
    if isinstance(value, float):
        return struct.pack("<If", _FLOAT32, value)
    return struct.pack("<II", _UINT32, value)

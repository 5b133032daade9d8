"""Typed and bounded access to the metadata of a GGUF file."""

import math
from dataclasses import dataclass
from typing import Final

from app.models.gguf_container import Container, GgufArray, damaged
from app.models.gguf_types import ValueType

MAX_LAYERS: Final = 1_024
_MAX_HEADS: Final = 4_096
MAX_EMBEDDING: Final = 1 << 20
MAX_CONTEXT: Final = 1 << 28
MAX_HEAD_DIM: Final = 1 << 16
_MAX_VOCABULARY: Final = 1 << 22
# Layers that some converters count but leave out (multi-token prediction).
_MAX_ABSENT_LAYERS: Final = 8


@dataclass(frozen=True, slots=True)
class GgufTokenizer:
    """The tokenizer's facts. Ids that the file does not name are ``None``."""

    model: str
    pre: str | None
    token_count: int
    merge_count: int
    bos_id: int | None
    eos_id: int | None
    eot_id: int | None
    unknown_id: int | None
    padding_id: int | None
    adds_bos: bool | None
    adds_eos: bool | None
    adds_space_prefix: bool | None


class GgufFacts:
    """Typed and bounded access to the metadata; each wrong value is a named defect."""

    def __init__(self, container: Container) -> None:
        self._container = container
        self._metadata = container.metadata
        architecture = self._metadata.get("general.architecture")
        if not isinstance(architecture, str) or not architecture.isascii() or not architecture:
            raise damaged(container.path, "it names no architecture")
        self.architecture = architecture

    def _wrong(self, key: str) -> Exception:
        return damaged(self._container.path, f"{key!r} is missing or has an implausible value")

    def text(self, key: str) -> str | None:
        """A text, under its full key."""
        value = self._metadata.get(key)
        if value is not None and not isinstance(value, str):
            raise self._wrong(key)
        return value

    def optional_count(self, name: str, limit: int) -> int | None:
        """A whole number; 0 means "not used", as converters write it."""
        key = f"{self.architecture}.{name}"
        value = self._metadata.get(key)
        if value is None:
            return None
        if type(value) is not int or not 0 <= value <= limit:
            raise self._wrong(key)
        return value or None

    def count(self, name: str, limit: int) -> int:
        """A whole number above 0 that must be there."""
        value = self.optional_count(name, limit)
        if value is None:
            raise self._wrong(f"{self.architecture}.{name}")
        return value

    def first_count(self, name: str, limit: int) -> int | None:
        """A number that some models have for each layer; then the largest."""
        key = f"{self.architecture}.{name}"
        if not isinstance(self._metadata.get(key), GgufArray):
            return self.optional_count(name, limit)
        return max(self._whole_numbers(key, limit, MAX_LAYERS), default=None)

    def positive(self, name: str) -> float | None:
        """A finite number above 0; 0 means "not used"."""
        key = f"{self.architecture}.{name}"
        value = self._metadata.get(key)
        if value is None:
            return None
        if not isinstance(value, float) or not math.isfinite(value) or value < 0:
            raise self._wrong(key)
        return value or None

    def per_layer(self, name: str, layers: int, default: tuple[int, ...] | None) -> tuple[int, ...]:
        """A number for each layer; the file may give one for all."""
        key = f"{self.architecture}.{name}"
        value = self._metadata.get(key)
        if value is None and default is not None:
            return default
        if type(value) is int and 1 <= value <= _MAX_HEADS:
            return (value,) * layers
        if not isinstance(value, GgufArray):
            raise self._wrong(key)
        numbers = self._whole_numbers(key, _MAX_HEADS, MAX_LAYERS)
        if len(numbers) != layers or not any(numbers):
            raise self._wrong(key)
        return numbers

    def _whole_numbers(self, key: str, limit: int, most: int) -> tuple[int, ...]:
        array = self._metadata[key]
        if not isinstance(array, GgufArray) or array.count > most:
            raise self._wrong(key)
        values = self._container.elements(array)
        numbers = tuple(v for v in values if type(v) is int and 0 <= v <= limit)
        if len(numbers) != len(values):
            raise self._wrong(key)
        return numbers

    def check_whole(self) -> None:
        """A model split over several files can't be run from one of them."""
        parts = self._metadata.get("split.count", 1)
        if type(parts) is not int or parts > 1:
            raise damaged(self._container.path, "it is one part of a model of several files")

    def check_heads(self, heads: tuple[int, ...], kv_heads: tuple[int, ...]) -> None:
        """Queries share their keys in whole groups."""
        for query, key in zip(heads, kv_heads, strict=True):
            if key > query or (key and query % key):
                raise self._wrong(f"{self.architecture}.attention.head_count_kv")

    def head_dims(self, embedding: int, heads: int) -> tuple[int, int]:
        """The sizes of a key and of a value; what the file does not say is an even split."""
        key = self.optional_count("attention.key_length", MAX_HEAD_DIM)
        value = self.optional_count("attention.value_length", MAX_HEAD_DIM)
        if (key is None or value is None) and embedding % heads:
            raise self._wrong(f"{self.architecture}.attention.head_count")
        return key or embedding // heads, value or embedding // heads

    def check_layers(self, block_count: int) -> None:
        """The tensors must belong to the layers that the metadata announces."""
        layers: set[int] = set()
        for tensor in self._container.tensors:
            prefix, _, rest = tensor.name.partition(".")
            number = rest.partition(".")[0]
            if prefix != "blk":
                continue
            if not (number.isascii() and number.isdigit() and len(number) <= 4):
                raise damaged(self._container.path, f"tensor {tensor.name!r} belongs to no layer")
            layers.add(int(number))
        if (
            not layers
            or max(layers) >= block_count
            or len(layers) < block_count - _MAX_ABSENT_LAYERS
        ):
            raise damaged(
                self._container.path,
                f"it announces {block_count} layers and has {len(layers)}",
            )

    def check_embedding(self, embedding: int, vocabulary: int) -> None:
        """The embedding table must have room for every token."""
        for tensor in self._container.tensors:
            if tensor.name != "token_embd.weight":
                continue
            # Some converters pad the vocabulary of the weights, none cuts it.
            if (
                len(tensor.dimensions) != 2
                or tensor.dimensions[0] != embedding
                or tensor.dimensions[1] < vocabulary
            ):
                raise damaged(self._container.path, "its token embeddings have the wrong shape")
            return
        raise damaged(self._container.path, "it has no token embeddings")

    def tokenizer(self) -> GgufTokenizer:
        """The tokenizer's facts; its lists must fit each other, and each id its list."""
        model = self.text("tokenizer.ggml.model")
        tokens = self._array("tokenizer.ggml.tokens")
        if not model or tokens is None or tokens.element_type is not ValueType.STRING:
            raise damaged(self._container.path, "it has no tokenizer")
        if not 1 <= tokens.count <= _MAX_VOCABULARY:
            raise self._wrong("tokenizer.ggml.tokens")
        for key in ("tokenizer.ggml.token_type", "tokenizer.ggml.scores"):
            beside = self._array(key)
            if beside is not None and beside.count != tokens.count:
                raise self._wrong(key)
        merges = self._array("tokenizer.ggml.merges")

        def token_id(name: str) -> int | None:
            key = f"tokenizer.ggml.{name}_token_id"
            value = self._metadata.get(key)
            # Converters write the largest uint32 for "none".
            if value is None or value == 0xFFFFFFFF:
                return None
            if type(value) is not int or not 0 <= value < tokens.count:
                raise self._wrong(key)
            return value

        return GgufTokenizer(
            model=model,
            pre=self.text("tokenizer.ggml.pre"),
            token_count=tokens.count,
            merge_count=merges.count if merges is not None else 0,
            bos_id=token_id("bos"),
            eos_id=token_id("eos"),
            eot_id=token_id("eot"),
            unknown_id=token_id("unknown"),
            padding_id=token_id("padding"),
            adds_bos=self._flag("tokenizer.ggml.add_bos_token"),
            adds_eos=self._flag("tokenizer.ggml.add_eos_token"),
            adds_space_prefix=self._flag("tokenizer.ggml.add_space_prefix"),
        )

    def _array(self, key: str) -> GgufArray | None:
        value = self._metadata.get(key)
        if value is not None and not isinstance(value, GgufArray):
            raise self._wrong(key)
        return value

    def _flag(self, key: str) -> bool | None:
        value = self._metadata.get(key)
        if value is not None and not isinstance(value, bool):
            raise self._wrong(key)
        return value

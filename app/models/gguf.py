"""What a GGUF file says about its language model, checked for plausibility.

``read_gguf`` is the gate in front of every native reader: the damaged files that were seen to end
a process (cut downloads, flipped header bytes, zero heads, a wrong layer count) are refused here
with a sentence.
"""

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from app.models.gguf_container import Container, GgufArray, ValueType, damaged, read_container

_MAX_LAYERS: Final = 1_024
_MAX_HEADS: Final = 4_096
_MAX_EMBEDDING: Final = 1 << 20
_MAX_CONTEXT: Final = 1 << 28
_MAX_HEAD_DIM: Final = 1 << 16
_MAX_VOCABULARY: Final = 1 << 22
# Layers that some converters count but leave out (multi-token prediction).
_MAX_ABSENT_LAYERS: Final = 8

# llama.cpp's llama_ftype: how the file as a whole was quantised.
_FILE_TYPES: Final = {
    0: "F32", 1: "F16", 2: "Q4_0", 3: "Q4_1", 7: "Q8_0", 8: "Q5_0", 9: "Q5_1", 10: "Q2_K",
    11: "Q3_K_S", 12: "Q3_K_M", 13: "Q3_K_L", 14: "Q4_K_S", 15: "Q4_K_M", 16: "Q5_K_S",
    17: "Q5_K_M", 18: "Q6_K", 19: "IQ2_XXS", 20: "IQ2_XS", 21: "Q2_K_S", 22: "IQ3_XS",
    23: "IQ3_XXS", 24: "IQ1_S", 25: "IQ4_NL", 26: "IQ3_S", 27: "IQ3_M", 28: "IQ2_S", 29: "IQ2_M",
    30: "IQ4_XS", 31: "IQ1_M", 32: "BF16", 36: "TQ1_0", 37: "TQ2_0", 38: "MXFP4",
}  # fmt: skip

# llama.cpp's token types; 1 is ordinary text.
_CONTROL_TOKEN: Final = 3
_USER_DEFINED_TOKEN: Final = 4


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


@dataclass(frozen=True, slots=True)
class SpecialToken:
    """A token that is no ordinary text. ``is_control``: it is never part of an answer's text."""

    id: int
    text: str
    is_control: bool


@dataclass(frozen=True, slots=True)
class GgufModel:
    """A language model as its GGUF header describes it.

    ``head_counts`` and ``kv_head_counts`` have one entry for each of ``block_count`` layers.
    ``rope_freq_base`` and the others that are ``None`` are not in the file.
    """

    container: Container
    architecture: str
    name: str | None
    licence: str | None
    context_length: int
    block_count: int
    embedding_length: int
    feed_forward_length: int | None
    head_counts: tuple[int, ...]
    kv_head_counts: tuple[int, ...]
    head_dim: int
    value_head_dim: int
    rope_freq_base: float | None
    rope_dimension_count: int | None
    rope_scaling_type: str | None
    rope_scaling_factor: float | None
    sliding_window: int | None
    norm_epsilon: float | None
    has_output_tensor: bool
    quantisation: str | None
    tokenizer: GgufTokenizer
    chat_template: str | None

    @property
    def path(self) -> Path:
        return self.container.path

    @property
    def size_bytes(self) -> int:
        return self.container.size_bytes

    @property
    def head_count(self) -> int:
        """The largest number of query heads in a layer."""
        return max(self.head_counts)

    @property
    def kv_head_count(self) -> int:
        """The largest number of key and value heads in a layer."""
        return max(self.kv_head_counts)

    def tokens(self) -> tuple[str, ...]:
        """Reads the vocabulary, in the order of the ids, as the tokenizer's own spelling."""
        return tuple(str(token) for token in self._list("tokenizer.ggml.tokens"))

    def special_tokens(self) -> tuple[SpecialToken, ...]:
        """Reads the tokens that are no ordinary text, in the order of their ids.

        A file without token types has none.
        """
        types = self._list("tokenizer.ggml.token_type")
        kinds = (_CONTROL_TOKEN, _USER_DEFINED_TOKEN)
        wanted = {i: t for i, t in enumerate(types) if t in kinds}
        if not wanted:
            return ()
        tokens = self.tokens()
        return tuple(
            SpecialToken(i, tokens[i], kind == _CONTROL_TOKEN) for i, kind in wanted.items()
        )

    def _list(self, key: str) -> tuple[str | int | float | bool, ...]:
        array = self.container.metadata.get(key)
        return self.container.elements(array) if isinstance(array, GgufArray) else ()


def read_gguf(path: Path) -> GgufModel:
    """Reads the header of the GGUF file at ``path`` and checks that a model can follow from it.

    Takes well under a second for any file, and loads no tensor data.

    Raises:
        DataFault: ``model_damaged`` names the defect, ``model_incomplete`` a missing file.
        EnvironmentFault: ``model_unreadable``, when the disk or the permissions refuse.
    """
    container = read_container(path)
    facts = _Facts(container)
    facts.check_whole()
    block_count = facts.count("block_count", _MAX_LAYERS)
    embedding = facts.count("embedding_length", _MAX_EMBEDDING)
    heads = facts.per_layer("attention.head_count", block_count, None)
    kv_heads = facts.per_layer("attention.head_count_kv", block_count, heads)
    facts.check_heads(heads, kv_heads)
    facts.check_layers(block_count)
    head_dim, value_head_dim = facts.head_dims(embedding, max(heads))
    tokenizer = facts.tokenizer()
    facts.check_embedding(embedding, tokenizer.token_count)
    file_type = container.metadata.get("general.file_type")
    return GgufModel(
        container=container,
        architecture=facts.architecture,
        name=facts.text("general.name"),
        licence=facts.text("general.license"),
        context_length=facts.count("context_length", _MAX_CONTEXT),
        block_count=block_count,
        embedding_length=embedding,
        feed_forward_length=facts.first_count("feed_forward_length", _MAX_EMBEDDING),
        head_counts=heads,
        kv_head_counts=kv_heads,
        head_dim=head_dim,
        value_head_dim=value_head_dim,
        rope_freq_base=facts.positive("rope.freq_base"),
        rope_dimension_count=facts.optional_count("rope.dimension_count", _MAX_HEAD_DIM),
        rope_scaling_type=facts.text(f"{facts.architecture}.rope.scaling.type"),
        rope_scaling_factor=facts.positive("rope.scaling.factor"),
        sliding_window=facts.optional_count("attention.sliding_window", _MAX_CONTEXT),
        norm_epsilon=facts.positive("attention.layer_norm_rms_epsilon")
        or facts.positive("attention.layer_norm_epsilon"),
        has_output_tensor=any(tensor.name == "output.weight" for tensor in container.tensors),
        quantisation=_FILE_TYPES.get(file_type) if type(file_type) is int else None,
        tokenizer=tokenizer,
        chat_template=facts.text("tokenizer.chat_template"),
    )


class _Facts:
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
        value = self.optional_count(name, limit)
        if value is None:
            raise self._wrong(f"{self.architecture}.{name}")
        return value

    def first_count(self, name: str, limit: int) -> int | None:
        """A number that some models have for each layer; then the largest."""
        key = f"{self.architecture}.{name}"
        if not isinstance(self._metadata.get(key), GgufArray):
            return self.optional_count(name, limit)
        return max(self._whole_numbers(key, limit, _MAX_LAYERS), default=None)

    def positive(self, name: str) -> float | None:
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
        numbers = self._whole_numbers(key, _MAX_HEADS, _MAX_LAYERS)
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
        key = self.optional_count("attention.key_length", _MAX_HEAD_DIM)
        value = self.optional_count("attention.value_length", _MAX_HEAD_DIM)
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

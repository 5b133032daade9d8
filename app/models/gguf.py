"""What a GGUF file says about its language model, checked for plausibility.

``read_gguf`` is the gate in front of every native reader: the damaged files that were seen to end
a process (cut downloads, flipped header bytes, zero heads, a wrong layer count) are refused here
with a sentence.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from app.models.gguf_container import Container, GgufArray, read_container
from app.models.gguf_facts import (
    MAX_CONTEXT,
    MAX_EMBEDDING,
    MAX_HEAD_DIM,
    MAX_LAYERS,
    GgufFacts,
    GgufTokenizer,
)

__all__ = ["GgufModel", "GgufTokenizer", "SpecialToken", "read_gguf"]

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
    facts = GgufFacts(container)
    facts.check_whole()
    block_count = facts.count("block_count", MAX_LAYERS)
    embedding = facts.count("embedding_length", MAX_EMBEDDING)
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
        context_length=facts.count("context_length", MAX_CONTEXT),
        block_count=block_count,
        embedding_length=embedding,
        feed_forward_length=facts.first_count("feed_forward_length", MAX_EMBEDDING),
        head_counts=heads,
        kv_head_counts=kv_heads,
        head_dim=head_dim,
        value_head_dim=value_head_dim,
        rope_freq_base=facts.positive("rope.freq_base"),
        rope_dimension_count=facts.optional_count("rope.dimension_count", MAX_HEAD_DIM),
        rope_scaling_type=facts.text(f"{facts.architecture}.rope.scaling.type"),
        rope_scaling_factor=facts.positive("rope.scaling.factor"),
        sliding_window=facts.optional_count("attention.sliding_window", MAX_CONTEXT),
        norm_epsilon=facts.positive("attention.layer_norm_rms_epsilon")
        or facts.positive("attention.layer_norm_epsilon"),
        has_output_tensor=any(tensor.name == "output.weight" for tensor in container.tensors),
        quantisation=_FILE_TYPES.get(file_type) if type(file_type) is int else None,
        tokenizer=tokenizer,
        chat_template=facts.text("tokenizer.chat_template"),
    )

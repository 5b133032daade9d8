"""The figures of a model that decide what its KV cache costs.

They come from ``config.json`` or from a GGUF header, already decoded.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final, Self

from msgspec import Struct

from app.core.errors import DataFault

_NESTED: Final = ("text_config", "llm_config")
_WINDOWED_TYPES: Final = frozenset(
    {
        "sliding_attention",
        "sliding",
        "local_attention",
        "local",
        "windowed_attention",
        "windowed",
    }
)
_WINDOWED_LETTERS: Final = frozenset("lsw")
_MAX_LAYERS: Final = 4096
_MAX_FIGURE: Final = 2**40


class LayerShape(Struct, frozen=True, kw_only=True):
    """One layer: its KV heads (fewer than the query heads in GQA) and the width of each.

    ``window_tokens`` is the sliding window, absent for a layer that sees everything.
    """

    kv_heads: int
    key_dim: int
    value_dim: int
    window_tokens: int | None = None

    def kept_tokens(self, tokens: int, batch_tokens: int) -> int:
        """Tokens out of ``tokens`` that this layer keeps while ``batch_tokens`` are computed."""
        if self.window_tokens is None:
            return tokens
        return min(tokens, self.window_tokens + batch_tokens)


class ModelShape(Struct, frozen=True, kw_only=True):
    """All layers, and the context the model was trained for (absent if its files don't say)."""

    layers: tuple[LayerShape, ...]
    trained_context_tokens: int | None = None

    @classmethod
    def uniform(
        cls,
        *,
        layers: int,
        kv_heads: int,
        head_dim: int,
        trained_context_tokens: int | None = None,
    ) -> Self:
        """A model whose layers are all alike and see everything."""
        layer = LayerShape(kv_heads=kv_heads, key_dim=head_dim, value_dim=head_dim)
        return cls(layers=(layer,) * layers, trained_context_tokens=trained_context_tokens)

    @classmethod
    def from_config(cls, config: Mapping[str, Any]) -> Self:
        """Reads the decoded ``config.json`` of an OpenVINO or Hugging Face model.

        A model with a picture part keeps the figures of its language part in ``text_config`` or
        ``llm_config``.

        Raises:
            DataFault: ``model_shape_unknown``.
        """
        text = _language_part(config)
        count = _positive(text, "num_hidden_layers")
        heads = _positive(text, "num_attention_heads")
        kv_heads = _positive(text, "num_key_value_heads", default=heads)
        head_dim = _figure(text, "head_dim") or _positive(text, "hidden_size") // heads
        if head_dim < 1 or count > _MAX_LAYERS:
            raise _unknown("num_hidden_layers and head_dim")
        window = _figure(text, "sliding_window")
        windowed = _windowed_layers(text, count, has_window=window is not None)
        plain = LayerShape(kv_heads=kv_heads, key_dim=head_dim, value_dim=head_dim)
        sliding = LayerShape(
            kv_heads=kv_heads, key_dim=head_dim, value_dim=head_dim, window_tokens=window
        )
        return cls(
            layers=tuple(sliding if is_windowed else plain for is_windowed in windowed),
            trained_context_tokens=_figure(text, "max_position_embeddings"),
        )

    @classmethod
    def from_gguf(cls, values: Mapping[str, Any]) -> Self:
        """Reads the key-value part of a GGUF header, keys as in the file.

        Raises:
            DataFault: ``model_shape_unknown``.
        """
        name = values.get("general.architecture")
        if not isinstance(name, str):
            raise _unknown("general.architecture")
        own = {
            key.removeprefix(f"{name}."): value
            for key, value in values.items()
            if key.startswith(f"{name}.")
        }
        count = _positive(own, "block_count")
        if count > _MAX_LAYERS:
            raise _unknown("block_count")
        heads = _for_each_layer(own, "attention.head_count", count)
        kv_heads = _for_each_layer(own, "attention.head_count_kv", count, default=heads)
        width = _positive(own, "embedding_length") // max(heads[0], 1)
        key_dim = _positive(own, "attention.key_length", default=width)
        value_dim = _positive(own, "attention.value_length", default=key_dim)
        window = _figure(own, "attention.sliding_window")
        pattern = own.get("attention.sliding_window_pattern")
        # llama.cpp hard-codes the pattern of some families; without one in the file every layer is
        # taken to see everything, which can only count too much.
        windowed = _windowed_layers(
            {"sliding_window_pattern": pattern},
            count,
            has_window=window is not None and pattern is not None,
        )
        layers = tuple(
            LayerShape(
                kv_heads=kv_heads[index],
                key_dim=(_figure(own, "attention.key_length_swa") or key_dim)
                if windowed[index]
                else key_dim,
                value_dim=(_figure(own, "attention.value_length_swa") or value_dim)
                if windowed[index]
                else value_dim,
                window_tokens=window if windowed[index] else None,
            )
            for index in range(count)
        )
        return cls(layers=layers, trained_context_tokens=_figure(own, "context_length"))


def _language_part(config: Mapping[str, Any]) -> Mapping[str, Any]:
    if _figure(config, "num_hidden_layers") is not None:
        return config
    for name in _NESTED:
        nested = config.get(name)
        if isinstance(nested, Mapping):
            return nested
    return config


def _windowed_layers(text: Mapping[str, Any], count: int, *, has_window: bool) -> Sequence[bool]:
    """Says for each layer whether it has the sliding window.

    ``layer_types`` names each layer. ``sliding_window_pattern`` is a stride (each n-th layer sees
    everything), one flag or name for each layer, or letters that repeat. A window without either
    belongs to all layers.
    """
    if not has_window or text.get("use_sliding_window") is False:
        return [False] * count
    kinds = text.get("layer_types")
    if isinstance(kinds, list) and kinds:
        return [_is_windowed(kinds[index % len(kinds)]) for index in range(count)]
    pattern = text.get("sliding_window_pattern")
    if isinstance(pattern, int) and not isinstance(pattern, bool) and pattern > 0:
        return [(index + 1) % pattern != 0 for index in range(count)]
    if isinstance(pattern, str) and pattern:
        letters = pattern.lower()
        return [letters[index % len(letters)] in _WINDOWED_LETTERS for index in range(count)]
    if isinstance(pattern, list) and pattern:
        return [_is_windowed(pattern[index % len(pattern)]) for index in range(count)]
    return [True] * count


def _is_windowed(kind: object) -> bool:
    if isinstance(kind, str):
        return kind.lower() in _WINDOWED_TYPES or kind.lower() in _WINDOWED_LETTERS
    return bool(kind)


def _for_each_layer(
    own: Mapping[str, Any], key: str, count: int, *, default: Sequence[int] | None = None
) -> Sequence[int]:
    """A figure that GGUF writes once for all layers or as one list."""
    value = own.get(key)
    if isinstance(value, list):
        if len(value) != count or not all(_is_count(one) for one in value):
            raise _unknown(key)
        return value
    if default is not None and _figure(own, key) is None:
        return default
    return [_positive(own, key)] * count


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _MAX_FIGURE


def _figure(text: Mapping[str, Any], key: str) -> int | None:
    value = text.get(key)
    return int(value) if _is_count(value) and value else None


def _positive(text: Mapping[str, Any], key: str, *, default: int | None = None) -> int:
    value = _figure(text, key) or default
    if value is None:
        raise _unknown(key)
    return value


def _unknown(key: str) -> DataFault:
    return DataFault(
        "model_shape_unknown",
        f"The model's files don't say how large its KV cache is ({key} is missing or wrong).",
        "Verify the model; if its files are right, it can't be used here.",
    )

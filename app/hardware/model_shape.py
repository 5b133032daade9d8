"""The figures of a model that decide what its KV cache costs.

They come from a decoded ``config.json``, or from figures that another reader has checked.
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
    def from_figures(
        cls,
        *,
        kv_heads: Sequence[int],
        key_dim: int,
        value_dim: int | None = None,
        window_tokens: int | None = None,
        windowed_layers: int = 0,
        trained_context_tokens: int | None = None,
    ) -> Self:
        """A model whose figures another reader has checked: the catalogue's or a GGUF header's.

        Args:
            kv_heads: one entry for each layer.
            windowed_layers: how many layers have the window. llama.cpp hard-codes that for some
                families; 0 where it isn't known, which can only count too much.
        """
        values = key_dim if value_dim is None else value_dim
        layers = tuple(
            LayerShape(
                kv_heads=heads,
                key_dim=key_dim,
                value_dim=values,
                window_tokens=window_tokens if index < windowed_layers else None,
            )
            for index, heads in enumerate(kv_heads)
        )
        return cls(layers=layers, trained_context_tokens=trained_context_tokens)


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

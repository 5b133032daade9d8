from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.errors import DataFault
from app.hardware.model_shape import LayerShape, ModelShape

_QWEN = {
    "num_hidden_layers": 36,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "hidden_size": 2560,
    "head_dim": 128,
    "max_position_embeddings": 40960,
    "sliding_window": None,
}


def _windows(shape: ModelShape) -> list[int | None]:
    return [layer.window_tokens for layer in shape.layers]


def test_a_config_with_all_figures() -> None:
    assert ModelShape.from_config(_QWEN) == ModelShape.uniform(
        layers=36, kv_heads=8, head_dim=128, trained_context_tokens=40960
    )


def test_absent_kv_heads_are_the_attention_heads_and_absent_width_is_worked_out() -> None:
    shape = ModelShape.from_config(
        {"num_hidden_layers": 2, "num_attention_heads": 9, "hidden_size": 576}
    )
    assert shape == ModelShape.uniform(layers=2, kv_heads=9, head_dim=64)


@pytest.mark.parametrize("name", ["text_config", "llm_config"])
def test_the_language_part_of_a_picture_model_is_read(name: str) -> None:
    config = {"max_position_embeddings": 1, "hidden_size": 1, name: _QWEN}
    assert ModelShape.from_config(config) == ModelShape.from_config(_QWEN)


@pytest.mark.parametrize(
    ("extra", "windows"),
    [
        ({}, [None] * 6),
        ({"sliding_window": 512}, [512] * 6),
        ({"sliding_window": 512, "use_sliding_window": False}, [None] * 6),
        ({"sliding_window_pattern": 3}, [None] * 6),
        ({"sliding_window": 512, "sliding_window_pattern": 3}, [512, 512, None] * 2),
        ({"sliding_window": 512, "sliding_window_pattern": "LG"}, [512, None] * 3),
        ({"sliding_window": 512, "sliding_window_pattern": ["local", "global", "s"]},
         [512, None, 512] * 2),
        ({"sliding_window": 512,
          "layer_types": ["sliding_attention", "full_attention", "windowed"] * 2},
         [512, None, 512] * 2),
        ({"sliding_window": 512, "layer_types": ["full_attention"] * 6,
          "sliding_window_pattern": 2}, [None] * 6),
    ],
)  # fmt: skip
def test_sliding_windows_of_a_config(extra: dict[str, Any], windows: list[int | None]) -> None:
    assert _windows(ModelShape.from_config({**_QWEN, "num_hidden_layers": 6, **extra})) == windows


@pytest.mark.parametrize(
    "broken",
    [
        {},
        {"num_hidden_layers": "36"},
        {**_QWEN, "num_hidden_layers": 0},
        {**_QWEN, "num_hidden_layers": True},
        {**_QWEN, "num_hidden_layers": 10**9},
        {**_QWEN, "head_dim": None, "hidden_size": 1},
        {**_QWEN, "num_attention_heads": -4},
        {"text_config": "x"},
    ],
)
def test_a_config_without_its_figures_is_refused(broken: dict[str, Any]) -> None:
    with pytest.raises(DataFault) as caught:
        ModelShape.from_config(broken)
    assert caught.value.code == "model_shape_unknown"


def test_figures_of_another_reader_with_heads_for_each_layer_and_own_widths() -> None:
    shape = ModelShape.from_figures(
        kv_heads=(2, 4),
        key_dim=256,
        value_dim=128,
        window_tokens=512,
        windowed_layers=1,
        trained_context_tokens=100,
    )
    assert shape.layers == (
        LayerShape(kv_heads=2, key_dim=256, value_dim=128, window_tokens=512),
        LayerShape(kv_heads=4, key_dim=256, value_dim=128),
    )
    assert shape.trained_context_tokens == 100


def test_a_window_that_belongs_to_an_unknown_number_of_layers_counts_every_layer_in_full() -> None:
    shape = ModelShape.from_figures(kv_heads=(3,) * 30, key_dim=64, window_tokens=512)
    assert shape == ModelShape.uniform(layers=30, kv_heads=3, head_dim=64)


_VALUES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3) | st.lists(
    st.integers() | st.text(max_size=3), max_size=3
)  # fmt: skip


@given(st.dictionaries(st.sampled_from([*_QWEN, "layer_types", "sliding_window_pattern"]), _VALUES))
def test_any_config_is_read_or_refused(changes: dict[str, Any]) -> None:
    shape = _read_or_none({**_QWEN, **changes})
    if shape is not None:
        assert shape.layers
        assert all(layer.kv_heads > 0 and layer.key_dim > 0 for layer in shape.layers)


def _read_or_none(config: dict[str, Any]) -> ModelShape | None:
    try:
        return ModelShape.from_config(config)
    except DataFault:
        return None

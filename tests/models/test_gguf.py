"""The gate in front of the native GGUF readers."""

import math
import random
import struct
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.core.errors import DataFault
from app.models.gguf import SpecialToken, read_gguf
from app.models.gguf_container import GgufArray, read_container
from tests.support.gguf_files import TOKENS, GgufDraft
from tests.support.promptness import at_most

_WHOLE = GgufDraft().content()
_HEADER_BYTES = len(GgufDraft().header())


def _seeded(examples: int) -> settings:
    """The same examples in every run, each within a second."""
    return settings(
        max_examples=examples,
        deadline=1000,
        derandomize=True,
        suppress_health_check=[HealthCheck.function_scoped_fixture],
    )


def _defect(path: Path) -> str:
    with pytest.raises(DataFault) as caught:
        read_gguf(path)
    assert caught.value.code == "model_damaged"
    assert path.name in caught.value.message
    return caught.value.message


def test_a_whole_file_gives_what_a_starter_needs(tmp_path: Path) -> None:
    model = read_gguf(GgufDraft().write(tmp_path / "é tiny.gguf"))
    assert model.architecture == "llama"
    assert model.name == "Tiny"
    assert (model.context_length, model.block_count, model.embedding_length) == (128, 2, 32)
    assert (model.head_count, model.kv_head_count, model.head_dim) == (4, 2, 8)
    assert model.kv_head_counts == (2, 2)
    assert model.rope_freq_base == 10000.0
    assert model.norm_epsilon == pytest.approx(1e-5)
    assert model.quantisation == "F32"
    assert model.chat_template == "{{ messages }}"
    assert model.tokenizer.model == "gpt2"
    assert (model.tokenizer.bos_id, model.tokenizer.eos_id) == (1, 2)
    assert model.tokenizer.padding_id is None
    assert model.tokenizer.adds_bos is False
    assert model.tokenizer.merge_count == 2
    assert not model.has_output_tensor


def test_the_vocabulary_is_read_on_demand(tmp_path: Path) -> None:
    model = read_gguf(GgufDraft().write(tmp_path / "tiny.gguf"))
    assert model.tokens() == TOKENS
    assert model.special_tokens() == (
        SpecialToken(0, "<|endoftext|>", is_control=True),
        SpecialToken(1, "<|im_start|>", is_control=True),
        SpecialToken(2, "<|im_end|>", is_control=True),
        SpecialToken(7, "y", is_control=False),
    )


def test_a_list_keeps_its_elements_in_the_file(tmp_path: Path) -> None:
    container = read_container(GgufDraft().write(tmp_path / "tiny.gguf"))
    tokens = container.metadata["tokenizer.ggml.tokens"]
    assert isinstance(tokens, GgufArray)
    assert tokens.count == len(TOKENS)


def test_tensor_offsets_count_from_the_start_of_the_file(tmp_path: Path) -> None:
    path = GgufDraft().write(tmp_path / "tiny.gguf")
    container = read_container(path)
    last = max(container.tensors, key=lambda tensor: tensor.offset)
    assert last.offset + last.size_bytes == path.stat().st_size


def test_heads_may_differ_from_layer_to_layer(tmp_path: Path) -> None:
    draft = GgufDraft().with_metadata(
        {"llama.attention.head_count": [4, 2], "llama.attention.head_count_kv": [2, 0]}
    )
    model = read_gguf(draft.write(tmp_path / "tiny.gguf"))
    assert model.head_counts == (4, 2)
    assert model.kv_head_counts == (2, 0)


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"general.architecture": 7}, "architecture"),
        ({"general.architecture": ""}, "architecture"),
        ({"general.alignment": 24}, "alignment"),
        ({"split.count": 3}, "several files"),
        ({"llama.block_count": 0}, "block_count"),
        ({"llama.block_count": 1}, "layers"),
        ({"llama.block_count": 100_000}, "block_count"),
        ({"llama.block_count": 500}, "layers"),
        ({"llama.block_count": "two"}, "block_count"),
        ({"llama.block_count": True}, "block_count"),
        ({"llama.context_length": 0}, "context_length"),
        ({"llama.embedding_length": 7}, "head_count"),
        ({"llama.embedding_length": 64}, "embeddings"),
        ({"llama.attention.head_count": 0}, "head_count"),
        ({"llama.attention.head_count": 4.0}, "head_count"),
        ({"llama.attention.head_count": [4, 4, 4]}, "head_count"),
        ({"llama.attention.head_count": [0, 0]}, "head_count"),
        ({"llama.attention.head_count_kv": 3}, "head_count_kv"),
        ({"llama.attention.head_count_kv": 8}, "head_count_kv"),
        ({"llama.attention.key_length": 1 << 20}, "key_length"),
        ({"llama.rope.freq_base": math.nan}, "freq_base"),
        ({"llama.rope.freq_base": -1.0}, "freq_base"),
        ({"tokenizer.ggml.model": 3}, "tokenizer.ggml.model"),
        ({"tokenizer.ggml.tokens": []}, "tokenizer"),
        ({"tokenizer.ggml.tokens": ["a"] * 9}, "token_type"),
        ({"tokenizer.ggml.token_type": [1] * 7}, "token_type"),
        ({"tokenizer.ggml.token_type": 1}, "token_type"),
        ({"tokenizer.ggml.eos_token_id": 8}, "eos_token_id"),
        ({"tokenizer.ggml.add_bos_token": 1}, "add_bos_token"),
        ({"tokenizer.chat_template": 1}, "chat_template"),
    ],
)
def test_implausible_metadata_is_named(tmp_path: Path, changes: dict[str, Any], named: str) -> None:
    assert named in _defect(GgufDraft().with_metadata(changes).write(tmp_path / "bad.gguf"))


@pytest.mark.parametrize(
    ("key", "named"),
    [
        ("general.architecture", "architecture"),
        ("llama.block_count", "block_count"),
        ("llama.attention.head_count", "head_count"),
        ("tokenizer.ggml.tokens", "tokenizer"),
    ],
)
def test_missing_metadata_is_named(tmp_path: Path, key: str, named: str) -> None:
    assert named in _defect(GgufDraft().without(key).write(tmp_path / "bad.gguf"))


@pytest.mark.parametrize(
    ("draft", "named"),
    [
        (GgufDraft(version=1), "version 1"),
        (GgufDraft(version=0x03000000), "version"),
        (GgufDraft(tensors={}), "count of 0 tensors"),
        (GgufDraft(tensor_type=4), "unknown type 4"),
        (GgufDraft(tensor_type=14), "shape"),
        (GgufDraft(shift_bytes=8), "misaligned"),
        (GgufDraft(tensors={"token_embd.weight": (32, 8, 1, 1, 1)}), "rank"),
        (GgufDraft(tensors={"token_embd.weight": (32, 1 << 50)}), "shape"),
        (GgufDraft(tensors={"token_embd.weight": (32, 1 << 39)}), "bytes of"),
        (GgufDraft(tensors={"token_embd.weight": (32, 8)}), "layers"),
        (GgufDraft(tensors={"blk.0.x": (32,), "blk.1.x": (32,)}), "embeddings"),
        (GgufDraft(tensors={"blk.-1.x": (32,)}), "no layer"),
    ],
)
def test_an_impossible_tensor_table_is_named(tmp_path: Path, draft: GgufDraft, named: str) -> None:
    assert named in _defect(draft.write(tmp_path / "bad.gguf"))


def test_tensors_that_overlap_are_refused(tmp_path: Path) -> None:
    content = bytearray(_WHOLE)
    # The last eight bytes of the table are the last tensor's offset.
    struct.pack_into("<Q", content, _HEADER_BYTES - 8, 0)
    path = tmp_path / "bad.gguf"
    path.write_bytes(content)
    assert "overlaps" in _defect(path)


def test_claims_far_beyond_the_file_cost_nothing(tmp_path: Path) -> None:
    start = struct.pack("<4sIQQ", b"GGUF", 3, 1, 1)
    texts = struct.pack("<Q1sIIQ", 1, b"k", 9, 8, 1 << 60)
    numbers = struct.pack("<Q1sIIQ", 1, b"k", 9, 11, 1 << 60)
    for claim in (texts, numbers, struct.pack("<Q", 1 << 63)):
        path = tmp_path / "bad.gguf"
        path.write_bytes(start + claim + bytes(1000))
        with at_most(0.1):
            _defect(path)


def test_many_empty_texts_are_bounded(tmp_path: Path) -> None:
    count = 3_000_000
    path = tmp_path / "bad.gguf"
    with path.open("wb") as file:
        file.write(struct.pack("<4sIQQQ1sIIQ", b"GGUF", 3, 1, 1, 1, b"k", 9, 8, count))
        file.truncate(8 * count + 1000)
    with at_most(0.5):
        assert "implausible" in _defect(path)


def test_what_is_no_gguf_is_said_to_be_none(tmp_path: Path) -> None:
    for content in (b"", b"GG", b"version https://git-lfs.github.com/spec/v1\n", bytes(4096)):
        path = tmp_path / "bad.gguf"
        path.write_bytes(content)
        assert "no GGUF file" in _defect(path)


def test_a_folder_is_refused_and_a_missing_file_is_incomplete(tmp_path: Path) -> None:
    folder = tmp_path / "folder.gguf"
    folder.mkdir()
    assert "folder" in _defect(folder)
    with pytest.raises(DataFault) as caught:
        read_gguf(tmp_path / "missing.gguf")
    assert caught.value.code == "model_incomplete"


def test_a_file_that_shrank_is_noticed_when_a_list_is_read(tmp_path: Path) -> None:
    path = GgufDraft().write(tmp_path / "tiny.gguf")
    model = read_gguf(path)
    path.write_bytes(_WHOLE[:200])
    with pytest.raises(DataFault):
        model.tokens()


@given(length=st.integers(0, len(_WHOLE) - 1))
@_seeded(150)
def test_every_cut_is_refused(tmp_path: Path, length: int) -> None:
    path = tmp_path / "cut.gguf"
    path.write_bytes(_WHOLE[:length])
    _defect(path)


@given(seed=st.integers(0, 2**32), flips=st.integers(1, 20))
@_seeded(300)
def test_flipped_header_bytes_raise_nothing_but_a_data_fault(
    tmp_path: Path, seed: int, flips: int
) -> None:
    chance = random.Random(seed)
    content = bytearray(_WHOLE)
    for _ in range(flips):
        content[chance.randrange(_HEADER_BYTES)] = chance.randrange(256)
    path = tmp_path / "flipped.gguf"
    path.write_bytes(content)
    try:
        model = read_gguf(path)
        model.tokens()
        model.special_tokens()
    except DataFault as fault:
        code = fault.code
    else:
        code = "model_damaged"
    assert code == "model_damaged"

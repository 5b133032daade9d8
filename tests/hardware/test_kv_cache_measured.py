"""Holds the arithmetic against the library itself, on the starter model."""

import functools
import json
import subprocess
import sys
from pathlib import Path
from typing import Final

import msgspec
import pytest

from app.hardware.capacity import WORKING_BYTES
from app.hardware.kv_cache import (
    CPU_BLOCK_TOKENS,
    KvPrecision,
    kv_allocated_bytes_per_token,
    kv_bytes_per_token,
)
from app.hardware.model_shape import ModelShape
from app.models.library import InstalledModel

pytestmark = [pytest.mark.ov, pytest.mark.real_model]

# Untouched blocks cost address space only; many of them make the difference stand out.
_BLOCKS: Final = 4000
_PROMPT_TOKENS: Final = 256

_MEASURE: Final = """
import sys

sys.modules["openvino_telemetry"] = None
import json
import numpy
import openvino
import openvino_genai
import psutil

folder, precision, blocks, tokens = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
scheduler = openvino_genai.SchedulerConfig()
scheduler.num_kv_blocks = blocks
pipeline = openvino_genai.ContinuousBatchingPipeline(
    folder, scheduler, "CPU", {"KV_CACHE_PRECISION": precision}
)
config = openvino_genai.GenerationConfig()
config.max_new_tokens = 1
before = psutil.Process().memory_info().vms
ids = openvino.Tensor(numpy.full((1, tokens), 5, dtype=numpy.int64))
pipeline.generate([ids], [config])
memory = psutil.Process().memory_info()
print(json.dumps({
    "pool": pipeline.get_metrics().kv_cache_size_in_bytes,
    "reserved": memory.vms - before,
    "resident": memory.rss,
}))
"""


class _Measured(msgspec.Struct):
    pool: int
    reserved: int
    resident: int


@functools.cache
def _measure(model: InstalledModel, precision: str) -> _Measured:
    done = subprocess.run(
        [sys.executable, "-c", _MEASURE, str(model.path), precision, str(_BLOCKS),
         str(_PROMPT_TOKENS)],
        check=True, capture_output=True, text=True, timeout=100,
    )  # fmt: skip
    return msgspec.json.decode(done.stdout, type=_Measured)


def _shape(model: InstalledModel) -> ModelShape:
    return ModelShape.from_config(json.loads((Path(model.path) / "config.json").read_text("utf-8")))


@pytest.mark.parametrize("precision", ["u8", "u4"])
def test_ov2_the_library_counts_a_token_as_the_arithmetic_does(
    starter_openvino: InstalledModel, precision: str
) -> None:
    per_token = kv_bytes_per_token(_shape(starter_openvino), KvPrecision(precision))
    measured = _measure(starter_openvino, precision)
    assert measured.pool == per_token * CPU_BLOCK_TOKENS * _BLOCKS


@pytest.mark.skipif(sys.platform == "win32", reason="reserved address space is counted otherwise")
def test_a_pool_takes_the_memory_that_the_sum_counts_and_the_process_no_more_than_its_working_space(
    starter_openvino: InstalledModel,
) -> None:
    shape = _shape(starter_openvino)
    eight, four = (_measure(starter_openvino, precision) for precision in ("u8", "u4"))
    difference = (
        kv_allocated_bytes_per_token(shape, KvPrecision.U8)
        - kv_allocated_bytes_per_token(shape, KvPrecision.U4)
    ) * (CPU_BLOCK_TOKENS * _BLOCKS)
    assert eight.reserved - four.reserved == pytest.approx(difference, rel=0.15)

    weights = (Path(starter_openvino.path) / "openvino_model.bin").stat().st_size
    touched = kv_bytes_per_token(shape, KvPrecision.U8) * _PROMPT_TOKENS
    assert eight.resident <= weights + touched + WORKING_BYTES

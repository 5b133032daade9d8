"""XATTENTION's controls reach the library and are read back, by a door that only tests have.

The product refuses XATTENTION on a CPU, where it gives wrong answers. Here a child process builds
the pipeline past that refusal, so that the control surface is proved on machines without a GPU.
"""

import multiprocessing
from multiprocessing.connection import Connection
from typing import Any

import pytest

from app.engine.outcome import SessionReport
from app.engine.spec import LoadSpec, OpenVinoRuntime, SparseAttention
from app.models.library import InstalledModel
from tests.engine.backends.conftest import openvino_spec

pytestmark = [pytest.mark.s1, pytest.mark.real_model]

ASKED = SparseAttention(
    num_last_dense_tokens_in_prefill=32,
    xattention_threshold=0.8,
    xattention_block_size=64,
    xattention_stride=8,
)


def _build_past_the_refusal(connection: Connection, spec: LoadSpec) -> None:
    """The child: its library is not used for anything else."""
    from app.core.telemetry import block_telemetry
    from app.engine.backends.openvino import _build_paged, import_genai

    block_telemetry()
    runtime = spec.runtime
    assert isinstance(runtime, OpenVinoRuntime)
    session = _build_paged(import_genai(), spec, runtime, runtime.sparse_attention, ())
    connection.send(session.describe())
    session.close()


def test_s1_the_xattention_controls_are_read_back_with_metrics(
    starter_openvino: InstalledModel,
) -> None:
    values: dict[str, Any] = {"mode": "xattention"} | {
        name: getattr(ASKED, name) for name in ASKED.__struct_fields__ if name != "mode"
    }
    spec = openvino_spec(
        starter_openvino, num_kv_blocks=40, use_sparse_attention=True, sparse_attention=values
    )
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe(duplex=False)
    child = context.Process(target=_build_past_the_refusal, args=(theirs, spec))
    child.start()
    theirs.close()
    report = ours.recv()
    child.join(60)
    ours.close()
    assert isinstance(report, SessionReport)
    assert report.library["use_sparse_attention"] == "true"
    assert report.library["sparseAttentionMode"] == "XATTENTION"
    assert report.library["num_last_dense_tokens_in_prefill"] == "32"
    assert float(report.library["xattention_threshold"]) == pytest.approx(0.8)
    assert report.library["xattention_block_size"] == "64"
    assert report.library["xattention_stride"] == "8"
    # The warm-up is long enough to run the sparse kernel: four of its blocks and the dense tokens.
    assert report.metrics["cache_usage"] > 0
    assert report.metrics["pool_blocks"] == 40

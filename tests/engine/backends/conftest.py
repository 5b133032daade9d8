"""One engine for each module, and specs of the starter model on each pipeline."""

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from app.engine.spec import LoadSpec, OpenVinoRuntime, Pipeline
from app.models.library import InstalledModel
from tests.engine.conftest import Engine

SMALL_POOL_BLOCKS = 300
"""9,600 tokens: more than the starter's context, and small enough to be allocated at once."""


def openvino_spec(
    model: InstalledModel,
    *,
    context_tokens: int | None = None,
    path: Path | None = None,
    **runtime: object,
) -> LoadSpec:
    """The starter on OpenVINO; ``runtime`` overrides fields of ``OpenVinoRuntime``."""
    values: dict[str, object] = {"cache_size_gib": None, "num_kv_blocks": SMALL_POOL_BLOCKS}
    return LoadSpec(
        model_name=model.name,
        model_path=str(path or model.path),
        model_digest=model.digest,
        context_tokens=context_tokens or model.context_tokens,
        runtime=msgspec.convert(
            {"type": "openvino"} | values | runtime, OpenVinoRuntime, strict=False
        ),
    )


@pytest.fixture(scope="module")
def shared_engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    engine = Engine(tmp_path_factory.mktemp("logs"))
    yield engine
    engine.client.close()


@pytest.fixture
def paged(starter_openvino: InstalledModel) -> LoadSpec:
    return openvino_spec(starter_openvino, pipeline=Pipeline.PAGED)

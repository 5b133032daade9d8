from collections.abc import Iterator
from pathlib import Path

import pytest

from app.engine.client import EngineClient


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EngineClient]:
    logs: Path = tmp_path_factory.mktemp("logs")
    made = EngineClient(log_dir=logs)
    yield made
    made.close()

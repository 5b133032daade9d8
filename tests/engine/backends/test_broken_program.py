"""A part of OpenVINO is missing: the error names it, and blames neither the model nor the disk."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from app.engine.protocol import Convert, Failed, Load, new_request_id
from app.models.library import InstalledModel
from tests.engine.backends.conftest import openvino_spec
from tests.engine.conftest import Engine, Recorder

pytestmark = pytest.mark.real_model


@pytest.fixture
def engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Engine]:
    """Its library looks for openvino_tokenizers where there is nothing."""
    monkeypatch.setenv("OPENVINO_TOKENIZERS_PATH_GENAI", str(tmp_path / "nothing here"))
    made = Engine(tmp_path / "logs")
    yield made
    made.client.close()


def test_a_load_and_a_conversion_name_the_part_that_is_missing(
    engine: Engine, starter_openvino: InstalledModel, starter_gguf: InstalledModel, tmp_path: Path
) -> None:
    source, target = str(starter_gguf.path), str(tmp_path / "target")
    for request in (
        Load(request=new_request_id(), spec=openvino_spec(starter_openvino)),
        Convert(request=new_request_id(), source=source, target=target),
    ):
        recorder = Recorder()
        engine.client.submit(request, recorder)
        end = recorder.end()
        assert isinstance(end, Failed), end
        assert end.error.code == "tokenizers_missing"
        assert "is missing or damaged: openvino_tokenizers," in end.error.message
        assert end.error.remedy == "Install the program again."

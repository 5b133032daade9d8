"""A model that turned out to be none of text is refused before the engine sees it."""

import json
import shutil
from pathlib import Path

import pytest

from app.core.errors import DataFault
from app.models.library import InstalledModel, Library
from app.workflows.load_preparation import require_text_model


@pytest.mark.real_model
def test_ov6_a_vision_model_is_refused_before_a_load(
    starter_openvino: InstalledModel, starter_gguf: InstalledModel, tmp_path: Path
) -> None:
    require_text_model(starter_openvino)
    require_text_model(starter_gguf)
    library = Library(tmp_path)
    shutil.copytree(
        starter_openvino.folder, tmp_path / starter_openvino.name / starter_openvino.variant
    )
    (copied,) = library.installed()
    config = copied.folder / "config.json"
    config.write_text(json.dumps(json.loads(config.read_text()) | {"vision_config": {}}))
    with pytest.raises(DataFault) as caught:
        require_text_model(copied)
    assert caught.value.code == "unsupported_pipeline"
    (copied.folder / "openvino_vision_embeddings_model.xml").write_bytes(b"")
    with pytest.raises(DataFault, match="vision"):
        require_text_model(copied)

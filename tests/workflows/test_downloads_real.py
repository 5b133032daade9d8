"""The starter, served by a Hub as two repositories, is downloaded, answers, and is held to its
bytes afterwards.
"""

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from app.core.errors import DataFault
from app.core.paths import DataRoot
from app.engine.chat import ChatMessage, Role
from app.engine.client import EngineClient
from app.engine.protocol import Delta, Event, Generate, new_request_id
from app.models.catalog import Backend, Catalog, FilePin, Trust
from app.models.download_state import DownloadState
from app.models.library import InstalledModel
from app.workflows.load_spec import load_spec
from tests.support.download_machine import Machine
from tests.support.loopback_hub import LoopbackHub
from tests.support.model_files import GGUF_REPOSITORY, OPENVINO_REPOSITORY, tiny_catalog

pytestmark = pytest.mark.real_model


def _catalog(gguf: str) -> Catalog:
    """A list whose one model is the starter, each variant as a first-use row of the Hub."""
    catalog = tiny_catalog({}, trust=Trust.FIRST_USE)
    change = msgspec.structs.replace
    model = catalog.models[0]
    variants = tuple(
        change(variant, files=(FilePin(path=gguf, size_bytes=None, sha256=None),))
        if variant.backend is Backend.LLAMA
        else variant
        for variant in model.variants
    )
    return change(catalog, models=(change(model, variants=variants),))


@pytest.fixture
def machine(
    data_root: DataRoot,
    tmp_path: Path,
    starter_openvino: InstalledModel,
    starter_gguf: InstalledModel,
) -> Iterator[Machine]:
    files = {
        path.relative_to(starter_openvino.folder).as_posix(): path.read_bytes()
        for path in starter_openvino.folder.rglob("*")
        if path.is_file() and path.name not in ("manifest.json", "contenox-verified.json")
    }
    with LoopbackHub() as hub:
        made = Machine(hub, data_root, tmp_path)
        hub.add(OPENVINO_REPOSITORY, files)
        hub.add(GGUF_REPOSITORY, {starter_gguf.path.name: starter_gguf.path.read_bytes()})
        yield made
        made.close()


def _ask(client: EngineClient, model: InstalledModel) -> str:
    text: list[str] = []

    def on_event(event: Event) -> None:
        if isinstance(event, Delta):
            text.append(event.text)

    question = ChatMessage(role=Role.USER, content="What is the capital of France?")
    request = Generate(
        request=new_request_id(),
        spec=load_spec(model, context_tokens=1024),
        messages=(question,),
        max_tokens=40,
    )
    client.call(request, on_event)
    return "".join(text)


def test_the_starter_comes_over_the_hub_answers_and_is_held_to_its_bytes(
    machine: Machine, starter_gguf: InstalledModel, tmp_path: Path
) -> None:
    machine.hub.fault(path="openvino_model.bin", cut_at=50_000_000, times=1)
    machine.hub.fault(path="openvino_model.bin", corrupt_at=70_000_000, times=1)
    downloads = machine.started(_catalog(starter_gguf.path.name))
    downloads.get("tiny", "openvino")
    downloads.get("tiny", "llama")
    for variant in ("openvino", "gguf"):
        view = machine.wait(
            downloads, DownloadState.INSTALLED, DownloadState.FAILED, variant=variant
        )
        assert view.reason is None
    model = machine.library.find("tiny", "openvino")
    machine.library.verify(machine.library.find("tiny", "llama"))
    client = EngineClient(log_dir=tmp_path / "logs")
    try:
        assert "Paris" in _ask(client, model)
    finally:
        client.close()
    weights = model.folder / "openvino_model.bin"
    with weights.open("r+b") as file:
        file.seek(1_000_000)
        file.write(b"tampered")
    with pytest.raises(DataFault) as caught:
        machine.library.verify(model)
    assert "openvino_model.bin" in caught.value.message

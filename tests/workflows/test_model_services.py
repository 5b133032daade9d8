"""The models of one data root behind both skins."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.core.errors import EnvironmentFault, UserError
from app.core.paths import DataRoot
from app.core.settings import SettingsFile
from app.engine.client import EngineClient, Notice
from app.engine.outcome import SlotState
from app.engine.protocol import Ready, StateChanged
from app.engine.spec import LoadSpec, ScriptedRuntime
from app.hardware.readings import DeviceInventory, ProbeOutcome
from app.models.library import Library
from app.workflows.model_services import ModelProgress
from app.workflows.services import Services
from tests.support.gguf_files import GgufDraft
from tests.support.model_folders import install_tiny


@pytest.fixture
def services(data_root: DataRoot) -> Iterator[Services]:
    made = Services(
        data_root=data_root,
        settings_file=SettingsFile(data_root.settings_file),
        library=Library(data_root.models),
        engine=EngineClient(log_dir=data_root.logs),
        probe=lambda: DeviceInventory.cpu_only("Some CPU", ProbeOutcome.COMPLETE, ""),
    )
    yield made
    made.close()


def test_a_model_on_an_absent_drive_is_not_called_unknown(
    services: Services, tmp_path: Path
) -> None:
    install_tiny(services.library)
    services.models.table.rows()
    assert services.find_model("tiny").name == "tiny"
    shutil.move(services.library.store, tmp_path / "pulled out")
    for name in ("tiny", None):
        with pytest.raises(EnvironmentFault) as caught:
            services.find_model(name)
        assert caught.value.code == "store_missing"
    shutil.move(tmp_path / "pulled out", services.library.store)
    assert services.find_model("tiny").name == "tiny"


@pytest.mark.parametrize(
    ("name", "backend", "named"),
    [
        ("qwen3-0.6b", None, "qwen3-0.6b"),
        ("QWEN3-0.6B", "llama", "qwen3-0.6b/gguf"),
        ("qwen3-0.6b/gguf", None, "qwen3-0.6b/gguf"),
        ("starter", None, "smollm2-135m-instruct"),
    ],
)
def test_a_model_of_the_list_that_is_not_installed_is_not_called_unknown(
    services: Services, name: str, backend: str | None, named: str
) -> None:
    with pytest.raises(UserError) as caught:
        services.find_model(name, backend)
    assert caught.value.record().line == (
        f"{named} is in the list of models, but it isn't installed here."
        f" Get it with: contenox models get {named} [model_not_installed]"
    )


def test_a_model_that_nobody_knows_is_called_unknown(services: Services) -> None:
    for name in ("qwen3-0.6", "qwen3-0.6b/nonsense"):
        with pytest.raises(UserError) as caught:
            services.find_model(name)
        assert caught.value.code == "model_not_found"


def test_what_openvino_s_variables_say_is_nothing_to_llama(
    services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = install_tiny(services.library, variant="gguf")
    monkeypatch.setenv("CONTENOX_OPENVINO_DEVICE", "GPU.0")
    assert services.choose_device(model, None).device == "CPU"
    with pytest.raises(UserError) as caught:
        services.choose_device(model, "GPU.0")
    assert caught.value.code == "llama_on_cpu_only"


def test_notices_are_noted_and_passed_on(services: Services) -> None:
    heard: list[Notice] = []
    services.observe(heard.append)
    spec = LoadSpec(
        model_name="m", model_path="", model_digest="d", context_tokens=8,
        runtime=ScriptedRuntime(),
    )  # fmt: skip
    state = StateChanged(generation=1, state=SlotState.READY, spec=spec, peak_rss_bytes=7)
    for notice in (Ready(pid=1), state):
        services._heed(notice)
    assert heard == [Ready(pid=1), state]
    (peak,) = services.models.peaks.of("d", "CPU")
    assert peak.peak_bytes == 7


def test_quitting_ends_the_undo(services: Services) -> None:
    model = install_tiny(services.library)
    services.models.trash.put(model)
    assert (services.library.store / ".trash").is_dir()
    services.close()
    assert not (services.library.store / ".trash").exists()


def test_an_import_reports_each_byte_and_ends_at_its_total(
    services: Services, tmp_path: Path
) -> None:
    seen: list[ModelProgress] = []
    path = GgufDraft().write(tmp_path / "mine.gguf")
    (model,) = services.models.import_from(path, report=seen.append)
    assert model.full_name == "mine/gguf"
    assert seen[-1].done_bytes == seen[-1].total_bytes
    services.models.verify(model, seen.append)
    assert (seen[-1].model, seen[-1].done_bytes) == ("mine/gguf", model.size_bytes)


def test_an_export_goes_nowhere_near_the_store(services: Services, tmp_path: Path) -> None:
    model = install_tiny(services.library)
    (tmp_path / "file").write_bytes(b"")
    for folder in (services.library.store, services.library.store / "below", tmp_path / "file"):
        with pytest.raises(UserError) as caught:
            services.models.export_to(model, folder)
        assert caught.value.code == "export_target"


def test_what_was_exported_keeps_its_name(services: Services, tmp_path: Path) -> None:
    path = GgufDraft().write(tmp_path / "mine.gguf")
    (model,) = services.models.import_from(path)
    exported = services.models.export_to(model, tmp_path / "stick")
    Library(tmp_path / "stick").verify(exported)
    with pytest.raises(UserError) as caught:
        services.models.import_from(tmp_path / "stick", "other-name")
    assert caught.value.code == "name_not_free"
    assert services.models.import_from(tmp_path / "stick") == (model,)


def test_no_queue_costs_no_database(services: Services, data_root: DataRoot) -> None:
    assert services.models.known_downloads() == ()
    assert not (data_root.path / "downloads.sqlite3").exists()
    assert not services.models.someone_downloads()

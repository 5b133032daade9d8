"""The one table: listed, installed, broken, away; and what a first run is offered."""

import shutil
from pathlib import Path

import msgspec
import pytest

from app.core.errors import UserError
from app.core.units import GIB
from app.hardware.host import HostMemory
from app.hardware.readings import DeviceInventory, DeviceKind, DeviceReading, cpu_reading
from app.models.catalog import Catalog, LicenceKind, load_catalog
from app.models.download_state import DownloadState
from app.models.library import InstalledModel, Library
from app.models.remembered import ModelMemory
from app.workflows.download_view import DownloadView
from app.workflows.model_fit import FitVerdict
from app.workflows.model_list import ModelList
from app.workflows.model_row import ModelRow, RowState
from app.workflows.observed_peaks import ObservedPeaks
from tests.support.model_files import openvino_files
from tests.support.model_folders import manifest_of, stage


class Table:
    """A list over a store of this test's own, on a machine of a given size."""

    def __init__(self, folder: Path, *, free_bytes: int = 20 * GIB) -> None:
        self.library = Library(folder / "store é漢")
        self.memory = ModelMemory(folder / "seen.json")
        self.catalog: Catalog = load_catalog()
        self.probes = 0
        self.held_bytes = 0
        self.list = ModelList(
            self.library,
            self.memory,
            self.catalog,
            ObservedPeaks(folder / "peaks.json"),
            self._devices,
            lambda: self.held_bytes,
            lambda: HostMemory(total_bytes=32 * GIB, available_bytes=free_bytes),
        )

    def _devices(self) -> DeviceInventory:
        self.probes += 1
        gpu = DeviceReading(
            id="GPU",
            full_name="Some GPU",
            kind=DeviceKind.DISCRETE_GPU,
            total_bytes=8 * GIB,
            free_bytes=7 * GIB,
        )
        return DeviceInventory(devices=(cpu_reading("Some CPU"), gpu))

    def install(self, name: str, variant: str, *, imported: bool = False) -> InstalledModel:
        staging = stage(self.library)
        backend = "llama" if variant == "gguf" else "openvino"
        manifest = manifest_of(staging, name, variant, backend)
        manifest = msgspec.structs.replace(manifest, imported=imported)
        return self.library.install(staging, manifest)

    def find(self, full_name: str) -> ModelRow:
        return next(row for row in self.list.rows() if row.full_name == full_name)


@pytest.fixture
def table(tmp_path: Path) -> Table:
    return Table(tmp_path)


def test_every_row_of_the_list_is_there_in_its_order(table: Table) -> None:
    rows = table.list.rows()
    listed = [(model.name, variant.name) for model, variant in table.catalog.rows()]
    assert [(row.name, row.variant) for row in rows] == listed
    assert {row.state for row in rows} == {RowState.AVAILABLE}
    assert all(row.curated and row.digest is None for row in rows)
    assert table.probes == 0


def test_an_installed_row_has_its_own_facts_and_the_words_of_the_list(table: Table) -> None:
    model = table.install("qwen3-8b", "openvino")
    row = table.find("qwen3-8b/openvino")
    assert (row.state, row.curated, row.title) == (RowState.INSTALLED, True, "Qwen3 8B")
    assert (row.digest, row.size_bytes) == (model.digest, model.size_bytes)
    assert row.licence_kind is LicenceKind.PERMISSIVE
    assert row.verified_at is not None
    assert row.path == str(model.path)
    assert table.find("qwen3-8b/gguf").state is RowState.AVAILABLE


def test_what_a_person_brought_is_marked_and_comes_last(table: Table) -> None:
    table.install("mine", "gguf", imported=True)
    table.install("qwen3-8b", "gguf", imported=True)
    rows = table.list.rows()
    assert rows[-1].full_name == "mine/gguf"
    assert not rows[-1].curated
    assert (rows[-1].publisher, rows[-1].repository) == (None, None)
    carried = table.find("qwen3-8b/gguf")
    assert not carried.curated
    assert (carried.publisher, carried.trust) == (None, None)


def test_a_broken_model_hides_nothing_and_says_why(table: Table) -> None:
    for name in ("qwen3-8b", "mine"):
        (table.install(name, "openvino").folder / "model.bin").unlink()
    for name in ("qwen3-8b", "mine"):
        row = table.find(f"{name}/openvino")
        assert row.state is RowState.BROKEN
        assert row.problem is not None
        assert "model.bin" in row.problem.message
        assert row.folder is not None
    assert table.find("mine/openvino").fit.verdict is FitVerdict.UNKNOWN


def test_a_drive_that_is_away_greys_its_models(table: Table, tmp_path: Path) -> None:
    table.install("qwen3-8b", "openvino")
    table.install("mine", "gguf", imported=True)
    table.list.rows()
    assert table.list.disk().free_bytes is not None
    shutil.move(table.library.store, tmp_path / "pulled out")
    for name in ("qwen3-8b/openvino", "mine/gguf"):
        assert table.find(name).state is RowState.AWAY
    assert (table.list.disk().free_bytes, table.list.disk().models_bytes) == (None, 0)
    table.list.forget(table.find("mine/gguf"))
    assert not any(row.name == "mine" for row in table.list.rows())
    shutil.move(tmp_path / "pulled out", table.library.store)
    assert table.find("qwen3-8b/openvino").state is RowState.INSTALLED


def test_a_download_is_shown_on_its_row_until_it_is_done(table: Table) -> None:
    view = DownloadView(
        model="qwen3-8b", variant="openvino", state=DownloadState.PAUSED, done_bytes=1,
        total_bytes=2,
    )  # fmt: skip
    done = msgspec.structs.replace(view, variant="gguf", state=DownloadState.INSTALLED)
    rows = {row.full_name: row for row in table.list.rows(downloads=(view, done))}
    assert rows["qwen3-8b/openvino"].download == view
    assert rows["qwen3-8b/gguf"].download is None


def test_another_device_is_asked_for_its_own_memory(table: Table) -> None:
    rows = {row.full_name: row.fit for row in table.list.rows(device="GPU")}
    assert table.probes == 1
    assert rows["qwen3-14b/openvino"].verdict is FitVerdict.DOES_NOT_FIT
    assert "on GPU" in rows["qwen3-14b/openvino"].sentence
    with pytest.raises(UserError, match="NPU") as caught:
        table.list.rows(device="NPU")
    assert "CPU, GPU" in caught.value.remedy
    assert caught.value.code == "device_unknown"


def test_what_the_engine_holds_counts_as_free(tmp_path: Path) -> None:
    table = Table(tmp_path, free_bytes=4 * GIB)
    assert table.find("qwen3-8b/openvino").fit.verdict is FitVerdict.DOES_NOT_FIT
    table.held_bytes = 8 * GIB
    assert table.find("qwen3-8b/openvino").fit.verdict is FitVerdict.FITS


@pytest.mark.parametrize("name", ["qwen3-8b", "QWEN3-8B", "qwen3-8b/gguf"])
def test_one_row_is_found_by_name(table: Table, name: str) -> None:
    assert table.list.row(name).name == "qwen3-8b"


def test_an_alias_means_its_model_and_the_installed_variant_comes_first(table: Table) -> None:
    assert table.list.row("starter").name == "smollm2-135m-instruct"
    table.install("qwen3-8b", "gguf")
    assert table.list.row("qwen3-8b").variant == "gguf"
    with pytest.raises(UserError) as caught:
        table.list.row("nope")
    assert caught.value.code == "model_unknown"


def test_an_observed_peak_reaches_the_row(table: Table, tmp_path: Path) -> None:
    files = openvino_files(tmp_path / "files")
    files["config.json"] = files["config.json"].replace(
        b"{", b'{"num_hidden_layers": 2, "num_attention_heads": 4, "hidden_size": 256, ', 1
    )
    staging = stage(table.library, files)
    model = table.library.install(staging, manifest_of(staging))
    (tmp_path / "peaks.json").write_bytes(
        msgspec.json.encode(
            [{"digest": model.digest, "device": "CPU", "context_tokens": 128, "peak_bytes": 9**11}]
        )
    )
    row = table.find("tiny/openvino")
    assert row.fit.observed_peak_bytes == 9**11
    assert row.fit.verdict is FitVerdict.DOES_NOT_FIT

"""Fits here: one sum, from the list's figures or the files' own; unknown stays unknown."""

import json
from pathlib import Path

import msgspec
import pytest

from app.core.units import GIB, MIB
from app.engine.spec import LlamaRuntime, LoadSpec
from app.hardware.budget import MemoryBudget
from app.hardware.capacity import WORKING_BYTES
from app.models.catalog import Catalog, Model, Variant, load_catalog
from app.models.library import InstalledModel, Library
from app.workflows.model_fit import (
    FitFigures,
    FitVerdict,
    Unknown,
    figures_of_installed,
    figures_of_row,
    judge,
)
from app.workflows.observed_peaks import ObservedPeak, ObservedPeaks
from tests.support.gguf_files import GgufDraft
from tests.support.model_files import openvino_files
from tests.support.model_folders import manifest_of, stage


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return load_catalog()


def _budget(usable_bytes: int, device: str = "CPU") -> MemoryBudget:
    return MemoryBudget(
        device=device,
        total_bytes=64 * GIB,
        free_bytes=usable_bytes + 512 * MIB,
        reserve_bytes=512 * MIB,
        shared_with_host=True,
    )


def _figures(catalog: Catalog, name: str, backend: str) -> FitFigures:
    model, variant = catalog.find(name, backend)
    figures = figures_of_row(model, variant)
    assert isinstance(figures, FitFigures)
    return figures


def test_every_row_of_the_list_has_a_verdict(catalog: Catalog) -> None:
    for model, variant in catalog.rows():
        fit = judge(figures_of_row(model, variant), _budget(16 * GIB))
        assert fit.verdict is not FitVerdict.UNKNOWN, model.name
        assert fit.sentence
        assert fit.context_tokens == min(8192, model.trained_context_tokens or 8192)


def test_the_sum_of_a_published_8b_model(catalog: Catalog) -> None:
    fit = judge(_figures(catalog, "qwen3-8b", "llama"), _budget(16 * GIB))
    assert fit.weights_bytes == 5_027_783_488
    # 36 layers, 8 KV heads of 128, keys and values of 2 bytes.
    assert fit.kv_bytes == 8192 * 36 * 8 * 128 * 2 * 2
    assert fit.working_bytes == WORKING_BYTES
    total = fit.weights_bytes + fit.kv_bytes + fit.working_bytes
    assert fit.spare_bytes == 16 * GIB - total
    assert fit.verdict is FitVerdict.FITS
    assert fit.largest_context_tokens == 40_960


@pytest.mark.parametrize(
    ("usable_gib", "verdict"),
    [(16, FitVerdict.FITS), (6, FitVerdict.TIGHT), (4, FitVerdict.DOES_NOT_FIT)],
)
def test_the_verdict_follows_the_memory(
    catalog: Catalog, usable_gib: int, verdict: FitVerdict
) -> None:
    fit = judge(_figures(catalog, "qwen3-8b", "openvino"), _budget(usable_gib * GIB))
    assert fit.verdict is verdict
    assert fit.spare_bytes is not None
    assert (fit.spare_bytes < 0) == (verdict is FitVerdict.DOES_NOT_FIT)
    assert "can be used on CPU" in fit.sentence


def test_a_longer_context_takes_more_and_never_more_than_was_trained(catalog: Catalog) -> None:
    figures = _figures(catalog, "qwen3-8b", "llama")
    short, long = (judge(figures, _budget(16 * GIB), tokens) for tokens in (2048, 32_768))
    assert short.kv_bytes is not None
    assert long.kv_bytes == 16 * short.kv_bytes
    beyond = judge(figures, _budget(16 * GIB), 1_000_000)
    assert beyond.context_tokens == 40_960


def _without_figures(catalog: Catalog) -> tuple[Model, Variant]:
    model, variant = catalog.find("qwen3-8b", "llama")
    memory = msgspec.structs.replace(model.memory, layers=None)
    return msgspec.structs.replace(model, memory=memory), variant


def test_a_row_without_figures_is_unknown_with_the_reason(catalog: Catalog) -> None:
    figures = figures_of_row(*_without_figures(catalog))
    assert isinstance(figures, Unknown)
    fit = judge(figures, _budget(16 * GIB))
    assert fit.verdict is FitVerdict.UNKNOWN
    assert "Qwen3 8B" in fit.sentence
    assert fit.spare_bytes is None


def test_the_width_of_a_head_follows_from_the_hidden_size(catalog: Catalog) -> None:
    model, variant = catalog.find("qwen3-8b", "llama")
    memory = msgspec.structs.replace(model.memory, head_dim=None)
    derived = figures_of_row(msgspec.structs.replace(model, memory=memory), variant)
    assert derived == _figures(catalog, "qwen3-8b", "llama")


def _install_openvino(tmp_path: Path, **config: object) -> InstalledModel:
    files = openvino_files(tmp_path / "files")
    known = json.loads(files["config.json"])
    files["config.json"] = json.dumps(known | config).encode()
    library = Library(tmp_path / "store")
    staging = stage(library, files)
    return library.install(staging, manifest_of(staging))


def test_an_installed_model_is_judged_by_its_own_files(tmp_path: Path) -> None:
    model = _install_openvino(tmp_path, num_hidden_layers=2, num_attention_heads=4, hidden_size=256)
    figures = figures_of_installed(model)
    assert isinstance(figures, FitFigures)
    assert figures.weights_bytes == 2_500_000
    assert len(figures.shape.layers) == 2
    assert figures.shape.layers[0].key_dim == 64
    fit = judge(figures, _budget(4 * GIB))
    assert (fit.verdict, fit.context_tokens) == (FitVerdict.FITS, 128)


def test_files_that_tell_nothing_are_unknown(tmp_path: Path) -> None:
    fit = judge(figures_of_installed(_install_openvino(tmp_path)), _budget(4 * GIB))
    assert fit.verdict is FitVerdict.UNKNOWN
    assert "num_hidden_layers" in fit.sentence


def test_a_gguf_tells_its_own_figures(tmp_path: Path) -> None:
    library = Library(tmp_path / "store")
    staging = stage(library, {"tiny.gguf": GgufDraft().content()})
    manifest = manifest_of(staging, "mine", "gguf", "llama", "tiny.gguf")
    figures = figures_of_installed(library.install(staging, manifest))
    assert isinstance(figures, FitFigures)
    fit = judge(figures, _budget(4 * GIB))
    # 128 tokens, 2 layers, 2 KV heads of 8, keys and values of 2 bytes.
    assert fit.kv_bytes == 128 * 2 * 2 * 8 * 2 * 2


def _peak(context_tokens: int, peak_bytes: int) -> ObservedPeak:
    return ObservedPeak(
        digest="d", device="CPU", context_tokens=context_tokens, peak_bytes=peak_bytes
    )


def test_an_observed_peak_corrects_the_sum_upwards_and_never_downwards(catalog: Catalog) -> None:
    figures = _figures(catalog, "qwen3-8b", "llama")
    plain = judge(figures, _budget(8 * GIB))
    low = judge(figures, _budget(8 * GIB), peaks=(_peak(8192, 5 * GIB),))
    assert low.working_bytes == plain.working_bytes
    assert low.observed_peak_bytes == 5 * GIB
    high = judge(figures, _budget(8 * GIB), peaks=(_peak(8192, 9 * GIB),))
    assert high.verdict is FitVerdict.DOES_NOT_FIT
    assert high.spare_bytes == -GIB
    assert plain.verdict is not FitVerdict.DOES_NOT_FIT
    assert "9.7 GB" in high.sentence


def test_a_peak_at_another_context_counts_by_what_it_left_over(catalog: Catalog) -> None:
    figures = _figures(catalog, "qwen3-8b", "llama")
    seen = judge(figures, _budget(16 * GIB), 2048, (_peak(8192, 7 * GIB),))
    plain = judge(figures, _budget(16 * GIB), 8192)
    assert plain.weights_bytes is not None
    assert plain.kv_bytes is not None
    assert seen.working_bytes == 7 * GIB - plain.weights_bytes - plain.kv_bytes


def test_a_peak_of_the_process_says_nothing_about_a_gpu(catalog: Catalog) -> None:
    figures = _figures(catalog, "qwen3-8b", "openvino")
    fit = judge(figures, _budget(16 * GIB, "GPU"), peaks=(_peak(8192, 15 * GIB),))
    assert fit.working_bytes == WORKING_BYTES
    assert fit.observed_peak_bytes is None


def _spec(digest: str = "d", context_tokens: int = 1024) -> LoadSpec:
    return LoadSpec(
        model_name="m", model_path="", model_digest=digest, context_tokens=context_tokens,
        runtime=LlamaRuntime(),
    )  # fmt: skip


def test_peaks_are_kept_by_model_device_and_context(tmp_path: Path) -> None:
    path = tmp_path / "peaks.json"
    peaks = ObservedPeaks(path)
    peaks.record(_spec(), 1000)
    peaks.record(_spec(), 1010)
    peaks.record(_spec(), 2000)
    peaks.record(_spec(), 1500)
    peaks.record(_spec(context_tokens=2048), 3000)
    peaks.record(_spec("other"), 4000)
    again = ObservedPeaks(path)
    found = {peak.context_tokens: peak.peak_bytes for peak in again.of("d", "CPU")}
    assert found == {1024: 2000, 2048: 3000}
    assert again.of("d", "GPU") == ()


def test_peaks_that_can_not_be_read_or_written_stop_nothing(tmp_path: Path) -> None:
    path = tmp_path / "file" / "peaks.json"
    (tmp_path / "file").write_bytes(b"x")
    peaks = ObservedPeaks(path)
    peaks.record(_spec(), 1000)
    assert [peak.peak_bytes for peak in peaks.of("d", "CPU")] == [1000]
    other = tmp_path / "odd.json"
    other.write_bytes(b"[{]")
    assert ObservedPeaks(other).of("d", "CPU") == ()


def test_only_so_many_peaks_are_kept(tmp_path: Path) -> None:
    peaks = ObservedPeaks(tmp_path / "peaks.json")
    for number in range(205):
        peaks.record(_spec(str(number)), 1)
    again = ObservedPeaks(tmp_path / "peaks.json")
    assert again.of("0", "CPU") == ()
    assert len(again.of("204", "CPU")) == 1

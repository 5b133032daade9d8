"""Compiled models on disk: one folder for each thing compiled, a cap, and where they help."""

import os
from pathlib import Path

import pytest

from app.engine.compiled_cache import compiled_cache, compiled_cache_folder, trim
from app.engine.protocol import Finished
from app.engine.spec import Pipeline
from app.models.library import InstalledModel
from tests.engine.backends.conftest import openvino_spec
from tests.engine.conftest import Engine, ask

CAPITAL = "What is the capital of France?"


def folder_of(root: Path, **changed: str) -> Path:
    key = {"model_digest": "m", "device": "GPU.0 Arc", "driver": "1", "runtime_version": "2026"}
    return compiled_cache_folder(root, **(key | changed))


def fill(folder: Path, size_bytes: int, used_at: int) -> Path:
    folder.mkdir()
    (folder / "model.blob").write_bytes(bytes(size_bytes))
    (folder / "last-used").touch()
    os.utime(folder / "last-used", (used_at, used_at))
    return folder


@pytest.mark.parametrize("part", ["model_digest", "device", "driver", "runtime_version"])
def test_another_model_device_driver_or_runtime_is_another_folder(
    tmp_path: Path, part: str
) -> None:
    assert folder_of(tmp_path) == folder_of(tmp_path)
    assert folder_of(tmp_path, **{part: "other"}) != folder_of(tmp_path)
    assert folder_of(tmp_path).parent == tmp_path


def test_the_least_recently_used_goes_first_and_the_used_one_never(tmp_path: Path) -> None:
    oldest = fill(tmp_path / "a", 100, used_at=1)
    kept = fill(tmp_path / "b", 100, used_at=3)
    used = fill(tmp_path / "c", 100, used_at=2)
    trim(tmp_path, 250, keep=used)
    assert (oldest.exists(), kept.exists(), used.exists()) == (False, True, True)
    trim(tmp_path, 10, keep=used)
    assert (kept.exists(), used.exists()) == (False, True)


def test_the_cap_is_kept_after_each_load(tmp_path: Path) -> None:
    old = fill(tmp_path / "old", 100, used_at=1)
    with compiled_cache(tmp_path / "new", cap_bytes=120) as folder:
        assert folder == tmp_path / "new"
        (folder / "model.blob").write_bytes(bytes(100))
    assert not old.exists()
    assert (tmp_path / "new" / "model.blob").exists()


def test_without_a_place_the_load_goes_on(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with compiled_cache(tmp_path / "file" / "folder") as folder:
        assert folder is None
    with compiled_cache(None) as folder:
        assert folder is None


@pytest.mark.real_model
def test_it_helps_the_stateful_pipeline_survives_damage_and_is_not_used_for_the_paged_one(
    engine: Engine, starter_openvino: InstalledModel, tmp_path: Path
) -> None:
    compiled = tmp_path / "compiled" / "key"

    def answer(context_tokens: int, pipeline: Pipeline) -> float:
        spec = openvino_spec(
            starter_openvino,
            context_tokens=context_tokens,
            pipeline=pipeline,
            compiled_cache_dir=str(compiled),
        )
        recorder = engine.send(ask(spec, CAPITAL, max_tokens=8))
        end = recorder.end()
        assert isinstance(end, Finished)
        assert "Paris" in recorder.text
        return end.timings.load_s

    answer(1000, Pipeline.PAGED)
    assert not compiled.exists()
    answer(1000, Pipeline.STATEFUL)
    blob = max(compiled.glob("*.blob"), key=lambda one: one.stat().st_size)
    written = blob.stat().st_mtime_ns
    answer(1001, Pipeline.STATEFUL)
    assert blob.stat().st_mtime_ns == written, "read, not made again"
    content = blob.read_bytes()
    blob.write_bytes(content[: len(content) // 2])
    answer(1002, Pipeline.STATEFUL)

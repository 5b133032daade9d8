"""What the engine's notices leave behind: peaks, and a model that is hashed after a crash."""

from pathlib import Path

import pytest

from app.engine.client import EngineDied
from app.engine.outcome import SlotState
from app.engine.protocol import Ready, StateChanged
from app.engine.spec import LlamaRuntime, LoadSpec
from app.models.library import Library
from app.workflows.engine_notes import EngineNotes
from app.workflows.observed_peaks import ObservedPeaks
from tests.support.model_folders import install_tiny


class Scene:
    def __init__(self, folder: Path) -> None:
        self.library = Library(folder / "store")
        self.model = install_tiny(self.library)
        self.peaks = ObservedPeaks(folder / "peaks.json")
        self.notes = EngineNotes(self.library, self.peaks)
        self.spec = LoadSpec(
            model_name="tiny", model_path="", model_digest=self.model.digest, context_tokens=64,
            runtime=LlamaRuntime(),
        )  # fmt: skip

    def change(self, state: SlotState, peak_bytes: int | None = None) -> None:
        self.notes.heed(
            StateChanged(generation=1, state=state, spec=self.spec, peak_rss_bytes=peak_bytes)
        )

    def hashed_before_the_next_load(self) -> int:
        counted: list[int] = []
        self.library.check(self.model, counted.append)
        return sum(counted)


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    return Scene(tmp_path)


def test_the_highest_peak_of_a_model_is_kept(scene: Scene) -> None:
    scene.change(SlotState.LOADING)
    scene.change(SlotState.READY, 1_000)
    scene.change(SlotState.BUSY)
    scene.change(SlotState.READY, 2_000)
    (peak,) = scene.peaks.of(scene.model.digest, "CPU")
    assert (peak.peak_bytes, peak.context_tokens) == (2_000, 64)


def test_a_death_in_a_load_has_every_file_hashed_once(scene: Scene) -> None:
    scene.notes.heed(Ready(pid=1))
    scene.change(SlotState.LOADING)
    assert scene.hashed_before_the_next_load() == 0
    scene.notes.heed(EngineDied(-11))
    assert scene.hashed_before_the_next_load() == scene.model.size_bytes
    assert scene.hashed_before_the_next_load() == 0


def test_a_death_in_an_answer_does_not_blame_the_files(scene: Scene) -> None:
    scene.change(SlotState.LOADING)
    scene.change(SlotState.READY)
    scene.change(SlotState.BUSY)
    scene.notes.heed(EngineDied(-9))
    assert scene.hashed_before_the_next_load() == 0


def test_a_model_that_is_gone_is_no_error(scene: Scene) -> None:
    scene.change(SlotState.LOADING)
    scene.library.delete(scene.model)
    scene.notes.heed(EngineDied(-11))

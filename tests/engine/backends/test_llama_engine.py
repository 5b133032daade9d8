"""llama.cpp through the engine process, and damaged files that must not end the parent."""

import random
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from app.core.errors import ContenoxError
from app.engine.outcome import FinishReason
from app.engine.protocol import (
    Failed,
    Finished,
    Load,
    LoadProgress,
    PrefillProgress,
    new_request_id,
)
from app.engine.spec import LoadSpec
from app.models.gguf import read_gguf
from app.models.library import InstalledModel
from tests.engine.backends.llama_required import llama_spec, require_llama
from tests.engine.conftest import Engine, ask

pytestmark = [pytest.mark.real_model, pytest.mark.s1_5]

CAPITAL = "What is the capital of France? Answer in one sentence."
SEA = "The sea is blue and the sky is grey today. "

CUTS_AND_FLIPS = 12
SEED = 20260


@pytest.fixture(scope="module")
def model(request: pytest.FixtureRequest) -> InstalledModel:
    require_llama()
    found = request.getfixturevalue("starter_gguf")
    assert isinstance(found, InstalledModel)
    return found


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    engine = Engine(tmp_path_factory.mktemp("logs"))
    yield engine
    engine.client.close()


def test_the_answer_comes_through_the_engine_process(shared: Engine, model: InstalledModel) -> None:
    spec = llama_spec(model)
    first = shared.send(ask(spec, CAPITAL))
    end = first.end()
    assert isinstance(end, Finished), end
    assert first.text == "The capital of France is Paris."
    assert end.reason is FinishReason.STOP
    assert end.timings.load_s > 0
    assert any(isinstance(event, LoadProgress) and event.fraction == 1 for event in first.events)
    second = shared.send(ask(spec, CAPITAL)).end()
    assert isinstance(second, Finished)
    assert second.timings.load_s == 0
    assert second.usage.reused_tokens == second.usage.prompt_tokens - 1


def test_a_cancel_is_heard_in_the_prefill(shared: Engine, model: InstalledModel) -> None:
    spec = llama_spec(model, context_tokens=5_000)
    request = ask(spec, SEA * 400)
    recorder = shared.send(request)
    recorder.next(PrefillProgress)
    shared.client.cancel(request.request)
    end = recorder.end()
    assert isinstance(end, Finished), end
    assert end.reason is FinishReason.CANCELLED
    assert end.usage.completion_tokens == 0
    # The process lives: the model needs no new load.
    after = shared.send(ask(spec, CAPITAL)).end()
    assert isinstance(after, Finished)
    assert after.timings.load_s == 0


def test_a_cancel_in_a_load_ends_as_cancelled_and_the_next_load_works(
    shared: Engine, model: InstalledModel
) -> None:
    request = ask(llama_spec(model, context_tokens=700), CAPITAL)
    recorder = shared.send(request)
    recorder.next(LoadProgress)
    shared.client.cancel(request.request)
    end = recorder.end()
    assert isinstance(end, Finished), end
    assert end.reason is FinishReason.CANCELLED
    again = shared.send(ask(llama_spec(model, context_tokens=700), CAPITAL)).end()
    assert isinstance(again, Finished), again


# --- damaged files ---


def _flips(rng: random.Random, header_bytes: int, size_bytes: int) -> list[int]:
    """Places to flip: most in the header, where readers trust what they find."""
    limit = header_bytes if rng.random() < 0.8 else size_bytes
    return [rng.randrange(limit) for _ in range(rng.choice((1, 3, 20)))]


def _damage(path: Path, rng: random.Random, header_bytes: int) -> Callable[[], None]:
    """Flips bytes of ``path``; returns what mends it again."""
    with path.open("r+b") as file:
        places = dict.fromkeys(_flips(rng, header_bytes, path.stat().st_size), b"")
        for place in places:
            file.seek(place)
            places[place] = file.read(1)
            file.seek(place)
            file.write(bytes([places[place][0] ^ (1 << rng.randrange(8))]))

    def mend() -> None:
        with path.open("r+b") as file:
            for place, byte in places.items():
                file.seek(place)
                file.write(byte)

    return mend


def _load(engine: Engine, spec: LoadSpec) -> str:
    """Loads the file in the engine's process and answers once; returns how that ended."""
    try:
        engine.client.call(Load(request=new_request_id(), spec=spec))
    except ContenoxError as error:
        return error.code
    end = engine.send(ask(spec, "Hello", max_tokens=2)).end()
    return end.error.code if isinstance(end, Failed) else "loaded"


def _hostile_files(
    engine: Engine, model: InstalledModel, folder: Path, count: int, seed: int
) -> dict[str, int]:
    path = folder / "hostile.gguf"
    shutil.copyfile(model.path, path)
    header_bytes = min(tensor.offset for tensor in read_gguf(path).container.tensors)
    size_bytes = path.stat().st_size
    ends: dict[str, int] = {}

    def note(end: str) -> None:
        ends[end] = ends.get(end, 0) + 1

    rng = random.Random(seed)
    for number in range(count * 2 // 3):
        mend = _damage(path, rng, header_bytes)
        note(_load(engine, llama_spec(model, context_tokens=256 + number, path=str(path))))
        mend()
    cuts = [rng.randrange(header_bytes if rng.random() < 0.5 else size_bytes) for _ in range(count)]
    for cut in sorted(cuts[: count - count * 2 // 3], reverse=True):
        with path.open("r+b") as file:
            file.truncate(cut)
        note(_load(engine, llama_spec(model, context_tokens=128, path=str(path))))
    return ends


@pytest.mark.parametrize(
    ("count", "seed"),
    [
        pytest.param(CUTS_AND_FLIPS, SEED, id="few"),
        *(
            pytest.param(
                50,
                SEED + part,
                id=f"part{part}",
                marks=[pytest.mark.soak, pytest.mark.timeout(720)],
            )
            for part in range(10)
        ),
    ],
)
def test_damaged_files_are_answered_and_the_good_one_still_loads(
    shared: Engine, model: InstalledModel, tmp_path: Path, count: int, seed: int
) -> None:
    ends = _hostile_files(shared, model, tmp_path, count, seed)
    print(ends)
    assert sum(ends.values()) == count
    assert set(ends) <= {"loaded", "model_damaged", "model_unsupported", "engine_died"} | {
        "engine_failed",
        "template_failed",
        "template_missing",
        "out_of_memory",
    }
    assert ends["model_damaged"] >= count // 3
    recorder = shared.send(ask(llama_spec(model), CAPITAL))
    assert isinstance(recorder.end(), Finished)
    assert "Paris" in recorder.text

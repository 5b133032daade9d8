"""Cut and flipped files of an OpenVINO model, given to the real library in the engine process.

The default run is small and seeded; ``-m soak`` does 500, in ten parts that can be run one by one
(``-k part3``). The same for GGUF files is in
``tests/engine/backends/test_llama_engine.py``.
"""

import random
from collections import Counter
from pathlib import Path

import pytest

from app.core.errors import ContenoxError
from app.engine.protocol import Failed, Finished, Load, new_request_id
from app.engine.spec import LoadSpec
from app.models.library import InstalledModel
from tests.engine.backends.conftest import openvino_spec
from tests.engine.conftest import Engine, ask

pytestmark = pytest.mark.real_model

CAPITAL = "What is the capital of France? Answer in one sentence."
SEED = 20263
# How a load of a damaged model may end; each is an answer to the person who asked.
ANSWERS = frozenset(
    {
        "loaded",
        "engine_died",
        "engine_failed",
        "model_damaged",
        "model_incomplete",
        "out_of_memory",
        "paged_attention_not_supported",
        "pool_exhausted",
        "template_failed",
        "tokenizer_cuts",
    }
)


def damaged(content: bytes, chance: random.Random) -> bytes:
    """A third is cut; the others have 1, 3 or 20 flipped bits, mostly near the beginning."""
    if chance.random() < 1 / 3:
        return content[: chance.randrange(len(content))]
    limit = len(content) if chance.random() < 0.5 else min(len(content), 100_000)
    copy = bytearray(content)
    for _ in range(chance.choice((1, 3, 20))):
        copy[chance.randrange(limit)] ^= 1 << chance.randrange(8)
    return bytes(copy)


def how_it_ends(engine: Engine, spec: LoadSpec) -> str:
    """Loads the model and lets it answer with two tokens."""
    try:
        engine.client.call(Load(request=new_request_id(), spec=spec))
    except ContenoxError as error:
        return error.code
    end = engine.send(ask(spec, "Hello", max_tokens=2)).end()
    return end.error.code if isinstance(end, Failed) else "loaded"


@pytest.mark.parametrize(
    ("count", "seed"),
    [
        pytest.param(6, SEED, id="few"),
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
def test_damaged_openvino_files_are_answered_and_the_good_ones_still_load(
    engine: Engine, starter_openvino: InstalledModel, tmp_path: Path, count: int, seed: int
) -> None:
    chance = random.Random(seed)
    folder = tmp_path / "hostile"
    folder.mkdir()
    names = sorted(path.name for path in starter_openvino.path.iterdir() if path.is_file())
    for name in names:
        (folder / name).symlink_to(starter_openvino.path / name)
    ends: Counter[str] = Counter()
    for number in range(count):
        name = chance.choice(names)
        (folder / name).unlink()
        (folder / name).write_bytes(damaged((starter_openvino.path / name).read_bytes(), chance))
        # Another context each time, so that nothing that is loaded counts as the same model.
        spec = openvino_spec(starter_openvino, path=folder, context_tokens=512 + number)
        ends[how_it_ends(engine, spec)] += 1
        (folder / name).unlink()
        (folder / name).symlink_to(starter_openvino.path / name)
    print(dict(ends))
    assert set(ends) <= ANSWERS
    assert ends["model_damaged"] > 0
    recorder = engine.send(ask(openvino_spec(starter_openvino), CAPITAL))
    assert isinstance(recorder.end(), Finished)
    assert "Paris" in recorder.text

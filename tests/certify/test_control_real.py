"""The bare library reads the very ids that the product reads, and a whole run on real weights."""

import multiprocessing
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.certify.certificate import Level, Verdict, decode_certificate
from app.certify.control import library_control
from app.certify.measure import Size, story
from app.certify.plan import Plan
from app.certify.product import EngineModel
from app.core.paths import DataRoot
from app.core.settings import SettingsFile
from app.engine.backends.raw_control import RawControl, whole_ids
from app.engine.client import EngineClient
from app.models.identity import Stopped
from app.models.library import InstalledModel, Library
from app.workflows.certification import Certification
from app.workflows.load_spec import load_spec
from app.workflows.services import Services

pytestmark = pytest.mark.real_model

_SHORT = Plan(
    quick=True,
    sizes=(Size(prompt_tokens=64, runs=1, decode_tokens=8),),
    not_tested=(),
    decode_tokens=8,
    warm_tokens=128,
    recall_tokens=100,
    cancels=1,
    drift_runs=1,
)


@pytest.mark.parametrize("variant", ["starter_openvino", "starter_gguf"])
def test_control_and_product_read_the_same_ids(
    variant: str, client: EngineClient, request: pytest.FixtureRequest
) -> None:
    model: InstalledModel = request.getfixturevalue(variant)
    spec = load_spec(model)
    text = story(3, 40)
    counted = EngineModel(client, spec).count(text)
    with library_control(spec) as control:
        assert control is not None
        run = control.run(text, 4)
    assert (run.prompt_tokens, run.ids_sha256) == (counted.tokens, counted.ids_sha256)
    assert run.completion_tokens == 4
    assert control.load_s > 0


def test_a_stop_ends_a_run_of_the_control_that_takes_long() -> None:
    ours, theirs = multiprocessing.Pipe()
    asked = iter((False, True))
    with pytest.raises(Stopped):
        RawControl(ours, 0.0, lambda: next(asked)).run("a long prompt", 64)
    assert theirs.recv() == ("a long prompt", 64, False)
    ours.close()
    theirs.close()


@pytest.fixture
def services(data_root: DataRoot, starter_store: Library) -> Iterator[Services]:
    made = Services(
        data_root=data_root,
        settings_file=SettingsFile(data_root.settings_file),
        library=starter_store,
        engine=EngineClient(log_dir=data_root.logs),
    )
    yield made
    made.close()


@pytest.mark.soak
@pytest.mark.parametrize("backend", ["openvino", "llama"])
def test_the_starter_gets_a_certificate_whose_fields_are_measured(
    services: Services, backend: str
) -> None:
    model = services.find_model("starter", backend)
    certification = Certification(services, model, device="CPU", quick=True)
    certification.plan = _SHORT
    made = certification.run()
    assert made.quality.verdict is Verdict.PASSED, made.quality.reasons
    assert made.level is Level.PROVISIONAL
    stored: Path = services.certified.store.folder / f"{made.key.slug}.json"
    assert decode_certificate(stored.read_bytes()) == made
    assert services.certified.stale(model, made) is None
    figures = made.throughput.depths[0]
    assert figures.same_ids
    assert figures.decode_tokens_per_s.ratio is not None
    assert made.throughput.peak_memory_bytes
    assert made.throughput.warm
    assert made.throughput.warm.reused_tokens > 0
    assert made.throughput.drift
    assert made.throughput.estimate
    assert made.throughput.estimate.decode.measured == figures.decode_tokens_per_s.product.median
    assert made.machine.versions["openvino-genai"]
    assert not (services.data_root.cache / "certify").exists() or not list(
        (services.data_root.cache / "certify").iterdir()
    )


def test_the_control_reads_the_whole_of_a_prompt_that_the_tokenizer_would_cut(
    starter_openvino: InstalledModel,
) -> None:
    genai = pytest.importorskip("openvino_genai")
    tokenizer = genai.Tokenizer(str(starter_openvino.path))
    sentence = "The tide came in and the boats lay still."
    text = sentence + f" {sentence}" * 1200

    def ids(part: str) -> list[int]:
        encoded = tokenizer.encode(part, add_special_tokens=False)
        return list(encoded.input_ids.data[0].tolist())

    assert len(ids(text)) == 8192
    assert whole_ids(tokenizer, text) == ids(sentence) + 1200 * ids(f" {sentence}")
    assert whole_ids(tokenizer, sentence) == ids(sentence)

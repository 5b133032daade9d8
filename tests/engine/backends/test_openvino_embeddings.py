"""Texts become vectors on OpenVINO, with a model that is made for it."""

import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from app.core.errors import DataFault, UserError
from app.engine.backends.base import Vector
from app.engine.backends.openvino import OpenVinoBackend, import_genai
from app.engine.backends.openvino_embeddings import OpenVinoEmbedder
from app.engine.outcome import FinishReason
from app.engine.protocol import Embed, Embedded, Finished, new_request_id
from app.engine.spec import LoadSpec, OpenVinoRuntime
from tests.engine.backends.minilm import reference
from tests.engine.backends.minilm_openvino import minilm_openvino
from tests.engine.backends.recording_control import RecordingControl
from tests.engine.conftest import Engine, Recorder

pytestmark = pytest.mark.real_model

CAT = "A cat sits on the mat."
KITTEN = "A small kitten is lying on a rug."
SHARES = "The price of oil fell on the stock market."


@pytest.fixture(scope="module")
def spec() -> LoadSpec:
    return LoadSpec(
        model_name="all-minilm-l6-v2",
        model_path=str(minilm_openvino()),
        model_digest="minilm",
        context_tokens=512,
        embeds=True,
        runtime=OpenVinoRuntime(),
    )


@pytest.fixture(scope="module")
def embedder(spec: LoadSpec) -> Iterator[OpenVinoEmbedder]:
    opened = OpenVinoBackend().open_embedder(spec, RecordingControl())
    yield opened
    opened.close()
    opened.close()


def embed(embedder: OpenVinoEmbedder, *texts: str) -> tuple[Vector, ...]:
    vectors = embedder.embed(texts, RecordingControl())
    assert not isinstance(vectors, FinishReason)
    return vectors


def test_vectors_have_length_one_and_like_texts_are_near(embedder: OpenVinoEmbedder) -> None:
    cat, kitten, shares = embed(embedder, CAT, KITTEN, SHARES)
    for vector in (cat, kitten, shares):
        assert len(vector) == 384
        assert math.hypot(*vector) == pytest.approx(1, abs=1e-5)
    assert np.dot(cat, kitten) > 0.5
    assert np.dot(cat, shares) < 0.2


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("Hello world", [101, 7592, 2088, 102]),
        ("Héllo, UNAFFABLE wörld!", [101, 7592, 1010, 14477, 20961, 3468, 2088, 999, 102]),
    ],
)
def test_the_vector_is_the_models_own(
    embedder: OpenVinoEmbedder, spec: LoadSpec, text: str, tokens: list[int]
) -> None:
    encoded = import_genai().Tokenizer(spec.model_path).encode(text)
    assert encoded.input_ids.data[0].tolist() == tokens, "as BERT's own tokenizer has it"
    (vector,) = embed(embedder, text)
    assert float(np.dot(vector, reference(tokens))) > 0.9999


def test_a_text_has_the_same_vector_alone_and_among_others(embedder: OpenVinoEmbedder) -> None:
    (alone,) = embed(embedder, CAT)
    among = embed(embedder, *[SHARES, KITTEN] * 6, CAT, "word " * 100)[12]
    assert float(np.dot(alone, among)) == pytest.approx(1, abs=1e-4)


def test_no_texts_give_no_vectors_and_an_empty_one_is_refused(embedder: OpenVinoEmbedder) -> None:
    assert embed(embedder) == ()
    with pytest.raises(UserError) as caught:
        embed(embedder, CAT, " ")
    assert caught.value.code == "text_empty"


def test_a_text_that_is_too_long_is_refused_before_anything_is_computed(
    embedder: OpenVinoEmbedder,
) -> None:
    control = RecordingControl()
    with pytest.raises(UserError) as caught:
        embedder.embed([CAT, "word " * 511], control)
    assert caught.value.code == "context_overflow"
    assert control.prefills == []
    assert embed(embedder, "word " * 510)


def test_a_cancel_ends_it_between_batches(embedder: OpenVinoEmbedder) -> None:
    control = RecordingControl(stop_at_prefill=1)
    assert embedder.embed([CAT] * 20, control) is FinishReason.CANCELLED
    assert len(control.prefills) == 1
    assert embed(embedder, CAT)


def test_a_pooling_that_cannot_be_done_is_refused(spec: LoadSpec, tmp_path: Path) -> None:
    import msgspec

    for file in Path(spec.model_path).iterdir():
        if file.is_file():
            (tmp_path / file.name).symlink_to(file)
    (tmp_path / "1_Pooling").mkdir()
    (tmp_path / "1_Pooling" / "config.json").write_text('{"pooling_mode_max_tokens": true}')
    other = msgspec.structs.replace(spec, model_path=str(tmp_path))
    with pytest.raises(DataFault) as caught:
        OpenVinoBackend().open_embedder(other, RecordingControl())
    assert caught.value.code == "model_damaged"


def test_vectors_come_through_the_engine(
    shared_engine: Engine, spec: LoadSpec, embedder: OpenVinoEmbedder
) -> None:
    recorder = Recorder()
    request = Embed(request=new_request_id(), spec=spec, texts=(CAT, SHARES))
    shared_engine.client.submit(request, recorder)
    assert isinstance(recorder.end(), Finished)
    (event,) = (event for event in recorder.events if isinstance(event, Embedded))
    assert float(np.dot(event.vectors[0], embed(embedder, CAT)[0])) == pytest.approx(1, abs=1e-4)

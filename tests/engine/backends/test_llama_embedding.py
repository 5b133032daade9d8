"""Texts become vectors, with a model that is made for it."""

import math
from collections.abc import Iterator

import numpy as np
import pytest

from app.core.errors import UserError
from app.engine.backends.base import RequestStopped
from app.engine.backends.llama import LlamaBackend
from app.engine.backends.llama_embedding import LlamaEmbedder, Vector
from app.engine.outcome import FinishReason
from app.engine.spec import LlamaRuntime, LoadSpec
from tests.engine.backends.llama_required import require_llama
from tests.engine.backends.minilm import minilm_gguf, reference
from tests.engine.backends.recording_control import RecordingControl

pytestmark = pytest.mark.real_model

CAT = "A cat sits on the mat."
KITTEN = "A small kitten is lying on a rug."
SHARES = "The price of oil fell on the stock market."


@pytest.fixture(scope="module")
def spec() -> LoadSpec:
    require_llama()
    return LoadSpec(
        model_name="all-minilm-l6-v2",
        model_path=str(minilm_gguf()),
        model_digest="minilm",
        context_tokens=512,
        runtime=LlamaRuntime(),
    )


@pytest.fixture(scope="module")
def embedder(spec: LoadSpec) -> Iterator[LlamaEmbedder]:
    opened = LlamaBackend().open_embedder(spec, RecordingControl())
    yield opened
    opened.close()
    opened.close()


def embed(embedder: LlamaEmbedder, *texts: str) -> tuple[Vector, ...]:
    vectors = embedder.embed(texts, RecordingControl())
    assert not isinstance(vectors, FinishReason)
    return vectors


def likeness(one: Vector, other: Vector) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))


def test_vectors_have_length_one_and_like_texts_are_near(embedder: LlamaEmbedder) -> None:
    cat, kitten, shares = embed(embedder, CAT, KITTEN, SHARES)
    for vector in (cat, kitten, shares):
        assert len(vector) == 384
        assert math.hypot(*vector) == pytest.approx(1, abs=1e-6)
    assert likeness(cat, kitten) > 0.5
    assert likeness(cat, shares) < 0.2


def test_the_vector_is_the_models_own(embedder: LlamaEmbedder) -> None:
    tokens = embedder._tokens("Hello world")
    # [CLS] hello world [SEP], as BERT's own tokenizer has it.
    assert tokens == [101, 7592, 2088, 102]
    (vector,) = embed(embedder, "Hello world")
    assert float(np.dot(vector, reference(tokens))) > 0.9999


def test_a_text_has_the_same_vector_alone_and_among_others(embedder: LlamaEmbedder) -> None:
    (alone,) = embed(embedder, CAT)
    among = embed(embedder, SHARES, CAT, KITTEN)[1]
    assert likeness(alone, among) == pytest.approx(1, abs=1e-5)


def test_no_texts_give_no_vectors(embedder: LlamaEmbedder) -> None:
    assert embed(embedder) == ()


def test_a_special_token_in_a_text_is_text(embedder: LlamaEmbedder) -> None:
    assert embedder._tokens("a [SEP] b").count(102) == 1


def test_a_text_that_is_too_long_is_refused_before_anything_is_computed(
    embedder: LlamaEmbedder,
) -> None:
    with pytest.raises(UserError) as caught:
        embedder.embed([CAT, "word " * 511], RecordingControl())
    assert caught.value.code == "context_overflow"
    assert embed(embedder, "word " * 510)


def test_a_cancel_ends_it_between_texts(embedder: LlamaEmbedder) -> None:
    control = RecordingControl()
    control.stop()
    assert embedder.embed([CAT], control) is FinishReason.CANCELLED
    assert embed(embedder, CAT)


def test_the_load_can_be_stopped(spec: LoadSpec) -> None:
    with pytest.raises(RequestStopped):
        LlamaBackend().open_embedder(spec, RecordingControl(stop_at_load=0.0))


def test_megabytes_are_refused_uncounted(embedder: LlamaEmbedder) -> None:
    with pytest.raises(UserError) as refused:
        embedder.embed(["the sea " * 250_000], RecordingControl())
    assert refused.value.code == "context_overflow"
    assert "2,000,000 characters" in refused.value.message

"""Both backends make the same vectors of the same texts, through the engine."""

import numpy as np
import pytest

from app.engine.protocol import Embed, Embedded, Finished, new_request_id
from app.engine.spec import LlamaRuntime, LoadSpec, OpenVinoRuntime, Runtime
from tests.engine.backends.llama_required import require_llama
from tests.engine.backends.minilm import minilm_gguf
from tests.engine.backends.minilm_openvino import minilm_openvino
from tests.engine.conftest import Engine, Recorder

pytestmark = pytest.mark.real_model

TEXTS = ("A cat sits on the mat.", "Zürich, 12 März: naïve façade!", "Hello world " * 40)


def vectors(engine: Engine, path: str, runtime: Runtime) -> np.ndarray:
    spec = LoadSpec(
        model_name="all-minilm-l6-v2",
        model_path=path,
        model_digest="minilm",
        context_tokens=512,
        embeds=True,
        runtime=runtime,
    )
    recorder = Recorder()
    engine.client.submit(Embed(request=new_request_id(), spec=spec, texts=TEXTS), recorder)
    assert isinstance(recorder.end(), Finished)
    (event,) = (event for event in recorder.events if isinstance(event, Embedded))
    return np.array(event.vectors)


def test_both_backends_agree(shared_engine: Engine) -> None:
    require_llama()
    openvino = vectors(shared_engine, str(minilm_openvino()), OpenVinoRuntime())
    llama = vectors(shared_engine, str(minilm_gguf()), LlamaRuntime())
    assert np.sum(openvino * llama, axis=1).min() > 0.999

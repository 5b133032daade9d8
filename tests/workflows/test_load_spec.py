"""From model, profile and device to what the engine loads."""

from pathlib import Path
from typing import Any

import pytest

from app.core.errors import DataFault, UserError
from app.engine.spec import LlamaRuntime, OpenVinoRuntime, Pipeline, SparseMode
from app.engine.tool_calls import REFUSED_PROTOCOLS, TOOL_PROTOCOLS
from app.models.library import InstalledModel, Library
from app.models.profile import (
    Adapter,
    Claim,
    Evidence,
    GenAi,
    KvCachePrecision,
    LlamaProfile,
    LlamaPrompt,
    LlamaRuntimeControls,
    LlamaToolProtocol,
    OpenVinoProfile,
    OpenVinoReasoning,
    OpenVinoReasoningProtocol,
    OpenVinoToolCalls,
    OpenVinoToolProtocol,
    PipelineChoice,
    PromptFormat,
    SparseAttentionMode,
    Status,
    profile_digest,
)
from app.models.profile_files import REFUSALS
from app.workflows.load_spec import embedding_spec, load_spec
from tests.support.gguf_files import GgufDraft
from tests.support.model_folders import manifest_of, stage
from tests.support.openvino_folders import write_json, write_openvino_folder

_STARTER_SHAPE: dict[str, object] = {
    "max_position_embeddings": 8192,
    "num_hidden_layers": 30,
    "num_attention_heads": 9,
    "num_key_value_heads": 3,
    "hidden_size": 576,
}


def _openvino(tmp_path: Path, context_tokens: int = 8192, **config: object) -> InstalledModel:
    folder = write_openvino_folder(tmp_path / "model")
    write_json(folder / "config.json", **(config or _STARTER_SHAPE))
    return InstalledModel(
        name="tiny",
        variant="openvino",
        backend="openvino",
        path=folder,
        folder=folder,
        digest="d" * 64,
        size_bytes=1,
        context_tokens=context_tokens,
        source="a test",
    )


def _llama(tmp_path: Path) -> InstalledModel:
    library = Library(tmp_path / "store")
    staging = stage(library, {"tiny.gguf": GgufDraft().content()})
    manifest = manifest_of(staging, variant="gguf", backend="llama", entry="tiny.gguf")
    return library.install(staging, manifest)


def _runtime(model: InstalledModel, profile: OpenVinoProfile, **others: Any) -> OpenVinoRuntime:
    runtime = load_spec(model, profile, **others).runtime
    assert isinstance(runtime, OpenVinoRuntime)
    return runtime


def test_the_defaults_are_the_engines_own(tmp_path: Path) -> None:
    model = _openvino(tmp_path)
    spec = load_spec(model)
    assert spec.runtime == OpenVinoRuntime()
    assert spec.context_tokens == 8192
    assert spec.model_path == str(model.path)
    assert spec.model_digest == model.digest
    assert spec.profile_digest == profile_digest(OpenVinoProfile())
    assert (spec.protocols.reasoning, spec.protocols.tool_calls) == (None, None)


def test_what_the_profile_says_arrives(tmp_path: Path) -> None:
    genai = GenAi(
        pipeline=PipelineChoice.PAGED,
        kv_cache_precision=KvCachePrecision.F16,
        cache_size=7,
        max_num_batched_tokens=512,
        dynamic_split_fuse=False,
        enable_prefix_caching=False,
        use_sparse_attention=True,
        sparse_attention_mode=SparseAttentionMode.TRISHAPE,
        num_last_dense_tokens_in_prefill=64,
        xattention_threshold=0.8,
        xattention_block_size=64,
        xattention_stride=8,
    )
    runtime = _runtime(_openvino(tmp_path), OpenVinoProfile(genai=genai), device="GPU.1")
    assert (runtime.device, runtime.pipeline) == ("GPU.1", Pipeline.PAGED)
    assert (runtime.kv_cache_precision, runtime.cache_size_gib) == ("f16", 7)
    assert runtime.max_num_batched_tokens == 512
    assert not runtime.dynamic_split_fuse
    assert not runtime.enable_prefix_caching
    assert runtime.use_sparse_attention is True
    sparse = runtime.sparse_attention
    assert sparse.mode is SparseMode.TRISHAPE
    assert sparse.num_last_dense_tokens_in_prefill == 64
    assert (sparse.xattention_threshold, sparse.xattention_block_size) == (0.8, 64)
    assert sparse.xattention_stride == 8


def test_blocks_exclude_a_cache_size(tmp_path: Path) -> None:
    runtime = _runtime(_openvino(tmp_path), OpenVinoProfile(genai=GenAi(num_kv_blocks=100)))
    assert (runtime.num_kv_blocks, runtime.cache_size_gib) == (100, None)


@pytest.mark.parametrize(
    ("trained", "profile_limit", "asked", "expected"),
    [(8192, 0, None, 8192), (8192, 4096, None, 4096), (8192, 99_999, None, 8192), (8192, 0, 7, 7)],
)
def test_the_context_is_the_trained_one_capped_by_the_profile(
    tmp_path: Path, trained: int, profile_limit: int, asked: int | None, expected: int
) -> None:
    profile = OpenVinoProfile(context_length=profile_limit)
    spec = load_spec(_openvino(tmp_path, trained), profile, context_tokens=asked)
    assert spec.context_tokens == expected


@pytest.mark.parametrize("asked", [0, -1, 4097, 8192])
def test_a_context_beyond_the_limit_is_refused_with_it(tmp_path: Path, asked: int) -> None:
    with pytest.raises(UserError, match=r"tokens here") as caught:
        load_spec(_openvino(tmp_path), OpenVinoProfile(context_length=4096), context_tokens=asked)
    assert caught.value.code == "context_too_large"
    assert "4096" in caught.value.remedy


def test_the_pool_grows_with_the_context_and_caps_it(tmp_path: Path) -> None:
    shape = _STARTER_SHAPE | {"num_hidden_layers": 36, "num_key_value_heads": 8, "head_dim": 128}
    model = _openvino(tmp_path, 1_000_000, **shape)
    spec = load_spec(model, OpenVinoProfile(context_length=16_384))
    assert isinstance(spec.runtime, OpenVinoRuntime)
    assert spec.runtime.cache_size_gib == 2
    assert spec.context_tokens == 16_384
    large = load_spec(model, OpenVinoProfile())
    assert isinstance(large.runtime, OpenVinoRuntime)
    assert large.runtime.cache_size_gib == 4
    assert 16_384 < large.context_tokens < 100_000
    with pytest.raises(UserError, match="500000"):
        load_spec(model, OpenVinoProfile(), context_tokens=500_000)


def test_a_model_that_tells_no_figures_gets_the_smallest_pool(tmp_path: Path) -> None:
    runtime = _runtime(_openvino(tmp_path, max_position_embeddings=8192), OpenVinoProfile())
    assert runtime.cache_size_gib == 1


def test_streaming_takes_the_incremental_parser(tmp_path: Path) -> None:
    reasoning = OpenVinoReasoning(protocol=OpenVinoReasoningProtocol.DEEPSEEK_R1)
    spec = load_spec(_openvino(tmp_path), OpenVinoProfile(reasoning=reasoning))
    assert spec.protocols.reasoning == "openvino:deepseek_r1_reasoning_incremental_parser"


@pytest.mark.parametrize("status", list(Status))
def test_tools_reach_the_engine_only_when_verified(tmp_path: Path, status: Status) -> None:
    profile = OpenVinoProfile(
        tool_calls=OpenVinoToolCalls(protocol=OpenVinoToolProtocol.JSON_SCHEMA),
        evidence=Evidence(tools=Claim(status=status, source="A test.")),
    )
    expected = OpenVinoToolProtocol.JSON_SCHEMA.value if status is Status.VERIFIED else None
    assert load_spec(_openvino(tmp_path), profile).protocols.tool_calls == expected


def test_profiles_and_engine_know_the_same_tool_protocols() -> None:
    named = {*OpenVinoToolProtocol, *LlamaToolProtocol} - {""}
    assert named == TOOL_PROTOCOLS
    assert set(REFUSED_PROTOCOLS) <= set(REFUSALS)


def test_the_gguf_variant_is_loaded_by_llama(tmp_path: Path) -> None:
    controls = LlamaRuntimeControls(num_threads=3, num_batch=64, num_ctx=100)
    model = _llama(tmp_path)
    spec = load_spec(model, LlamaProfile(runtime=controls))
    assert spec.runtime == LlamaRuntime(threads=3, batch_tokens=64)
    assert spec.context_tokens == 100
    assert spec.model_path.endswith("tiny.gguf")
    assert load_spec(model).runtime == LlamaRuntime()


@pytest.mark.parametrize(
    ("profile", "code"),
    [
        (LlamaProfile(model_digest="0" * 64), "profile_mismatch"),
        (LlamaProfile(prompt=LlamaPrompt(template_digest="0" * 64)), "profile_mismatch"),
        (OpenVinoProfile(), "profile_invalid"),
    ],
)
def test_a_profile_of_other_files_is_refused(
    tmp_path: Path, profile: LlamaProfile, code: str
) -> None:
    with pytest.raises(DataFault) as caught:
        load_spec(_llama(tmp_path), profile)
    assert caught.value.code == code


@pytest.mark.parametrize(
    ("profile", "code"),
    [
        (LlamaProfile(adapters=(Adapter(path="a"),)), "adapters_not_supported"),
        (
            LlamaProfile(runtime=LlamaRuntimeControls(tensor_split=(1.0,))),
            "tensor_split_not_supported",
        ),
        (
            LlamaProfile(prompt=LlamaPrompt(format=PromptFormat.LLAMA3)),
            "prompt_format_not_supported",
        ),
        (LlamaProfile(prompt=LlamaPrompt(add_bos=True)), "prompt_format_not_supported"),
    ],
)
def test_what_a_profile_asks_in_vain_is_refused_and_never_ignored(
    tmp_path: Path, profile: LlamaProfile, code: str
) -> None:
    with pytest.raises(UserError) as caught:
        load_spec(_llama(tmp_path), profile)
    assert caught.value.code == code


@pytest.mark.real_model
def test_the_starters_shipped_profiles_fit_its_files(
    starter_openvino: InstalledModel, starter_gguf: InstalledModel
) -> None:
    openvino = load_spec(starter_openvino)
    llama = load_spec(starter_gguf)
    assert openvino.context_tokens == llama.context_tokens == 8192
    assert openvino.runtime == OpenVinoRuntime()
    assert llama.runtime == LlamaRuntime()
    assert openvino.profile_digest != profile_digest(OpenVinoProfile())


def test_a_model_embeds_only_where_its_profile_says_so(tmp_path: Path) -> None:
    llama = _llama(tmp_path)
    for model, profile in (
        (_openvino(tmp_path), OpenVinoProfile(can_embed=True)),
        (llama, LlamaProfile(can_embed=True)),
    ):
        spec = embedding_spec(model, profile)
        assert spec.embeds
        assert spec.context_tokens == model.context_tokens
        assert not load_spec(model, profile).embeds
        with pytest.raises(UserError) as caught:
            embedding_spec(model, type(profile)())
        assert caught.value.code == "embeddings_not_supported"
    with pytest.raises(DataFault):
        embedding_spec(llama, OpenVinoProfile(can_embed=True))

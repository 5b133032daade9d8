"""Turns a model, its profile and a device into what the engine loads."""

import hashlib
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec import Struct

from app.core.errors import DataFault, UserError
from app.core.units import GIB
from app.engine.spec import (
    LlamaRuntime,
    LoadSpec,
    OpenVinoRuntime,
    Pipeline,
    Protocols,
    SparseAttention,
    SparseMode,
)
from app.hardware.kv_cache import (
    CPU_BLOCK_TOKENS,
    GPU_BLOCK_TOKENS,
    KvPrecision,
    kv_bytes_per_token,
    pool_tokens,
    scheduler_cache_gib,
)
from app.hardware.model_shape import ModelShape
from app.models.gguf import read_gguf
from app.models.library import InstalledModel
from app.models.profile import (
    GenAi,
    LlamaProfile,
    OpenVinoProfile,
    Profile,
    capabilities,
    profile_digest,
)
from app.models.profile_files import profile_of
from app.models.variant import read_manifest
from app.workflows.context_ceiling import context_ceiling

_DEFAULTS: Final = OpenVinoRuntime()
_SPARSE_DEFAULTS: Final = SparseAttention()
_LLAMA_DEFAULTS: Final = LlamaRuntime()
_FALLBACK_CACHE_GIB: Final = 1


class Pool(Struct, frozen=True, kw_only=True):
    """The KV pool: how large, and how many tokens of context it leaves room for."""

    cache_gib: int
    context_tokens: int


def load_spec(
    model: InstalledModel,
    profile: Profile | None = None,
    device: str = "CPU",
    context_tokens: int | None = None,
    proven_tokens: int = 0,
) -> LoadSpec:
    """What the engine shall load. The backend follows from the model's variant.

    Args:
        profile: ``None`` takes the one that holds for the model.
        device: one concrete device that the selection has chosen.
        context_tokens: what a person asked for; ``None`` means the trained context, as far as the
            profile and the pool allow it.
        proven_tokens: see ``context_ceiling``.

    Raises:
        UserError: ``context_too_large``; ``adapters_not_supported`` and others for what a profile
            asks and this program can't do: it is never ignored.
        DataFault: the profile is for another backend or another model, or invalid.
    """
    chosen = profile_of(model) if profile is None else profile
    if chosen.adapters:
        raise _unsupported("adapters_not_supported", "adapters")
    wanted = _wanted_context(model, chosen, context_tokens, proven_tokens)
    runtime: OpenVinoRuntime | LlamaRuntime
    if model.backend == "openvino" and isinstance(chosen, OpenVinoProfile):
        runtime, wanted = _openvino(model, chosen.genai, device, wanted, context_tokens)
    elif model.backend == "llama" and isinstance(chosen, LlamaProfile):
        runtime = _llama(model, chosen, device)
    else:
        raise _other_backend(model)
    return LoadSpec(
        model_name=model.name,
        model_path=str(model.path),
        model_digest=model.digest,
        profile_digest=profile_digest(chosen),
        context_tokens=wanted,
        protocols=_protocols(chosen),
        runtime=runtime,
    )


def embedding_spec(
    model: InstalledModel, profile: Profile | None = None, device: str = "CPU"
) -> LoadSpec:
    """What the engine shall load to make embeddings, where the profile says that the model can.

    Raises:
        UserError: ``embeddings_not_supported``.
        DataFault: the profile is for another backend or another model, or invalid.
    """
    chosen = profile_of(model) if profile is None else profile
    runtime: OpenVinoRuntime | LlamaRuntime
    if model.backend == "openvino" and isinstance(chosen, OpenVinoProfile):
        runtime = OpenVinoRuntime(device=device)
    elif model.backend == "llama" and isinstance(chosen, LlamaProfile):
        runtime = _llama(model, chosen, device)
    else:
        raise _other_backend(model)
    if not capabilities(chosen).embed:
        raise UserError(
            "embeddings_not_supported",
            f"The profile of {model.name} doesn't say that it makes embeddings.",
            "Choose an embedding model.",
        )
    return LoadSpec(
        model_name=model.name,
        model_path=str(model.path),
        model_digest=model.digest,
        profile_digest=profile_digest(chosen),
        context_tokens=context_ceiling(model, chosen),
        embeds=True,
        runtime=runtime,
    )


def _other_backend(model: InstalledModel) -> DataFault:
    return DataFault(
        "profile_invalid",
        f"The profile of {model.full_name} is for another backend.",
        "Delete the profile in the model's folder.",
    )


def _protocols(profile: Profile) -> Protocols:
    """The named protocols; tools only where somebody has verified them."""
    reasoning = profile.reasoning.protocol.value
    if isinstance(profile, OpenVinoProfile):
        streaming = profile.reasoning.stream_protocol or profile.reasoning.protocol.incremental
        reasoning = streaming.value
    tools = profile.tool_calls.protocol.value if capabilities(profile).tools else ""
    return Protocols(reasoning=reasoning or None, tool_calls=tools or None)


def _wanted_context(
    model: InstalledModel, profile: Profile, asked: int | None, proven_tokens: int
) -> int:
    limit = context_ceiling(model, profile, proven_tokens)
    if asked is None:
        return limit
    if not 1 <= asked <= limit:
        raise _too_large(model, asked, limit)
    return asked


def _too_large(model: InstalledModel, asked: int, limit: int) -> UserError:
    return UserError(
        "context_too_large",
        f"{model.name} can't have a context of {asked} tokens here.",
        f"Choose between 1 and {limit} tokens.",
    )


def _openvino(
    model: InstalledModel, genai: GenAi, device: str, wanted: int, asked: int | None
) -> tuple[OpenVinoRuntime, int]:
    """The runtime, and the context that its pool holds."""
    cache_gib: int | None = None
    context_tokens = wanted
    if not genai.num_kv_blocks:
        pool = _pool(model.path, genai, device, wanted)
        cache_gib, context_tokens = pool.cache_gib, pool.context_tokens
        if asked is not None and context_tokens < asked:
            raise _too_large(model, asked, context_tokens)
    runtime = OpenVinoRuntime(
        device=device,
        pipeline=Pipeline(genai.pipeline.value),
        kv_cache_precision=genai.kv_cache_precision.value,
        cache_size_gib=cache_gib,
        num_kv_blocks=genai.num_kv_blocks or None,
        max_num_batched_tokens=genai.max_num_batched_tokens or _DEFAULTS.max_num_batched_tokens,
        dynamic_split_fuse=genai.dynamic_split_fuse,
        enable_prefix_caching=genai.enable_prefix_caching,
        use_sparse_attention=genai.use_sparse_attention,
        sparse_attention=SparseAttention(
            mode=SparseMode(genai.sparse_attention_mode.value),
            num_last_dense_tokens_in_prefill=genai.num_last_dense_tokens_in_prefill
            or _SPARSE_DEFAULTS.num_last_dense_tokens_in_prefill,
            xattention_threshold=genai.xattention_threshold
            or _SPARSE_DEFAULTS.xattention_threshold,
            xattention_block_size=genai.xattention_block_size
            or _SPARSE_DEFAULTS.xattention_block_size,
            xattention_stride=genai.xattention_stride or _SPARSE_DEFAULTS.xattention_stride,
        ),
    )
    return runtime, context_tokens


def _pool(folder: Path, genai: GenAi, device: str, wanted: int) -> Pool:
    """The pool for ``wanted`` tokens; a model that tells no figures gets one GiB."""
    explicit_gib = genai.cache_size or None
    try:
        config = msgspec.json.decode((folder / "config.json").read_bytes(), type=dict[str, Any])
        shape = ModelShape.from_config(config)
    except (OSError, msgspec.MsgspecError, DataFault):
        # The folder is checked before the load, with a better sentence.
        return Pool(cache_gib=explicit_gib or _FALLBACK_CACHE_GIB, context_tokens=wanted)
    block = GPU_BLOCK_TOKENS if device.startswith("GPU") else CPU_BLOCK_TOKENS
    precision = KvPrecision(genai.kv_cache_precision.value)
    per_token = kv_bytes_per_token(shape, precision, block_tokens=block)
    cache_gib = scheduler_cache_gib(wanted, per_token, explicit_gib)
    room = pool_tokens(cache_gib * GIB, per_token, block_tokens=block)
    return Pool(cache_gib=cache_gib, context_tokens=min(wanted, room))


def _llama(model: InstalledModel, profile: LlamaProfile, device: str) -> LlamaRuntime:
    controls = profile.runtime
    if controls.tensor_split:
        raise _unsupported("tensor_split_not_supported", "runtime.tensor_split")
    if profile.prompt.format is not None or profile.prompt.add_bos is not None:
        raise _unsupported("prompt_format_not_supported", "prompt.format and prompt.add_bos")
    if profile.model_digest:
        digests = {file.sha256 for file in read_manifest(model.folder).files}
        if profile.model_digest not in digests:
            raise _other_model(model, "model_digest")
    if profile.prompt.template_digest:
        template = read_gguf(model.path).chat_template or ""
        if hashlib.sha256(template.encode()).hexdigest() != profile.prompt.template_digest:
            raise _other_model(model, "prompt.template_digest")
    return LlamaRuntime(
        device=device,
        threads=controls.num_threads,
        batch_tokens=controls.num_batch or _LLAMA_DEFAULTS.batch_tokens,
        flash_attention=controls.flash_attention,
        kv_cache_type=controls.kv_cache_type.value or _LLAMA_DEFAULTS.kv_cache_type,
    )


def _unsupported(code: str, what: str) -> UserError:
    return UserError(
        code,
        f"The model's profile sets {what}, which this program can't do.",
        "Remove it from the profile.",
    )


def _other_model(model: InstalledModel, path: str) -> DataFault:
    return DataFault(
        "profile_mismatch",
        f"The profile of {model.full_name} is for other files ({path} differs).",
        "Get the model again, or delete the profile in its folder.",
    )

"""What a profile may say: how a model shall run, and what it can do, with the evidence for that.

Two files, one for each backend: ``contenox-openvino.json`` and ``contenox-llama.json``. Both are
read strictly. The JSON schemas in ``profiles/schema/`` are generated from the types here by
``python -m app.models.profile --write-schemas``.
"""

import hashlib
import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta, Struct, field

from app.core.files import write_atomic
from app.core.paths import profiles_dir

OPENVINO_PROFILE: Final = "contenox-openvino.json"
LLAMA_PROFILE: Final = "contenox-llama.json"

Count = Annotated[int, Meta(ge=0, le=2**31 - 1)]
Share = Annotated[float, Meta(ge=0, le=1)]
Text = Annotated[str, Meta(min_length=1, max_length=400)]


class Status(StrEnum):
    """``VERIFIED``: somebody measured it on this very model, and ``source`` says how."""

    VERIFIED = "verified"
    UNVERIFIED = "unverified"


class OpenVinoToolProtocol(StrEnum):
    NONE = ""
    JSON_SCHEMA = "openvino:json_schema_tool_calls"


class OpenVinoReasoningProtocol(StrEnum):
    NONE = ""
    REASONING = "openvino:reasoning_parser"
    REASONING_INCREMENTAL = "openvino:reasoning_incremental_parser"
    DEEPSEEK_R1 = "openvino:deepseek_r1_reasoning_parser"
    DEEPSEEK_R1_INCREMENTAL = "openvino:deepseek_r1_reasoning_incremental_parser"
    PHI4 = "openvino:phi4_reasoning_parser"
    PHI4_INCREMENTAL = "openvino:phi4_reasoning_incremental_parser"

    @property
    def incremental(self) -> "OpenVinoReasoningProtocol":
        """The parser of the same kind that works while the answer streams."""
        if not self or self.value.endswith("_incremental_parser"):
            return self
        name = self.value.removesuffix("_parser") + "_incremental_parser"
        return OpenVinoReasoningProtocol(name)


class LlamaToolProtocol(StrEnum):
    NONE = ""
    COMMON_CHAT = "llama:common_chat_tool_parser"
    JSON_SCHEMA = "llama:json_schema_tool_calls"


class LlamaReasoningProtocol(StrEnum):
    NONE = ""
    COMMON_CHAT = "llama:common_chat_reasoning_parser"


class KvCachePrecision(StrEnum):
    U8 = "u8"
    I8 = "i8"
    U4 = "u4"
    F16 = "f16"
    BF16 = "bf16"
    F32 = "f32"


class LlamaKvCacheType(StrEnum):
    DEFAULT = ""
    F16 = "f16"
    Q8_0 = "q8_0"
    Q4_0 = "q4_0"


class PipelineChoice(StrEnum):
    AUTOMATIC = "automatic"
    PAGED = "paged"
    STATEFUL = "stateful"


class SparseAttentionMode(StrEnum):
    XATTENTION = "xattention"
    TRISHAPE = "trishape"


class PromptFormat(StrEnum):
    CHATML = "chatml"
    LLAMA3 = "llama3"


class _Strict(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Base of all records of a profile."""


class Claim(_Strict, frozen=True, kw_only=True):
    """How it is known what the profile says about one capability."""

    status: Status
    source: Text


_NOBODY: Final = Claim(status=Status.UNVERIFIED, source="Nobody has measured this.")


class Evidence(_Strict, frozen=True, kw_only=True):
    chat: Claim = _NOBODY
    tools: Claim = _NOBODY
    reasoning: Claim = _NOBODY
    embeddings: Claim = _NOBODY


class Adapter(_Strict, frozen=True, kw_only=True):
    """A LoRA adapter; ``path`` is relative to the profile's folder."""

    path: Annotated[str, Meta(min_length=1, max_length=180)]
    name: str = ""
    digest: str = ""
    scale: Annotated[float, Meta(ge=0, le=1000)] = 1.0


class OpenVinoToolCalls(_Strict, frozen=True, kw_only=True):
    protocol: OpenVinoToolProtocol = OpenVinoToolProtocol.NONE


class OpenVinoReasoning(_Strict, frozen=True, kw_only=True):
    """``stream_protocol`` absent means the incremental parser of ``protocol``'s kind."""

    protocol: OpenVinoReasoningProtocol = OpenVinoReasoningProtocol.NONE
    stream_protocol: OpenVinoReasoningProtocol = OpenVinoReasoningProtocol.NONE


class GenAi(_Strict, frozen=True, kw_only=True):
    """The pipeline's controls. 0 and absent mean the default.

    ``cache_size`` is in GiB and excludes ``num_kv_blocks``. ``use_sparse_attention``: absent means
    automatic (tried where it helps, dense otherwise), true means required.
    """

    pipeline: PipelineChoice = PipelineChoice.AUTOMATIC
    kv_cache_precision: KvCachePrecision = KvCachePrecision.U8
    cache_size: Count = 0
    num_kv_blocks: Count = 0
    max_num_batched_tokens: Count = 0
    dynamic_split_fuse: bool = True
    enable_prefix_caching: bool = True
    use_sparse_attention: bool | None = None
    sparse_attention_mode: SparseAttentionMode = SparseAttentionMode.XATTENTION
    num_last_dense_tokens_in_prefill: Count = 0
    xattention_threshold: Share = 0.0
    xattention_block_size: Count = 0
    xattention_stride: Count = 0


class _Profile(_Strict, frozen=True, kw_only=True):
    """What both backends' profiles say. ``context_length`` and ``max_output_tokens``: 0 means as
    much as the model was trained for. ``can_prompt`` and ``can_stream`` follow ``can_chat``.
    """

    schema: str = field(name="$schema", default="")
    profile_id: str = ""
    context_length: Count = 0
    max_output_tokens: Count = 0
    can_chat: bool = True
    can_prompt: bool | None = None
    can_stream: bool | None = None
    can_embed: bool = False
    can_think: bool = False
    adapters: tuple[Adapter, ...] = ()
    evidence: Evidence = Evidence()


class OpenVinoProfile(_Profile, frozen=True, kw_only=True):
    """``contenox-openvino.json``. ``device`` empty means that it is chosen elsewhere."""

    device: str = ""
    tool_calls: OpenVinoToolCalls = OpenVinoToolCalls()
    reasoning: OpenVinoReasoning = OpenVinoReasoning()
    genai: GenAi = GenAi()


class LlamaPrompt(_Strict, frozen=True, kw_only=True):
    """``template_digest`` is the sha256 of the model's own chat template."""

    format: PromptFormat | None = None
    template_digest: str = ""
    add_bos: bool | None = None


class LlamaRuntimeControls(_Strict, frozen=True, kw_only=True):
    """0 means automatic; ``num_gpu_layers`` is an upper cap."""

    num_ctx: Count = 0
    num_batch: Count = 0
    num_threads: Count = 0
    num_gpu_layers: Count = 0
    tensor_split: tuple[Share, ...] = ()
    flash_attention: bool = False
    kv_cache_type: LlamaKvCacheType = LlamaKvCacheType.DEFAULT


class LlamaToolCalls(_Strict, frozen=True, kw_only=True):
    protocol: LlamaToolProtocol = LlamaToolProtocol.NONE


class LlamaReasoning(_Strict, frozen=True, kw_only=True):
    """``protocol`` and ``format`` need each other."""

    protocol: LlamaReasoningProtocol = LlamaReasoningProtocol.NONE
    format: str = ""


class LlamaProfile(_Profile, frozen=True, kw_only=True):
    """``contenox-llama.json``. ``model_digest`` is the sha256 of the GGUF file."""

    model_digest: str = ""
    prompt: LlamaPrompt = LlamaPrompt()
    runtime: LlamaRuntimeControls = LlamaRuntimeControls()
    tool_calls: LlamaToolCalls = LlamaToolCalls()
    reasoning: LlamaReasoning = LlamaReasoning()


Profile = OpenVinoProfile | LlamaProfile


class Capabilities(Struct, frozen=True, kw_only=True):
    """What a profile lets a model do; the engine and the template may still say no."""

    chat: bool
    prompt: bool
    stream: bool
    embed: bool
    think: bool
    tools: bool


def capabilities(profile: Profile) -> Capabilities:
    """What ``profile`` allows. Tools need a named protocol, and somebody who verified it."""
    tools_verified = profile.evidence.tools.status is Status.VERIFIED
    reasons = bool(profile.reasoning.protocol)
    if isinstance(profile, OpenVinoProfile):
        reasons = reasons or bool(profile.reasoning.stream_protocol)
    follows_chat = {None: profile.can_chat, True: True, False: False}
    return Capabilities(
        chat=profile.can_chat,
        prompt=follows_chat[profile.can_prompt],
        stream=follows_chat[profile.can_stream],
        embed=profile.can_embed,
        think=profile.can_think or reasons,
        tools=bool(profile.tool_calls.protocol) and tools_verified,
    )


def profile_digest(profile: Profile) -> str:
    """The sha256 of all that ``profile`` says, defaults included, in a canonical JSON form."""
    encoded = msgspec.json.encode((type(profile).__name__, profile), order="deterministic")
    return hashlib.sha256(encoded).hexdigest()


def schemas() -> dict[str, bytes]:
    """The JSON schema of each profile, by the name of its file in ``profiles/schema/``."""
    named: dict[str, tuple[type[Any], str]] = {
        "contenox-openvino.schema.json": (OpenVinoProfile, OPENVINO_PROFILE),
        "contenox-llama.schema.json": (LlamaProfile, LLAMA_PROFILE),
    }
    written: dict[str, bytes] = {}
    for name, (cls, title) in named.items():
        schema = {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": title,
            **msgspec.json.schema(cls),
        }
        encoded = msgspec.json.encode(schema, order="deterministic")
        written[name] = msgspec.json.format(encoded, indent=2) + b"\n"
    return written


def write_schemas(folder: Path) -> None:
    """Writes all schemas into ``folder``."""
    for name, content in schemas().items():
        write_atomic(folder / name, content)


if __name__ == "__main__":
    if sys.argv[1:] != ["--write-schemas"]:
        sys.exit("usage: python -m app.models.profile --write-schemas")
    write_schemas(profiles_dir() / "schema")

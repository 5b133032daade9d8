"""What to load: a model, and how its library shall run it. Plain frozen values."""

from enum import StrEnum

from msgspec import Struct


class Pipeline(StrEnum):
    """How OpenVINO GenAI runs a model.

    ``AUTOMATIC`` is the paged pipeline, or the stateful one where the model can't be paged.
    """

    AUTOMATIC = "automatic"
    PAGED = "paged"
    STATEFUL = "stateful"


class SparseMode(StrEnum):
    XATTENTION = "xattention"
    TRISHAPE = "trishape"


class SparseAttention(Struct, frozen=True, kw_only=True):
    """Sparse attention controls of the paged pipeline; defaults are the library's own names."""

    mode: SparseMode = SparseMode.XATTENTION
    num_last_dense_tokens_in_prefill: int = 10
    xattention_threshold: float = 0.9
    xattention_block_size: int = 128
    xattention_stride: int = 16


class OpenVinoRuntime(Struct, frozen=True, kw_only=True, tag="openvino"):
    """How OpenVINO GenAI shall run the model.

    ``device`` is one concrete device (``CPU``, ``GPU``, ``GPU.1``), never a composite.
    ``cache_size_gib`` and ``num_kv_blocks`` exclude each other; one of them is set.
    ``use_sparse_attention``: absent means automatic, true means required.
    """

    device: str = "CPU"
    pipeline: Pipeline = Pipeline.AUTOMATIC
    kv_cache_precision: str = "u8"
    cache_size_gib: int | None = 1
    num_kv_blocks: int | None = None
    max_num_batched_tokens: int = 256
    dynamic_split_fuse: bool = True
    enable_prefix_caching: bool = True
    use_sparse_attention: bool | None = None
    sparse_attention: SparseAttention = SparseAttention()
    compiled_cache_dir: str | None = None


class LlamaRuntime(Struct, frozen=True, kw_only=True, tag="llama"):
    """How llama.cpp shall run the model. ``threads`` 0 means physical cores less one."""

    device: str = "CPU"
    threads: int = 0
    batch_tokens: int = 256
    flash_attention: bool = False
    kv_cache_type: str = "f16"


class ScriptedRuntime(Struct, frozen=True, kw_only=True, tag="scripted"):
    """The deterministic stand-in: answers without weights, and fails on demand.

    ``answer`` is streamed one word a token; ``{prompt}`` in it stands for the last user message.
    ``replies`` are pairs of a part of that message and the answer to it; the first that fits goes
    before ``answer``. ``fault`` names what shall go wrong: see ``backends/scripted.py``.
    ``compiled_cache_dir``: a load leaves a file there, and the next one finds it.
    """

    device: str = "CPU"
    answer: str = "You said: {prompt}"
    replies: tuple[tuple[str, str], ...] = ()
    compiled_cache_dir: str | None = None
    token_s: float = 0.0
    prefill_token_s: float = 0.0
    load_s: float = 0.0
    fault: str | None = None


Runtime = OpenVinoRuntime | LlamaRuntime | ScriptedRuntime


class Protocols(Struct, frozen=True, kw_only=True):
    """How this model writes thinking and tool calls; the names are those of its profile.

    ``None``: the model does neither, its text is plain, and tools are refused.
    """

    reasoning: str | None = None
    tool_calls: str | None = None


class LoadSpec(Struct, frozen=True, kw_only=True):
    """Everything that decides what a loaded model is. Two equal specs are one slot key.

    ``context_tokens`` is the most that prompt and answer may hold together. ``embeds``: the model
    is loaded to make embeddings and not to answer; only for a profile that says ``can_embed``.
    """

    model_name: str
    model_path: str
    model_digest: str
    profile_digest: str = ""
    context_tokens: int
    protocols: Protocols = Protocols()
    embeds: bool = False
    runtime: Runtime

    @property
    def backend(self) -> str:
        """``openvino``, ``llama`` or ``scripted``."""
        return str(self.runtime.__struct_config__.tag)

    @property
    def device(self) -> str:
        return self.runtime.device

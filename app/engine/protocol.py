"""What the window's process and the engine process say to each other.

Plain frozen values, no handles, packed with MessagePack. A *request* (``Load``, ``Generate``,
``Convert``, ...) carries an id of the caller's and ends in exactly one ``Finished`` or ``Failed``;
a result event such as ``Converted`` comes before it. ``Cancel``, ``Ping`` and ``Shutdown`` are no
requests.
"""

import uuid
from enum import StrEnum
from typing import Any, Final

import msgspec
from msgspec import Struct

from app.core.errors import ErrorRecord
from app.engine.manifest import Manifest, SegmentKind


def new_request_id() -> str:
    """Returns an id that no other request has."""
    return uuid.uuid4().hex


# --- What to load -------------------------------------------------------------------------------


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


# --- What to generate ---------------------------------------------------------------------------


class Role(StrEnum):
    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"


class ToolCall(Struct, frozen=True, kw_only=True):
    """A call that the model made; the text of a ``Delta`` of that kind is one such as JSON.

    ``arguments`` is a JSON object as JSON text.
    """

    id: str
    name: str
    arguments: str


class ChatMessage(Struct, frozen=True, kw_only=True):
    """A turn. ``tool_calls`` are an assistant's; ``tool_call_id`` is the call a tool answers."""

    role: Role
    content: str
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str | None = None


class ToolSpec(Struct, frozen=True, kw_only=True):
    """A tool that the model may call. ``parameters_schema`` is a JSON schema as JSON text."""

    name: str
    description: str
    parameters_schema: str


class ThinkingLevel(StrEnum):
    """How much the model shall think before it answers; ``AUTO`` leaves it to the template."""

    AUTO = "auto"
    OFF = "off"
    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"


class SegmentSpan(Struct, frozen=True, kw_only=True):
    """Which part of which message is one segment: characters ``start`` to ``end`` of its content.

    ``message`` is -1 for a tool, whose text is in ``text``: a template writes it as it likes.
    """

    kind: SegmentKind
    name: str = ""
    message: int = -1
    start: int = 0
    end: int = 0
    text: str = ""


class Sampling(Struct, frozen=True, kw_only=True):
    """How the next token is chosen. ``temperature`` 0 means greedy: the most probable token.

    ``top_p`` 1, ``top_k`` 0, ``min_p`` 0 and ``repetition_penalty`` 1 each mean "not used".
    ``seed`` absent means a new random one, which ``Finished`` reports.
    """

    temperature: float = 0.0
    top_p: float = 1.0
    top_k: int = 0
    min_p: float = 0.0
    repetition_penalty: float = 1.0
    seed: int | None = None
    stop_strings: tuple[str, ...] = ()


# --- Commands -----------------------------------------------------------------------------------


class Load(Struct, frozen=True, kw_only=True, tag=True):
    """Request: make ``spec`` the loaded model, in place of another."""

    request: str
    spec: LoadSpec


class Generate(Struct, frozen=True, kw_only=True, tag=True):
    """Request: answer ``messages`` with the model of ``spec``, which is loaded first if need be.

    If the last message is the assistant's, the answer goes on from its end.
    ``deadline_s`` counts from when the engine receives the request. ``reserve_tokens`` must be left
    in the context for the answer. ``segments`` say what the messages are made of, for a manifest.
    ``max_tokens`` counts the thinking too; one that takes more than ``max_thinking_tokens`` ends
    the answer with ``LENGTH``, so that it doesn't use up what is meant for the answer.
    """

    request: str
    spec: LoadSpec
    messages: tuple[ChatMessage, ...]
    segments: tuple[SegmentSpan, ...] = ()
    sampling: Sampling = Sampling()
    max_tokens: int = 1024
    reserve_tokens: int = 1
    thinking: ThinkingLevel = ThinkingLevel.AUTO
    max_thinking_tokens: int | None = None
    tools: tuple[ToolSpec, ...] = ()
    deadline_s: float | None = None


class Convert(Struct, frozen=True, kw_only=True, tag=True):
    """Request: convert the GGUF file ``source`` to OpenVINO IR in the folder ``target``."""

    request: str
    source: str
    target: str


class ReportBackend(Struct, frozen=True, kw_only=True, tag=True):
    """Request: really load the native library of ``backend`` and report its version."""

    request: str
    backend: str


class Describe(Struct, frozen=True, kw_only=True, tag=True):
    """Request: load ``spec`` if need be, and report what was asked and what the library says."""

    request: str
    spec: LoadSpec


class Unload(Struct, frozen=True, kw_only=True, tag=True):
    """Request: drop the loaded model and give its memory back."""

    request: str


class Cancel(Struct, frozen=True, kw_only=True, tag=True):
    request: str


class Ping(Struct, frozen=True, kw_only=True, tag=True):
    request: str


class Configure(Struct, frozen=True, kw_only=True, tag=True):
    """How the engine shall behave from now on.

    ``idle_unload_s``: seconds without a request until the model's memory is given back; 0 is never.
    ``snapshot_dir``: where stable prefixes are kept across an unload; absent means nowhere.
    """

    idle_unload_s: int
    snapshot_dir: str | None = None


class Shutdown(Struct, frozen=True, kw_only=True, tag=True):
    pass


class Embed(Struct, frozen=True, kw_only=True, tag=True):
    """Request: turn ``texts`` into vectors with the model of ``spec``, loaded first if need be."""

    request: str
    spec: LoadSpec
    texts: tuple[str, ...]


class Count(Struct, frozen=True, kw_only=True, tag=True):
    """Request: count the prompt of ``turn`` exactly, without waiting for any answer.

    Loads a tokenizer if need be, never a model.
    """

    request: str
    turn: Generate


class Prefill(Struct, frozen=True, kw_only=True, tag=True):
    """Request: compute now what every answer to the next message of ``turn`` will read first.

    ``turn`` has the conversation so far, without that message. It waits for every other request and
    is cancelled as soon as one comes. It never replaces a loaded model by another.
    """

    request: str
    turn: Generate


Request = Load | Generate | Convert | ReportBackend | Describe | Unload | Embed | Count | Prefill
Command = Request | Cancel | Ping | Configure | Shutdown


# --- Events -------------------------------------------------------------------------------------


class FinishReason(StrEnum):
    """Why a request ended. A cancelled request is an outcome, not an error."""

    STOP = "stop"
    LENGTH = "length"
    TOOL_CALLS = "tool_calls"
    CANCELLED = "cancelled"
    DEADLINE = "deadline"
    REPETITION = "repetition"
    STALLED = "stalled"
    CONTEXT_FULL = "context_full"
    POOL_EXHAUSTED = "pool_exhausted"


class SlotState(StrEnum):
    EMPTY = "empty"
    LOADING = "loading"
    READY = "ready"
    BUSY = "busy"
    UNLOADING = "unloading"
    FAILED = "failed"


class DeltaKind(StrEnum):
    TEXT = "text"
    THINKING = "thinking"
    TOOL_CALL = "tool_call"


class Usage(Struct, frozen=True, kw_only=True):
    """Token counts, from ids and the backend's counters, never from text.

    ``prompt_tokens`` includes ``reused_tokens``; ``completion_tokens`` includes the stop token
    and ``thinking_tokens``. ``reused_tokens`` is what the library's counters bear out,
    ``predicted_reused_tokens`` what was expected before; they are the same where those counters
    tell nothing (``reuse_measured`` is false). ``restored_tokens`` of them came from a file. A
    physical prefill is a call of its own; a deferred one is the answer's call, which then reads all
    that isn't reused.
    """

    prompt_tokens: int = 0
    reused_tokens: int = 0
    predicted_reused_tokens: int = 0
    reuse_measured: bool = False
    restored_tokens: int = 0
    completion_tokens: int = 0
    thinking_tokens: int = 0
    physical_prefill_calls: int = 0
    physical_prefill_tokens: int = 0
    deferred_prefill_calls: int = 0
    deferred_prefill_tokens: int = 0


class Timings(Struct, frozen=True, kw_only=True):
    """Measured seconds and rates. ``None`` where there was nothing to measure.

    ``load_s`` is 0 when the model was loaded already. ``ttft_s`` runs from the start of the
    prefill to the first token. ``prefill_tokens_per_s`` counts the tokens that were computed (not
    those reused) over ``ttft_s``; ``decode_tokens_per_s`` the tokens after the first over the time
    from the first to the last.
    """

    load_s: float = 0.0
    ttft_s: float | None = None
    prefill_tokens_per_s: float | None = None
    decode_tokens_per_s: float | None = None


class PoolReport(Struct, frozen=True, kw_only=True):
    """The KV cache of the loaded model. ``held_tokens`` could be reused by some prompt.

    ``blocks`` and ``block_tokens`` are 0 where the cache isn't made of blocks.
    """

    held_tokens: int
    capacity_tokens: int
    blocks: int = 0
    block_tokens: int = 0


class ContextReport(Struct, frozen=True, kw_only=True):
    """What a prompt takes and what of it is there already, before anything is computed.

    ``context_tokens`` is what may really be used: the least of what the model was trained for, what
    was asked, and what the pool holds less one block. ``predicted_reused_tokens`` is absent, with
    the reason in ``why_not``, while the model isn't loaded. ``predicted_prefill_s`` comes from the
    measured speed of this model's last prefill.
    """

    manifest: Manifest
    prompt_tokens: int
    reserve_tokens: int
    context_tokens: int
    predicted_reused_tokens: int | None = None
    predicted_prefill_s: float | None = None
    pool: PoolReport | None = None
    pool_blocks_needed: int = 0
    why_not: str = ""
    notes: tuple[str, ...] = ()

    @property
    def needed_tokens(self) -> int:
        return self.prompt_tokens + self.reserve_tokens

    @property
    def fits(self) -> bool:
        return self.needed_tokens <= self.context_tokens


class BackendReport(Struct, frozen=True, kw_only=True):
    """Whether a backend's native library loads, its version, and why not if it doesn't."""

    name: str
    version: str | None = None
    components: dict[str, str] = {}
    error: ErrorRecord | None = None


class SessionReport(Struct, frozen=True, kw_only=True):
    """A loaded model as its library sees it; the library's own names and words in the mappings.

    ``metrics`` are the library's counters after the warm-up or the last answer. ``notes`` are
    sentences about what was decided in the load, such as why attention is dense.
    """

    pipeline: str
    asked: dict[str, str] = {}
    library: dict[str, str] = {}
    metrics: dict[str, float] = {}
    notes: tuple[str, ...] = ()


class Ready(Struct, frozen=True, kw_only=True, tag=True):
    """The engine process is up. Nothing native is imported yet."""

    pid: int


class StateChanged(Struct, frozen=True, kw_only=True, tag=True):
    """What the slot holds now. ``generation`` rises at each load and eviction.

    ``peak_rss_bytes`` is the most that the engine held with this model, where that can be told:
    once it is loaded, and after each answer.
    """

    generation: int
    state: SlotState
    spec: LoadSpec | None = None
    peak_rss_bytes: int | None = None


class LoadProgress(Struct, frozen=True, kw_only=True, tag=True):
    """``fraction`` is between 0 and 1, or absent where the library tells none."""

    request: str
    generation: int
    stage: str
    fraction: float | None = None


class PrefillProgress(Struct, frozen=True, kw_only=True, tag=True):
    """``done_tokens`` of ``total_tokens`` are in the KV cache, ``reused_tokens`` were before."""

    request: str
    generation: int
    done_tokens: int
    total_tokens: int
    reused_tokens: int


class Delta(Struct, frozen=True, kw_only=True, tag=True):
    request: str
    generation: int
    kind: DeltaKind = DeltaKind.TEXT
    text: str


class Converted(Struct, frozen=True, kw_only=True, tag=True):
    """``files`` are the paths written, relative to the target folder."""

    request: str
    files: tuple[str, ...]


class BackendReported(Struct, frozen=True, kw_only=True, tag=True):
    request: str
    report: BackendReport


class Described(Struct, frozen=True, kw_only=True, tag=True):
    request: str
    report: SessionReport


class Embedded(Struct, frozen=True, kw_only=True, tag=True):
    """One vector of length 1 for each text, in their order."""

    request: str
    vectors: tuple[tuple[float, ...], ...]


class Counted(Struct, frozen=True, kw_only=True, tag=True):
    request: str
    report: ContextReport


class Pong(Struct, frozen=True, kw_only=True, tag=True):
    request: str


class Finished(Struct, frozen=True, kw_only=True, tag=True):
    """The one good end of a request."""

    request: str
    generation: int
    reason: FinishReason
    usage: Usage = Usage()
    timings: Timings = Timings()
    seed: int | None = None


class Failed(Struct, frozen=True, kw_only=True, tag=True):
    """The one bad end of a request. ``fatal``: the loaded model was dropped with it."""

    request: str
    generation: int
    error: ErrorRecord
    fatal: bool = False


Terminal = Finished | Failed
Event = (
    Ready
    | StateChanged
    | LoadProgress
    | PrefillProgress
    | Delta
    | Converted
    | BackendReported
    | Described
    | Embedded
    | Counted
    | Pong
    | Finished
    | Failed
)

EXIT_ABANDONED: Final = 75
"""Exit code of an engine that ended itself to answer a cancel inside a native call that nothing
can interrupt. The client starts a new one and sends it what was still waiting."""

EXIT_RELEASED: Final = 76
"""Exit code of an engine that ended itself to give its memory back, for idleness or an unload."""

_encoder = msgspec.msgpack.Encoder()
_commands = msgspec.msgpack.Decoder(Command)
_events = msgspec.msgpack.Decoder(Event)


def encode(message: Command | Event) -> bytes:
    """Packs ``message``; half a surrogate pair, which no text should hold, becomes ``?``."""
    try:
        return _encoder.encode(message)
    except UnicodeEncodeError:
        return _encoder.encode(_without_surrogates(msgspec.to_builtins(message)))


def _without_surrogates(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, dict):
        return {key: _without_surrogates(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_without_surrogates(one) for one in value]
    return value


def decode_command(data: bytes) -> Command:
    """Raises ``msgspec.ValidationError`` for what is no command."""
    return _commands.decode(data)


def decode_event(data: bytes) -> Event:
    """Raises ``msgspec.ValidationError`` for what is no event."""
    return _events.decode(data)

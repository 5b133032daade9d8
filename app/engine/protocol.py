"""What the window's process and the engine process say to each other.

Plain frozen values, no handles, packed with MessagePack. A *request* (``Load``, ``Generate``,
``Convert``, ...) carries an id of the caller's and ends in exactly one ``Finished`` or ``Failed``;
a result event such as ``Converted`` comes before it. ``Cancel``, ``Ping`` and ``Shutdown`` are no
requests.
"""

import uuid
from typing import Any, Final

import msgspec
from msgspec import Struct

from app.core.errors import ErrorRecord
from app.engine.chat import (
    ChatMessage,
    Sampling,
    SegmentSpan,
    ThinkingLevel,
    ToolSpec,
)
from app.engine.outcome import (
    BackendReport,
    ContextReport,
    DeltaKind,
    FinishReason,
    SessionReport,
    SlotState,
    Timings,
    Usage,
)
from app.engine.spec import (
    LoadSpec,
)


def new_request_id() -> str:
    """Returns an id that no other request has."""
    return uuid.uuid4().hex


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

"""What came of a request, and what the engine knows of itself. Plain frozen values."""

from enum import StrEnum

from msgspec import Struct

from app.core.errors import ErrorRecord
from app.engine.manifest import Manifest


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
    tell nothing (``reuse_measured`` is false). On the paged pipeline they are whole blocks, though
    the library may find up to a block more. ``restored_tokens`` of them came from a file. A
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
    the reason in ``why_not``, while the model isn't loaded. ``differs_in`` names the first field of
    the last prompt's manifest that forbids to reuse its beginning. ``predicted_prefill_s`` comes
    from the measured speed of this model's last prefill.
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
    differs_in: str = ""
    notes: tuple[str, ...] = ()

    @property
    def needed_tokens(self) -> int:
        return self.prompt_tokens + self.reserve_tokens

    @property
    def unread_tokens(self) -> int:
        """What of the prompt has to be computed, as far as that is known."""
        return self.prompt_tokens - (self.predicted_reused_tokens or 0)

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

    ``metrics`` are the library's counters after the warm-up or the last answer. ``template`` names
    what a rendering of the chat template was seen to heed, ``chat`` first; it is empty where it
    can't be rendered. ``notes`` are sentences about what was decided in the load, such as why
    attention is dense.
    """

    pipeline: str
    asked: dict[str, str] = {}
    library: dict[str, str] = {}
    metrics: dict[str, float] = {}
    template: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

"""What a loaded model's KV cache holds, what it costs to compute, and whether that came true.

The inference thread keeps these books; the tokenizer thread reads them to predict.
"""

import threading
from collections.abc import Callable, Sequence
from typing import Final, Protocol

import msgspec

from app.engine.chat import ChatMessage, Role
from app.engine.manifest import common_tokens
from app.engine.outcome import PoolReport
from app.engine.prefix_blocks import PrefixBlocks
from app.engine.protocol import Generate

_SMOOTHING: Final = 0.3
# Two messages that share no character, to find where every next message begins.
_PROBES: Final = ("a", "Z")


class Books(Protocol):
    """An account of a KV cache; any thread may ask it."""

    def reusable_tokens(self, ids: Sequence[int]) -> int:
        """How many leading tokens of ``ids`` need no computation; never all of them."""

    def pool(self) -> PoolReport:
        """How large the cache is and how much of it is known to be held."""


class PoolBooks:
    """The books of a paged pool that several chats share."""

    def __init__(self, block_tokens: int, pool_blocks: int, *, caching: bool) -> None:
        self._block_tokens = block_tokens
        self._pool_blocks = pool_blocks
        self._capacity = pool_blocks if caching else 0
        self._lock = threading.Lock()
        self._held = PrefixBlocks(block_tokens, self._capacity)

    def reusable_tokens(self, ids: Sequence[int]) -> int:
        with self._lock:
            return self._held.reusable_tokens(ids)

    def remember(self, ids: Sequence[int]) -> None:
        """Records that the KV of ``ids`` was computed or used."""
        with self._lock:
            self._held.remember(ids)

    def forget(self) -> None:
        """Starts again: the pool was seen not to hold what the books say."""
        with self._lock:
            self._held = PrefixBlocks(self._block_tokens, self._capacity)

    def pool(self) -> PoolReport:
        with self._lock:
            held_blocks = self._held.held_blocks
        return PoolReport(
            held_tokens=held_blocks * self._block_tokens,
            capacity_tokens=self._pool_blocks * self._block_tokens,
            blocks=self._pool_blocks,
            block_tokens=self._block_tokens,
        )


class SequenceBooks:
    """The books of a cache that holds one sequence of tokens.

    Args:
        held: returns a copy of the ids in the cache; any thread may call it.
        capacity_tokens: the most tokens that it can hold.
    """

    def __init__(self, held: Callable[[], Sequence[int]], capacity_tokens: int) -> None:
        self._held = held
        self._capacity = capacity_tokens

    def reusable_tokens(self, ids: Sequence[int]) -> int:
        return common_tokens(self._held(), ids[:-1])

    def pool(self) -> PoolReport:
        return PoolReport(held_tokens=len(self._held()), capacity_tokens=self._capacity)


class NoBooks:
    """For a pipeline that keeps nothing from one prompt to the next."""

    def __init__(self, capacity_tokens: int) -> None:
        self._capacity = capacity_tokens

    def reusable_tokens(self, ids: Sequence[int]) -> int:
        return 0

    def pool(self) -> PoolReport:
        return PoolReport(held_tokens=0, capacity_tokens=self._capacity)


class PrefillSpeed:
    """Seconds that a token of prefill takes, as a moving average of what was measured."""

    def __init__(self) -> None:
        self._s_per_token: float | None = None

    def note(self, tokens: int, seconds: float) -> None:
        """Takes in one computation of ``tokens``; short ones say little and are left out."""
        if tokens < 32 or seconds <= 0:
            return
        one = seconds / tokens
        before = self._s_per_token
        self._s_per_token = one if before is None else before + _SMOOTHING * (one - before)

    def seconds(self, tokens: int) -> float | None:
        """How long ``tokens`` will take; ``None`` before the first measurement."""
        return None if self._s_per_token is None else tokens * self._s_per_token


def shared_beginning(turn: Generate, write: Callable[[Generate], list[int]]) -> list[int]:
    """The ids that begin the prompt of every next message in the conversation of ``turn``.

    Args:
        turn: the conversation without that message.
        write: makes a prompt's ids.
    """
    first, second = (write(_with_message(turn, text)) for text in _PROBES)
    return first[: common_tokens(first, second)]


def _with_message(turn: Generate, text: str) -> Generate:
    messages = (*turn.messages, ChatMessage(role=Role.USER, content=text))
    return msgspec.structs.replace(turn, messages=messages, segments=())

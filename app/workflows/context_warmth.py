"""What is read again while nothing else happens.

The paged pool can't be told what to evict: it drops the least recently used block. What can be done
is to use again what is worth most, before it has gone, and to leave out of the next prompt what is
worth least (``context_order``). Both follow the class of a segment first and its last use second.
"""

import time
from collections.abc import Callable, Sequence
from typing import Final

import msgspec
from msgspec import Struct

from app.engine.chat import ChatMessage, Role
from app.engine.client import EngineClient
from app.engine.manifest import CacheClass, reused_by_class
from app.engine.outcome import ContextReport, PoolReport
from app.engine.protocol import Generate, Prefill, new_request_id
from app.workflows.context import count

# A chat whose stable prefix is held up to here is warm.
_WARM_SHARE: Final = 0.9
# Of the pool, stable prefixes may be kept in so much; the rest is for the turns.
_BUDGET_SHARE: Final = 0.75
_MOST_CHATS: Final = 8


class Candidate(Struct, frozen=True, kw_only=True):
    """The stable prefix of a chat. ``used_at`` is by any clock that rises."""

    chat: str
    stable_tokens: int
    held_tokens: int
    highest: CacheClass
    used_at: float

    @property
    def warm(self) -> bool:
        return self.held_tokens >= _WARM_SHARE * self.stable_tokens


def candidate(chat: str, report: ContextReport, used_at: float) -> Candidate:
    """What a count says about the stable prefix of ``chat``."""
    stable = [one.kind.cache_class for one in report.manifest.segments if one.kind.stable]
    return Candidate(
        chat=chat,
        stable_tokens=report.manifest.stable_tokens,
        held_tokens=min(report.predicted_reused_tokens or 0, report.manifest.stable_tokens),
        highest=max(stable, default=CacheClass.LOW),
        used_at=used_at,
    )


def next_to_warm(candidates: Sequence[Candidate], pool: PoolReport) -> Candidate | None:
    """The chat whose stable prefix is to be read again now; ``None`` if that gains nothing.

    The highest class comes first, then the last used. Those that come first keep their place: one
    that would push them out of the pool is left cold. A cache of one sequence is left to the chat
    that was used last: any other would push out what the person is about to go on with.
    """
    left = _BUDGET_SHARE * pool.capacity_tokens
    ranked = sorted(candidates, key=_rank, reverse=True)
    if pool.blocks == 0:
        ranked = sorted(candidates, key=lambda one: one.used_at)[-1:]
    for one in ranked:
        if one.stable_tokens > left or one.stable_tokens == 0:
            continue
        left -= one.stable_tokens
        if not one.warm:
            return one
    return None


def _rank(one: Candidate) -> tuple[CacheClass, float]:
    return one.highest, one.used_at


class Warmer:
    """Reads stable prefixes again while nothing else happens.

    Args:
        engine: a turn that comes meanwhile ends the reading at once.
        clock: any clock that rises, in seconds.
    """

    def __init__(self, engine: EngineClient, clock: Callable[[], float] = time.monotonic) -> None:
        self._engine = engine
        self._clock = clock
        self._chats: dict[str, tuple[Generate, float]] = {}
        self._read: set[str] = set()

    def note_turn(self, chat: str, turn: Generate) -> None:
        """A turn of ``chat`` has ended; its stable segments are worth keeping from now on."""
        self._chats.pop(chat, None)
        self._chats[chat] = (turn, self._clock())
        while len(self._chats) > _MOST_CHATS:
            del self._chats[next(iter(self._chats))]
        self._read.clear()

    def forget(self, chat: str) -> None:
        """``chat`` was deleted, or what is pinned in it has changed."""
        self._chats.pop(chat, None)

    def warm_next(self) -> str | None:
        """Reads the prefix that is worth most; returns its chat, or ``None`` if none is.

        Blocks; for a background thread of a program that has been idle for some seconds. Each chat
        is read at most once between two turns.
        """
        spec = self._engine.loaded
        candidates: list[Candidate] = []
        pool: PoolReport | None = None
        for chat, (turn, used_at) in self._chats.items():
            if turn.spec == spec:
                report = count(self._engine, turn)
                pool = report.pool or pool
                candidates.append(candidate(chat, report, used_at))
        chosen = next_to_warm(candidates, pool) if pool is not None else None
        if chosen is None or chosen.chat in self._read:
            return None
        self._read.add(chosen.chat)
        turn, _ = self._chats[chosen.chat]
        self._engine.call(Prefill(request=new_request_id(), turn=_stable_part(turn)))
        return chosen.chat


def _stable_part(turn: Generate) -> Generate:
    """The conversation of ``turn`` without what changes."""
    stable = [one for one in turn.segments if one.kind.stable and one.message == 0]
    messages: tuple[ChatMessage, ...] = ()
    if stable and turn.messages[0].role is Role.SYSTEM:
        first = turn.messages[0]
        messages = (msgspec.structs.replace(first, content=first.content[: stable[-1].end]),)
    return msgspec.structs.replace(turn, messages=messages, segments=())


class Measured(Struct, frozen=True, kw_only=True):
    """The pool, and how much of each class was reused in the last turns, for the panel."""

    pool: PoolReport | None
    reused: dict[str, float]

    @property
    def usage(self) -> float:
        """The share of the pool that is known to be held."""
        return self.pool.held_tokens / self.pool.capacity_tokens if self.pool else 0.0


def measured(report: ContextReport, reused_tokens: int) -> Measured:
    """What the panel shows after a turn.

    Args:
        report: the count before it.
        reused_tokens: what was measured.
    """
    shares = reused_by_class(report.manifest, reused_tokens)
    return Measured(
        pool=report.pool, reused={key.name.lower(): value for key, value in shares.items()}
    )

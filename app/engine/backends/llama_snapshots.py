"""Keeps the stable prefix of a chat across an unload, where that is faster than reading it anew."""

import time
from collections.abc import Sequence
from typing import Final

from app.core.errors import DataFault
from app.engine.backends.llama_context import LlamaContext
from app.engine.manifest import Identity, common_tokens
from app.engine.reuse import PrefillSpeed
from app.engine.snapshots import FEWEST_TOKENS, SnapshotStore

_GAIN_TOKENS: Final = 64


class PrefixKeeper:
    """Saves and restores what one loaded model holds.

    Args:
        context: its cache.
        room: the most tokens that the cache holds.
        identity: what decides its KV.
        speed: what computing costs.
    """

    def __init__(
        self, context: LlamaContext, room: int, identity: Identity, speed: PrefillSpeed
    ) -> None:
        self._context = context
        self._room = room
        self._identity = identity
        self._speed = speed
        self._stable: list[int] = []
        self.store: SnapshotStore | None = None

    def note_stable(self, ids: Sequence[int]) -> None:
        """Remembers the stable prefix of the chat that was answered last."""
        self._stable = list(ids)

    def restore(self, prompt: Sequence[int]) -> int:
        """Puts a saved beginning of ``prompt`` into the cache; returns its tokens, or 0."""
        if self.store is None or len(prompt) < FEWEST_TOKENS:
            return 0
        held = common_tokens(self._context.held(), prompt)
        found = self.store.find(prompt, self._identity, held + _GAIN_TOKENS)
        if found is None:
            return 0
        started = time.perf_counter()
        try:
            tokens = self._context.restore(self.store.path_of(found), self._room)
        except DataFault:
            tokens = 0
        if tokens != found.tokens or self._context.held() != list(prompt[:tokens]):
            self._context.clear()
            self.store.drop(found)
            return 0
        self.store.note_restored(found, time.perf_counter() - started)
        return tokens

    def save(self) -> None:
        """Saves the stable prefix, if the cache still holds it and it isn't saved yet."""
        stable, store = self._stable, self.store
        per_token = self._speed.seconds(1)
        if store is None or per_token is None or len(stable) < FEWEST_TOKENS:
            return
        if common_tokens(self._context.held(), stable) < len(stable):
            return
        if store.has(stable, self._identity):
            return
        self._context.reuse([*stable, -1])
        store.save(stable, self._identity, per_token, self._context.save)

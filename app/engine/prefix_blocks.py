"""What the paged pool holds, as far as it can be known from outside.

The library reuses whole blocks from the start of a prompt and reports nothing. This keeps the same
books: a block is known by all the ids up to its end; the least recently used one goes first. Of a
sequence that is the block at its start: one block that another prompt takes costs all of its reuse
(measured on openvino-genai 2026.4.1.0). A block that is not full takes its place; sometimes it is
met again, which no counter tells and these books leave out.
"""

from array import array
from collections import OrderedDict
from collections.abc import Sequence
from hashlib import blake2b
from itertools import pairwise
from typing import Final

_DIGEST_BYTES: Final = 16


class PrefixBlocks:
    """An account of the blocks in the pool.

    Args:
        block_tokens: tokens in a KV block (32 on the CPU, 16 on a GPU).
        capacity_blocks: blocks in the pool.
    """

    def __init__(self, block_tokens: int, capacity_blocks: int) -> None:
        self._block_tokens = block_tokens
        self._capacity = capacity_blocks
        self._known: OrderedDict[bytes, None] = OrderedDict()

    @property
    def held_blocks(self) -> int:
        """How many blocks are known to be held."""
        return len(self._known)

    def reusable_tokens(self, ids: Sequence[int]) -> int:
        """How many leading tokens of ``ids`` need no computation: whole blocks, never the last."""
        blocks = 0
        for key in self._keys(ids[:-1]):
            if key not in self._known:
                break
            blocks += 1
        return blocks * self._block_tokens

    def remember(self, ids: Sequence[int]) -> None:
        """Records that the KV of ``ids`` was computed."""
        keys = self._keys(ids)
        if len(ids) % self._block_tokens:
            keys.append(b"rest" + self._digest(keys[-1] if keys else b"", ids, len(keys)))
        for key in keys:
            self._known[key] = None
            self._known.move_to_end(key)
        while len(self._known) > self._capacity:
            self._known.popitem(last=False)

    def _keys(self, ids: Sequence[int]) -> list[bytes]:
        bounds = range(0, len(ids) + 1, self._block_tokens)
        keys: list[bytes] = []
        previous = b""
        for number, _ in enumerate(pairwise(bounds)):
            previous = self._digest(previous, ids, number)
            keys.append(previous)
        return keys

    def _digest(self, previous: bytes, ids: Sequence[int], number: int) -> bytes:
        """What the block ``number`` is known by."""
        start = number * self._block_tokens
        block = array("q", ids[start : start + self._block_tokens]).tobytes()
        return blake2b(previous + block, digest_size=_DIGEST_BYTES).digest()

"""Whether a prompt may be computed at all: counted exactly, refused before anything native runs.

The library would take a prompt beyond the trained context, and would drop one that outgrows the
pool in the middle of an answer. Neither is ever met: both are foreseen here.
"""

from collections.abc import Sequence
from enum import StrEnum
from typing import Final

from msgspec import Struct

from app.core.errors import UserError
from app.engine.chat import ChatMessage


class Bound(StrEnum):
    """What sets the limit."""

    CONTEXT = "context"
    POOL = "pool"


class Room(Struct, frozen=True, kw_only=True):
    """How many tokens prompt and answer may have together, and what sets that limit."""

    tokens: int
    bound: Bound = Bound.CONTEXT


def room_for(context_tokens: int, pool_blocks: int = 0, block_tokens: int = 0) -> Room:
    """The least of the context and what the pool holds.

    Args:
        context_tokens: what the model was loaded for.
        pool_blocks: blocks that are really in the pool; 0 where the cache has none. One of them is
            kept back: the library needs a block for the token after the last.
        block_tokens: tokens in a block.
    """
    if pool_blocks == 0:
        return Room(tokens=context_tokens)
    pool_tokens = max(0, pool_blocks - 1) * block_tokens
    if pool_tokens < context_tokens:
        return Room(tokens=pool_tokens, bound=Bound.POOL)
    return Room(tokens=context_tokens)


def blocks_needed(tokens: int, block_tokens: int) -> int:
    """Blocks that a sequence of ``tokens`` takes; 0 where the cache has none."""
    return -(-tokens // block_tokens) if block_tokens else 0


def admit(prompt_tokens: int, reserve_tokens: int, room: Room) -> int:
    """Returns the tokens that are left for the answer.

    Raises:
        UserError: ``prompt_empty``; ``context_overflow`` with what is needed and what there is.
    """
    if prompt_tokens == 0:
        raise UserError("prompt_empty", "There is nothing to answer.", "Write a message.")
    reserve = max(1, reserve_tokens)
    if prompt_tokens + reserve > room.tokens:
        raise overflow(prompt_tokens, reserve, room)
    return room.tokens - prompt_tokens


_COUNTED_BYTES: Final = 2_000_000
"""So much text is counted in about a second, and counted exactly even if it can't fit."""

_CHARS_PER_TOKEN: Final = 16
"""Written text has four or five; what has more, its white space apart, is no text to embed."""


def refuse_giant(
    messages: Sequence[ChatMessage], context_tokens: int, longest_token_bytes: int
) -> None:
    """Refuses megabytes that can't fit however they are tokenized, before that holds all else up.

    Raises:
        UserError: ``context_overflow``.
    """
    size_bytes = sum(len(one.content.encode("utf-8", "replace")) for one in messages)
    least = size_bytes // max(1, longest_token_bytes)
    if size_bytes > _COUNTED_BYTES and least >= context_tokens:
        raise UserError(
            "context_overflow",
            f"Not read: the conversation has at least {least:,} tokens; the model's context holds"
            f" {context_tokens:,}.",
            "Leave out old messages or files, or start a new chat.",
        )


def refuse_giant_text(text: str, limit_tokens: int) -> None:
    """Refuses a text to embed that is far too long, before counting it holds all else up.

    Raises:
        UserError: ``context_overflow``.
    """
    most_chars = limit_tokens * _CHARS_PER_TOKEN
    if len(text) > most_chars and len(" ".join(text.split())) > most_chars:
        raise UserError(
            "context_overflow",
            f"A text has {len(text):,} characters; the model reads at most {limit_tokens:,}"
            " tokens.",
            "Cut the text into shorter ones.",
        )


def overflow(prompt_tokens: int, reserve_tokens: int, room: Room) -> UserError:
    """The refusal, with its stage: before the prompt is read."""
    needed = prompt_tokens + reserve_tokens
    holder = (
        "the model's context holds"
        if room.bound is Bound.CONTEXT
        else "the memory set aside for the context holds"
    )
    remedy = "Leave out old messages or files, or start a new chat."
    if room.bound is Bound.POOL:
        remedy = "Leave out old messages or files, or give the model's profile a larger cache_size."
    return UserError(
        "context_overflow",
        f"Not read: the conversation has {prompt_tokens:,} tokens and the answer needs at least"
        f" {reserve_tokens:,}, together {needed:,}; {holder} {room.tokens:,}.",
        remedy,
    )

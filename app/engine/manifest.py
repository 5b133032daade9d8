"""What a prompt was made of, and whether one prompt's KV may serve another.

A stable text is not enough for a reuse: the same text gives other KV under another tokenizer,
template, runtime or cache precision. So each turn has a manifest, and two of them are compared.
"""

import hashlib
import itertools
from array import array
from collections.abc import Sequence
from enum import IntEnum, StrEnum
from typing import Final

import msgspec
from msgspec import Struct


class SegmentKind(StrEnum):
    """What a part of a prompt is, in the order in which the parts stand in it."""

    SYSTEM = "system"
    TOOLS = "tools"
    REPO_RULES = "repo_rules"
    REPO_MAP = "repo_map"
    PINNED = "pinned"
    DIFF = "diff"
    TEST_OUTPUT = "test_output"
    TERMINAL = "terminal"
    HISTORY = "history"
    USER = "user"

    @property
    def stable(self) -> bool:
        """Whether it stays the same from turn to turn; all stable kinds come first."""
        return self in STABLE_KINDS

    @property
    def cache_class(self) -> "CacheClass":
        return _CLASSES[self]


STABLE_KINDS: Final = (
    SegmentKind.SYSTEM,
    SegmentKind.TOOLS,
    SegmentKind.REPO_RULES,
    SegmentKind.REPO_MAP,
    SegmentKind.PINNED,
)


class CacheClass(IntEnum):
    """How much a segment's KV is worth keeping, before it matters when it was last used."""

    LOW = 0
    MEDIUM = 1
    HIGH = 2
    HIGHEST = 3


_CLASSES: Final = {
    SegmentKind.SYSTEM: CacheClass.HIGHEST,
    SegmentKind.TOOLS: CacheClass.HIGHEST,
    SegmentKind.REPO_RULES: CacheClass.HIGHEST,
    SegmentKind.REPO_MAP: CacheClass.HIGH,
    SegmentKind.PINNED: CacheClass.HIGH,
    SegmentKind.DIFF: CacheClass.MEDIUM,
    SegmentKind.TEST_OUTPUT: CacheClass.MEDIUM,
    SegmentKind.TERMINAL: CacheClass.LOW,
    SegmentKind.HISTORY: CacheClass.LOW,
    SegmentKind.USER: CacheClass.LOW,
}


class Identity(Struct, frozen=True, kw_only=True):
    """Everything but the tokens that decides what their KV is; the order is that of the check.

    ``attention`` is ``dense`` or the sparse mode with its controls. ``block_tokens`` is 0 where the
    cache has no blocks.
    """

    model_digest: str
    tokenizer_digest: str
    template_digest: str
    profile_digest: str
    backend: str
    backend_version: str
    device: str
    attention: str
    context_tokens: int
    rope: str
    kv_precision: str
    block_tokens: int


class SegmentRecord(Struct, frozen=True, kw_only=True):
    """Where a segment stands in the prompt.

    The byte range counts in the rendered prompt; ``token_start`` and ``token_end`` are the tokens
    that are settled by the text up to there. All four are absent where the template has rewritten
    the text, and for tools, which a template writes in a form of its own. ``inside`` is what was
    pasted into a turn, in its order.
    """

    kind: SegmentKind
    name: str
    text_sha256: str
    byte_start: int | None = None
    byte_end: int | None = None
    token_start: int | None = None
    token_end: int | None = None
    token_sha256: str | None = None
    inside: tuple["SegmentRecord", ...] = ()

    @property
    def tokens(self) -> int | None:
        """How many tokens the segment takes."""
        if self.token_start is None or self.token_end is None:
            return None
        return self.token_end - self.token_start


class Manifest(Struct, frozen=True, kw_only=True):
    """What one prompt was made of. ``stable_tokens`` lead it and are the same for each turn."""

    identity: Identity
    prompt_tokens: int
    prompt_token_sha256: str
    stable_tokens: int
    stable_token_sha256: str
    segments: tuple[SegmentRecord, ...] = ()


def condensed(manifest: Manifest) -> Manifest:
    """The manifest with the turns of the history as one segment, as it is stored.

    Else each turn would store a line for every turn before it. The hashes of that segment are those
    over the hashes of the turns.
    """
    return msgspec.structs.replace(manifest, segments=join_history(manifest.segments))


def join_history(segments: Sequence[SegmentRecord]) -> tuple[SegmentRecord, ...]:
    """``segments`` with the turns of the history as one."""
    found: list[SegmentRecord] = []
    for kind, group in itertools.groupby(segments, key=lambda one: one.kind):
        records = list(group)
        if kind is SegmentKind.HISTORY and len(records) > 1:
            records = [_joined(records)]
        found += records
    return tuple(found)


def _joined(turns: Sequence[SegmentRecord]) -> SegmentRecord:
    first, last = turns[0], turns[-1]
    tokens = [one.token_sha256 for one in turns]
    whole = first.token_start is not None and last.token_end is not None
    return SegmentRecord(
        kind=first.kind,
        name=f"{len(turns)} messages",
        text_sha256=text_sha256("".join(one.text_sha256 for one in turns)),
        byte_start=first.byte_start if whole else None,
        byte_end=last.byte_end if whole else None,
        token_start=first.token_start if whole else None,
        token_end=last.token_end if whole else None,
        token_sha256=text_sha256("".join(str(one) for one in tokens)) if whole else None,
        inside=tuple(part for one in turns for part in one.inside),
    )


def reused_by_class(manifest: Manifest, reused_tokens: int) -> dict[CacheClass, float]:
    """The share of each class's tokens that ``reused_tokens`` leading tokens cover.

    What was pasted into a turn counts in its own class. A class without tokens is not in it.
    """
    total: dict[CacheClass, int] = {}
    covered: dict[CacheClass, int] = {}

    def add(one: SegmentRecord, worth: CacheClass, sign: int) -> None:
        if one.tokens is None or one.token_start is None:
            return
        inside = min(max(reused_tokens - one.token_start, 0), one.tokens)
        total[worth] = total.get(worth, 0) + sign * one.tokens
        covered[worth] = covered.get(worth, 0) + sign * inside

    for one in manifest.segments:
        add(one, one.kind.cache_class, 1)
        for part in one.inside:
            add(part, part.kind.cache_class, 1)
            add(part, one.kind.cache_class, -1)
    return {worth: covered[worth] / tokens for worth, tokens in total.items() if tokens}


def compatible(before: Manifest, after: Manifest) -> str | None:
    """Names the first field that forbids to reuse the stable prefix of ``before`` for ``after``.

    ``None`` means that nothing does.
    """
    for name in Identity.__struct_fields__:
        if getattr(before.identity, name) != getattr(after.identity, name):
            return name
    if before.stable_token_sha256 != after.stable_token_sha256:
        return "stable_token_sha256"
    return None


def token_sha256(ids: Sequence[int]) -> str:
    """The sha256 of ``ids`` as 64-bit little-endian integers."""
    data = array("q", ids)
    if data.itemsize != 8 or not _LITTLE_ENDIAN:
        raise AssertionError("no supported machine stores integers like this")
    return hashlib.sha256(data.tobytes()).hexdigest()


def text_sha256(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def common_tokens(one: Sequence[int], other: Sequence[int]) -> int:
    """How many leading tokens are the same."""
    common = 0
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        common += 1
    return common


def to_json(manifest: Manifest) -> str:
    """The form in which a manifest is stored with its message."""
    return msgspec.json.encode(manifest).decode()


def from_json(text: str) -> Manifest | None:
    """Reads a stored manifest; ``None`` for one of another version of the program."""
    try:
        return msgspec.json.decode(text, type=Manifest)
    except msgspec.MsgspecError:
        return None


_LITTLE_ENDIAN: Final = array("q", [1]).tobytes()[0] == 1

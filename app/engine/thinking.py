"""Parts an answer into what the model thought and what it says.

Reasoning models write ``<think>...</think>`` before the answer. The names of the protocols are
those of a model's profile. Why this isn't left to the libraries' own parsers:
docs/decisions/0070-our-own-thinking-splitter.md.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from typing import Final

from app.core.errors import DataFault
from app.engine.outcome import DeltaKind


@dataclass(frozen=True, slots=True)
class ThinkingTags:
    """How a model marks its thinking.

    ``opened``: the answer begins inside the thinking, the model writes no opening tag (its chat
    template does).
    """

    opening: str = "<think>"
    closing: str = "</think>"
    opened: bool = False


_THINK: Final = ThinkingTags()
_THINK_OPENED: Final = ThinkingTags(opened=True)

# A profile may name the parser of whole answers or that of streams; here both are one.
THINKING_PROTOCOLS: Final = {
    "openvino:reasoning_parser": _THINK,
    "openvino:reasoning_incremental_parser": _THINK,
    "openvino:deepseek_r1_reasoning_parser": _THINK_OPENED,
    "openvino:deepseek_r1_reasoning_incremental_parser": _THINK_OPENED,
    "openvino:phi4_reasoning_parser": _THINK,
    "openvino:phi4_reasoning_incremental_parser": _THINK,
    "llama:common_chat_reasoning_parser": _THINK,
}
"""The tags of each protocol name that a profile may give for reasoning."""


def thinking_tags(protocol: str | None) -> ThinkingTags | None:
    """Returns the tags of ``protocol``; ``None`` where the model doesn't think.

    Raises:
        DataFault: ``protocol_unknown``.
    """
    if protocol is None:
        return None
    tags = THINKING_PROTOCOLS.get(protocol)
    if tags is None:
        raise DataFault(
            "protocol_unknown",
            f"The profile names the reasoning protocol {protocol!r}, which isn't supported.",
            f"Use one of: {', '.join(sorted(THINKING_PROTOCOLS))}.",
        )
    return tags


def begin_answer(
    rendered: str, begun: str, tags: ThinkingTags | None, *, skip: bool = False
) -> tuple[str, bool]:
    """Puts the beginning of an answer behind a rendered prompt.

    Args:
        rendered: the prompt, up to where the answer begins; the template may have opened or closed
            the thinking there.
        begun: the answer so far, if it is to go on; else empty.
        tags: the model's, or ``None``.
        skip: the model shall not think: a thinking that the template opens is closed at once.

    Returns the whole prompt, and whether what follows it is thinking. An answer that has begun
    without its thinking is past it: an opened thinking is closed before it.
    """
    if tags is None:
        return rendered + begun, False
    end = rendered.rstrip()
    left_open = end.endswith(tags.opening)
    opened = left_open or (tags.opened and not end.endswith(tags.closing))
    if not begun:
        if skip and left_open:
            return f"{rendered}\n{tags.closing}\n\n", False
        return rendered, opened
    inside = begun.rfind(tags.opening) > begun.rfind(tags.closing)
    if left_open and not inside and tags.closing not in begun:
        return f"{rendered}\n{tags.closing}\n\n{begun}", False
    return rendered + begun, inside


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of an answer."""

    kind: DeltaKind
    text: str


class _Place(Enum):
    BEFORE = auto()
    THINKING = auto()
    ANSWER = auto()


class ThinkingSplitter:
    """Takes an answer in pieces of any length and sorts it; a tag may be cut anywhere.

    No character is lost but the tags themselves. An opening tag counts at the start of the answer
    only: later on it is a word that the model speaks about. An answer that ends inside the thinking
    is all thinking.

    Args:
        tags: the model's.
        opened: the answer begins inside the thinking: see ``begin_answer``.
    """

    def __init__(self, tags: ThinkingTags, *, opened: bool) -> None:
        self._tags = tags
        self._place = _Place.THINKING if opened else _Place.BEFORE
        self._may_repeat_tag = opened
        self._held = ""

    @property
    def inside(self) -> bool:
        """Whether the text that comes next is thinking, as far as is known."""
        return self._place is _Place.THINKING

    def push(self, text: str) -> list[Piece]:
        """Takes the next piece and returns what is decided by it."""
        self._held += text
        pieces: list[Piece] = []
        if self._place is _Place.BEFORE:
            self._before()
        if self._place is _Place.THINKING:
            pieces += self._thinking()
        if self._place is _Place.ANSWER:
            pieces += self._take(DeltaKind.TEXT, len(self._held))
        return pieces

    def finish(self) -> list[Piece]:
        """Returns what was held back because it could have become a tag."""
        kind = DeltaKind.THINKING if self._place is _Place.THINKING else DeltaKind.TEXT
        return self._take(kind, len(self._held))

    def _before(self) -> None:
        begun = self._held.lstrip()
        if begun.startswith(self._tags.opening):
            self._held = self._held.replace(self._tags.opening, "", 1)
            self._place = _Place.THINKING
        elif not self._tags.opening.startswith(begun):
            self._place = _Place.ANSWER

    def _thinking(self) -> list[Piece]:
        if self._may_repeat_tag:
            # Some models write the tag although the prompt ends with it.
            begun = self._held.lstrip()
            if self._tags.opening.startswith(begun) and begun != self._tags.opening:
                return []
            self._may_repeat_tag = False
            if begun.startswith(self._tags.opening):
                self._held = self._held.replace(self._tags.opening, "", 1)
        end = self._held.find(self._tags.closing)
        if end < 0:
            return self._take(
                DeltaKind.THINKING, len(self._held) - undecided(self._held, self._tags.closing)
            )
        pieces = self._take(DeltaKind.THINKING, end)
        self._held = self._held.removeprefix(self._tags.closing)
        self._place = _Place.ANSWER
        return pieces

    def _take(self, kind: DeltaKind, length: int) -> list[Piece]:
        text, self._held = self._held[:length], self._held[length:]
        return [Piece(kind, text)] if text else []


def undecided(text: str, tag: str) -> int:
    """The length of the longest end of ``text`` that is a beginning of ``tag``, but not all."""
    for length in range(min(len(tag) - 1, len(text)), 0, -1):
        if text.endswith(tag[:length]):
            return length
    return 0


def count_thinking_tokens(
    ids: Sequence[int],
    decode: Callable[[Sequence[int]], str],
    tags: ThinkingTags,
    *,
    opened: bool,
) -> int:
    """Counts the ids of an answer up to the end of its thinking, tags included.

    The streamed text lags behind the ids, so the ids themselves are asked: the shortest beginning
    of them that decodes to the closing tag.

    Args:
        ids: the whole answer.
        decode: ids to text; what ids decode to begins with what fewer of them decode to.
        tags: the model's.
        opened: as given to ``ThinkingSplitter``.
    """
    text = decode(ids)
    if not opened and not text.lstrip().startswith(tags.opening):
        return 0
    if tags.closing not in text:
        return len(ids)
    low, high = 1, len(ids)
    while low < high:
        middle = (low + high) // 2
        if tags.closing in decode(ids[:middle]):
            high = middle
        else:
            low = middle + 1
    return low

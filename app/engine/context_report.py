"""Makes the manifest of a prompt, and says what of it the loaded model holds already."""

from collections.abc import Callable, Iterator
from typing import Final

import msgspec

from app.engine.admission import blocks_needed, room_for
from app.engine.backends.base import Control
from app.engine.backends.context_port import PromptTokenizer, ReusingSession, WrittenPrompt
from app.engine.chat import ChatMessage, Role, SegmentSpan
from app.engine.manifest import (
    Identity,
    Manifest,
    SegmentRecord,
    common_tokens,
    text_sha256,
    token_sha256,
)
from app.engine.outcome import ContextReport
from app.engine.prompt import pieces
from app.engine.protocol import Generate
from app.engine.spec import OpenVinoRuntime

# Two messages that share no character, to find where what every turn has in common ends.
_PROBES: Final = ("a", "Z")


class Cartographer:
    """Finds the segments of a turn in its prompt.

    Args:
        turn: its messages and segments.
        prompt: what ``tokenizer`` made of it.
    """

    def __init__(
        self, turn: Generate, prompt: WrittenPrompt, tokenizer: PromptTokenizer, control: Control
    ) -> None:
        self._turn = turn
        self._text = prompt.text
        self._ids = prompt.ids
        self._tokenizer = tokenizer
        self._control = control
        # Up to here, text and tokens are known to end together.
        self._clean_text = 0
        self._clean_tokens = 0

    def manifest(self, identity: Identity) -> Manifest:
        stable = stable_tokens(self._turn, self._ids, self._write)
        return Manifest(
            identity=identity,
            prompt_tokens=len(self._ids),
            prompt_token_sha256=token_sha256(self._ids),
            stable_tokens=stable,
            stable_token_sha256=token_sha256(self._ids[:stable]),
            segments=tuple(self._records()),
        )

    def _write(self, turn: Generate) -> list[int]:
        return self._tokenizer.write(turn, self._control).ids

    def _encode(self, start: int, end: int) -> list[int]:
        return self._tokenizer.encode(self._text[start:end], self._control)

    def _records(self) -> Iterator[SegmentRecord]:
        cursor = 0
        for span in self._turn.segments:
            record, cursor = self._record(span, cursor)
            yield record

    def _record(self, span: SegmentSpan, cursor: int) -> tuple[SegmentRecord, int]:
        """The segment as it stands behind ``cursor``, and where in the text it ends."""
        said = self._said(span)
        record = SegmentRecord(kind=span.kind, name=span.name, text_sha256=text_sha256(said))
        # A template may strip a message; it never changes the inside of one that is found.
        wanted = self._tokenizer.protect(said).strip()
        start = self._text.find(wanted, cursor) if wanted and span.message >= 0 else -1
        if start < 0:
            return record, cursor
        first = self._tokens_until(start)
        inside, within = [], start
        for one in span.inside:
            part, within = self._record(one, within)
            inside.append(part)
        end = start + len(wanted)
        last = self._tokens_until(end)
        before = len(_bytes(self._text[:start]))
        found = msgspec.structs.replace(
            record,
            byte_start=before,
            byte_end=before + len(_bytes(wanted)),
            token_start=first,
            token_end=last,
            token_sha256=token_sha256(self._ids[first:last]),
            inside=tuple(inside),
        )
        return found, end

    def _said(self, span: SegmentSpan) -> str:
        if span.message < 0:
            return span.text
        return self._turn.messages[span.message].content[span.start : span.end]

    def _tokens_until(self, end: int) -> int:
        """How many tokens are settled by the prompt's text up to ``end``."""
        start, known = self._clean_text, self._clean_tokens
        if start and end >= start:
            ids = self._encode(start, end)
            common = common_tokens(ids, self._ids[known:])
            # Some tokenizers treat the start of a text differently; then nothing fits.
            if common == len(ids):
                self._clean_text, self._clean_tokens = end, known + common
                return known + common
        ids = self._encode(0, end)
        common = common_tokens(ids, self._ids)
        if common == len(ids):
            self._clean_text, self._clean_tokens = end, common
        return common


def stable_tokens(turn: Generate, ids: list[int], write: Callable[[Generate], list[int]]) -> int:
    """The leading tokens of ``ids`` that every turn with the same stable segments has.

    Args:
        turn: its segments say what is stable.
        ids: its prompt.
        write: makes a prompt's ids.
    """
    stable = [one for one in turn.segments if one.kind.stable and one.message >= 0]
    if not stable and not turn.tools:
        return 0
    head: tuple[ChatMessage, ...] = ()
    if stable:
        message = turn.messages[stable[-1].message]
        head = (msgspec.structs.replace(message, content=message.content[: stable[-1].end]),)
    common = len(ids)
    for probe in _PROBES:
        changed = msgspec.structs.replace(turn, messages=_probed(head, probe), segments=())
        common = min(common, common_tokens(write(changed), ids))
    return common


def _probed(head: tuple[ChatMessage, ...], probe: str) -> tuple[ChatMessage, ...]:
    if head and head[-1].role is Role.USER:
        return (msgspec.structs.replace(head[-1], content=f"{head[-1].content}\n{probe}"),)
    return (*head, ChatMessage(role=Role.USER, content=probe))


def _bytes(text: str) -> bytes:
    """The UTF-8 of a part of a prompt, without the marks."""
    return "".join(pieces(text)).encode("utf-8", "surrogatepass")


def make_report(
    turn: Generate,
    prompt: WrittenPrompt,
    manifest: Manifest,
    session: ReusingSession | None,
    notes: tuple[str, ...],
) -> ContextReport:
    """Says whether the prompt fits, and what of it need not be computed.

    Args:
        session: the loaded model, if it is that of ``turn``.
        notes: sentences about the tokenizer.
    """
    runtime = turn.spec.runtime
    blocks = runtime.num_kv_blocks or 0 if isinstance(runtime, OpenVinoRuntime) else 0
    block_tokens = manifest.identity.block_tokens
    report = ContextReport(
        manifest=manifest,
        prompt_tokens=len(prompt.ids),
        reserve_tokens=max(1, turn.reserve_tokens),
        context_tokens=room_for(turn.spec.context_tokens, blocks, block_tokens).tokens,
        why_not="The model isn't loaded.",
        notes=notes,
    )
    needed = blocks_needed(report.needed_tokens, block_tokens)
    if session is None:
        return msgspec.structs.replace(report, pool_blocks_needed=needed)
    pool = session.books.pool()
    reused = session.books.reusable_tokens(prompt.ids)
    room = room_for(turn.spec.context_tokens, pool.blocks, pool.block_tokens)
    return msgspec.structs.replace(
        report,
        context_tokens=room.tokens,
        predicted_reused_tokens=reused,
        predicted_prefill_s=session.speed.seconds(len(prompt.ids) - reused),
        pool=pool,
        pool_blocks_needed=blocks_needed(report.needed_tokens, pool.block_tokens),
        why_not="" if reused else "The cache holds no beginning of this prompt.",
    )

"""Puts the parts of a prompt in order, stable ones first, and keeps them apart.

What stays the same from turn to turn must be byte-identical and come first, for only then its KV is
reused. And a file must not be able to pass itself off as the system prompt or as another file: each
part stands in a fence that its own text can't close.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Sequence
from typing import Final

import msgspec
from msgspec import Struct

from app.engine.chat import ChatMessage, Role, SegmentSpan, ToolSpec
from app.engine.manifest import SegmentKind

_MARK: Final = "~"
_SHORTEST: Final = 3
_RUNS: Final = re.compile(r"~{3,}")
_HEADER: Final = re.compile(r"^(~{3,}) ([a-z_]+) (\"(?:[^\"\\]|\\.)*\")\n", re.MULTILINE)
_PLAIN_KINDS: Final = (SegmentKind.SYSTEM, SegmentKind.USER)
_LAST: Final = (SegmentKind.HISTORY, SegmentKind.USER)
_ORDER: Final = {kind: place for place, kind in enumerate(SegmentKind)}


class Segment(Struct, frozen=True, kw_only=True):
    """One part of a prompt.

    ``name`` tells a person (and the model) which file or command it is. ``message`` is given for
    ``HISTORY`` in place of the text, ``tool`` for ``TOOLS``. ``inside`` says where in a turn pasted
    texts are; the turn's text has gone through ``plain`` and ``fence`` already then.
    """

    kind: SegmentKind
    text: str = ""
    name: str = ""
    message: ChatMessage | None = None
    tool: ToolSpec | None = None
    inside: tuple[SegmentSpan, ...] = ()


class Assembled(Struct, frozen=True, kw_only=True):
    """A prompt before the model's own template: what ``Generate`` takes.

    ``stable_sha256`` changes if, and only if, a stable segment does.
    """

    messages: tuple[ChatMessage, ...]
    tools: tuple[ToolSpec, ...]
    spans: tuple[SegmentSpan, ...]
    stable_sha256: str
    stable_text_bytes: int


def assemble(segments: Iterable[Segment], *, system_role: bool = True) -> Assembled:
    """Orders ``segments`` by kind, whatever order they come in, and renders them.

    Within a kind they are ordered by name and text; the turns of the history keep their order. The
    stable ones, the diff and the terminal are the system message; then the history, then the turn.

    Args:
        system_role: the model's template has a place for a system message. If not, that text is
            put before the first turn of the person.
    """
    ordered = sorted(segments, key=_sort_key)
    stable = [one for one in ordered if one.kind.stable]
    head = [one for one in ordered if one.kind not in (*_LAST, SegmentKind.TOOLS)]
    turns = [(one, _turn(one)) for one in ordered if one.kind in _LAST]
    renders = [render(one) for one in stable]
    digest = hashlib.sha256()
    for text in renders:
        digest.update(text.encode("utf-8", "surrogatepass") + b"\n")
    messages, spans = _place(head, turns, system_role=system_role)
    return Assembled(
        messages=tuple(messages),
        tools=tuple(one.tool for one in stable if one.tool is not None),
        spans=tuple(_tool_spans(stable) + spans),
        stable_sha256=digest.hexdigest(),
        stable_text_bytes=sum(len(text.encode("utf-8", "surrogatepass")) for text in renders),
    )


def render(segment: Segment) -> str:
    """The text of one segment, in a fence unless its role alone keeps it apart."""
    if segment.tool is not None:
        return fence(segment.kind, segment.tool.name, _tool_json(segment.tool))
    if segment.message is not None:
        return _turn(segment).content
    if segment.kind in _PLAIN_KINDS:
        return plain(segment.kind, segment.text)
    return fence(segment.kind, segment.name, segment.text)


def plain(kind: SegmentKind, text: str) -> str:
    """``text`` as it is, or fenced if it has what looks like a fence."""
    return fence(kind, "", text) if _RUNS.search(text) else text


def fence(kind: SegmentKind, name: str, text: str) -> str:
    """``text`` between two rows of tildes that are longer than any in it."""
    longest = max((len(run) for run in _RUNS.findall(text)), default=_SHORTEST - 1)
    row = _MARK * (longest + 1)
    return f"{row} {kind} {json.dumps(name)}\n{text}\n{row}"


def unfence(rendered: str) -> tuple[Segment, ...]:
    """Reads back what ``render`` made of segments that were joined by line breaks.

    It proves that no segment can imitate another: what is read is always what was written.
    """
    found: list[Segment] = []
    position = 0
    while position < len(rendered):
        header = _HEADER.search(rendered, position)
        end = len(rendered) if header is None else header.start()
        text = rendered[position:end]
        if text:
            kind = SegmentKind.USER if found else SegmentKind.SYSTEM
            found.append(Segment(kind=kind, text=text if header is None else text[:-1]))
        if header is None:
            break
        row, kind_name, name = header.groups()
        close = rendered.index(f"\n{row}", header.end())
        body = rendered[header.end() : close]
        found.append(Segment(kind=SegmentKind(kind_name), name=json.loads(name), text=body))
        position = close + len(row) + 2
    return tuple(found)


def _sort_key(segment: Segment) -> tuple[int, str, str]:
    place = _ORDER[segment.kind]
    if segment.kind in _LAST:
        return place, "", ""
    name = segment.name if segment.tool is None else segment.tool.name
    text = segment.text if segment.tool is None else _tool_json(segment.tool)
    return place, name, text


def _turn(segment: Segment) -> ChatMessage:
    """The message of a turn; what the model itself wrote is never touched."""
    message = segment.message or ChatMessage(role=Role.USER, content=segment.text)
    if message.role is Role.ASSISTANT or segment.inside:
        return message
    return msgspec.structs.replace(message, content=plain(SegmentKind.USER, message.content))


def _tool_json(tool: ToolSpec) -> str:
    return msgspec.json.encode(tool).decode()


def _tool_spans(stable: Sequence[Segment]) -> list[SegmentSpan]:
    return [
        SegmentSpan(kind=one.kind, name=one.tool.name, text=_tool_json(one.tool))
        for one in stable
        if one.tool is not None
    ]


def _place(
    head: Sequence[Segment], turns: Sequence[tuple[Segment, ChatMessage]], *, system_role: bool
) -> tuple[list[ChatMessage], list[SegmentSpan]]:
    """Joins the head into one message and says where in it each segment is."""
    spans: list[SegmentSpan] = []
    texts: list[str] = []
    start = 0
    for one in head:
        text = render(one)
        end = start + len(text)
        spans.append(SegmentSpan(kind=one.kind, name=one.name, message=0, start=start, end=end))
        texts.append(text)
        start = end + 1
    messages = [message for _, message in turns]
    joined = "\n".join(texts)
    alone = bool(texts) and not (not system_role and messages and messages[0].role is Role.USER)
    offset = 0
    if alone:
        role = Role.SYSTEM if system_role else Role.USER
        messages.insert(0, ChatMessage(role=role, content=joined))
    elif texts:
        offset = len(joined) + 1
        first = messages[0]
        messages[0] = msgspec.structs.replace(first, content=f"{joined}\n{first.content}")
    for index, (segment, message) in enumerate(turns):
        begins = offset if index == 0 else 0
        whole = SegmentSpan(
            kind=segment.kind,
            name=segment.name or message.role.value,
            end=len(message.content),
            inside=segment.inside,
        )
        spans.append(_moved(whole, index + alone, begins))
    return messages, spans


def _moved(span: SegmentSpan, message: int, by: int) -> SegmentSpan:
    """``span`` in ``message``, behind ``by`` more characters."""
    return msgspec.structs.replace(
        span,
        message=message,
        start=span.start + by,
        end=span.end + by,
        inside=tuple(_moved(one, message, by) for one in span.inside),
    )

"""From messages to token ids without letting a message imitate the template.

A tokenizer turns ``<|im_end|>`` into the end-of-message token wherever it finds the text, also in
what a person pasted. So a mark is put inside each such word of a message before the chat template
is rendered; the rendered prompt is then tokenized in the pieces between the marks. No piece holds
the whole word, the mark itself is dropped, and the model reads exactly the text that was written.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final

import msgspec

from app.core.errors import UserError
from app.engine.backends.base import Control, heed
from app.engine.chat import ChatMessage, Role, ToolCall, ToolSpec

# A noncharacter: no text holds it, no template makes it.
_MARK: Final = "\ufdd0"

# So much of a text is tokenized in one native call, which hears no cancel: about 10 ms.
PART_CHARS: Final = 16_384
# Written text has a boundary much sooner; so long a stretch without one takes 0.1 s.
_LONGEST_STRETCH_CHARS: Final = 100_000
# What decides how a text is tokenized at a place lies within so many characters of it.
_AROUND_CHARS: Final = 64
_TRIED_CUTS: Final = 8

# Where the pre-tokenizers of the models that we know cut, whatever stands farther away: before a
# space; between a letter or digit and a line break or punctuation (not an apostrophe: ``it's``);
# between Latin letters and digits. A cut after white space would be none: what it joins depends on
# what follows it.
_BOUNDARY: Final = re.compile(
    r"(?<=\S)(?= )"
    r"|(?<=[^\W_])(?=[\n!-&(-/:-@\[-`{-~\u3001-\u3003\u3008-\u3011\uff01-\uff0f\uff1a-\uff20])"
    r"|(?<=[A-Za-z])(?=[0-9])|(?<=[0-9])(?=[A-Za-z])"
)

Encode = Callable[[str], list[int]]
"""Tokenizes a text; special tokens in it are recognised, none is added."""


def protect(
    messages: Sequence[ChatMessage], special_tokens: Iterable[str]
) -> tuple[ChatMessage, ...]:
    """Returns ``messages`` with each special token in what they say broken by the mark.

    Raises:
        UserError: ``message_invalid``: the arguments of a tool call are no JSON object.
    """
    broken = _breaker(special_tokens)
    return tuple(
        msgspec.structs.replace(
            message,
            content=broken(message.content),
            tool_calls=tuple(_protect_call(call, broken) for call in message.tool_calls),
            tool_call_id=None if message.tool_call_id is None else broken(message.tool_call_id),
        )
        for message in messages
    )


def protect_tools(tools: Sequence[ToolSpec], special_tokens: Iterable[str]) -> tuple[ToolSpec, ...]:
    """Returns ``tools``, as a template shall show them, with each special token in them broken.

    Their names and schemas must have been checked.
    """
    broken = _breaker(special_tokens)
    return tuple(
        msgspec.structs.replace(
            tool,
            description=broken(tool.description),
            parameters_schema=_broken_json(json.loads(tool.parameters_schema), broken),
        )
        for tool in tools
    )


def _protect_call(call: ToolCall, broken: Callable[[str], str]) -> ToolCall:
    try:
        arguments = json.loads(call.arguments)
    except (ValueError, RecursionError):
        arguments = None
    if not isinstance(arguments, dict):
        raise UserError(
            "message_invalid",
            f"The arguments of the tool call {call.id[:40]!r} are no JSON object.",
            "Start a new chat.",
        )
    return ToolCall(
        id=broken(call.id), name=broken(call.name), arguments=_broken_json(arguments, broken)
    )


def _broken_json(value: Any, broken: Callable[[str], str]) -> str:
    """JSON text of ``value`` with its strings broken, and not what stands between them."""

    def walk(inner: Any) -> Any:
        match inner:
            case str():
                return broken(inner)
            case dict():
                return {broken(key): walk(one) for key, one in inner.items()}
            case list():
                return [walk(one) for one in inner]
        return inner

    return json.dumps(walk(value), ensure_ascii=False)


def _breaker(special_tokens: Iterable[str]) -> Callable[[str], str]:
    """Returns what puts the mark into each special token of a text."""
    words = sorted({token for token in special_tokens if len(token) > 1}, key=len, reverse=True)
    if not words:
        return lambda text: text
    expression = re.compile("|".join(map(re.escape, words)))

    def broken(match: re.Match[str]) -> str:
        word = match.group()
        return word[0] + _MARK + word[1:]

    return lambda text: expression.sub(broken, text.replace(_MARK, ""))


def split_begun(messages: Sequence[ChatMessage]) -> tuple[Sequence[ChatMessage], str]:
    """Parts ``messages`` from the beginning of an answer that is to be continued, if there is one.

    A template would close an assistant's last message; so it is left out of what is rendered, and
    its text goes behind the rendered prompt.
    """
    if messages and messages[-1].role is Role.ASSISTANT:
        return messages[:-1], messages[-1].content
    return messages, ""


def pieces(rendered: str) -> list[str]:
    """Splits a rendered prompt at the marks; the pieces are tokenized apart and joined."""
    return rendered.split(_MARK)


def encode(
    rendered: str, encode_piece: Encode, control: Control, longest: int = PART_CHARS
) -> list[int]:
    """Tokenizes a rendered prompt so that no message content becomes a special token.

    Args:
        rendered: what the chat template made of messages from ``protect``.
        encode_piece: of the tokenizer.
        control: may stop it between parts of ``longest`` characters.

    Raises:
        RequestStopped: ``control`` said so.
        UserError: ``text_unbroken``.
    """
    ids: list[int] = []
    for piece in pieces(rendered):
        for part in parts(piece, encode_piece, longest):
            heed(control)
            ids += encode_piece(part)
    return ids


def parts(text: str, encode_piece: Encode, longest: int) -> Iterator[str]:
    """Cuts ``text`` into parts whose ids, joined, are those of the whole text.

    A boundary is one only if this tokenizer says so: what stands around it has the same ids whether
    it is cut there or not. One that puts a space before each text gets the part without its own.

    Args:
        encode_piece: of the tokenizer.
        longest: characters in a part; where there is no boundary for so long, it is longer.

    Raises:
        UserError: ``text_unbroken``: there is none for so long that a cancel would not be heard.
    """
    start = 0
    while len(text) - start > longest:
        cut = _first_cut(text, start, encode_piece, longest)
        if cut is None:
            break
        yield text[start : cut[0]]
        start = cut[1]
    if start < len(text):
        yield text[start:]


def _first_cut(text: str, start: int, encode_piece: Encode, longest: int) -> tuple[int, int] | None:
    """Where a part from ``start`` ends and the next begins; ``None`` if it goes to the text's end.

    It ends within ``longest`` characters if it can, else as soon after as it can.
    """
    boundary_at = start
    for end in range(start + longest, len(text) + longest, longest):
        found = _last_boundaries(text, max(start + 1, end - longest), min(end, len(text)))
        for place in found:
            after = _next_start(text, place, encode_piece)
            if after is not None:
                return place, after
        if found:
            boundary_at = end
        elif end - boundary_at > max(longest, _LONGEST_STRETCH_CHARS):
            raise UserError(
                "text_unbroken",
                f"More than {_LONGEST_STRETCH_CHARS:,} characters stand together without a space,"
                " a line break or punctuation; such a text can't be read.",
                "Leave that part out, or put spaces or line breaks into it.",
            )
    return None


def _last_boundaries(text: str, first: int, last: int) -> list[int]:
    """The last few boundaries from ``first`` to ``last``, the last one first."""
    for begin in (max(first, last - _AROUND_CHARS), first):
        found = [match.start() for match in _BOUNDARY.finditer(text, begin, last)]
        if found:
            return found[: -_TRIED_CUTS - 1 : -1]
    return []


def _next_start(text: str, place: int, encode_piece: Encode) -> int | None:
    """Where the next part begins if one ends at ``place``; ``None`` if none may end there."""
    before = text[max(0, place - _AROUND_CHARS) : place]
    after = text[place : place + _AROUND_CHARS]
    whole, left = encode_piece(before + after), encode_piece(before)
    if whole == left + encode_piece(after):
        return place
    if after[0] == " " and whole == left + encode_piece(after[1:]):
        return place + 1
    return None

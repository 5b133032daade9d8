"""From messages to token ids without letting a message imitate the template.

A tokenizer turns ``<|im_end|>`` into the end-of-message token wherever it finds the text, also in
what a person pasted. So a mark is put inside each such word of a message before the chat template
is rendered; the rendered prompt is then tokenized in the pieces between the marks. No piece holds
the whole word, the mark itself is dropped, and the model reads exactly the text that was written.
"""

import json
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

import msgspec

from app.core.errors import UserError
from app.engine.chat import ChatMessage, Role, ToolCall, ToolSpec

# A noncharacter: no text holds it, no template makes it.
_MARK: Final = "\ufdd0"

# Where a byte-level BPE pre-tokenizer always cuts (GPT-2, Llama 3 and Qwen expressions agree):
# after a line break that text follows, and before the space between two Latin words.
_SAFE_CUT: Final = re.compile(r"(?<=\n)(?=[A-Za-z])|(?<=[A-Za-z])(?= [A-Za-z])")


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


def encode(rendered: str, encode_piece: Callable[[str], list[int]]) -> list[int]:
    """Tokenizes a rendered prompt so that no message content becomes a special token.

    Args:
        rendered: what the chat template made of messages from ``protect``.
        encode_piece: tokenizes a text; special tokens in it are recognised, none is added.
    """
    return [token for piece in pieces(rendered) if piece for token in encode_piece(piece)]


def safe_pieces(text: str, longest: int) -> list[str] | None:
    """Cuts ``text`` into pieces of at most ``longest`` characters that tokenize independently.

    For a tokenizer that silently drops what is beyond its limit. Returns ``None`` if some stretch
    of ``longest`` characters has no place where a cut is safe.
    """
    cuts: list[str] = []
    start = 0
    while len(text) - start > longest:
        last = None
        for match in _SAFE_CUT.finditer(text, start + 1, start + longest):
            last = match.start()
        if last is None:
            return None
        cuts.append(text[start:last])
        start = last
    cuts.append(text[start:])
    return cuts

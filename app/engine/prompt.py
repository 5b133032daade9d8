"""From messages to token ids without letting a message imitate the template.

A tokenizer turns ``<|im_end|>`` into the end-of-message token wherever it finds the text, also in
what a person pasted. So a mark is put inside each such word of a message before the chat template
is rendered; the rendered prompt is then tokenized in the pieces between the marks. No piece holds
the whole word, the mark itself is dropped, and the model reads exactly the text that was written.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Final

import msgspec

from app.engine.protocol import ChatMessage, Role

# A noncharacter: no text holds it, no template makes it.
_MARK: Final = "\ufdd0"

# Where a byte-level BPE pre-tokenizer always cuts (GPT-2, Llama 3 and Qwen expressions agree):
# after a line break that text follows, and before the space between two Latin words.
_SAFE_CUT: Final = re.compile(r"(?<=\n)(?=[A-Za-z])|(?<=[A-Za-z])(?= [A-Za-z])")


def protect(
    messages: Sequence[ChatMessage], special_tokens: Iterable[str]
) -> tuple[ChatMessage, ...]:
    """Returns ``messages`` with each special token in their content broken by the mark."""
    words = sorted({token for token in special_tokens if len(token) > 1}, key=len, reverse=True)
    if not words:
        return tuple(messages)
    expression = re.compile("|".join(map(re.escape, words)))

    def broken(match: re.Match[str]) -> str:
        word = match.group()
        return word[0] + _MARK + word[1:]

    return tuple(
        msgspec.structs.replace(
            message, content=expression.sub(broken, message.content.replace(_MARK, ""))
        )
        for message in messages
    )


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

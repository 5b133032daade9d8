"""From the tokens of an OpenVINO answer to its text, without a native call for each.

The library's detokenizer takes 0.1 ms alone and, called 30 times a second beside a decode that
keeps all cores busy, slows that by 5 % (docs/decisions/0142). So it is asked once, when a model is
loaded, for the text of every token; an answer's text is put together from that.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

from app.engine.backends.token_text import WholeCharacters

# A sequence's first token may lose its space, so each token is looked at behind this one.
_BEFORE: Final = b"a"
_SPACE_MARK: Final = "\u2581".encode()
_BYTE_TOKEN: Final = re.compile(rb"<0x([0-9A-F]{2})>")
# What the detokenizer may write otherwise: some remove the space before a full stop.
_UNLIKE_SHARE: Final = 0.01


@dataclass(frozen=True, slots=True)
class TokenBytes:
    """What each token adds to a text, in UTF-8; a token may be a part of a character.

    ``strips_space``: the vocabulary marks the beginning of a word with a space, and the model's
    detokenizer leaves that of the first word out.
    """

    by_id: Sequence[bytes]
    strips_space: bool = False


class AnswerText(Protocol):
    """Joins the tokens of one answer to text."""

    def push(self, tokens: Sequence[int]) -> str:
        """Takes the next tokens and returns the characters that are whole now."""

    def finish(self) -> str:
        """Returns what was held back; an unfinished character is left out."""


def vocabulary_of(tokenizer: Any) -> dict[bytes, int]:
    """The tokens of an ``openvino_genai.Tokenizer`` and their ids; empty if it can't tell them.

    A detokenizer that holds a SentencePiece model whole keeps its vocabulary to itself.
    """
    try:
        vocabulary: dict[bytes, int] = tokenizer.get_vocab()
    except RuntimeError:
        return {}
    return vocabulary


def read_token_bytes(tokenizer: Any) -> TokenBytes | None:
    """Asks a tokenizer for the bytes of all its tokens (some 50 ms for 50,000).

    Returns ``None`` unless the vocabulary is one of bytes, or of SentencePiece's pieces, and the
    detokenizer agrees with it: then only the library itself can tell the text.
    """
    vocabulary = vocabulary_of(tokenizer)
    before = vocabulary.get(_BEFORE)
    if before is None:
        return None
    pieces = [b""] * (max(vocabulary.values()) + 1)
    for piece, token in vocabulary.items():
        pieces[token] = piece
    texts: list[str] = tokenizer.decode([[before, token] for token in range(len(pieces))])
    shown = [text.removeprefix(_BEFORE.decode()) for text in texts]
    for meaning in (bytes, _sentencepiece):
        by_id = _agreeing([meaning(piece) for piece in pieces], shown)
        if by_id is not None:
            return TokenBytes(by_id, strips_space=_strips_space(tokenizer, by_id))
    return None


def _sentencepiece(piece: bytes) -> bytes:
    byte = _BYTE_TOKEN.fullmatch(piece)
    return bytes([int(byte[1], 16)]) if byte else piece.replace(_SPACE_MARK, b" ")


def _agreeing(by_id: list[bytes], shown: Sequence[str]) -> list[bytes] | None:
    """``by_id`` without the control tokens, or ``None`` if ``shown`` says something else."""
    unlike = 0
    for token, text in enumerate(shown):
        try:
            whole = by_id[token].decode()
        except UnicodeDecodeError:
            continue  # a part of a character, which no text can show
        if not text or not whole:
            by_id[token] = text.encode()
        else:
            unlike += text != whole
    return by_id if unlike <= _UNLIKE_SHARE * len(by_id) else None


def _strips_space(tokenizer: Any, by_id: Sequence[bytes]) -> bool:
    for token, data in enumerate(by_id):
        if data[:1] == b" " and data[1:2].isalpha():
            text: str = tokenizer.decode([token])
            return not text.startswith(" ")
    return False


class _FromBytes:
    def __init__(self, known: TokenBytes) -> None:
        self._by_id = known.by_id
        self._strips = known.strips_space
        self._characters = WholeCharacters()

    def push(self, tokens: Sequence[int]) -> str:
        # A model's output may be wider than its vocabulary.
        by_id = self._by_id
        data = b"".join([by_id[token] for token in tokens if token < len(by_id)])
        if self._strips and data:
            self._strips = False
            data = data.removeprefix(b" ")
        return self._characters.push(data)

    def finish(self) -> str:
        return ""


class _FromLibrary:
    """The library's own text streamer; it holds back what may yet become another character."""

    def __init__(self, genai: Any, tokenizer: Any) -> None:
        self._came: list[str] = []

        def on_text(text: str) -> Any:
            self._came.append(text)
            return genai.StreamingStatus.RUNNING

        self._streamer = genai.TextStreamer(tokenizer, on_text)

    def push(self, tokens: Sequence[int]) -> str:
        for token in tokens:
            self._streamer.write([token])
        return self._take()

    def finish(self) -> str:
        self._streamer.end()
        return self._take()

    def _take(self) -> str:
        text = "".join(self._came)
        self._came.clear()
        return text


def answer_text(genai: Any, tokenizer: Any, known: TokenBytes | None) -> AnswerText:
    """Returns what joins the tokens of one answer of ``tokenizer``.

    Args:
        genai: the module ``openvino_genai``.
        known: what ``read_token_bytes`` said of the tokenizer.
    """
    return _FromLibrary(genai, tokenizer) if known is None else _FromBytes(known)

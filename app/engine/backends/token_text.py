"""From the bytes of tokens to text."""

import codecs


class WholeCharacters:
    """Joins token bytes to whole characters: a token may end inside one.

    Bytes that can't become a character are replaced; a character that never became whole, because
    the answer ended, is left out.
    """

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def push(self, data: bytes) -> str:
        """Takes a token's bytes and returns the characters that are whole now."""
        return self._decoder.decode(data)

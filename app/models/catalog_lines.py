"""Finds the line of a JSON file that a decoder's complaint is about.

msgspec tells the path of a wrong value (``$.models[3].files[0].size_bytes``) or, for text that is
no JSON, a byte offset. A person who mends a file needs the line.
"""

import json
import re
from collections.abc import Iterator
from typing import Final

_AT_PATH: Final = re.compile(r"at `(\$[^`]*)`")
_AT_BYTE: Final = re.compile(r"\(byte (\d+)\)")
_UNKNOWN_FIELD: Final = re.compile(r"unknown field `([^`]*)`")
_TOKEN: Final = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+')


def line_of_error(data: bytes, message: str) -> int | None:
    """The line (from 1) that msgspec's ``message`` about ``data`` means, if it can be told."""
    byte = _AT_BYTE.search(message)
    if byte is not None:
        return data.count(b"\n", 0, int(byte[1])) + 1
    found = _AT_PATH.search(message)
    path = found[1] if found is not None else "$"
    unknown = _UNKNOWN_FIELD.search(message)
    if unknown is not None:
        path += f".{unknown[1]}"
    text = data.decode("utf-8", "replace")
    for place, offset in _places(text):
        if place == path:
            return text.count("\n", 0, offset) + 1
    return None


def _places(text: str) -> Iterator[tuple[str, int]]:
    """Yields the path of each value with its offset (of the key, for a member of an object)."""
    stack: list[list[str | int]] = []  # each: [path, kind or index]
    path, offset = "$", 0
    key: str | None = None
    yield "$", 0
    for token in _TOKEN.finditer(text):
        word = token[0]
        if word in "{[":
            if stack and stack[-1][1] != -1:
                path, offset = f"{stack[-1][0]}[{stack[-1][1]}]", token.start()
                yield path, offset
            stack.append([path, -1 if word == "{" else 0])
            key = None
        elif word in "}]":
            if stack:
                stack.pop()
        elif word == ",":
            if stack and stack[-1][1] != -1:
                stack[-1][1] = int(stack[-1][1]) + 1
            key = None
        elif word == ":":
            continue
        elif stack and stack[-1][1] == -1 and key is None and word.startswith('"'):
            key = json.loads(word)
            path, offset = f"{stack[-1][0]}.{key}", token.start()
            yield path, offset
        elif stack and stack[-1][1] != -1:
            yield f"{stack[-1][0]}[{stack[-1][1]}]", token.start()

"""Recognises diffs and logs in what a person pasted into a message, and fences them there.

They stay inside their turn: moved before the history they would cost the KV of all of it. Whoever
shortens a chat can drop them first, for the fence says what they are.
"""

import re
from collections.abc import Iterator
from typing import Final

from app.engine.context import fence, plain
from app.engine.manifest import SegmentKind

_DIFF_BEGIN: Final = re.compile(r"^(?:diff --git |Index: |--- \S)")
_DIFF_LINE: Final = re.compile(
    r"^(?:[ +\-\\@]|diff |index |Index: |=== ?|new file|deleted file|similarity |rename |Binary )"
)
_HUNK: Final = re.compile(r"^@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@", re.MULTILINE)
_LOG_LINE: Final = re.compile(
    r"^(?:\s*\[?\d{4}-\d\d-\d\d[ T]\d\d:\d\d|\s*\[?\d\d:\d\d:\d\d"
    r"|\s*\[?(?:DEBUG|INFO|WARN(?:ING)?|ERROR|FATAL|TRACE|CRITICAL)\b"
    r"|\s+at [\w.$<>]+\(|\s+File \".*\", line \d+|Traceback |[\w.]+(?:Error|Exception)\b"
    r"|E  +|FAILED |PASSED |\$ |PS [A-Z]:\\|[A-Z]:\\.*>)"
)
_FEWEST_LOG_LINES: Final = 4


def fence_pasted(text: str) -> str:
    """``text`` with each diff and each log of several lines in a fence; the rest as it is."""
    parts = list(_parts(text))
    if all(kind is SegmentKind.USER for kind, _ in parts):
        return text
    return "\n".join(
        plain(kind, part) if kind is SegmentKind.USER else fence(kind, "pasted", part)
        for kind, part in parts
    )


def _parts(text: str) -> Iterator[tuple[SegmentKind, str]]:
    lines = text.split("\n")
    spoken: list[str] = []
    index = 0
    while index < len(lines):
        kind, end = _block(lines, index)
        if kind is SegmentKind.USER:
            spoken.append(lines[index])
            index += 1
            continue
        if spoken:
            yield SegmentKind.USER, "\n".join(spoken)
            spoken = []
        yield kind, "\n".join(lines[index:end])
        index = end
    if spoken:
        yield SegmentKind.USER, "\n".join(spoken)


def _block(lines: list[str], start: int) -> tuple[SegmentKind, int]:
    """What begins at ``start``, and the line after its end."""
    if _DIFF_BEGIN.match(lines[start]):
        end = _run(lines, start, _DIFF_LINE)
        if _HUNK.search("\n".join(lines[start:end])):
            return SegmentKind.DIFF, end
    if _LOG_LINE.match(lines[start]):
        end = _run(lines, start, _LOG_LINE)
        if end - start >= _FEWEST_LOG_LINES:
            return SegmentKind.TERMINAL, end
    return SegmentKind.USER, start + 1


def _run(lines: list[str], start: int, expression: re.Pattern[str]) -> int:
    """The end of the lines that match; one that does not may stand between two that do."""
    end = start + 1
    while end < len(lines):
        if expression.match(lines[end]):
            end += 1
        elif end + 1 < len(lines) and lines[end].strip() and expression.match(lines[end + 1]):
            end += 2
        else:
            break
    return end

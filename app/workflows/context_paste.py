"""Recognises diffs and logs in what a person pasted into a message, and fences them there.

They stay inside their turn: moved before the history they would cost the KV of all of it. A full
chat leaves them out first (``context_order``).
"""

import re
from collections.abc import Collection, Iterator
from typing import Final

from msgspec import Struct

from app.engine.chat import SegmentSpan
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
    r"|E  +|FAILED |PASSED |test .* \.\.\. \w|(?:not )?ok \d|=== RUN|--- (?:FAIL|PASS)"
    r"|\$ |PS [A-Z]:\\|[A-Z]:\\.*>)"
)
# What the test runners that people use most write when a test has failed.
_FAILED_TEST: Final = re.compile(
    r"^(?:E  +|FAILED |test .* \.\.\. FAILED|not ok \d|--- FAIL)", re.MULTILINE
)
_FEWEST_LOG_LINES: Final = 4
_NAME: Final = "pasted"
_WHAT: Final = {
    SegmentKind.DIFF: "a diff",
    SegmentKind.TEST_OUTPUT: "the output of tests",
    SegmentKind.TERMINAL: "a log",
}


class Pasted(Struct, frozen=True, kw_only=True):
    """A diff or a log in a message: its characters ``start`` to ``end``, which are whole lines."""

    kind: SegmentKind
    start: int
    end: int
    lines: int


def find_pasted(text: str) -> tuple[Pasted, ...]:
    """The diffs, the output of failed tests and the other logs of several lines in ``text``."""
    found: list[Pasted] = []
    lines = text.split("\n")
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    index = 0
    while index < len(lines):
        kind, end = _block(lines, index)
        if kind is not SegmentKind.USER:
            found.append(
                Pasted(kind=kind, start=starts[index], end=starts[end] - 1, lines=end - index)
            )
        index = end
    return tuple(found)


def fence_pasted(text: str) -> tuple[str, tuple[SegmentSpan, ...]]:
    """``text`` with everything that ``find_pasted`` finds in a fence, and where the fences are."""
    pasted = find_pasted(text)
    if not pasted:
        return text, ()
    spans: list[SegmentSpan] = []
    made: list[str] = []
    start = 0
    for kind, said in _parts(text, pasted):
        if kind is SegmentKind.USER:
            made.append(plain(kind, said))
        else:
            made.append(fence(kind, _NAME, said))
            end = start + len(made[-1])
            spans.append(SegmentSpan(kind=kind, name=_NAME, start=start, end=end))
        start += len(made[-1]) + 1
    return "\n".join(made), tuple(spans)


def without_pasted(text: str, numbers: Collection[int]) -> str:
    """``text`` with a sentence in the place of some of what ``find_pasted`` finds.

    What is left is found as before: the empty lines keep two logs from becoming one.
    """
    pasted = find_pasted(text)
    for number in sorted(numbers, reverse=True):
        if number < len(pasted):
            one = pasted[number]
            note = f"\n({_WHAT[one.kind]} of {one.lines} lines was left out)\n"
            text = text[: one.start] + note + text[one.end :]
    return text


def _parts(text: str, pasted: tuple[Pasted, ...]) -> Iterator[tuple[SegmentKind, str]]:
    """All of ``text``, without the line breaks between the parts."""
    position = 0
    for one in pasted:
        if one.start > position:
            yield SegmentKind.USER, text[position : one.start - 1]
        yield one.kind, text[one.start : one.end]
        position = one.end + 1
    if position <= len(text):
        yield SegmentKind.USER, text[position:]


def _block(lines: list[str], start: int) -> tuple[SegmentKind, int]:
    """What begins at ``start``, and the line after its end."""
    if _DIFF_BEGIN.match(lines[start]):
        end = _run(lines, start, _DIFF_LINE)
        if _HUNK.search("\n".join(lines[start:end])):
            return SegmentKind.DIFF, end
    if _LOG_LINE.match(lines[start]):
        end = _run(lines, start, _LOG_LINE)
        if end - start >= _FEWEST_LOG_LINES:
            failed = _FAILED_TEST.search("\n".join(lines[start:end]))
            return SegmentKind.TEST_OUTPUT if failed else SegmentKind.TERMINAL, end
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

r"""Rules that recognise formulas: ``$..$``, ``$$..$$``, ``\(..\)`` and ``\[..\]``.

Money is no formula: the opening dollar must touch what follows and not what comes before, the
closing one the other way round, and what starts with a digit must contain more than words.
"""

import re
from typing import Final

from markdown_it import MarkdownIt
from markdown_it.ruler import RuleOptionsType
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline

MAX_TEX_CHARS: Final = 1_000
_OPERATOR: Final = re.compile(r"[\\^_{}=+\-*/<>|]")
_PAIRS: Final = {"$$": "$$", "\\[": "\\]"}
_PARAGRAPH_ENDS: Final[RuleOptionsType] = {"alt": ["paragraph", "reference", "blockquote", "list"]}


def install(md: MarkdownIt) -> None:
    """Adds both rules to ``md``; the tokens are ``tex_inline`` and ``tex_block``."""
    md.inline.ruler.before("escape", "tex_inline", _inline)
    md.block.ruler.before("fence", "tex_block", _block, _PARAGRAPH_ENDS)


def _inline(state: StateInline, silent: bool) -> bool:
    src, pos = state.src, state.pos
    opening = src[pos : pos + 2]
    if opening[:1] not in ("$", "\\"):
        return False
    if opening in ("\\(", "\\["):
        closing = "\\)" if opening == "\\(" else "\\]"
    elif opening == "$$":
        closing = "$$"
    elif opening[:1] == "$":
        opening = closing = "$"
    else:
        return False
    start = pos + len(opening)
    limit = min(state.posMax, start + MAX_TEX_CHARS)
    end = src.find(closing, start, limit)
    if end < 0 or not src[start:end].strip() or "`" in src[start:end]:
        return False
    after = end + len(closing)
    if opening == "$" and not _is_dollar_formula(src, pos, end, after):
        return False
    if not silent:
        token = state.push("tex_inline", "", 0)
        token.content = src[start:end].strip()
        token.markup = src[pos:after]
        token.hidden = opening in _PAIRS
    state.pos = after
    return True


def _is_dollar_formula(src: str, pos: int, end: int, after: int) -> bool:
    content = src[pos + 1 : end]
    if content[0].isspace() or content[-1].isspace() or content[-1] == "\\":
        return False
    if pos > 0 and (src[pos - 1].isalnum() or src[pos - 1] == "$"):
        return False
    if after < len(src) and (src[after].isalnum() or src[after] == "$"):
        return False
    has_words = any(character.isspace() for character in content)
    return not (content[0].isdigit() and has_words and not _OPERATOR.search(content))


def _block(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:
    if state.is_code_block(start_line):
        return False
    opening = _text_of(state, start_line)[:2]
    closing = _PAIRS.get(opening)
    if closing is None:
        return False
    first = _text_of(state, start_line)[2:]
    if closing in first and not first.rstrip().endswith(closing):
        return False  # more text follows: a formula inside a paragraph
    if silent:
        return True
    lines, line, closed = [first], start_line, False
    while True:
        closed = lines[-1].rstrip().endswith(closing)
        line += 1
        if closed or line >= end_line or not _text_of(state, line).strip():
            break
        if state.sCount[line] < state.blkIndent:
            break
        lines.append(_text_of(state, line))
    source = opening + "\n".join(lines).rstrip()
    token = state.push("tex_block", "", 0)
    token.block = True
    token.map = [start_line, line]
    token.markup = source
    token.content = source[2:-2].strip() if closed else ""
    state.line = line
    return True


def _text_of(state: StateBlock, line: int) -> str:
    return state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]]

"""Markdown text to blocks, without Qt.

CommonMark with tables, strike-through, task lists, bare web addresses and formulas. Raw HTML stays
text. A link is http or https or it stays text; a picture is named, never fetched. Input that is
made to be slow (thousands of brackets) is shown as plain text.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import msgspec
from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from markdown_it.token import Token

from app.desktop.markdown import tex
from app.desktop.markdown.blocks import (
    Align,
    Block,
    Code,
    Formula,
    Heading,
    Item,
    Paragraph,
    Quote,
    Rule,
    Run,
    Runs,
    Table,
)

_MAX_NESTING: Final = 24
# The cost of the inline rules is quadratic in these marks at worst; a person's text has few.
_MAX_BRACKETS: Final = 400
_MAX_MARKS: Final = 3_000
_WEB_ADDRESS: Final = re.compile(r"https?://[^\s\x00-\x1f]+\Z", re.IGNORECASE)
_BARE_ADDRESS: Final = re.compile(r"\bhttps?://[^\s<>\"`\\]+", re.IGNORECASE)
# What Qt would take for structure (paragraph and line separators, object placeholders) or can't
# hold (lone surrogates). One character is replaced by one, so that positions stay.
_UNSHOWABLE: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufdd0-\ufdef\ufffc]")
_SEPARATORS: Final = re.compile("[\u2028\u2029\x85]")
_TASK: Final = re.compile(r"\[([ xX])\][ \t]+")

_LISTS: Final = ("bullet_list_open", "ordered_list_open")
_ALIGNMENTS: Final = {"text-align:center": Align.CENTRE, "text-align:right": Align.END}

References = dict[str, Any]


def clean(text: str) -> str:
    """Returns ``text`` with line ends as newlines and without what can't be shown."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return _SEPARATORS.sub(" ", _UNSHOWABLE.sub("\ufffd", text))


class Found:
    """A block at the outermost level with its lines, ``first_line`` up to before ``end_line``."""

    __slots__ = ("block", "end_line", "first_line", "markup")

    def __init__(self, block: Block, first_line: int, end_line: int, markup: str) -> None:
        self.block = block
        self.first_line = first_line
        self.end_line = end_line
        self.markup = markup


class Parser:
    """Turns cleaned text into blocks. It has no state between two calls."""

    def __init__(self) -> None:
        self._md = MarkdownIt("commonmark", {"html": False, "maxNesting": _MAX_NESTING})
        self._md.enable(["table", "strikethrough"])
        vars(self._md)["validateLink"] = _is_web_address  # the library's documented hook
        self._md.core.ruler.at("inline", _parse_inline)
        tex.install(self._md)

    def parse(self, text: str, references: Mapping[str, Any]) -> tuple[list[Found], References]:
        """Returns the blocks of ``text`` and the reference definitions found in it.

        ``references`` are the definitions of earlier text; the first of a name wins.
        """
        env: dict[str, Any] = {"references": dict(references)}
        tokens = self._md.parse(text, env)
        new = {name: value for name, value in env["references"].items() if name not in references}
        return list(_outermost(tokens)), new


def _is_web_address(address: str) -> bool:
    return _WEB_ADDRESS.match(address) is not None


def _parse_inline(state: StateCore) -> None:
    for token in state.tokens:
        if token.type != "inline":
            continue
        token.children = []
        content = token.content
        marks = sum(map(content.count, "[*_`~&<\\$"))
        if content.count("[") > _MAX_BRACKETS or marks > _MAX_MARKS:
            token.children.append(Token("text", "", 0, content=content))
        else:
            state.md.inline.parse(content, state.md, state.env, token.children)


# --- Blocks -------------------------------------------------------------------------------------


def _outermost(tokens: Sequence[Token]) -> Iterator[Found]:
    """A list yields one block for each item: a finished item need not be parsed again."""
    for start, end in _spans(tokens, 0, len(tokens)):
        token = tokens[start]
        if token.type in _LISTS:
            for item_start, item in _items(tokens, start, end):
                yield _found(item, tokens[item_start], token)
        else:
            for block in _blocks(tokens, start, end):
                yield _found(block, token, token)


def _found(block: Block, token: Token, markup: Token) -> Found:
    first, end = token.map or (0, 0)
    return Found(block, first, end, markup.markup)


def _spans(tokens: Sequence[Token], start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yields where each direct child of the stretch starts and ends."""
    level, first = 0, start
    for index in range(start, end):
        level += tokens[index].nesting
        if level == 0:
            yield first, index + 1
            first = index + 1


def _blocks(tokens: Sequence[Token], start: int, end: int) -> Iterator[Block]:
    for first, after in _spans(tokens, start, end):
        token = tokens[first]
        match token.type:
            case "paragraph_open":
                yield Paragraph(_runs(tokens[first + 1]))
            case "heading_open":
                yield Heading(int(token.tag[1]), _runs(tokens[first + 1]))
            case "fence":
                language = token.info.split(maxsplit=1)[0] if token.info.strip() else ""
                yield Code(language, token.content.removesuffix("\n"))
            case "code_block":
                yield Code("", token.content.removesuffix("\n"))
            case "tex_block" if token.content:
                yield Formula(token.content, token.markup)
            case "tex_block":
                yield Paragraph((Run(token.markup),))
            case "hr":
                yield Rule()
            case _:
                yield from _containers(tokens, first, after)


def _containers(tokens: Sequence[Token], first: int, after: int) -> Iterator[Block]:
    match tokens[first].type:
        case "blockquote_open":
            yield Quote(tuple(_blocks(tokens, first + 1, after - 1)))
        case "table_open":
            yield _table(tokens, first, after)
        case "bullet_list_open" | "ordered_list_open":
            for _, item in _items(tokens, first, after):
                yield item


def _items(tokens: Sequence[Token], start: int, end: int) -> Iterator[tuple[int, Item]]:
    opening = tokens[start]
    number: int | None = None
    if opening.type == "ordered_list_open":
        start_number = opening.attrGet("start")
        number = 1 if start_number is None else int(start_number)
    for first, after in _spans(tokens, start + 1, end - 1):
        children = tuple(_blocks(tokens, first + 1, after - 1))
        checked, children = _task(children)
        yield first, Item(number, checked, children)
        if number is not None:
            number += 1


def _task(children: tuple[Block, ...]) -> tuple[bool | None, tuple[Block, ...]]:
    """Takes ``[ ]`` or ``[x]`` off the first paragraph of an item."""
    if not children or not isinstance(children[0], Paragraph) or not children[0].runs:
        return None, children
    first, *rest = children[0].runs
    mark = _TASK.match(first.text)
    if mark is None or first.code or first.href or first.tex is not None:
        return None, children
    left = first.text[mark.end() :]
    runs = (msgspec.structs.replace(first, text=left), *rest) if left else tuple(rest)
    return mark[1] != " ", (Paragraph(runs), *children[1:])


def _table(tokens: Sequence[Token], start: int, end: int) -> Table:
    alignments: list[Align] = []
    rows: list[list[Runs]] = []
    for index in range(start, end):
        token = tokens[index]
        if token.type == "tr_open":
            rows.append([])
        elif token.type in ("th_open", "td_open"):
            if token.type == "th_open":
                alignments.append(_ALIGNMENTS.get(str(token.attrGet("style")), Align.START))
            rows[-1].append(_runs(tokens[index + 1]))
    header, *body = (tuple(row) for row in rows)
    return Table(tuple(alignments), header, tuple(body))


# --- Text ---------------------------------------------------------------------------------------


def _runs(inline: Token) -> Runs:
    runs: list[Run] = []
    bold = italic = strike = 0
    href: str | None = None
    for token in inline.children or ():
        style = Run("", bold > 0, italic > 0, strike > 0, href=href)
        match token.type:
            case "strong_open" | "strong_close":
                bold += token.nesting
            case "em_open" | "em_close":
                italic += token.nesting
            case "s_open" | "s_close":
                strike += token.nesting
            case "link_open":
                href = str(token.attrGet("href"))
            case "link_close":
                href = None
            case "softbreak" | "hardbreak":
                _add(runs, style, text="\n")
            case "code_inline":
                _add(runs, style, text=token.content, code=True)
            case "tex_inline":
                _add(runs, style, text=token.markup, tex=token.content, display=token.hidden)
            case "image":
                address = href or str(token.attrGet("src"))
                _add(runs, style, text=token.content, image=True, href=address)
            case _:
                _add_text(runs, style, token.content)
    return tuple(runs)


def _add(runs: list[Run], style: Run, **changes: Any) -> None:
    """Appends, or lengthens the last run if it looks the same."""
    run = msgspec.structs.replace(style, **changes)
    if runs and run.tex is None and not run.image:
        last = runs[-1]
        if msgspec.structs.replace(last, text=run.text) == run:
            runs[-1] = msgspec.structs.replace(last, text=last.text + run.text)
            return
    if run.text or run.image:
        runs.append(run)


def _add_text(runs: list[Run], style: Run, text: str) -> None:
    """Appends text; web addresses that stand in it become links."""
    position = 0
    for match in _BARE_ADDRESS.finditer(text) if style.href is None else ():
        address = _without_trailing_punctuation(match[0])
        if len(address) <= len("https://"):
            continue
        _add(runs, style, text=text[position : match.start()])
        position = match.start() + len(address)
        _add(runs, style, text=address, href=address)
    _add(runs, style, text=text[position:])


def _without_trailing_punctuation(address: str) -> str:
    """Drops the full stop after an address, and a bracket that was opened before it."""
    while address:
        unpaired = address[-1] == ")" and address.count(")") > address.count("(")
        if not unpaired and address[-1] not in ".,:;!?'*_~":
            break
        address = address[:-1]
    return address

"""The text of a code block: grows line by line and is coloured beside the window's thread."""

from collections.abc import Callable
from functools import partial
from typing import Final

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter, QTextBlockFormat, QTextCursor, QTextLayout

from app.desktop.markdown.blocks import Code
from app.desktop.markdown.highlight import MAX_CHARS, Highlighted, Span, formats, highlight
from app.desktop.markdown.leaf import Leaf, new_document
from app.desktop.markdown.rendering import RenderingThread
from app.desktop.markdown.theme import Theme

_LINE_HEIGHT_PERCENT: Final = 125
# While a block is open only what stands after the last safe place is coloured, up to this length.
_MAX_OPEN_CHARS: Final = 8_000


class CodeLeaf(Leaf):
    """Code, one text block a line, lines never broken."""

    def __init__(
        self, theme: Theme, rendering: RenderingThread, changed: Callable[[], None]
    ) -> None:
        super().__init__(theme, rendering, changed, font=theme.code)
        self.document = new_document(theme, theme.code, wraps=False)
        self._code = Code("", "")
        self._looks = formats(theme.mode)
        self._safe = 0  # colours before it need no second look while the block grows
        self._is_asked = False
        self._is_coloured = False

    @property
    def code(self) -> Code:
        return self._code

    def set_code(self, code: Code) -> None:
        """Shows ``code``; text that continues what is shown is appended."""
        old = self._code
        self._code = code
        if old.text and code.text.startswith(old.text) and code.language == old.language:
            added = code.text[len(old.text) :]
            if added:
                self._insert_at_end(added)
        else:
            self.document.clear()
            self._safe = 0
            self._insert_at_end(code.text)
        self._is_coloured = False
        self._ask()

    def _insert_at_end(self, text: str) -> None:
        cursor = QTextCursor(self.document)
        cursor.movePosition(QTextCursor.MoveOperation.End)
        cursor.beginEditBlock()
        block = QTextBlockFormat()
        heights = QTextBlockFormat.LineHeightTypes.ProportionalHeight
        block.setLineHeight(_LINE_HEIGHT_PERCENT, heights.value)
        cursor.setBlockFormat(block)
        look = cursor.charFormat()
        look.setForeground(self._theme.colours.text)
        cursor.insertText(text, look)
        cursor.endEditBlock()

    # --- Colour ---------------------------------------------------------------------------------

    def _ask(self) -> None:
        """Has the uncoloured end coloured; one request at a time, so a fast stream is no queue."""
        code = self._code
        start = 0 if code.closed else self._safe
        size = len(code.text) - start
        if self._is_asked or self._is_coloured or not code.language or not code.text:
            return
        if size > (MAX_CHARS if code.closed else _MAX_OPEN_CHARS):
            return
        self._is_asked = True
        job = partial(highlight, code.language, code.text[start:])
        self._rendering.submit(job, partial(self._on_highlighted, code, start))

    def _on_highlighted(self, asked: Code, start: int, found: Highlighted) -> None:
        self._is_asked = False
        now = self._code
        if not now.text.startswith(asked.text) or now.language != asked.language:
            self._ask()
            return
        self._apply(found.spans, start, start + len(asked.text))
        self._safe = start + found.safe
        self._is_coloured = now == asked
        self._changed()
        self._ask()

    def _apply(self, spans: tuple[Span, ...], start: int, end: int) -> None:
        """Gives the lines from ``start`` to ``end`` their colours, the others stay."""
        ranges: dict[int, list[QTextLayout.FormatRange]] = {}
        for span in spans:
            first = start + span.start
            last = first + span.length
            block = self.document.findBlock(first)
            while block.isValid() and block.position() < last:
                one = QTextLayout.FormatRange()
                one.start = max(0, first - block.position())
                one.length = min(last, block.position() + block.length()) - (
                    block.position() + one.start
                )
                one.format = self._looks[span.ink]
                ranges.setdefault(block.blockNumber(), []).append(one)
                block = block.next()
        block = self.document.findBlock(start)
        while block.isValid() and block.position() <= end:
            block.layout().setFormats(ranges.get(block.blockNumber(), []))
            block = block.next()
        self.document.markContentsDirty(start, end - start)

    def inks(self) -> list[tuple[int, int, str]]:
        """Returns the coloured ranges and their colours, for inspection."""
        found = []
        block = self.document.begin()
        while block.isValid():
            for one in block.layout().formats():
                colour = one.format.foreground().color().name()
                found.append((block.position() + one.start, one.length, colour))
            block = block.next()
        return found

    # --- What differs from a paragraph ----------------------------------------------------------

    def lay_out(self, width: float) -> float:
        self.width = width
        self.is_stale = False
        self.height = self.document.size().height()
        return self.height

    def _paint_pills(self, painter: QPainter) -> None:
        pass

    def areas(self, start: int, end: int) -> list[QRectF]:
        return []

    def text(self, start: int, end: int) -> str:
        return self._code.text[start:end]

    def markdown(self, start: int, end: int) -> str:
        """A whole block keeps its fence; a part is the code alone."""
        part = self._code.text[start:end]
        if part != self._code.text:
            return part
        fence = "```"
        while fence in part:
            fence += "`"
        return f"{fence}{self._code.language}\n{part}\n{fence}"

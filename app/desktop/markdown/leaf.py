"""A stretch of text that is laid out on its own: a paragraph, a table cell, a code block."""

from bisect import bisect_right
from collections.abc import Callable, Sequence
from typing import Any, Final, cast

from PySide6.QtCore import QCoreApplication, QPointF, QRectF, Qt, QUrl
from PySide6.QtGui import (
    QAbstractTextDocumentLayout,
    QFont,
    QFontMetricsF,
    QImage,
    QPainter,
    QPalette,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextLine,
    QTextOption,
)

from app.desktop.markdown.blocks import Align, Run, Runs
from app.desktop.markdown.formula import FORMULA_OBJECT, FORMULA_SCALE, FormulaPainter
from app.desktop.markdown.math import DESIGN_PIXELS, SetFormula
from app.desktop.markdown.rendering import RenderingThread
from app.desktop.markdown.theme import Theme

_LINE_BREAK: Final = "\u2028"
_OBJECT: Final = "\ufffc"
_ALIGNMENTS: Final = {
    Align.START: Qt.AlignmentFlag.AlignLeading,
    Align.CENTRE: Qt.AlignmentFlag.AlignHCenter,
    Align.END: Qt.AlignmentFlag.AlignTrailing,
}


class InertDocument(QTextDocument):
    """Loads nothing: neither from the network nor from the disk."""

    def loadResource(self, _kind: int, _name: QUrl | str) -> Any:  # noqa: N802  # Qt's name
        return QImage()


def new_document(theme: Theme, font: QFont, *, wraps: bool = True) -> InertDocument:
    document = InertDocument()
    document.setUndoRedoEnabled(False)
    document.setDocumentMargin(0)
    document.setDefaultFont(font)
    option = QTextOption()
    mode = QTextOption.WrapMode
    option.setWrapMode(mode.WrapAtWordBoundaryOrAnywhere if wraps else mode.NoWrap)
    option.setTextDirection(Qt.LayoutDirection.LayoutDirectionAuto)
    option.setTabStopDistance(theme.em * 2)
    document.setDefaultTextOption(option)
    return document


class Leaf:
    """Runs of text in a document of its own, at ``x`` and ``y`` inside its section."""

    def __init__(
        self,
        theme: Theme,
        rendering: RenderingThread,
        changed: Callable[[], None],
        *,
        font: QFont | None = None,
        align: Align = Align.START,
        ratio: float = 1.0,
    ) -> None:
        self.x = self.y = self.width = self.height = 0.0
        self.shift = 0.0  # how far its box is scrolled sideways
        self.is_stale = True  # what it shows has changed since it was laid out
        self._theme = theme
        self._rendering = rendering
        self._changed = changed
        self._font = font or theme.body
        self._align = align
        self._ratio = ratio
        self._runs: Runs = ()
        self._starts: list[int] = []
        self._awaited: set[str] = set()
        self._formula_limit = 0.0
        self._widest_formula = 0.0
        self._ideal_width: float | None = None
        self._painter: FormulaPainter | None = None
        self.document = new_document(theme, self._font)

    # --- Content --------------------------------------------------------------------------------

    @property
    def runs(self) -> Runs:
        return self._runs

    @property
    def length(self) -> int:
        return max(0, self.document.characterCount() - 1)

    def fill(self, runs: Runs) -> None:
        """Shows ``runs`` instead of what was shown."""
        self._runs = runs
        self.is_stale = True
        self._ideal_width = None
        self._starts = []
        self._awaited.clear()
        if self._painter is not None:
            self._painter.clear()
        self.document.clear()
        cursor = QTextCursor(self.document)
        cursor.beginEditBlock()
        block = QTextBlockFormat()
        block.setAlignment(_ALIGNMENTS[self._align])
        heights = QTextBlockFormat.LineHeightTypes.LineDistanceHeight
        block.setLineHeight(self._leading(), heights.value)
        cursor.setBlockFormat(block)
        for run in runs:
            self._starts.append(cursor.position())
            self._insert(cursor, run)
        cursor.endEditBlock()

    def _leading(self) -> float:
        """The distance between two lines; the last one has it too, below it."""
        height = QFontMetricsF(self._font).height()
        return round(height * (self._theme.line_height_percent - 100) / 100)

    def _insert(self, cursor: QTextCursor, run: Run) -> None:
        if run.tex is not None:
            formula = self._rendering.formula(run.tex, run.display, self._on_formula)
            if formula is not None:
                cursor.insertText(_OBJECT, self._formula_look(run, formula))
                return
            self._awaited.add(run.tex)
        cursor.insertText(shown_text(run).replace("\n", _LINE_BREAK), self._look(run))

    def _look(self, run: Run) -> QTextCharFormat:
        look = QTextCharFormat()
        code = run.code or run.tex is not None
        font = QFont(self._theme.code if code else self._font)
        if run.bold:
            font.setWeight(QFont.Weight.Bold)
        font.setItalic(run.italic or run.image)
        font.setStrikeOut(run.strike)
        look.setFont(font)
        look.setForeground(self._theme.colours.text)
        if run.href is not None:
            look.setAnchor(True)
            look.setAnchorHref(run.href)
            look.setForeground(self._theme.colours.link)
            look.setFontUnderline(True)
        return look

    def _on_formula(self, _formula: SetFormula | None) -> None:
        if self._awaited:
            self.fill(self._runs)
            self._changed()

    def _formula_look(self, run: Run, formula: SetFormula) -> QTextCharFormat:
        scale = self._theme.em / DESIGN_PIXELS * FORMULA_SCALE
        self._widest_formula = max(self._widest_formula, formula.width * scale)
        if self._formula_limit:
            scale = min(scale, self._formula_limit / formula.width)
        if self._painter is None:
            self._painter = FormulaPainter(self._theme.colours.text, self._ratio)
            self.document.documentLayout().registerHandler(FORMULA_OBJECT, self._painter)
        room = None if len(self._runs) == 1 else self._leading()
        look = self._painter.add(formula, scale, self._font, room)
        if run.href is not None:
            look.setAnchor(True)
            look.setAnchorHref(run.href)
        return look

    # --- Place ----------------------------------------------------------------------------------

    def lay_out(self, width: float) -> float:
        """Breaks the lines at ``width``; returns the height."""
        if self._widest_formula > width or (self._formula_limit and width > self._formula_limit):
            self._formula_limit = width
            self.fill(self._runs)
        self.width = width
        self.is_stale = False
        self.document.setTextWidth(width)
        self.height = self.document.size().height() - self._leading()
        return self.height

    def baseline(self) -> float:
        """Returns where the first line of text stands, from the top of the section."""
        line = self.document.begin().layout().lineAt(0)
        if not line.isValid():
            return self.y + QFontMetricsF(self._font).ascent()
        return self.y + line.y() + line.ascent()

    def ideal_width(self) -> float:
        """How wide the text is when no line is broken; what it shows is then stale."""
        if self._ideal_width is None:
            self.document.setTextWidth(-1)
            self._ideal_width = self.document.idealWidth()
            self.is_stale = True
        return self._ideal_width

    def hit(self, x: float, y: float) -> int:
        """Returns the position in the text nearest to a point of the section."""
        point = QPointF(
            x - self.x + self.shift, min(max(y - self.y, 0.0), max(0.0, self.height - 1))
        )
        layout = self.document.documentLayout()
        return max(0, layout.hitTest(point, Qt.HitTestAccuracy.FuzzyHit))

    def link_at(self, x: float, y: float) -> str:
        """Returns the address of the link at a point of the section, or an empty text."""
        return self.document.documentLayout().anchorAt(QPointF(x - self.x + self.shift, y - self.y))

    # --- Painting -------------------------------------------------------------------------------

    def paint(self, painter: QPainter, selected: tuple[int, int] | None, clip: QRectF) -> None:
        """Paints in the section's coordinates; ``selected`` is a range of positions."""
        painter.translate(self.x, self.y)
        self._paint_pills(painter)
        context = QAbstractTextDocumentLayout.PaintContext()
        context.clip = clip.translated(-self.x, -self.y)
        palette = QPalette()
        palette.setColor(QPalette.ColorRole.Text, self._theme.colours.text)
        context.palette = palette
        if selected is not None:
            context.selections = [self._selection(*selected)]
        self.document.documentLayout().draw(painter, context)
        painter.translate(-self.x, -self.y)

    def _selection(self, start: int, end: int) -> QAbstractTextDocumentLayout.Selection:
        selection = QAbstractTextDocumentLayout.Selection()
        cursor = QTextCursor(self.document)
        cursor.setPosition(min(start, self.length))
        cursor.setPosition(min(end, self.length), QTextCursor.MoveMode.KeepAnchor)
        selection.cursor = cursor
        look = QTextCharFormat()
        look.setBackground(self._theme.colours.selection)
        look.setForeground(self._theme.colours.selected_text)
        selection.format = look
        return selection

    def _paint_pills(self, painter: QPainter) -> None:
        """A rounded ground behind code in a line of text."""
        codes = [index for index, run in enumerate(self._runs) if run.code]
        if not codes:
            return
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._theme.colours.pill)
        pad = self._theme.em * 0.14
        for index in codes:
            start = self._starts[index]
            for area in self.areas(start, start + len(self._runs[index].text)):
                painter.drawRoundedRect(area.adjusted(-pad, 0, pad, 0), pad * 2, pad * 2)

    def areas(self, start: int, end: int) -> list[QRectF]:
        """Returns where a range of the text stands, a rectangle for each line, from the leaf."""
        block = self.document.begin()
        layout = block.layout()
        offset = self.document.documentLayout().blockBoundingRect(block).topLeft()
        found = []
        for number in range(layout.lineCount()):
            line = layout.lineAt(number)
            first = max(start, line.textStart())
            last = min(end, line.textStart() + line.textLength())
            if first < last:
                left, right = _cursor_x(line, first), _cursor_x(line, last)
                text_height = line.ascent() + line.descent()
                top = line.y()
                area = QRectF(min(left, right), top, abs(right - left), text_height)
                found.append(area.translated(offset))
        return found

    # --- Copying --------------------------------------------------------------------------------

    def links(self) -> list[tuple[int, int, str]]:
        """Returns the range and the address of each link."""
        return [
            (self._starts[index], self._end(index), run.href)
            for index, run in enumerate(self._runs)
            if run.href is not None
        ]

    def _end(self, index: int) -> int:
        return self._starts[index + 1] if index + 1 < len(self._starts) else self.length

    def text(self, start: int, end: int) -> str:
        """Returns the plain text of a range; a formula is its source."""
        return "".join(run.text for run in self._cut(start, end))

    def markdown(self, start: int, end: int) -> str:
        """Returns the Markdown of a range."""
        return "".join(map(markdown_of, self._cut(start, end)))

    def _cut(self, start: int, end: int) -> Sequence[Run]:
        found = []
        text = self.document.toRawText()
        for index in range(max(0, bisect_right(self._starts, start) - 1), len(self._starts)):
            run, first, last = self._runs[index], self._starts[index], self._end(index)
            if first >= end:
                break
            part = text[max(first, start) : min(last, end)]
            if not part:
                continue
            whole = part == text[first:last] or part == _OBJECT
            shown = run.text if whole else part.replace(_LINE_BREAK, "\n")
            found.append(Run(shown, run.bold, run.italic, run.strike, run.code, run.href,
                             run.image, run.tex))  # fmt: skip
        return found


def shown_text(run: Run) -> str:
    """Returns what stands on the page for a run; a picture is named."""
    if not run.image:
        return run.text
    name = QCoreApplication.translate("Markdown", "Picture, not loaded")
    return f"[{name}: {run.text}]" if run.text else f"[{name}]"


def markdown_of(run: Run) -> str:
    """Returns a run as Markdown."""
    if run.tex is not None or not run.text.strip():
        return run.text
    if run.image:
        return f"![{run.text}]({run.href})"
    text = f"`{run.text}`" if run.code else run.text
    for wanted, mark in ((run.strike, "~~"), (run.italic, "*"), (run.bold, "**")):
        text = f"{mark}{text}{mark}" if wanted else text
    if run.href is not None and run.href != run.text:
        return f"[{text}]({run.href})"
    return text


def _cursor_x(line: QTextLine, position: int) -> float:
    found = line.cursorToX(position)  # a pair in PySide, though typed as an object
    return float(found[0] if isinstance(found, tuple) else cast(float, found))

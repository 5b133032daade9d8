"""What stands one below the other on a page: text, code, a table, a line."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from PySide6.QtCore import QCoreApplication, QPointF, QRectF, Qt
from PySide6.QtGui import QGuiApplication, QPainter, QPen
from PySide6.QtWidgets import QScrollBar, QToolButton, QWidget

from app.desktop.markdown.blocks import Align, Block, Code, Formula, Heading, Paragraph, Run
from app.desktop.markdown.code import CodeLeaf
from app.desktop.markdown.leaf import Leaf
from app.desktop.markdown.rendering import RenderingThread
from app.desktop.markdown.theme import Theme

Selected = Callable[[Leaf], tuple[int, int] | None]


@dataclass(frozen=True, slots=True)
class Setting:
    """What a box is made with. ``changed`` is called when it needs another layout."""

    theme: Theme
    rendering: RenderingThread
    owner: QWidget
    changed: Callable[[], None]
    ratio: float

    def leaf(self, align: Align = Align.START, heading: int = 0, *, bold: bool = False) -> Leaf:
        font = self.theme.headings[heading - 1] if heading else self.theme.body
        if bold:
            font = self.theme.headings[4]
        return Leaf(
            self.theme, self.rendering, self.changed, font=font, align=align, ratio=self.ratio
        )


class Box(Protocol):
    """A box at ``x`` and ``y`` of its section; its leaves lie in the section's coordinates."""

    leaves: Sequence[Leaf]

    def accepts(self, block: Block) -> bool:
        """Whether it can show ``block`` instead; if so it does."""
        ...

    def lay_out(self, x: float, y: float, width: float) -> float:
        """Places it and its leaves; returns its height."""
        ...

    def paint(self, painter: QPainter, selected: Selected, clip: QRectF) -> None: ...

    def place(self, top: float) -> None:
        """Moves its widgets, if it has some; ``top`` is where the section starts."""
        ...

    def scroll_by(self, point: QPointF, pixels: float) -> bool:
        """Scrolls sideways if the point is inside and there is something to scroll."""
        ...

    def drop(self) -> None:
        """Removes its widgets."""
        ...


class TextBox:
    """A paragraph, a heading, or a formula on its own line."""

    def __init__(self, setting: Setting, block: Paragraph | Heading | Formula) -> None:
        heading = block.level if isinstance(block, Heading) else 0
        align = Align.CENTRE if isinstance(block, Formula) else Align.START
        self._block: Block = block
        self._leaf = setting.leaf(align, heading)
        self._leaf.fill(_runs_of(block))
        self.leaves: Sequence[Leaf] = (self._leaf,)

    def accepts(self, block: Block) -> bool:
        if block == self._block:
            return True
        if not isinstance(block, type(self._block)) or isinstance(block, Heading | Formula):
            return False
        assert isinstance(block, Paragraph)
        self._block = block
        self._leaf.fill(block.runs)
        return True

    def lay_out(self, x: float, y: float, width: float) -> float:
        self._leaf.x, self._leaf.y = x, y
        return self._leaf.lay_out(width)

    def paint(self, painter: QPainter, selected: Selected, clip: QRectF) -> None:
        self._leaf.paint(painter, selected(self._leaf), clip)

    def place(self, top: float) -> None:
        pass

    def scroll_by(self, point: QPointF, pixels: float) -> bool:
        return False

    def drop(self) -> None:
        pass


class RuleBox:
    """A horizontal line."""

    def __init__(self, setting: Setting) -> None:
        self._theme = setting.theme
        self._area = QRectF()
        self.leaves: Sequence[Leaf] = ()

    def accepts(self, block: Block) -> bool:
        return False

    def lay_out(self, x: float, y: float, width: float) -> float:
        height = round(self._theme.em * 0.6)
        self._area = QRectF(x, y, width, height)
        return height

    def paint(self, painter: QPainter, selected: Selected, clip: QRectF) -> None:
        middle = QRectF(self._area.x(), self._area.center().y(), self._area.width(), 1)
        painter.fillRect(middle, self._theme.colours.line)

    def place(self, top: float) -> None:
        pass

    def scroll_by(self, point: QPointF, pixels: float) -> bool:
        return False

    def drop(self) -> None:
        pass


class Scrolled:
    """Shared by boxes that may be wider than the page: a scroll bar below, made when needed."""

    leaves: Sequence[Leaf] = ()

    def __init__(self, setting: Setting) -> None:
        self._setting = setting
        self._bar: QScrollBar | None = None
        self._bar_area = QRectF()
        self._viewport = QRectF()

    @property
    def _shift(self) -> float:
        return float(self._bar.value()) if self._bar is not None else 0.0

    def _fit_bar(self, viewport: QRectF, content_width: float) -> float:
        """Shows or hides the bar below ``viewport``; returns the height it takes."""
        self._viewport = viewport
        excess = round(content_width - viewport.width() + 0.49)
        if excess <= 0:
            if self._bar is not None:
                self._bar.setParent(None)
                self._bar.deleteLater()
                self._bar = None
            return 0.0
        if self._bar is None:
            self._bar = QScrollBar(Qt.Orientation.Horizontal, self._setting.owner)
            self._bar.setAccessibleName(QCoreApplication.translate("Markdown", "Scroll sideways"))
            self._bar.valueChanged.connect(self._on_scrolled)
            self._bar.show()
        self._bar.setRange(0, excess)
        self._bar.setPageStep(max(1, round(viewport.width())))
        self._bar.setSingleStep(round(self._setting.theme.em * 2))
        height = float(self._bar.sizeHint().height())
        inset = self._setting.theme.em * 0.5
        self._bar_area = QRectF(viewport.x(), viewport.bottom(), viewport.width(), height)
        self._bar_area.adjust(inset, 0, -inset, 0)
        return height

    def _on_scrolled(self, value: int) -> None:
        for leaf in self.leaves:
            leaf.shift = float(value)
        self._setting.owner.update()

    def _place_bar(self, top: float) -> None:
        if self._bar is not None:
            self._bar.setGeometry(self._bar_area.translated(0, top).toRect())

    def scroll_by(self, point: QPointF, pixels: float) -> bool:
        if self._bar is None or not self._viewport.contains(point):
            return False
        before = self._bar.value()
        self._bar.setValue(before - round(pixels))
        return self._bar.value() != before

    def _drop_bar(self) -> None:
        if self._bar is not None:
            self._bar.setParent(None)
            self._bar.deleteLater()
            self._bar = None


class CodeBox(Scrolled):
    """Code under a header with its language and a button that copies it."""

    def __init__(self, setting: Setting, block: Code) -> None:
        super().__init__(setting)
        self._leaf = CodeLeaf(setting.theme, setting.rendering, setting.changed)
        self._leaf.set_code(block)
        self.leaves = (self._leaf,)
        self._area = QRectF()
        self._header = 0.0
        self._button = QToolButton(setting.owner)
        self._button.setFont(setting.theme.small)
        self._button.setAutoRaise(True)
        self._button.setText(QCoreApplication.translate("Markdown", "Copy"))
        self._button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._button.setCursor(Qt.CursorShape.PointingHandCursor)
        self._button.clicked.connect(self._on_copy_clicked)
        self._name_button()
        self._button.show()

    def _name_button(self) -> None:
        template = QCoreApplication.translate("Markdown", "Copy the code block ({language})")
        self._button.setAccessibleName(template.format(language=self._language()))

    def _language(self) -> str:
        plain = QCoreApplication.translate("Markdown", "text")
        return self._leaf.code.language[:40] or plain

    def _on_copy_clicked(self) -> None:
        QGuiApplication.clipboard().setText(self._leaf.code.text)
        self._button.setText(QCoreApplication.translate("Markdown", "Copied"))

    def accepts(self, block: Block) -> bool:
        if not isinstance(block, Code):
            return False
        if block != self._leaf.code:
            self._leaf.set_code(block)
            self._name_button()
            self._button.setText(QCoreApplication.translate("Markdown", "Copy"))
        return True

    def lay_out(self, x: float, y: float, width: float) -> float:
        em = self._setting.theme.em
        self._header = round(em * 1.9)
        pad_x, pad_y = round(em * 0.9), round(em * 0.6)
        height = self._leaf.lay_out(width)
        self._leaf.x, self._leaf.y = x + pad_x, y + self._header + pad_y
        view = QRectF(x + 1, y + self._header + 1, width - 2, height + 2 * pad_y)
        bar = self._fit_bar(view, self._leaf.document.idealWidth() + 2 * pad_x)
        self._area = QRectF(x, y, width, self._header + view.height() + bar + (6 if bar else 2))
        return self._area.height()

    def paint(self, painter: QPainter, selected: Selected, clip: QRectF) -> None:
        colours = self._setting.theme.colours
        radius = self._setting.theme.em * 0.4
        painter.setPen(QPen(colours.line, 1))
        painter.setBrush(colours.code_background)
        frame = self._area.adjusted(0.5, 0.5, -0.5, -0.5)
        painter.drawRoundedRect(frame, radius, radius)
        header = QRectF(frame.x(), frame.y(), frame.width(), self._header)
        painter.setPen(QPen(colours.line, 1))
        painter.drawLine(header.bottomLeft(), header.bottomRight())
        painter.setFont(self._setting.theme.small)
        painter.setPen(colours.muted)
        inner = header.adjusted(self._setting.theme.em * 0.9, 0, 0, 0)
        # Code reads from the left in every language, and so does the name above it.
        at = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
        painter.setLayoutDirection(Qt.LayoutDirection.LeftToRight)
        painter.drawText(inner, int(at), self._language())
        painter.save()
        painter.setClipRect(self._viewport, Qt.ClipOperation.IntersectClip)
        painter.translate(-self._shift, 0)
        visible = clip.intersected(self._viewport).translated(self._shift, 0)
        self._leaf.paint(painter, selected(self._leaf), visible)
        painter.restore()

    def place(self, top: float) -> None:
        self._place_bar(top)
        hint = self._button.sizeHint()
        space = max(2, round((self._header - hint.height()) / 2))
        self._button.setGeometry(
            round(self._area.right() - hint.width() - space),
            round(top + self._area.y() + space),
            hint.width(),
            min(hint.height(), round(self._header) - 2 * space + 2),
        )

    def drop(self) -> None:
        self._drop_bar()
        self._button.setParent(None)
        self._button.deleteLater()


def _runs_of(block: Paragraph | Heading | Formula) -> tuple[Run, ...]:
    if isinstance(block, Formula):
        return (Run(block.source, tex=block.tex, display=True),)
    return block.runs

"""The body of one message: Markdown that may still be arriving.

Only the last block is parsed and laid out again when text arrives. A long text is shown in slices,
so that the window never waits for it. Nothing is fetched, and nothing is opened: a click on a link
is a signal.
"""

from time import perf_counter
from typing import Final

from PySide6.QtCore import QCoreApplication, QEvent, QMimeData, QPoint, QPointF, Qt, QTimer, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QMenu, QWidget
from shiboken6 import isValid

from app.desktop.markdown.boxes import Setting
from app.desktop.markdown.growing import GrowingText
from app.desktop.markdown.page import Page
from app.desktop.markdown.rendering import RenderingThread
from app.desktop.markdown.selection import SharedSelection, TextPoint
from app.desktop.markdown.theme import theme_of

_SLICE_S: Final = 0.008
_SLICE_CHARS: Final = 500
_RESTYLING: Final = (
    QEvent.Type.PaletteChange,
    QEvent.Type.FontChange,
    QEvent.Type.StyleChange,
)


class MarkdownView(QWidget):
    """Shows Markdown as high as it is; whoever embeds it gives the width.

    Args:
        rendering: sets formulas and colours code; one for all views.
        selection: shared by the views of a transcript; without it the view selects alone.
        muted: the text stands back, as thinking does.
    """

    link_activated = Signal(str)  # the address of the link that was clicked; nothing is opened
    height_changed = Signal(int)  # the new height in pixels
    rendered = Signal()  # all text that was given is on the page

    def __init__(
        self,
        rendering: RenderingThread,
        selection: SharedSelection | None = None,
        *,
        muted: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._rendering = rendering
        self._selection = selection or SharedSelection(lambda: [self])
        self._muted = muted
        self._growing = GrowingText()
        self._page = Page()
        self._unread = ""
        self._is_finishing = False
        self._focused_link = -1
        self._pressed: QPoint | None = None
        self._pressed_link = ""
        self._timer = QTimer(self, singleShot=True, interval=0)
        self._timer.timeout.connect(self._on_slice)
        self._setting = self._new_setting()
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setCursor(Qt.CursorShape.IBeamCursor)
        self.setFixedHeight(0)

    # --- Text -----------------------------------------------------------------------------------

    def set_markdown(self, text: str) -> None:
        """Shows ``text`` instead of what was shown, and as much of it at once as is quick."""
        self._selection.forget(self)
        self._page.clear()
        self._growing = GrowingText()
        self._focused_link = -1
        self._unread = text
        self._is_finishing = True
        self._on_slice()

    def append(self, text: str) -> None:
        """Adds text that arrived."""
        self._is_finishing = False
        self._unread += text
        self._on_slice()

    def finish(self) -> None:
        """Says that the text is complete."""
        self._is_finishing = True
        self._on_slice()

    def markdown(self) -> str:
        """Returns the source, exactly as it was given."""
        return self._growing.source + self._unread

    @property
    def is_rendered(self) -> bool:
        """Whether everything given is on the page (colours and formulas may follow)."""
        return not self._timer.isActive()

    def _on_slice(self) -> None:
        end = perf_counter() + _SLICE_S
        while self._unread:
            part, self._unread = self._unread[:_SLICE_CHARS], self._unread[_SLICE_CHARS:]
            self._show(self._growing.append(part))
            if perf_counter() > end:
                break
        if self._is_finishing and not self._unread:
            self._is_finishing = False
            self._show(self._growing.finish())
        self._lay_out(max(0.002, end - perf_counter()))

    def _show(self, first: int) -> None:
        self._page.show_pieces(self._setting, self._growing.pieces, first)

    # --- Place ----------------------------------------------------------------------------------

    def _new_setting(self) -> Setting:
        theme = theme_of(self.palette(), self.font(), muted=self._muted)
        ratio = self.devicePixelRatioF()
        return Setting(theme, self._rendering, self, self._on_part_changed, ratio)

    def _on_part_changed(self) -> None:
        if isValid(self):  # a formula may arrive after the message is gone
            self._timer.start()

    def _lay_out(self, budget_s: float = _SLICE_S) -> None:
        if self.width() <= 0:
            return
        self._page.width = float(self.width())
        done = self._page.lay_out(budget_s, self.visibleRegion().boundingRect())
        height = round(self._page.height + 0.49)
        if height != self.height() or self.minimumHeight() != height:
            self.setFixedHeight(height)
            self.height_changed.emit(height)
        self.update()
        if not done or self._unread or self._is_finishing:
            self._timer.start()
        elif not self._timer.isActive():
            if self._growing.is_finished:
                self.setAccessibleDescription(self._page.plain_text())
            self.rendered.emit()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802  # Qt's name
        super().resizeEvent(event)
        if event.size().width() != round(self._page.width):
            self._lay_out()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802  # Qt's name
        super().changeEvent(event)
        if event.type() in _RESTYLING:
            self._restyle()

    def _restyle(self) -> None:
        new = self._new_setting()
        if (new.theme, new.ratio) == (self._setting.theme, self._setting.ratio):
            return
        self._setting = new
        self._page.restyle(new)
        self._timer.start()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802  # Qt's name
        # No override of ``event`` for this: PySide 6.11 crashes when a handler below one raises.
        if self.devicePixelRatioF() != self._setting.ratio:
            QTimer.singleShot(0, self, self._restyle)
        painter = QPainter(self)
        self._page.paint(painter, event.rect())
        if self.hasFocus() and 0 <= self._focused_link < len(self._page.links()):
            painter.setPen(QPen(self._setting.theme.colours.focus, 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            for area in self._page.focus_areas(self._focused_link):
                painter.drawRoundedRect(area.adjusted(-2, -1, 2, 1), 3, 3)
        painter.end()

    # --- Selection ------------------------------------------------------------------------------

    def point_at(self, position: QPoint) -> TextPoint:
        """Returns the place in the text nearest to a point of the view."""
        return self._page.point_at(QPointF(position))

    def from_screen(self, screen: QPoint) -> QPoint:
        """Returns a point of the screen as one of the view."""
        return self.mapFromGlobal(screen)

    def vertical_distance(self, screen: QPoint) -> int:
        """Returns how far a point of the screen is above (negative) or below the view."""
        y = self.mapFromGlobal(screen).y()
        return y if y < 0 else max(0, y - self.height())

    def select(self, start: TextPoint | None, end: TextPoint | None) -> None:
        """Shows a range of the text as selected, or none."""
        if self._page.select(start, end):
            self.update()

    def selected_text(self) -> str:
        """Returns the selected part of this message as plain text."""
        return self._page.selected_text()

    def selected_markdown(self) -> str:
        """Returns the selected part of this message as Markdown."""
        return self._page.selected_markdown()

    def copy(self) -> None:
        """Copies the selection, which may reach over several messages."""
        text = self._selection.text()
        if text:
            data = QMimeData()
            data.setText(text)
            data.setData("text/markdown", self._selection.markdown().encode())
            QGuiApplication.clipboard().setMimeData(data)

    # --- Mouse and keys -------------------------------------------------------------------------

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802  # Qt's name
        if event.button() is not Qt.MouseButton.LeftButton:
            return
        position = event.position().toPoint()
        if not event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self._selection.begin(self, self.point_at(position))
        else:
            self._selection.extend_to(event.globalPosition().toPoint())
        self._pressed = position
        self._pressed_link = self._page.link_at(event.position())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802  # Qt's name
        if self._pressed is not None:
            moved = (event.position().toPoint() - self._pressed).manhattanLength()
            if moved >= QGuiApplication.styleHints().startDragDistance() // 2:
                self._pressed_link = ""
                self._selection.extend_to(event.globalPosition().toPoint())
            return
        link = self._page.link_at(event.position())
        self.setToolTip(link)
        shape = Qt.CursorShape.PointingHandCursor if link else Qt.CursorShape.IBeamCursor
        if self.cursor().shape() is not shape:
            self.setCursor(shape)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: N802  # Qt's name
        self._pressed = None
        if self._pressed_link and self._pressed_link == self._page.link_at(event.position()):
            self.link_activated.emit(self._pressed_link)
        self._pressed_link = ""

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:  # noqa: N802  # Qt's name
        start, end = self._page.word_at(event.position())
        self._selection.begin(self, start)
        self._selection.set_focus(self, end)

    def wheelEvent(self, event: QWheelEvent) -> None:  # noqa: N802  # Qt's name
        delta = event.pixelDelta() if not event.pixelDelta().isNull() else event.angleDelta() / 2
        sideways = event.modifiers() & Qt.KeyboardModifier.ShiftModifier
        across = delta.y() if sideways and not delta.x() else delta.x()
        mostly = sideways or abs(delta.x()) > abs(delta.y())
        if not (mostly and across and self._page.scroll_by(event.position(), across)):
            event.ignore()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802  # Qt's name
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy()
        elif event.matches(QKeySequence.StandardKey.SelectAll):
            self._selection.select_all(self)
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self._focused_link >= 0:
            links = self._page.links()
            if self._focused_link < len(links):
                self.link_activated.emit(links[self._focused_link][-1])
        else:
            event.ignore()

    def focusNextPrevChild(self, forward: bool) -> bool:  # noqa: N802  # Qt's name
        """Tab goes through the links first, then through the buttons of code blocks."""
        target = self._focused_link + (1 if forward else -1)
        if self.hasFocus() and 0 <= target < len(self._page.links()):
            self._focused_link = target
            self.update()
            return True
        self._focused_link = -1
        self.update()
        return super().focusNextPrevChild(forward)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:  # noqa: N802  # Qt's name
        menu = self.context_menu(event.pos())
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(event.globalPos())

    def context_menu(self, position: QPoint) -> QMenu:
        """Returns the menu for a point; whoever embeds the view may add to it."""
        menu = QMenu(self)
        link = self._page.link_at(QPointF(position))
        copy = menu.addAction(QCoreApplication.translate("Markdown", "Copy"), self.copy)
        copy.setEnabled(bool(self._selection.text()))
        if link:
            text = QCoreApplication.translate("Markdown", "Copy link address")
            menu.addAction(text, lambda: QGuiApplication.clipboard().setText(link))
        text = QCoreApplication.translate("Markdown", "Select this message")
        menu.addAction(text, lambda: self._selection.select_all(self))
        return menu

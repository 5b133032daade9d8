"""How full the disk of the models is: theirs, everything else, what is free, and the reserve."""

from typing import Final

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.desktop.models import facts
from app.desktop.models.ports import StoreFacts
from app.desktop.theme import Theme

_HEIGHT: Final = 10


class DiskBar(QWidget):
    """One bar; the words beside it and its accessible name say the same."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._store: StoreFacts | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self.update)

    def set_store(self, store: StoreFacts) -> None:
        self._store = store
        self.setAccessibleName(facts.disk(store))
        self.setToolTip(str(store.folder))
        self.update()

    def sizeHint(self) -> QSize:  # noqa: N802  Qt's name
        return QSize(180, _HEIGHT)

    def minimumSizeHint(self) -> QSize:  # noqa: N802  Qt's name
        return QSize(80, _HEIGHT)

    def shares(self) -> tuple[float, float, float]:
        """The models', the others' and the reserve's share of the disk, each from 0 to 1."""
        store = self._store
        if store is None or store.total_bytes <= 0:
            return 0.0, 0.0, 0.0
        total = store.total_bytes
        models = min(store.models_bytes, total)
        others = max(0, total - store.free_bytes - models)
        reserve = min(store.reserve_bytes, store.free_bytes)
        return models / total, others / total, reserve / total

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802  Qt's name
        del event
        colours = self._theme.colours
        models, others, reserve = self.shares()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        whole = QRectF(0, 0, self.width(), self.height())
        shape = QPainterPath()
        shape.addRoundedRect(whole, _HEIGHT / 2, _HEIGHT / 2)
        painter.setClipPath(shape)
        painter.fillRect(whole, QColor(colours.hover))
        width = self.width()
        end_of_models = width * models
        painter.fillRect(QRectF(0, 0, end_of_models, _HEIGHT), QColor(colours.accent))
        painter.fillRect(QRectF(end_of_models, 0, width * others, _HEIGHT), QColor(colours.border))
        start = width * (1 - reserve)
        painter.fillRect(QRectF(start, 0, width * reserve, _HEIGHT), QColor(colours.notice_border))
        painter.end()

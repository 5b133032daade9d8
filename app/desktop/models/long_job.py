"""A line above the table for an import or a move: what it is, how far it is, and Stop."""

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QFrame, QHBoxLayout, QProgressBar, QPushButton, QVBoxLayout, QWidget

from app.desktop.amounts import format_bytes
from app.desktop.models.fact_grid import plain_label
from app.desktop.models.mailbox import Mailbox
from app.desktop.models.row_state import Amount


class LongJob(QFrame):
    """``report`` may be called from any thread, as often as it likes."""

    stop_asked = Signal()

    def __init__(self, title: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("banner")
        self._mailbox: Mailbox[Amount] = Mailbox(self)
        self._mailbox.due.connect(self._on_news)
        self._title = plain_label(title, "strong", self)
        self._words = plain_label("", "muted", self)
        self._bar = QProgressBar(self)
        self._bar.setTextVisible(False)
        self._bar.setRange(0, 0)
        self._bar.setAccessibleName(title)
        stop = QPushButton(self.tr("Stop"), self)
        stop.clicked.connect(self.stop_asked)
        words = QVBoxLayout()
        words.setSpacing(6)
        for widget in (self._title, self._bar, self._words):
            words.addWidget(widget)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(16, 12, 16, 12)
        layout.setSpacing(14)
        layout.addLayout(words, 1)
        layout.addWidget(stop, 0, Qt.AlignmentFlag.AlignVCenter)

    def report(self, done_bytes: int, total_bytes: int, /) -> None:
        """How far the job is. On the job's thread."""
        self._mailbox.put("", Amount(done_bytes, total_bytes))

    @Slot(object)
    def _on_news(self, news: dict[object, Amount]) -> None:
        amount = news[""]
        if not amount.total_bytes:
            return
        self._bar.setRange(0, 1000)
        self._bar.setValue(round(amount.fraction * 1000))
        self._words.setText(
            self.tr("{done} of {total}").format(
                done=format_bytes(amount.done_bytes), total=format_bytes(amount.total_bytes)
            )
        )

    def end(self) -> None:
        """Takes the line away."""
        self._mailbox.close()
        self.hide()
        self.deleteLater()

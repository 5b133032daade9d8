"""One line under the input: what is happening, with a number; then how the last answer went."""

from typing import Final

from PySide6.QtCore import QElapsedTimer, QSize, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QLabel, QWidget

from app.desktop import wording
from app.desktop.conversation import AnswerStamp
from app.desktop.lifecycle import BUSY, TurnState
from app.desktop.turn_records import Activity

_TICK_MS: Final = 500


class StatusLine(QLabel):
    """Counts seconds only while something is going on."""

    text_changed = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("status")
        self.setAccessibleName(self.tr("What is happening"))
        self.setTextFormat(Qt.TextFormat.PlainText)
        self._activity = Activity(state=TurnState.LOOKING)
        self._result = ""
        self._since = QElapsedTimer()
        self._since.start()
        self._ticker = QTimer(self)
        self._ticker.setInterval(_TICK_MS)
        self._ticker.timeout.connect(self._refresh)
        self._refresh()

    def set_activity(self, activity: Activity) -> None:
        """Shows ``activity``; a new state starts a new count of seconds."""
        if activity.state is not self._activity.state:
            self._since.restart()
        if activity.state in BUSY:
            self._result = ""
            if not self._ticker.isActive():
                self._ticker.start()
        else:
            self._ticker.stop()
        self._activity = activity
        self._refresh()

    def set_result(self, stamp: AnswerStamp | None) -> None:
        """Shows how an answer went, until the next thing happens."""
        self._result = "" if stamp is None else wording.answer_summary(stamp)
        self._refresh()

    def minimumSizeHint(self) -> QSize:  # noqa: N802  Qt's name
        """A narrow window shows the beginning."""
        return QSize(0, super().minimumSizeHint().height())

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802  Qt's name
        place = self.contentsRect()
        shown = self.fontMetrics().elidedText(
            self.text(), Qt.TextElideMode.ElideRight, place.width()
        )
        align = Qt.AlignmentFlag.AlignVCenter | (
            Qt.AlignmentFlag.AlignRight if self.isRightToLeft() else Qt.AlignmentFlag.AlignLeft
        )
        self.style().drawItemText(
            QPainter(self), place, align, self.palette(), True, shown, self.foregroundRole()
        )

    @Slot()
    def _refresh(self) -> None:
        sentence = wording.activity_sentence(self._activity, self._since.elapsed() / 1000)
        self.setText(sentence or self._result)
        self.setToolTip(self.text())
        self.text_changed.emit(self.text())

"""Reads again, while nothing else happens, what the model's cache may have lost of other chats."""

from typing import Final

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from app.core.errors import ErrorRecord
from app.desktop.background import Worker
from app.desktop.lifecycle import TurnState
from app.desktop.services import PrefixWarmer
from app.desktop.turn import TurnRunner
from app.desktop.turn_records import Activity, Admitted

_IDLE_MS: Final = 15_000


class IdleWarmth(QObject):
    """One chat after each pause, the most valuable first, until none is left that gains by it.

    A turn that begins ends the reading in the engine itself.
    """

    warmed = Signal(str)  # the chat

    def __init__(
        self, warmer: PrefixWarmer, runner: TurnRunner, parent: QObject, idle_ms: int = _IDLE_MS
    ) -> None:
        super().__init__(parent)
        self._warmer = warmer
        self._runner = runner
        self._worker = Worker("warmth", self)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(idle_ms)
        self._timer.timeout.connect(self._on_idle)
        runner.prompt_read.connect(self._on_prompt_read)
        runner.activity_changed.connect(self._on_activity)

    @Slot(str)
    def forget(self, chat: str) -> None:
        """What the chat begins with is something else now, or the chat is gone."""
        warmer = self._warmer
        self._worker.run(lambda: warmer.forget(chat))

    def close(self) -> None:
        self._timer.stop()
        self._worker.close(0.2)

    @Slot(str, object)
    def _on_prompt_read(self, chat: str, admitted: Admitted) -> None:
        warmer, request = self._warmer, admitted.asked.request
        self._worker.run(lambda: warmer.note_turn(chat, request))

    @Slot(object)
    def _on_activity(self, activity: Activity) -> None:
        if activity.state is TurnState.IDLE:
            self._timer.start()
        else:
            self._timer.stop()

    @Slot()
    def _on_idle(self) -> None:
        if not self._runner.engine_is_free:
            self._timer.start()
            return
        self._worker.run(self._warmer.warm_next, self._on_warmed, self._on_failed)

    def _on_warmed(self, chat: str | None) -> None:
        if chat is not None:
            self.warmed.emit(chat)
            if self._runner.state is TurnState.IDLE:
                self._timer.start()

    def _on_failed(self, _error: ErrorRecord) -> None:
        # Nobody waits for it, and the next turn computes what this one didn't.
        return

"""Counts the next turn of the shown chat while it is written, and reads ahead what is long."""

from typing import Final

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from app.core.errors import ErrorRecord
from app.desktop.background import Worker
from app.desktop.context.parts import ContextShown
from app.desktop.engine_bridge import EngineBridge
from app.desktop.lifecycle import TurnState
from app.desktop.main_window import MainWindow
from app.desktop.open_chats import OpenChats
from app.desktop.turn import TurnRunner
from app.desktop.turn_gate import CONTEXT_OVERFLOW
from app.desktop.turn_maker import Asked, wanted_next
from app.desktop.turn_records import Activity
from app.engine.manifest import SegmentKind
from app.engine.outcome import ContextReport
from app.engine.protocol import Count, Counted, Failed, Finished, new_request_id
from app.workflows.context import read_ahead
from app.workflows.cpu_retry import TurnEvent

_AFTER_MS: Final = 350  # a pause in typing
_WORTH_TOKENS: Final = 64  # less is read in no time


class ContextWatch(QObject):
    """Looks after each pause; a turn that begins ends what is read ahead.

    Nothing is counted, and no engine started for it, in a chat that holds nothing yet.
    """

    counted = Signal(object)  # ContextShown, or None where there is nothing to show
    refused = Signal(object)  # ErrorRecord: the next turn is too long even to be counted

    def __init__(
        self, window: MainWindow, runner: TurnRunner, chats: OpenChats, bridge: EngineBridge
    ) -> None:
        super().__init__(window)
        self._window = window
        self._runner = runner
        self._chats = chats
        self._bridge = bridge
        self._worker = Worker("context", self)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_AFTER_MS)
        self._timer.timeout.connect(self._look)
        self._count: str | None = None
        self._counting: tuple[str, Asked] | None = None
        self._ahead: str | None = None
        self._last_read: tuple[str, str, int] | None = None
        self.shown: ContextShown | None = None
        window.composer.field.textChanged.connect(self.look)
        window.models.chosen.connect(self.look)
        window.devices.chosen.connect(self.look)
        chats.shown.connect(self._on_shown)
        runner.activity_changed.connect(self._on_activity)
        runner.context_changed.connect(self.look)
        bridge.event_arrived.connect(self._on_event)

    @Slot()
    def look(self) -> None:
        """Counts soon."""
        self._timer.start()

    def close(self) -> None:
        self._timer.stop()
        self._worker.close(0.2)

    @Slot(object)
    def _on_shown(self, _conversation: object) -> None:
        self._tell(None)
        self.look()

    @Slot(object)
    def _on_activity(self, activity: Activity) -> None:
        if activity.state is TurnState.IDLE:
            self.look()
        elif activity.state is TurnState.PREPARING:
            self._drop_count()
            self._last_read = None
            if self._ahead is not None:
                self._bridge.cancel(self._ahead)
                self._ahead = None

    @Slot()
    def _look(self) -> None:
        model = self._runner.model
        if model is None or not self._runner.engine_is_free:
            return
        chat = self._chats.current
        draft = "" if self._window.composer.editing else self._window.composer.text
        wanted = wanted_next(chat, model, self._runner.device, draft)
        maker = self._runner.maker

        def make() -> Asked | None:
            asked = maker.make(wanted)
            return asked if asked.request.messages else None

        self._worker.run(make, lambda asked: self._on_made(chat.id, asked), self._on_failed)

    def _on_made(self, chat: str, asked: Asked | None) -> None:
        if chat != self._chats.current.id:
            return
        if asked is None:
            self._tell(None)
            return
        self._drop_count()
        count = Count(request=new_request_id(), turn=asked.request)
        self._count, self._counting = count.request, (chat, asked)
        self._bridge.submit(count)

    def _drop_count(self) -> None:
        """One that nobody waits for any more must not hold up the next."""
        if self._count is not None:
            self._bridge.cancel(self._count)
            self._count = None

    def _on_failed(self, _error: ErrorRecord) -> None:
        # The turn itself will tell it, if the person sends one.
        self._tell(None)

    @Slot(object)
    def _on_event(self, event: TurnEvent) -> None:
        request = getattr(event, "request", None)
        if request is None:
            return
        if request == self._count:
            self._on_count_event(event)
        elif request == self._ahead and isinstance(event, Finished | Failed):
            self._ahead = None
            if isinstance(event, Finished):
                self.look()

    def _on_count_event(self, event: TurnEvent) -> None:
        if isinstance(event, Failed):
            self._count = None
            self._tell(None)
            if event.error.code == CONTEXT_OVERFLOW:
                self.refused.emit(event.error)
        if not isinstance(event, Counted) or self._counting is None:
            return
        chat, asked = self._counting
        self._count = None
        if chat == self._chats.current.id:
            self._tell(ContextShown(chat=chat, report=event.report, talk=asked.talk))
            self._read_ahead(chat, asked, event.report)

    def _tell(self, shown: ContextShown | None) -> None:
        self.shown = shown
        self.counted.emit(shown)

    def _read_ahead(self, chat: str, asked: Asked, report: ContextReport) -> None:
        """Reads what the next turn begins with, once, while the person still writes it."""
        writing = bool(self._window.composer.text.strip())
        idle = self._runner.engine_is_free and self._ahead is None
        parts = asked.talk.read()
        if not (writing and idle and report.fits and (parts.pinned or parts.history)):
            return
        key = (chat, report.manifest.stable_token_sha256, len(parts.history))
        if unread_beginning(report) < _WORTH_TOKENS or key == self._last_read:
            return
        self._last_read = key
        ahead = read_ahead(asked.request, parts)
        self._ahead = ahead.request
        self._bridge.submit(ahead)


def unread_beginning(report: ContextReport) -> int:
    """How many tokens stand before the message that is being written and aren't read yet."""
    turn = [one.token_start for one in report.manifest.segments if one.kind is SegmentKind.USER]
    before = turn[0] if turn and turn[0] is not None else report.prompt_tokens
    return max(0, before - (report.predicted_reused_tokens or 0))

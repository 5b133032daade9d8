"""Connects the window's context bar, panel and pinned files with what counts and keeps them."""

import msgspec
from PySide6.QtCore import QObject, Slot

from app.chats.records import OverflowChoice
from app.desktop.context.panel import ContextPanel
from app.desktop.context.parts import ContextShown
from app.desktop.context.pin_desk import PinDesk
from app.desktop.context.warmth import IdleWarmth
from app.desktop.context.watch import ContextWatch
from app.desktop.desk import Desk
from app.desktop.engine_bridge import EngineBridge
from app.desktop.main_window import MainWindow
from app.desktop.open_chats import OpenChats
from app.desktop.services import DesktopServices
from app.desktop.theme import Theme
from app.desktop.turn import TurnRunner
from app.workflows.context_paste import Pasted


class ContextDesk(QObject):
    """Owns what looks after the context of the shown chat."""

    def __init__(
        self,
        window: MainWindow,
        runner: TurnRunner,
        chats: OpenChats,
        bridge: EngineBridge,
        services: DesktopServices,
        theme: Theme,
        desk: Desk,
    ) -> None:
        super().__init__(window)
        self._window = window
        self._chats = chats
        self._theme = theme
        self.panel: ContextPanel | None = None
        self.watch = ContextWatch(window, runner, chats, bridge)
        self.pins = PinDesk(window, chats, services.chats)
        self.warmth: IdleWarmth | None = None
        if services.warmer is not None:
            self.warmth = IdleWarmth(services.warmer, runner, self)
            self.warmth.warmed.connect(self.watch.look)
            self.pins.changed.connect(self.warmth.forget)
            window.chat_list.removal_asked.connect(self.warmth.forget)
        self.watch.counted.connect(window.context_bar.show_context)
        self.watch.refused.connect(window.context_bar.show_refusal)
        self.watch.counted.connect(self.pins.show_tokens)
        self.watch.counted.connect(self._refresh)
        self.pins.changed.connect(self.watch.look)
        self.pins.failed.connect(desk.show_error)
        window.context_asked.connect(self.show_panel)

    def close(self) -> None:
        self.watch.close()
        self.pins.close()
        if self.warmth is not None:
            self.warmth.close()
        if self.panel is not None:
            self.panel.close()

    @Slot()
    def show_panel(self) -> None:
        """Opens the panel, or brings it to the front."""
        if self.panel is None:
            self.panel = ContextPanel(self._theme, self._window)
            self.panel.choice_made.connect(self._on_choice)
            self.panel.finished.connect(self._on_panel_closed)
        self._refresh(self.watch.shown)
        self.panel.show()
        self.panel.raise_()
        self.panel.activateWindow()

    @Slot(object)
    def _refresh(self, shown: ContextShown | None) -> None:
        unread: dict[str, tuple[Pasted, ...]] = {}
        messages: frozenset[str] = frozenset()
        if shown is not None:
            messages = frozenset(shown.talk.message_ids[: shown.talk.left_out])
            for one in shown.talk.left_out_pasted:
                unread[one.part.message] = (*unread.get(one.part.message, ()), one.where)
        self._window.transcript.shade(messages, unread)
        if self.panel is not None:
            self.panel.show_context(shown, self._chats.current)

    @Slot(object)
    def _on_choice(self, choice: OverflowChoice) -> None:
        context = self._chats.current.settings.context
        self._chats.configure(context=msgspec.structs.replace(context, on_overflow=choice))

    @Slot()
    def _on_panel_closed(self) -> None:
        if self.panel is not None:
            self.panel.deleteLater()
            self.panel = None

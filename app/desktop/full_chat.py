"""What happens when a turn is held: the sum is shown, the person chooses, and nothing is lost."""

from typing import Final

import msgspec
from PySide6.QtCore import QObject, Signal, Slot

from app.chats.records import ContextFields, OverflowChoice
from app.desktop import wording
from app.desktop.announce import announce
from app.desktop.banner import Banner, BannerKind
from app.desktop.choice_banner import ChoiceBanner
from app.desktop.context import full_words
from app.desktop.conversation import Conversation
from app.desktop.main_window import MainWindow
from app.desktop.open_chats import OpenChats
from app.desktop.theme import Theme
from app.desktop.turn import TurnRunner
from app.desktop.turn_records import Change, Decision, HeldTurn, LeftOut

SHORTEN: Final = "shorten"
GO: Final = "go"
_REMEMBERED: Final = (OverflowChoice.LEAVE_OUT_OLDEST, OverflowChoice.SUMMARISE)


class FullChat(QObject):
    """Keeps the turn that each chat holds until it is sent some way or other."""

    shorten_asked = Signal(str)  # the message

    def __init__(
        self, window: MainWindow, runner: TurnRunner, chats: OpenChats, theme: Theme
    ) -> None:
        super().__init__(window)
        self._window = window
        self._runner = runner
        self._chats = chats
        self._theme = theme
        self._held: dict[str, HeldTurn] = {}
        runner.turn_held.connect(self._on_held)
        runner.left_out.connect(self._on_left_out)
        runner.message_added.connect(self._on_message_added)
        chats.shown.connect(self._on_shown)

    def held_in(self, conversation: Conversation) -> HeldTurn | None:
        """The turn that waits at the end of what is shown of a chat."""
        held, last = self._held.get(conversation.id), conversation.last
        if held is None or last is None or last.id != (held.answer or held.question):
            return None
        return held

    @Slot(object)
    def _on_held(self, held: HeldTurn) -> None:
        self._held[held.chat] = held
        if held.chat == self._chats.current.id:
            self._show(held)

    @Slot(object)
    def _on_left_out(self, left_out: LeftOut) -> None:
        """Told in any case: a remembered choice asks nobody, and one step may not be enough."""
        if left_out.chat == self._chats.current.id:
            headline, sentence = full_words.left_out_now(left_out.cut, self._chats.current)
            banner = Banner(self._theme, BannerKind.NOTICE, headline, sentence)
            self._window.transcript.show_banner(banner)
            announce(self._window, f"{headline} {sentence}")

    @Slot(object)
    def _on_message_added(self, change: Change) -> None:
        self._held.pop(change.chat, None)

    @Slot(object)
    def _on_shown(self, conversation: Conversation) -> None:
        held = self.held_in(conversation)
        if held is not None:
            self._show(held)

    def _show(self, held: HeldTurn) -> None:
        headline, sentence = full_words.held(held.hold, self._chats.current)
        remember = full_words.remember() if held.hold.overflow is not None else ""
        choices = full_words.ways_on(held.hold)
        error = held.hold.error
        banner = ChoiceBanner(
            self._theme,
            headline,
            sentence,
            choices,
            code="" if error is None else wording.error_code(error),
            remember=remember if choices[0][0] in _REMEMBERED else "",
        )
        banner.chosen.connect(self._on_chosen)
        self._window.transcript.show_banner(banner)
        announce(self._window, f"{headline} {sentence}")

    @Slot(str, bool)
    def _on_chosen(self, key: str, remember: bool) -> None:
        held = self.held_in(self._chats.current)
        if held is None:
            return
        if key == SHORTEN:
            self.shorten_asked.emit(held.question)
        elif key == GO:
            self._try_again(held, Decision(unhurried=True, shortened=held.hold.shortened))
        elif key == OverflowChoice.NEW_CHAT:
            self._begin_anew(held)
        else:
            choice = OverflowChoice(key)
            if remember:
                context = self._chats.current.settings.context
                kept = msgspec.structs.replace(context, on_overflow=choice)
                self._chats.configure(context=kept)
            leaves_out = choice is OverflowChoice.LEAVE_OUT_OLDEST
            decision = Decision(
                choice=choice,
                hurried=leaves_out and held.hold.slow is not None,
                shortened=held.hold.shortened,
                cut=held.hold.cut if leaves_out else None,
            )
            self._try_again(held, decision)

    def _try_again(self, held: HeldTurn, decision: Decision) -> None:
        conversation = self._chats.current
        if held.answer is None:
            begun = self._runner.answer(conversation, held.question, decision=decision)
        else:
            begun = self._runner.resume(conversation, held.answer, decision=decision)
        if begun:
            self._held.pop(conversation.id, None)
            self._window.transcript.clear_banner()
            self._window.transcript.show_conversation(conversation)

    def _begin_anew(self, held: HeldTurn) -> None:
        """The message goes to a chat of its own, with the pinned files and nothing else."""
        old = self._chats.current
        text = old.get(held.question).text
        settings = msgspec.structs.replace(old.settings, context=ContextFields())

        def send(new: Conversation) -> None:
            if self._runner.send(new, text):
                self._held.pop(old.id, None)
                if old.last is not None and old.last.id == held.question:
                    self._chats.move_away(old, held.question)

        self._chats.begin_beside(old, settings, send)

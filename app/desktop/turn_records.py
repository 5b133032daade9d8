"""What a turn tells those who show it."""

from typing import Final

import msgspec

from app.chats.records import ContextFields, OverflowChoice
from app.core.errors import ErrorRecord
from app.desktop.conversation import FailedRun, Message
from app.desktop.lifecycle import TurnState
from app.desktop.turn_maker import Asked
from app.engine.outcome import ContextReport
from app.workflows.context_overflow import Overflow
from app.workflows.context_talk import Cut
from app.workflows.reading_speed import ReadingSpeed, SlowReading

SUMMARISING: Final = "summarising"
"""The stage of a turn whose oldest messages are summarised first; the total counts them."""


class Activity(msgspec.Struct, frozen=True, kw_only=True):
    """What is happening, for the status line and the tray."""

    state: TurnState
    model: str = ""
    stage: str = ""
    fraction: float | None = None
    done_tokens: int = 0
    total_tokens: int = 0
    reused_tokens: int = 0


class Piece(msgspec.Struct, frozen=True, kw_only=True):
    """Text that arrived for a message."""

    chat: str
    message: str
    text: str = ""
    thinking: str = ""


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """A message that was added to a chat, or that reached its end."""

    chat: str
    message: Message


class Failure(msgspec.Struct, frozen=True, kw_only=True):
    """A turn that failed. ``message`` is the answer that kept its text, absent if there is none."""

    chat: str
    error: ErrorRecord
    message: str | None


class Retry(msgspec.Struct, frozen=True, kw_only=True):
    """A turn that goes on on the CPU, in the same answer, after ``before`` had failed."""

    chat: str
    before: FailedRun


class Shortened(msgspec.Struct, frozen=True, kw_only=True):
    """How far a turn has been shortened: ``cut`` is what was left out for it, all in all."""

    context: ContextFields
    cut: Cut = Cut()


class Decision(msgspec.Struct, frozen=True, kw_only=True):
    """What a person wants for one turn.

    ``unhurried``: it may take as long as it takes to read; ``hurried``: it is shortened until that
    is quick. ``cut`` is what the person was told would be left out, beside what ``shortened`` says
    was done before the person was asked. ``speed`` is how fast the model reads.
    """

    choice: OverflowChoice = OverflowChoice.ASK
    unhurried: bool = False
    hurried: bool = False
    shortened: Shortened | None = None
    cut: Cut | None = None
    speed: ReadingSpeed | None = None


class Admitted(msgspec.Struct, frozen=True, kw_only=True):
    """A turn that may be sent. ``report`` is absent where its model's prompts can't be counted.
    ``cut`` was left out for it.
    """

    asked: Asked
    report: ContextReport | None = None
    cut: Cut = Cut()


class Hold(msgspec.Struct, frozen=True, kw_only=True):
    """Why a turn isn't sent: it doesn't fit, or is ``slow`` to read.

    ``overflow`` is absent where it is too long to be counted: ``error`` says so then. ``cut`` is
    what can be left out first, if that helps; ``done`` is what was left out already.
    """

    asked: Asked
    done: Cut = Cut()
    report: ContextReport | None = None
    overflow: Overflow | None = None
    slow: SlowReading | None = None
    cut: Cut | None = None
    error: ErrorRecord | None = None

    @property
    def shortened(self) -> Shortened:
        return Shortened(context=self.asked.talk.context, cut=self.done)


class HeldTurn(msgspec.Struct, frozen=True, kw_only=True):
    """A turn that waits for the person: it doesn't fit, or takes long to read.

    ``answer`` is the one that was to go on, absent where none was begun.
    """

    chat: str
    question: str
    answer: str | None
    hold: Hold


class LeftOut(msgspec.Struct, frozen=True, kw_only=True):
    """What was left out of a chat for a turn."""

    chat: str
    cut: Cut

"""What a turn tells those who show it."""

from typing import Final

import msgspec

from app.core.errors import ErrorRecord
from app.desktop.conversation import FailedRun, Message
from app.desktop.lifecycle import TurnState
from app.desktop.turn_gate import Hold
from app.workflows.context_talk import Cut

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

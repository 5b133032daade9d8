"""From a chat to a request: what of it could be read, and what the engine shall be asked."""

import msgspec

from app.chats.records import ChatSettings, SamplingFields
from app.desktop.conversation import Conversation, Message
from app.desktop.kept_chats import KeptChats
from app.desktop.services import ModelEntry, PrepareTurn
from app.engine.chat import ChatMessage, Role
from app.engine.protocol import Generate
from app.hardware.readings import DeviceReading
from app.workflows.context import ChatParts
from app.workflows.context_talk import Talk

_DRAFT: str = "draft"  # the id of a message that isn't sent yet


class Wanted(msgspec.Struct, frozen=True, kw_only=True):
    """A turn as the window asks for it."""

    chat: str
    path: tuple[Message, ...]
    settings: ChatSettings
    model: ModelEntry
    device: DeviceReading | None = None
    wishes: SamplingFields = SamplingFields()


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """A request, and the chat that it was made from."""

    request: Generate
    talk: Talk


def wanted_next(
    chat: Conversation, model: ModelEntry, device: DeviceReading | None, draft: str
) -> Wanted:
    """The turn that would be sent now, with ``draft`` for its message."""
    path = chat.path()
    if draft.strip():
        path = (*path, Message(id=_DRAFT, role=Role.USER, text=draft.strip()))
    settings = chat.settings
    return Wanted(
        chat=chat.id,
        path=path,
        settings=settings,
        model=model,
        device=device,
        wishes=settings.sampling,
    )


class TurnMaker:
    """Reads the pinned files and makes the request. Blocks; for a worker."""

    def __init__(self, chats: KeptChats, prepare_turn: PrepareTurn) -> None:
        self._chats = chats
        self._prepare_turn = prepare_turn

    def make(self, wanted: Wanted) -> Asked:
        """Raises ``ContenoxError``: a file, the model or the device can't be used."""
        talk = talk_of(wanted, self._chats)
        request = self._prepare_turn(wanted.model, wanted.device, talk.read(), wanted.wishes)
        return Asked(request=request, talk=talk)


def talk_of(wanted: Wanted, chats: KeptChats) -> Talk:
    """All of a path that could be read; answers that never came are left out."""
    path = [one for one in wanted.path if one.text or one.role is not Role.ASSISTANT]
    turn = path[-1].text if path and path[-1].role is Role.USER else ""
    history = path[:-1] if turn else path
    parts = ChatParts(
        system=wanted.settings.system_prompt.strip(),
        pinned=chats.pins.segments(wanted.chat),
        history=tuple(ChatMessage(role=one.role, content=one.text) for one in history),
        turn=turn,
    )
    return Talk(
        parts=parts,
        message_ids=tuple(one.id for one in path),
        context=wanted.settings.context,
    )

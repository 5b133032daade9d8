"""A stored chat as the parts of a prompt."""

from app.chats.records import Role
from app.chats.store import ChatStore
from app.engine import chat
from app.workflows.context import ChatParts
from app.workflows.context_pins import Pins
from app.workflows.context_talk import Talk

_TURN = "turn"  # the id of a message that isn't stored


def stored_talk(store: ChatStore, conversation_id: str, turn: str = "") -> Talk:
    """The system prompt, the files and the active branch of a chat, and what is read. Blocks.

    Answers that never came are left out.

    Raises:
        UserError: there is no such chat, or a file of it is no text.
        DataFault: a stored file is damaged.
    """
    transcript = store.open_conversation(conversation_id).result()
    settings = transcript.conversation.settings
    messages = [one for one in transcript.messages if one.text or one.role is not Role.ASSISTANT]
    ids = [one.id for one in messages]
    return Talk(
        parts=ChatParts(
            system=settings.system_prompt.strip(),
            pinned=Pins(store).segments(conversation_id),
            history=tuple(
                chat.ChatMessage(role=chat.Role(one.role.value), content=one.text)
                for one in messages
            ),
            turn=turn,
        ),
        message_ids=(*ids, _TURN) if turn else tuple(ids),
        context=settings.context,
    )

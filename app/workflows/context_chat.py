"""A stored chat as the parts of a prompt."""

from collections.abc import Sequence

from app.chats.records import ContextFields, MessageState
from app.chats.store import ChatStore
from app.engine.chat import ChatMessage, Role
from app.workflows.context import ChatParts
from app.workflows.context_pins import Pins


def left_out(message_ids: Sequence[str], context: ContextFields) -> int:
    """How many messages of a branch, oldest first, are not read any more."""
    kept_from = context.kept_from
    return message_ids.index(kept_from) if kept_from in message_ids else 0


def parts_of(store: ChatStore, conversation_id: str, turn: str = "") -> ChatParts:
    """The system prompt, the files and what is read of the active branch of a chat. Blocks.

    Answers that failed without a word are left out.

    Raises:
        UserError: there is no such chat, or a file of it is no text.
        DataFault: a stored file is damaged.
    """
    transcript = store.open_conversation(conversation_id).result()
    settings = transcript.conversation.settings
    messages = [
        one for one in transcript.messages if one.text or one.state is MessageState.FINISHED
    ]
    first = left_out([one.id for one in messages], settings.context)
    return ChatParts(
        system=settings.system_prompt,
        pinned=Pins(store).segments(conversation_id),
        summary=settings.context.summary if first else "",
        history=tuple(
            ChatMessage(role=Role(one.role.value), content=one.text) for one in messages[first:]
        ),
        turn=turn,
    )

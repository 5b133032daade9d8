"""A stored chat as the parts of a prompt."""

from app.chats.records import MessageState
from app.chats.store import ChatStore
from app.engine.chat import ChatMessage, Role
from app.workflows.context import ChatParts
from app.workflows.context_files import pin_bytes


def parts_of(store: ChatStore, conversation_id: str, turn: str = "") -> ChatParts:
    """The system prompt, the files and the active branch of a chat. Blocks.

    Answers that failed without a word are left out.

    Raises:
        UserError: there is no such chat, or a file of it is no text.
        DataFault: a stored file is damaged.
    """
    transcript = store.open_conversation(conversation_id).result()
    files = [(one.name, store.attachment_content(one.id).result()) for one in transcript.files]
    history = tuple(
        ChatMessage(role=Role(message.role.value), content=message.text)
        for message in transcript.messages
        if message.text or message.state is MessageState.FINISHED
    )
    return ChatParts(
        system=transcript.conversation.settings.system_prompt,
        pinned=tuple(pin_bytes(name, content) for name, content in files),
        history=history,
        turn=turn,
    )

"""The conversations of the window in the program's own chat store.

The window names a message the moment it exists; the store names it when it is stored. This keeps
both names together. Every method blocks until the store has done it, and is called on one thread.
"""

from dataclasses import dataclass
from typing import Final

from app.chats import records
from app.chats.store import ChatStore as Store
from app.desktop.conversation import AnswerStamp, ChatSummary, KeptChat, Message
from app.engine.protocol import FinishReason, Role, Timings, Usage

_LISTED_AT_MOST: Final = 1000


@dataclass(slots=True)
class _Kept:
    """What the store has of a message."""

    store_id: str
    parent: str | None
    role: Role
    open: bool = False
    text_length: int = 0
    thinking_length: int = 0


class KeptChats:
    """``desktop.conversation.ChatStore`` over ``app.chats``."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._chats: dict[str, str] = {}  # the window's name to the store's
        self._titles: dict[str, str] = {}
        self._messages: dict[str, _Kept] = {}

    def summaries(self) -> tuple[ChatSummary, ...]:
        page = self._store.conversations(limit=_LISTED_AT_MOST).result()
        names = {stored: name for name, stored in self._chats.items()}
        found = []
        for conversation in page.conversations:
            name = names.get(conversation.id, conversation.id)
            self._chats[name] = conversation.id
            self._titles[name] = conversation.title
            found.append(ChatSummary(id=name, title=conversation.title))
        return tuple(found)

    def search(self, typed: str) -> tuple[ChatSummary, ...]:
        names = {stored: name for name, stored in self._chats.items()}
        found: dict[str, ChatSummary] = {}
        for hit in self._store.search(typed).result():
            name = names.get(hit.conversation_id, hit.conversation_id)
            self._chats[name] = hit.conversation_id
            excerpt = " ".join(hit.excerpt.text.split()) if hit.message_id else ""
            if name not in found or (excerpt and not found[name].excerpt):
                found[name] = ChatSummary(id=name, title=hit.title.text, excerpt=excerpt)
        return tuple(found.values())

    def messages(self, chat_id: str) -> KeptChat:
        stored_chat = self._chats.get(chat_id, chat_id)
        leaf = self._store.conversation(stored_chat).result().active_leaf_id
        stored = self._store.all_branches(stored_chat).result()
        for message in stored:
            self._messages[message.id] = _Kept(
                message.id,
                message.parent_id,
                Role(message.role),
                text_length=len(message.text),
                thinking_length=len(message.thinking),
            )
        return KeptChat(messages=tuple(_shown(message) for message in stored), leaf=leaf)

    def put_chat(self, chat: ChatSummary) -> None:
        stored = self._chats.get(chat.id)
        if stored is None:
            self._chats[chat.id] = self._store.create_conversation().result().id
            # The store makes the same title out of the first message, and may change it later.
            self._titles[chat.id] = chat.title
        elif chat.title != self._titles.get(chat.id):
            self._store.rename(stored, chat.title).result()
            self._titles[chat.id] = chat.title

    def put_message(self, chat_id: str, message: Message) -> None:
        if message.role is Role.USER:
            if message.id not in self._messages:
                self._put_question(chat_id, message)
            return
        kept = self._messages.get(message.id)
        if kept is None or not kept.open:
            kept = self._open_answer(message, kept)
        stamp = message.stamp
        if stamp is not None and (stamp.reason is not None or stamp.error is not None):
            self._extend(kept, message.text[kept.text_length :], "")
            self._extend(kept, "", message.thinking[kept.thinking_length :])
            self._store.finish_answer(kept.store_id, _end_of(stamp)).result()
            kept.open = False

    def extend_message(self, chat_id: str, message_id: str, text: str, thinking: str) -> None:
        self._extend(self._messages[message_id], text, thinking)

    def show_branch(self, chat_id: str, message_id: str) -> None:
        self._store.activate(self._messages[message_id].store_id).result()

    def remove_chat(self, chat_id: str) -> None:
        if chat_id in self._chats:
            self._store.delete_conversation(self._chats[chat_id]).result()

    def restore_chat(self, chat_id: str) -> None:
        if chat_id in self._chats:
            self._store.undelete_conversation(self._chats[chat_id]).result()

    def close(self) -> None:
        self._store.close()

    def _put_question(self, chat_id: str, message: Message) -> None:
        sibling = self._sibling(chat_id, message)
        if sibling is not None:
            stored = self._store.edit(sibling, message.text).result()
        else:
            if message.parent is not None:
                self._store.activate(self._messages[message.parent].store_id).result()
            stored = self._store.send(self._chats[chat_id], message.text).result()
        self._messages[message.id] = _Kept(
            stored.id, message.parent, Role.USER, text_length=len(message.text)
        )

    def _sibling(self, chat_id: str, message: Message) -> str | None:
        """The stored name of another question at the same place."""
        if message.parent is None:
            chat = self._store.all_branches(self._chats[chat_id]).result()
            return next((one.id for one in chat if one.parent_id is None), None)
        for kept in self._messages.values():
            if kept.parent == message.parent and kept.role is Role.USER:
                return kept.store_id
        return None

    def _open_answer(self, message: Message, kept: _Kept | None) -> _Kept:
        """Begins an answer, or opens one again that ended early."""
        start = _start_of(message.stamp)
        if kept is not None:
            self._store.continue_answer(kept.store_id, start).result()
        else:
            assert message.parent is not None, "an answer follows a question"
            question = self._messages[message.parent].store_id
            stored = self._store.begin_answer(question, start).result()
            kept = _Kept(stored.id, message.parent, Role.ASSISTANT)
            self._messages[message.id] = kept
        kept.open = True
        return kept

    def _extend(self, kept: _Kept, text: str, thinking: str) -> None:
        if text or thinking:
            self._store.append(kept.store_id, text, thinking).result()
            kept.text_length += len(text)
            kept.thinking_length += len(thinking)


def _start_of(stamp: AnswerStamp | None) -> records.AnswerStart:
    known = stamp or AnswerStamp(model="")
    return records.AnswerStart(
        model_name=known.model,
        model_digest=known.digest,
        backend=known.backend,
        device=known.device,
    )


def _end_of(stamp: AnswerStamp) -> records.AnswerEnd:
    usage, timings = stamp.usage, stamp.timings
    return records.AnswerEnd(
        finish_reason=str(stamp.reason or ""),
        seed=stamp.seed,
        usage=records.Usage(
            prompt_tokens=usage.prompt_tokens,
            reused_tokens=usage.reused_tokens,
            completion_tokens=usage.completion_tokens,
            thinking_tokens=usage.thinking_tokens,
        ),
        timings=records.Timings(
            load_s=timings.load_s,
            ttft_s=timings.ttft_s,
            thinking_s=stamp.thinking_s,
            prefill_tokens_per_s=timings.prefill_tokens_per_s,
            decode_tokens_per_s=timings.decode_tokens_per_s,
        ),
        error=stamp.error,
    )


def _shown(message: records.Message) -> Message:
    return Message(
        id=message.id,
        role=Role(message.role),
        text=message.text,
        thinking=message.thinking,
        parent=message.parent_id,
        stamp=_stamp_of(message.stamps[-1]) if message.stamps else None,
    )


def _stamp_of(stamp: records.Stamp) -> AnswerStamp:
    """The last run of an answer. One that was cut off has neither a reason nor an error."""
    start, end = stamp.start, stamp.end or records.AnswerEnd(finish_reason="")
    usage, timings = end.usage, end.timings
    return AnswerStamp(
        model=start.model_name,
        digest=start.model_digest,
        backend=start.backend,
        device=start.device,
        seed=end.seed,
        thinking_s=timings.thinking_s,
        reason=_REASONS.get(end.finish_reason),
        error=end.error,
        usage=Usage(
            prompt_tokens=usage.prompt_tokens,
            reused_tokens=usage.reused_tokens,
            completion_tokens=usage.completion_tokens,
            thinking_tokens=usage.thinking_tokens,
        ),
        timings=Timings(
            load_s=timings.load_s or 0.0,
            ttft_s=timings.ttft_s,
            prefill_tokens_per_s=timings.prefill_tokens_per_s,
            decode_tokens_per_s=timings.decode_tokens_per_s,
        ),
    )


_REASONS: Final = {str(reason): reason for reason in FinishReason}

"""A conversation as Markdown, for people to read."""

import re
import sqlite3
from collections.abc import Sequence

from app.chats import transcripts
from app.chats.records import Attachment, Message, MessageState, Role


def render(connection: sqlite3.Connection, conversation_id: str) -> str:
    """The active branch as Markdown, for people to read; it can't be imported."""
    transcript = transcripts.transcript(connection, conversation_id)
    parts = [f"# {_one_line(transcript.conversation.title) or 'Conversation'}"]
    if transcript.conversation.settings.system_prompt:
        parts += ["## System prompt", transcript.conversation.settings.system_prompt.strip()]
    if transcript.files:
        parts.append(_file_list(transcript.files))
    for message in transcript.messages:
        parts.append(f"## {_speaker(message)}")
        if message.attachments:
            parts.append(_file_list(message.attachments))
        if message.thinking.strip():
            parts.append(_quoted("Thinking", message.thinking))
        parts.append(message.text.strip())
        if message.state is not MessageState.FINISHED:
            parts.append(f"*({message.state.value})*")
    return "\n\n".join(part for part in parts if part) + "\n"


def _speaker(message: Message) -> str:
    if message.role is Role.USER:
        return "You"
    if message.role is Role.ASSISTANT and message.stamps:
        return _one_line(message.stamps[-1].start.model_name)
    return message.role.value.capitalize()


def _one_line(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()


def _quoted(heading: str, text: str) -> str:
    lines = (f"**{heading}**", "", *text.strip().splitlines())
    return "\n".join(f"> {line}".rstrip() for line in lines)


def _file_list(files: Sequence[Attachment]) -> str:
    return "\n".join(
        f"- Attached: `{_one_line(file.name).replace('`', '')}` ({file.size_bytes} bytes,"
        f" sha256 {file.digest})"
        for file in files
    )

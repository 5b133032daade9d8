"""A store in a folder with a name that is no plain ASCII, and a clock that tests turn."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from app.chats.records import AnswerEnd, AnswerStart, Message, SamplingFields, Timings, Usage
from app.chats.store import ChatStore

START = AnswerStart(
    model_name="smollm2-135m-instruct",
    model_digest="ab" * 32,
    backend="openvino",
    device="CPU",
    profile_digest="cd" * 32,
    settings=SamplingFields(temperature=0.7, seed=5),
)
END = AnswerEnd(
    finish_reason="stop",
    seed=2**64 - 1,
    usage=Usage(
        prompt_tokens=20,
        reused_tokens=8,
        predicted_reused_tokens=16,
        reuse_measured=True,
        completion_tokens=12,
        thinking_tokens=3,
    ),
    timings=Timings(load_s=1.5, ttft_s=0.25, thinking_s=0.5, decode_tokens_per_s=31.5),
)


class Clock:
    """Milliseconds that rise by one with each look."""

    def __init__(self) -> None:
        self.now_ms = 1_764_000_000_000

    def __call__(self) -> int:
        self.now_ms += 1
        return self.now_ms

    def pass_days(self, days: float) -> None:
        self.now_ms += int(days * 24 * 60 * 60 * 1000)


class Chats:
    """Opens stores in one folder and closes them at the end; shortens the usual steps."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.database = folder / "chats.sqlite3"
        self.clock = Clock()
        self._open: list[ChatStore] = []

    def open(self) -> ChatStore:
        store = ChatStore(self.folder, clock_ms=self.clock)
        self._open.append(store)
        return store

    def close(self) -> None:
        for store in self._open:
            store.close()
        self._open.clear()


def say(store: ChatStore, conversation_id: str, question: str, answer: str) -> Message:
    """Stores a question and its whole answer; returns the answer."""
    asked = store.send(conversation_id, question).result()
    return answered(store, asked.id, answer)


def answered(store: ChatStore, question_id: str, answer: str) -> Message:
    begun = store.begin_answer(question_id, START).result()
    store.append(begun.id, answer).result()
    return store.finish_answer(begun.id, END).result()


@pytest.fixture
def chats(tmp_path: Path) -> Iterator[Chats]:
    chats = Chats(tmp_path / "Größe 漢字 's")
    yield chats
    chats.close()


@pytest.fixture
def store(chats: Chats) -> ChatStore:
    return chats.open()


@pytest.fixture
def conversation_id(store: ChatStore) -> str:
    return store.create_conversation().result().id

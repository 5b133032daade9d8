"""Measures the chat store with 100,000 messages: search, opening a chat, starting, appending.

    python -m benchmarks.chat_store [--messages 100000] [--folder KEPT] [--json RESULT.json]

Prints a table and, with ``--json``, writes all values. The texts are made of words whose frequency
falls off as in language, so that common and rare words both occur.
"""

import argparse
import json
import os
import platform
import random
import sqlite3
import statistics
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import closing, nullcontext
from pathlib import Path
from typing import Any, Final

import msgspec

from app.chats import schema
from app.chats.database import connect, writing
from app.chats.records import AnswerEnd, AnswerStart
from app.chats.store import ChatStore

VOCABULARY: Final = 40_000
WORDS_A_MESSAGE: Final = 80
LONG_CHAT: Final = 1000
ROUNDS: Final = 15
SEARCHES: Final = {
    "rare word": "w31234",
    "less rare word": "w3124",
    "word in one message of four": '"w40"',
    "word in nearly all": '"w1"',
    "beginning of very many words": "w1",
    "two such beginnings": "w2 w3",
    "beginning of some words": "w123",
    "phrase": '"w1 w2"',
    "five words": "w4 w5 w6 w7 w8",
    "no match": "zzzzzz",
}
START: Final = AnswerStart(model_name="m", model_digest="d" * 64, backend="openvino", device="CPU")


class Measurement(msgspec.Struct, frozen=True, kw_only=True):
    """Milliseconds of ``len(runs_ms)`` runs. ``limit_ms`` is the promise, if there is one."""

    name: str
    median_ms: float
    worst_ms: float
    limit_ms: float | None
    runs_ms: tuple[float, ...]


class Result(msgspec.Struct, frozen=True, kw_only=True):
    machine: dict[str, str]
    messages: int
    database_bytes: int
    measurements: tuple[Measurement, ...]


def _texts(seed: int) -> Iterator[str]:
    chance = random.Random(seed)
    weights = [1 / (rank + 1) for rank in range(VOCABULARY)]
    words = [f"w{rank}" for rank in range(VOCABULARY)]
    while True:
        drawn = iter(chance.choices(words, weights, k=WORDS_A_MESSAGE * 1000))
        for _ in range(1000):
            count = WORDS_A_MESSAGE
            yield " ".join(next(drawn) for _ in range(count))


def fill(database: Path, messages: int) -> str:
    """Writes conversations of 40 messages and one of 1,000; returns the id of that one."""
    database.parent.mkdir(parents=True, exist_ok=True)
    texts = _texts(1)
    long_id = ""
    with closing(connect(database)) as connection:
        connection.execute("PRAGMA synchronous = OFF")
        schema.migrate(connection)
        written = 0
        with writing(connection):
            while written < messages:
                size = LONG_CHAT if not long_id else 40
                conversation_id = _fill_one(connection, texts, size, written)
                long_id = long_id or conversation_id
                written += size
    return long_id


def _fill_one(connection: sqlite3.Connection, texts: Iterator[str], size: int, at_ms: int) -> str:
    conversation_id = uuid.uuid4().hex
    ids = [uuid.uuid4().hex for _ in range(size)]
    connection.execute(
        "INSERT INTO conversations (id, title, created_at_ms, changed_at_ms, active_leaf_id)"
        " VALUES (?, ?, ?, ?, ?)",
        (conversation_id, next(texts)[:60], at_ms, at_ms, ids[-1]),
    )
    connection.executemany(
        "INSERT INTO messages (id, conversation_id, parent_id, role, text, created_at_ms)"
        " VALUES (?, ?, ?, ?, ?, ?)",
        [
            (each, conversation_id, ids[n - 1] if n else None, _role(n), next(texts), at_ms + n)
            for n, each in enumerate(ids)
        ],
    )
    connection.executemany(
        "INSERT INTO runs (message_id, number, model_name, model_digest, backend, device,"
        " started_at_ms, ended_at_ms, finish_reason)"
        " VALUES (?, 0, 'm', 'd', 'b', 'CPU', 1, 2, 'stop')",
        [(each,) for each in ids[1::2]],
    )
    return conversation_id


def _role(number: int) -> str:
    return "assistant" if number % 2 else "user"


def _measure(
    name: str, call: Callable[[], object], limit_ms: float | None = None, rounds: int = ROUNDS
) -> Measurement:
    runs = []
    for _ in range(rounds):
        start = time.perf_counter()
        call()
        runs.append((time.perf_counter() - start) * 1000)
    return Measurement(
        name=name,
        median_ms=round(statistics.median(runs), 2),
        worst_ms=round(max(runs), 2),
        limit_ms=limit_ms,
        runs_ms=tuple(round(run, 2) for run in runs),
    )


def measure(folder: Path, messages: int) -> Result:
    """Fills ``folder`` unless it is filled already, and measures through the store's own face."""
    database = folder / "chats.sqlite3"
    marker = folder / "long-chat"
    if not marker.exists():
        marker.parent.mkdir(parents=True, exist_ok=True)
        marker.write_text(fill(database, messages))
    long_id = marker.read_text()
    found = [_measure("start: open and check the database", lambda: _start(folder), rounds=5)]
    store = ChatStore(folder)
    try:
        store.opened().result()
        found += [
            _measure(f"search: {name}", lambda typed=typed: store.search(typed).result(), 50)  # type: ignore[misc]
            for name, typed in SEARCHES.items()
        ]
        # Without spaces between words there is no index to use; no promise is made.
        found.append(_measure("search: 漢字 (reads all)", lambda: store.search("漢字").result()))
        found.append(
            _measure(
                "open a chat of 1,000 messages",
                lambda: store.open_conversation(long_id).result(),
                100,
            )
        )
        found.append(_measure("list: first 100", lambda: store.conversations().result()))
        found += _writes(store)
        found.append(_measure("backup", lambda: _back_up(store, folder), rounds=3))
    finally:
        store.close()
    return Result(
        machine=_machine(),
        messages=messages,
        database_bytes=database.stat().st_size,
        measurements=tuple(found),
    )


def _start(folder: Path) -> None:
    store = ChatStore(folder)
    store.opened().result()
    store.close()


def _writes(store: ChatStore) -> list[Measurement]:
    conversation = store.create_conversation().result()
    sent = _measure("send a message", lambda: store.send(conversation.id, "hello").result())
    question = store.send(conversation.id, "go").result()
    answer = store.begin_answer(question.id, START).result()
    appended = _measure(
        "append to an answer", lambda: store.append(answer.id, "word " * 100).result()
    )
    store.finish_answer(answer.id, AnswerEnd(finish_reason="stop")).result()
    store.purge_conversation(conversation.id).result()
    return [sent, appended]


def _back_up(store: ChatStore, folder: Path) -> None:
    for backup in store.backups().result():
        backup.path.unlink()
    assert store.maintain().result() is not None


def _machine() -> dict[str, str]:
    processor = platform.processor()
    information = Path("/proc/cpuinfo")
    if information.exists():
        for line in information.read_text().splitlines():
            if line.startswith("model name"):
                processor = line.partition(":")[2].strip()
                break
    return {
        "processor": processor,
        "logical processors": str(os.cpu_count()),
        "system": platform.platform(),
        "python": platform.python_version(),
        "sqlite": sqlite3.sqlite_version,
    }


def _print(result: Result) -> None:
    for name, value in result.machine.items():
        print(f"{name}: {value}")
    print(f"{result.messages} messages, database of {result.database_bytes / 1e6:.0f} MB\n")
    print(f"{'':40}{'median':>10}{'worst':>10}{'limit':>10}")
    for each in result.measurements:
        limit = f"{each.limit_ms:.0f} ms" if each.limit_ms else ""
        print(f"{each.name:40}{each.median_ms:7.1f} ms{each.worst_ms:7.1f} ms{limit:>10}")


def main() -> int:
    """Returns 1 if a median is over its limit."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--messages", type=int, default=100_000)
    parser.add_argument("--folder", type=Path, help="filled once and used again")
    parser.add_argument("--json", type=Path)
    options: Any = parser.parse_args()
    place = nullcontext(str(options.folder)) if options.folder else tempfile.TemporaryDirectory()
    with place as folder:
        result = measure(Path(folder), options.messages)
    _print(result)
    if options.json:
        options.json.write_text(json.dumps(msgspec.to_builtins(result), indent=1) + "\n")
    return int(
        any(each.limit_ms and each.median_ms > each.limit_ms for each in result.measurements)
    )


if __name__ == "__main__":
    sys.exit(main())

"""Export and import: exact both ways, and whatever a file holds, all of it or nothing."""

import copy
import hashlib
import json
import sqlite3
from base64 import b64encode
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.chats import document, importing, schema
from app.chats.records import (
    AnswerEnd,
    ChatSettings,
    MessageState,
    NewAttachment,
    SamplingFields,
)
from app.chats.store import ChatStore
from app.core.errors import ContenoxError, ErrorKind, ErrorRecord, UserError
from tests.chats.conftest import END, START, Chats, answered, say

FILE = NewAttachment(name="Überblick `x`.bin", media_type="a/b", content=bytes(range(256)))


def _rich(store: ChatStore) -> list[str]:
    """Conversations with everything that can be in one; returns their ids."""
    settings = ChatSettings(
        model_name="m", device="GPU", system_prompt="Be\nkind.", sampling=SamplingFields(top_k=3)
    )
    first = store.create_conversation(settings).result()
    question = store.send(first.id, "# Question\0\u202e \U0001f600", [FILE]).result()
    begun = store.begin_answer(question.id, START).result()
    store.append(begun.id, "An **answer**", thinking="so\nthink").result()
    store.finish_answer(begun.id, END).result()
    answered(store, question.id, "Another")
    store.edit(question.id, "Edited").result()
    store.activate(begun.id).result()
    error = ErrorRecord(kind=ErrorKind.BUG, code="c", message="m", remedy="r")
    begun_again = store.begin_answer(begun.id, START).result()
    store.finish_answer(begun_again.id, AnswerEnd(finish_reason="failed", error=error)).result()
    deleted = say(store, first.id, "deleted", "deleted")
    store.delete_message(deleted.id).result()
    store.attach(first.id, FILE).result()
    store.save_draft(first.id, "not yet").result()
    store.rename(first.id, "Named").result()
    store.pin(first.id, True).result()
    empty = store.create_conversation().result()
    return [first.id, empty.id]


def _exported(store: ChatStore, path: Path, ids: list[str] | None = None) -> dict[str, Any]:
    store.export_json(path, ids).result()
    content: dict[str, Any] = json.loads(path.read_bytes())
    del content["exported_at_ms"]
    return content


def test_what_was_exported_is_imported_exactly(chats: Chats, tmp_path: Path) -> None:
    store = chats.open()
    ids = _rich(store)
    path = tmp_path / "chats.json"
    exported = _exported(store, path)
    shown = store.open_conversation(ids[0]).result()
    other = ChatStore(tmp_path / "other")
    try:
        assert other.import_json(path).result() == tuple(ids)
        assert _exported(other, tmp_path / "again.json") == exported
        assert other.open_conversation(ids[0]).result() == shown
        (file,) = shown.files
        assert other.attachment_content(file.id).result() == FILE.content
        assert len(other.search("Named").result()) == 1
    finally:
        other.close()


def test_one_conversation_is_exported_without_the_others(store: ChatStore, tmp_path: Path) -> None:
    ids = _rich(store)
    exported = _exported(store, tmp_path / "one.json", [ids[1]])
    assert [each["id"] for each in exported["conversations"]] == [ids[1]]
    assert exported["contents"] == []
    with pytest.raises(ContenoxError, match="does not exist"):
        store.export_json(tmp_path / "none.json", ["x"]).result()
    assert not (tmp_path / "none.json").exists()


def test_a_second_import_is_refused_or_makes_copies(store: ChatStore, tmp_path: Path) -> None:
    ids = _rich(store)
    path = tmp_path / "chats.json"
    _exported(store, path)
    with pytest.raises(ContenoxError) as caught:
        store.import_json(path).result()
    assert caught.value.code == "import_already_here"
    copies = store.import_json(path, as_copies=True).result()
    assert set(copies).isdisjoint(ids)
    assert len(store.conversations().result().conversations) == 4
    assert _texts(store, copies[0]) == _texts(store, ids[0])


def _texts(store: ChatStore, conversation_id: str) -> list[str]:
    return [message.text for message in store.open_conversation(conversation_id).result().messages]


def test_a_damaged_file_does_not_keep_the_rest_from_being_exported(
    chats: Chats, store: ChatStore, conversation_id: str, tmp_path: Path
) -> None:
    store.send(conversation_id, "Q", [FILE]).result()
    with closing(sqlite3.connect(chats.database)) as connection, connection:
        connection.execute("UPDATE contents SET data = x''")
    _exported(store, tmp_path / "x.json")
    (copied,) = store.import_json(tmp_path / "x.json", as_copies=True).result()
    assert store.open_conversation(copied).result().messages[0].attachments == ()


def test_a_place_that_cannot_be_written_is_told(
    store: ChatStore, conversation_id: str, tmp_path: Path
) -> None:
    (tmp_path / "file").write_bytes(b"")
    for future in (
        store.export_json(tmp_path / "file" / "x.json"),
        store.export_markdown(tmp_path / "file" / "x.md", conversation_id),
    ):
        with pytest.raises(ContenoxError) as caught:
            future.result()
        assert caught.value.code == "export_unwritable"


def test_a_running_answer_is_imported_as_interrupted(
    store: ChatStore, conversation_id: str, tmp_path: Path
) -> None:
    question = store.send(conversation_id, "Go").result()
    answer = store.begin_answer(question.id, START).result()
    store.append(answer.id, "half").result()
    _exported(store, tmp_path / "x.json")
    (copied,) = store.import_json(tmp_path / "x.json", as_copies=True).result()
    shown = store.open_conversation(copied).result().messages[-1]
    assert (shown.text, shown.state) == ("half", MessageState.INTERRUPTED)
    assert shown.stamps[0].end == AnswerEnd(finish_reason="interrupted")


# --- Hostile files ------------------------------------------------------------------------------

DATA = b"content"
GOOD: dict[str, Any] = {
    "format": "contenox-chats",
    "version": 1,
    "exported_at_ms": 5,
    "conversations": [
        {
            "id": "c1",
            "title": "T",
            "title_source": "chosen",
            "pinned": False,
            "created_at_ms": 1,
            "changed_at_ms": 2,
            "active_leaf_id": "m2",
            "model_name": None,
            "backend": None,
            "device": None,
            "system_prompt": "",
            "sampling": {},
            "draft": "",
            "files": [],
            "messages": [
                {
                    "id": "m1",
                    "parent_id": None,
                    "role": "user",
                    "state": "finished",
                    "text": "Q",
                    "created_at_ms": 1,
                    "files": [
                        {
                            "id": "f1",
                            "name": "n",
                            "media_type": "t",
                            "digest": hashlib.sha256(DATA).hexdigest(),
                        }
                    ],
                },
                {
                    "id": "m2",
                    "parent_id": "m1",
                    "role": "assistant",
                    "state": "finished",
                    "text": "A",
                    "created_at_ms": 2,
                },
            ],
        }
    ],
    "contents": [{"digest": hashlib.sha256(DATA).hexdigest(), "data": b64encode(DATA).decode()}],
}


def _conversation(content: dict[str, Any]) -> dict[str, Any]:
    conversation: dict[str, Any] = content["conversations"][0]
    return conversation


def _with(change: Callable[[dict[str, Any]], object]) -> bytes:
    content = copy.deepcopy(GOOD)
    change(content)
    return json.dumps(content).encode()


def _message(content: dict[str, Any], index: int) -> dict[str, Any]:
    message: dict[str, Any] = _conversation(content)["messages"][index]
    return message


WHOLE = json.dumps(GOOD).encode()
BAD: dict[str, tuple[bytes, str]] = {
    "empty": (b"", "import_not_json"),
    "truncated": (WHOLE[:-40], "import_not_json"),
    "not JSON": (b"<html>", "import_not_json"),
    "another JSON": (b'{"messages": []}', "import_not_chats"),
    "a list": (b"[1, 2]", "import_not_chats"),
    "a wrong format": (_with(lambda c: c.update(format="x")), "import_not_chats"),
    "a newer version": (_with(lambda c: c.update(version=2, new=1)), "import_newer_version"),
    "version 0": (_with(lambda c: c.update(version=0)), "import_invalid"),
    "UTF-16": (WHOLE.decode().encode("utf-16"), "import_not_utf8"),
    "Latin-1": (WHOLE.replace(b'"Q"', b'"\xe9"'), "import_not_utf8"),
    "NUL bytes": (b"\0" * 5000, "import_not_json"),
    "deep nesting": (b'{"x":' * 100_000, "import_not_json"),
    "deep nesting inside": (
        WHOLE.replace(
            b'"sampling": {}', b'"sampling": ' + b'{"x":' * 90_000 + b"1" + b"}" * 90_000
        ),
        "import_not_json",
    ),
    "deep nesting that closes": (b"[" * 100_000 + b"]" * 100_000, "import_not_chats"),
    "a huge number": (_with(lambda c: c.update(exported_at_ms=10**30)), "import_invalid"),
    "a negative time": (
        _with(lambda c: _conversation(c).update(created_at_ms=-1)),
        "import_invalid",
    ),
    "an unknown role": (_with(lambda c: _message(c, 0).update(role="root")), "import_invalid"),
    "a bad id": (_with(lambda c: _conversation(c).update(id="../x")), "import_invalid"),
    "a number for a text": (_with(lambda c: _message(c, 0).update(text=5)), "import_invalid"),
    "a message twice": (_with(lambda c: _message(c, 1).update(id="m1")), "import_invalid"),
    "its own parent": (_with(lambda c: _message(c, 0).update(parent_id="m1")), "import_invalid"),
    "a circle": (_with(lambda c: _message(c, 0).update(parent_id="m2")), "import_invalid"),
    "no such parent": (_with(lambda c: _message(c, 1).update(parent_id="x")), "import_invalid"),
    "no such leaf": (
        _with(lambda c: _conversation(c).update(active_leaf_id="x")),
        "import_invalid",
    ),
    "a leaf with children": (
        _with(lambda c: _conversation(c).update(active_leaf_id="m1")),
        "import_invalid",
    ),
    "no leaf": (_with(lambda c: _conversation(c).update(active_leaf_id=None)), "import_invalid"),
    "a conversation twice": (
        _with(lambda c: c["conversations"].append(_conversation(c))),
        "import_invalid",
    ),
    "a wrong digest": (
        _with(lambda c: c["contents"][0].update(data=b64encode(b"other").decode())),
        "import_invalid",
    ),
    "no content": (_with(lambda c: c.update(contents=[])), "import_invalid"),
    "no Base64": (_with(lambda c: c["contents"][0].update(data="!")), "import_invalid"),
    "wild sampling": (
        _with(lambda c: _conversation(c).update(sampling={"temperature": 1e9})),
        "import_invalid",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_a_bad_file_is_refused_by_name_and_nothing_is_stored(
    chats: Chats, store: ChatStore, tmp_path: Path, case: str
) -> None:
    content, code = BAD[case]
    store.opened().result()
    path = tmp_path / "import.json"
    path.write_bytes(content)
    with pytest.raises(ContenoxError) as caught:
        store.import_json(path).result()
    assert caught.value.code == code
    assert isinstance(caught.value, UserError)
    assert len(caught.value.message) < 400
    with closing(sqlite3.connect(chats.database)) as connection:
        for table in schema.TABLES:
            assert connection.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,)


def test_a_good_file_with_a_byte_order_mark_is_imported(store: ChatStore, tmp_path: Path) -> None:
    path = tmp_path / "import.json"
    path.write_bytes(b"\xef\xbb\xbf" + WHOLE)
    assert store.import_json(path).result() == ("c1",)
    assert _texts(store, "c1") == ["Q", "A"]


def test_a_lone_surrogate_in_an_escape_is_imported_or_refused(
    store: ChatStore, tmp_path: Path
) -> None:
    path = tmp_path / "import.json"
    path.write_bytes(WHOLE.replace(b'"Q"', b'"\\ud83d"'))
    with pytest.raises(ContenoxError) as caught:
        store.import_json(path).result()
    assert caught.value.code == "import_not_json"


def test_a_clash_in_the_last_conversation_undoes_the_first(
    store: ChatStore, tmp_path: Path
) -> None:
    path = tmp_path / "import.json"
    path.write_bytes(WHOLE)
    store.import_json(path).result()

    def two(content: dict[str, Any]) -> None:
        new = copy.deepcopy(_conversation(content))
        new.update(
            id="c0",
            active_leaf_id="n1",
            files=[],
            messages=[{**_message(content, 1), "id": "n1", "parent_id": None}],
        )
        content["conversations"].insert(0, new)

    path.write_bytes(_with(two))
    with pytest.raises(ContenoxError) as caught:
        store.import_json(path).result()
    assert caught.value.code == "import_already_here"
    with pytest.raises(ContenoxError, match="does not exist"):
        store.conversation("c0").result()


def test_a_huge_file_is_refused_before_it_is_read(store: ChatStore, tmp_path: Path) -> None:
    path = tmp_path / "huge.json"
    with path.open("wb") as file:
        file.truncate(document.LARGEST_BYTES + 1)
    with pytest.raises(ContenoxError) as caught:
        store.import_json(path).result()
    assert caught.value.code == "import_too_large"


@pytest.mark.parametrize("name", ["missing.json", "."])
def test_a_file_that_cannot_be_read_is_a_plain_error(
    store: ChatStore, tmp_path: Path, name: str
) -> None:
    with pytest.raises(ContenoxError) as caught:
        store.import_json(tmp_path / name).result()
    assert caught.value.code == "import_unreadable"


@given(st.data())
@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_a_spoilt_file_is_refused_or_imported_whole(data: st.DataObject) -> None:
    content = bytearray(WHOLE)
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(content) - 1))
        length = data.draw(st.integers(0, 12))
        content[at : at + length] = data.draw(st.binary(max_size=12))
    try:
        imported = document.decode(bytes(content))
    except UserError:
        return
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        connection.execute("PRAGMA foreign_keys = ON")
        schema.migrate(connection)
        importing.bring_in(connection, imported, 1, as_copies=False)
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []


def test_markdown_shows_the_active_branch(store: ChatStore, tmp_path: Path) -> None:
    ids = _rich(store)
    path = tmp_path / "chat.md"
    store.export_markdown(path, ids[0]).result()
    text = path.read_text(encoding="utf-8")
    assert text == store.markdown(ids[0]).result()
    for expected in (
        "# Named\n",
        "## You\n",
        "## smollm2-135m-instruct\n",
        "An **answer**",
        "> **Thinking**\n>\n> so\n> think",
        "- Attached: `Überblick x.bin` (256 bytes,",
        "*(failed)*",
    ):
        assert expected in text
    assert "Edited" not in text

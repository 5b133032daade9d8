"""Daily copies, their rotation, and the way back."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from app.chats.backups import KEPT
from app.chats.records import BackupKind, MessageState
from app.chats.store import ChatStore
from app.core.errors import ContenoxError
from tests.chats.conftest import START, Chats, say


def test_there_is_one_copy_a_day_and_seven_are_kept(chats: Chats, store: ChatStore) -> None:
    made = []
    for _ in range(10):
        first = store.maintain().result()
        assert first is not None
        assert store.maintain().result() is None
        made.append(first.path)
        chats.clock.pass_days(1)
    kept = store.backups().result()
    assert [backup.path for backup in kept] == made[:-8:-1]
    assert len(kept) == KEPT[BackupKind.DAILY] == 7
    assert {path.name for path in (chats.folder / "backups").iterdir()} == {
        path.name for path in made[-7:]
    }


def test_a_copy_is_a_whole_database_of_its_own(store: ChatStore, conversation_id: str) -> None:
    say(store, conversation_id, "Q", "A")
    backup = store.maintain().result()
    assert backup is not None
    assert backup.size_bytes == backup.path.stat().st_size
    with closing(sqlite3.connect(backup.path)) as connection:
        assert connection.execute("SELECT text FROM messages").fetchall() == [("Q",), ("A",)]
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_a_restore_brings_back_and_can_itself_be_undone(
    store: ChatStore, conversation_id: str
) -> None:
    say(store, conversation_id, "before", "the backup")
    backup = store.maintain().result()
    assert backup is not None
    later = store.create_conversation().result()
    say(store, later.id, "after", "the backup")
    store.purge_conversation(conversation_id).result()

    undo = store.restore(backup.path).result()
    assert [each.id for each in store.conversations().result().conversations] == [conversation_id]
    assert len(store.search("backup").result()) == 1
    say(store, conversation_id, "it", "goes on")

    store.restore(undo.path).result()
    assert [each.id for each in store.conversations().result().conversations] == [later.id]


def test_another_program_sees_what_was_restored(chats: Chats, store: ChatStore) -> None:
    store.create_conversation().result()
    backup = store.maintain().result()
    assert backup is not None
    other = chats.open()
    version = other.data_version().result()
    store.create_conversation().result()
    assert other.data_version().result() != version
    assert len(other.conversations().result().conversations) == 2
    store.restore(backup.path).result()
    assert len(other.conversations().result().conversations) == 1
    other.create_conversation().result()
    assert len(store.conversations().result().conversations) == 2


def test_a_copy_made_in_the_middle_of_an_answer_holds_an_interrupted_one(
    store: ChatStore, conversation_id: str
) -> None:
    question = store.send(conversation_id, "Go").result()
    answer = store.begin_answer(question.id, START).result()
    store.append(answer.id, "half of it").result()
    backup = store.maintain().result()
    assert backup is not None
    with pytest.raises(ContenoxError) as caught:
        store.restore(backup.path).result()
    assert caught.value.code == "answer_running"
    store.purge_conversation(conversation_id).result()
    store.restore(backup.path).result()
    restored = store.message(answer.id).result()
    assert (restored.state, restored.text) == (MessageState.INTERRUPTED, "half of it")


@pytest.mark.parametrize("content", [b"", b"not a database at all" * 500, None])
def test_a_bad_backup_is_refused_and_changes_nothing(
    store: ChatStore, conversation_id: str, tmp_path: Path, content: bytes | None
) -> None:
    bad = tmp_path / "bad.sqlite3"
    if content is not None:
        bad.write_bytes(content)
    with pytest.raises(ContenoxError) as caught:
        store.restore(bad).result()
    assert caught.value.code == ("backup_not_found" if content is None else "backup_damaged")
    assert store.conversation(conversation_id).result().id == conversation_id


def test_a_cut_backup_is_refused(store: ChatStore, conversation_id: str, tmp_path: Path) -> None:
    for number in range(50):
        store.send(conversation_id, f"{number} " * 500).result()
    backup = store.maintain().result()
    assert backup is not None
    content = backup.path.read_bytes()
    backup.path.write_bytes(content[: len(content) // 2])
    with pytest.raises(ContenoxError) as caught:
        store.restore(backup.path).result()
    assert caught.value.code == "backup_damaged"


def test_closing_abandons_a_running_backup(chats: Chats, store: ChatStore) -> None:
    store.opened().result()
    owner = store._owner
    owner._closing.set()
    with pytest.raises(ContenoxError) as caught:
        owner.run_long(owner.back_up_if_due).result()
    assert caught.value.code == "backup_abandoned"
    owner._closing.clear()
    assert list((chats.folder / "backups").iterdir()) == []


def test_the_newest_copy_is_offered_when_the_database_is_gone(chats: Chats) -> None:
    store = chats.open()
    assert store.opened().result().offered is None
    backup = store.maintain().result()
    chats.close()
    chats.database.unlink()
    assert chats.open().opened().result().offered == backup

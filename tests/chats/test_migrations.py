"""Databases of earlier versions are brought forward, and of later ones left alone."""

import hashlib
import sqlite3
from contextlib import closing

import pytest

from app.chats import schema
from app.chats.records import BackupKind, MessageState, SamplingFields
from app.core.errors import ContenoxError, DataFault
from tests.chats import version_1
from tests.chats.conftest import Chats, say


def test_version_1_is_brought_forward_with_everything_in_it(chats: Chats) -> None:
    version_1.build(chats.database)
    store = chats.open()
    opened = store.opened().result()
    assert (opened.migrated_from, opened.interrupted, opened.damage) == (1, ("m3",), None)
    shown = store.open_conversation("c1").result()
    assert [message.text for message in shown.messages] == [
        "A question from version one",
        "Its answer",
    ]
    assert shown.messages[1].branches == ("m2", "m3")
    assert shown.messages[1].stamps[0].end is not None
    assert shown.messages[1].stamps[0].end.seed == 7
    assert shown.conversation.settings.sampling == SamplingFields(top_k=5)
    assert shown.draft == "a draft"
    cut = store.message("m3").result()
    assert (cut.text, cut.thinking, cut.state) == ("Cut short", "hm", MessageState.INTERRUPTED)
    assert store.attachment_content("a1").result() == b"abc"
    assert store.presets().result()[0].name == "Short"
    assert [hit.message_id for hit in store.search("question").result()] == ["m1"]
    say(store, "c1", "and it goes on", "yes")


def test_the_file_is_copied_before_it_is_migrated(chats: Chats) -> None:
    version_1.build(chats.database)
    store = chats.open()
    store.opened().result()
    (copy,) = store.backups().result()
    assert copy.kind is BackupKind.BEFORE_MIGRATION
    with closing(sqlite3.connect(copy.path)) as connection:
        assert schema.version_of(connection) == 1
        assert connection.execute("SELECT count(*) FROM messages").fetchone() == (3,)


def test_a_copy_of_version_1_can_be_restored(chats: Chats) -> None:
    version_1.build(chats.database)
    store = chats.open()
    store.opened().result()
    (copy,) = store.backups().result()
    store.purge_conversation("c1").result()
    store.restore(copy.path).result()
    assert store.conversation("c1").result().title == "Old times"
    assert store.message("m3").result().state is MessageState.INTERRUPTED


def test_a_migrated_database_has_the_tables_of_a_new_one(chats: Chats) -> None:
    version_1.build(chats.database)
    chats.open().opened().result()
    chats.close()
    with (
        closing(sqlite3.connect(":memory:", isolation_level=None)) as new,
        closing(sqlite3.connect(chats.database)) as migrated,
    ):
        schema.migrate(new)
        query = "SELECT name, type FROM sqlite_schema ORDER BY name"
        assert migrated.execute(query).fetchall() == new.execute(query).fetchall()
        for table in schema.TABLES:
            columns = f"PRAGMA table_info ({table})"
            assert migrated.execute(columns).fetchall() == new.execute(columns).fetchall()


def test_a_failed_migration_leaves_the_file_as_it_was(
    chats: Chats, monkeypatch: pytest.MonkeyPatch
) -> None:
    version_1.build(chats.database)

    def broken(connection: sqlite3.Connection) -> None:
        connection.execute("DROP TABLE drafts")
        connection.execute("no such statement")

    monkeypatch.setattr(schema, "MIGRATIONS", (schema.MIGRATIONS[0], broken))
    with pytest.raises(ContenoxError, match="did not foresee"):
        chats.open().opened().result()
    chats.close()
    monkeypatch.undo()
    store = chats.open()
    assert store.opened().result().migrated_from == 1
    assert store.open_conversation("c1").result().draft == "a draft"


def test_a_newer_database_is_refused_and_left_untouched(chats: Chats) -> None:
    chats.open().create_conversation().result()
    chats.close()
    with closing(sqlite3.connect(chats.database, isolation_level=None)) as connection:
        connection.execute(f"PRAGMA user_version = {schema.VERSION + 1}")
    before = hashlib.sha256(chats.database.read_bytes()).hexdigest()
    store = chats.open()
    for call in (store.opened, store.create_conversation, store.conversations):
        with pytest.raises(DataFault) as caught:
            call().result()
        assert caught.value.code == "chats_newer_version"
    chats.close()
    assert hashlib.sha256(chats.database.read_bytes()).hexdigest() == before
    assert list(chats.folder.glob("*damaged*")) == []

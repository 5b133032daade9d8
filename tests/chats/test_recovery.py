"""The program always starts: damage is set aside by name, and what can be read is carried over."""

import random
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from app.chats import answers, conversations, opening, schema, tree
from app.chats.database import connect, quick_check
from app.chats.records import ChatSettings, Damage, Message
from app.chats.store import ChatStore
from app.core.errors import ContenoxError
from tests.chats.conftest import END, START, Chats, say

PAGE = 4096
MESSAGES = 600


def _fill(database: Path) -> list[str]:
    """Three conversations; returns their ids."""
    with closing(connect(database)) as connection:
        connection.execute("PRAGMA synchronous = OFF")
        schema.migrate(connection)
        ids = [conversations.create(connection, ChatSettings(), 0).id for _ in range(3)]
        for number in range(MESSAGES // 6):
            for each in ids:
                asked = tree.send(connection, each, f"question {number} " + "q" * 300, (), number)
                answer = answers.begin(connection, asked.id, START, "me", number)
                answers.append(connection, answer.id, f"answer {number}" * 40, "")
                answers.finish(connection, answer.id, END, number)
    return ids


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, list[str]]:
    """A good database and its conversations."""
    database = tmp_path_factory.mktemp("whole") / "chats.sqlite3"
    ids = _fill(database)
    return database.read_bytes(), ids


def _put(chats: Chats, content: bytes) -> None:
    chats.folder.mkdir(parents=True)
    chats.database.write_bytes(content)


def _damage(store: ChatStore) -> Damage:
    damage = store.opened().result().damage
    assert damage is not None
    return damage


def _shown(store: ChatStore) -> list[Message]:
    shown: list[Message] = []
    for conversation in store.conversations().result().conversations:
        shown += store.open_conversation(conversation.id).result().messages
    return shown


def _assert_works(store: ChatStore) -> None:
    conversation = store.create_conversation().result()
    answer = say(store, conversation.id, "does it work", "xylophone")
    assert [hit.message_id for hit in store.search("xylophone").result()] == [answer.id]


@pytest.mark.parametrize("content", [b"\0" * 40_000, b"garbage " * 5_000, b"SQLite format 3\0"])
def test_a_file_that_is_no_database_is_set_aside(chats: Chats, content: bytes) -> None:
    _put(chats, content)
    store = chats.open()
    damage = _damage(store)
    assert damage.messages == 0
    assert damage.set_aside.name.startswith("chats.damaged-")
    assert damage.set_aside.read_bytes() == content
    _assert_works(store)


def test_a_folder_in_its_place_is_set_aside(chats: Chats) -> None:
    chats.database.mkdir(parents=True)
    (chats.database / "inside").write_text("kept")
    store = chats.open()
    assert (_damage(store).set_aside / "inside").read_text() == "kept"
    _assert_works(store)


def test_another_programs_database_is_set_aside(chats: Chats) -> None:
    chats.folder.mkdir(parents=True)
    with closing(sqlite3.connect(chats.database)) as connection:
        connection.execute("CREATE TABLE theirs (x)")
    store = chats.open()
    assert "another program" in _damage(store).reason
    with closing(sqlite3.connect(_damage(store).set_aside)) as connection:
        assert connection.execute("SELECT count(*) FROM theirs").fetchone() == (0,)


def test_an_empty_file_is_damage_only_if_there_were_chats(chats: Chats) -> None:
    _put(chats, b"")
    store = chats.open()
    assert store.opened().result().damage is None
    conversation_id = store.create_conversation().result().id
    backup = store.maintain().result()
    assert backup is not None
    chats.close()
    chats.database.write_bytes(b"")
    store = chats.open()
    damage = _damage(store)
    assert damage.newest_backup is not None
    store.restore(damage.newest_backup.path).result()
    assert store.conversation(conversation_id).result().id == conversation_id


def test_a_cut_file_gives_back_what_is_left(chats: Chats, whole: tuple[bytes, list[str]]) -> None:
    content, _ = whole
    _put(chats, content[: len(content) * 2 // 3])
    store = chats.open()
    assert _damage(store).messages > MESSAGES // 4
    assert len(_shown(store)) == _damage(store).messages
    _assert_works(store)


def test_a_cut_inside_the_last_page_loses_almost_nothing(
    chats: Chats, whole: tuple[bytes, list[str]]
) -> None:
    content, _ = whole
    _put(chats, content[:-100])
    store = chats.open()
    assert len(_shown(store)) >= MESSAGES - 10
    _assert_works(store)


def test_a_destroyed_header_gives_back_everything(
    chats: Chats, whole: tuple[bytes, list[str]]
) -> None:
    content, _ = whole
    _put(chats, b"\xff" * PAGE + content[PAGE:])
    store = chats.open()
    assert _damage(store).messages == MESSAGES
    assert len(_shown(store)) == MESSAGES
    assert sorted(path.name for path in chats.folder.glob("*grafted*")) == []
    _assert_works(store)


@pytest.mark.parametrize("seed", range(6))
def test_a_zeroed_page_costs_little_and_leaves_whole_trees(
    chats: Chats, whole: tuple[bytes, list[str]], seed: int
) -> None:
    content, _ = whole
    page = random.Random(seed).randrange(1, len(content) // PAGE)
    _put(chats, content[: page * PAGE] + b"\0" * PAGE + content[(page + 1) * PAGE :])
    store = chats.open()
    damage = store.opened().result().damage
    shown = _shown(store)
    # A page of the list of free pages may be zeroed without harm.
    kept = damage.messages if damage is not None else MESSAGES
    assert len(shown) == kept
    assert kept >= MESSAGES - 20 or page < 45
    for message in shown:
        assert message.id in message.branches
    _assert_works(store)
    chats.close()
    assert chats.open().opened().result().damage is None


@pytest.mark.soak
def test_whatever_page_is_spoilt_the_store_starts(
    tmp_path: Path, whole: tuple[bytes, list[str]]
) -> None:
    content, _ = whole
    noise = random.Random(7)
    for page in range(len(content) // PAGE):
        for spoilt in (b"\0" * PAGE, noise.randbytes(PAGE), b"\xff" * 64):
            chats = Chats(tmp_path / "chats")
            at = page * PAGE
            _put(chats, content[:at] + spoilt + content[at + len(spoilt) :])
            store = chats.open()
            _shown(store)
            _assert_works(store)
            chats.close()
            shutil.rmtree(chats.folder)


def test_damage_that_shows_while_it_is_used_is_mended_and_told(
    chats: Chats, whole: tuple[bytes, list[str]]
) -> None:
    content, ids = whole
    told: list[Damage] = []
    _put(chats, content)
    store = ChatStore(chats.folder, clock_ms=chats.clock, on_damage=told.append)
    try:
        assert store.opened().result().damage is None
        with chats.database.open("r+b") as file:
            for page in range(50, len(content) // PAGE, 2):
                file.seek(page * PAGE)
                file.write(b"\xff" * PAGE)
        store._owner.run(lambda c: c.execute("PRAGMA shrink_memory")).result()
        for conversation_id in ids:
            store.open_conversation(conversation_id).result()
        store.search("question").result()
        store.create_conversation().result()
        assert len(told) == 1
        assert told[0].set_aside.exists()
        _assert_works(store)
    finally:
        store.close()


def test_a_large_database_is_checked_at_start_only_after_a_crash(
    chats: Chats, whole: tuple[bytes, list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    checked: list[object] = []

    def check(connection: sqlite3.Connection) -> str | None:
        checked.append(connection)
        return quick_check(connection)

    monkeypatch.setattr(opening, "quick_check", check)
    monkeypatch.setattr(opening, "_ALWAYS_CHECKED_BYTES", 1000)
    _put(chats, whole[0])
    chats.open().opened().result()
    chats.close()
    assert checked == []
    chats.database.with_name(chats.database.name + "-wal").write_bytes(b"left behind")
    chats.open().opened().result()
    assert len(checked) == 1


@pytest.mark.parametrize("page", [20, 60, 100, 140, 180])
def test_damage_that_opening_did_not_look_for_is_mended_when_it_is_met(
    chats: Chats, whole: tuple[bytes, list[str]], monkeypatch: pytest.MonkeyPatch, page: int
) -> None:
    monkeypatch.setattr(opening, "_ALWAYS_CHECKED_BYTES", 1000)
    content = bytearray(whole[0])
    content[page * PAGE : (page + 1) * PAGE] = b"\xff" * PAGE
    _put(chats, bytes(content))
    store = chats.open()
    assert len(_shown(store)) > MESSAGES // 2
    store.search("question").result()
    _assert_works(store)


def test_damage_found_by_the_daily_backup_keeps_the_good_copy(
    chats: Chats, whole: tuple[bytes, list[str]]
) -> None:
    content, _ = whole
    _put(chats, content)
    store = chats.open()
    good = store.maintain().result()
    assert good is not None
    with chats.database.open("r+b") as file:
        file.seek(60 * PAGE)
        file.write(b"\xff" * PAGE)
    chats.clock.pass_days(1)
    with pytest.raises(ContenoxError) as caught:
        store.maintain().result()
    assert caught.value.code == "chats_damaged"
    assert good in store.backups().result()
    assert len(list(chats.folder.glob("chats.damaged-*.sqlite3"))) == 1
    _assert_works(store)


def test_the_newest_backup_is_offered(chats: Chats) -> None:
    store = chats.open()
    store.maintain().result()
    chats.clock.pass_days(1)
    newest = store.maintain().result()
    chats.close()
    chats.database.write_bytes(b"garbage" * 1000)
    assert _damage(chats.open()).newest_backup == newest


def test_a_database_in_use_by_another_program_is_not_pulled_away(
    chats: Chats, whole: tuple[bytes, list[str]]
) -> None:
    _put(chats, whole[0])
    first = chats.open()
    first.opened().result()
    with chats.database.open("r+b") as file:
        file.seek(0)
        file.write(b"\xff" * 100)
    second = chats.open()
    with pytest.raises(ContenoxError) as caught:
        second.opened().result()
    assert caught.value.code in ("chats_in_use", "chats_busy")
    assert chats.database.exists()


def test_a_recovery_that_was_cut_short_is_completed(
    chats: Chats, whole: tuple[bytes, list[str]]
) -> None:
    content, ids = whole
    _put(chats, b"garbage" * 1000)
    (chats.folder / ".recovered.sqlite3").write_bytes(content)
    store = chats.open()
    listed = {each.id for each in store.conversations().result().conversations}
    assert listed == set(ids)
    assert len(list(chats.folder.glob("chats.damaged-*.sqlite3"))) == 1


def test_a_lost_conversation_row_is_made_again_around_its_messages(
    chats: Chats, whole: tuple[bytes, list[str]]
) -> None:
    content, ids = whole
    _put(chats, content)
    with closing(sqlite3.connect(chats.database, isolation_level=None)) as connection:
        connection.execute("DELETE FROM conversations WHERE id = ?", (ids[0],))
        connection.execute(
            "DELETE FROM messages WHERE conversation_id = ? AND key % 5 = 0", (ids[1],)
        )
        connection.execute("DROP TABLE drafts")
    store = chats.open()
    assert "drafts is missing" in _damage(store).reason
    again = store.open_conversation(ids[0]).result()
    assert again.conversation.title.startswith("question 0")
    assert len(again.messages) == MESSAGES // 3
    assert len(_shown(store)) == _damage(store).messages
    store.begin_answer(again.messages[-1].id, START).result()

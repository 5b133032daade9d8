"""Search: words by their beginning, without accents, ranked; and no input is a syntax error."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.chats import conversations, schema, search, tree
from app.chats.records import ChatSettings, SearchHit
from app.chats.store import ChatStore
from tests.chats.conftest import END, START, Chats, say


def _texts(hits: tuple[SearchHit, ...]) -> list[str]:
    """What is highlighted in the messages found."""
    return [
        hit.excerpt.text[start:end]
        for hit in hits
        if hit.message_id is not None
        for start, end in hit.excerpt.highlights
    ]


@pytest.mark.parametrize(
    ("typed", "highlighted"),
    [
        ("résumé", ["Resume"]),
        ("RESUME", ["Resume"]),
        ("resu", ["Resume"]),
        ("grosse", []),
        ("größe", ["Größe"]),
        ("grosse größe", []),
        ("quick fox", ["quick", "fox"]),
        ('"quick brown"', ["quick brown"]),
        ('"brown quick"', []),
        ('"quick bro', []),
        ("c++", []),
        ("foo-bar", ["foo-bar"]),
        ("NEAR(", []),
        ("text:fox", []),
        ("x", []),
        ("", []),
        ("   ", []),
        ("天気", ["天気"]),
        ("気が", ["気が"]),
    ],
)
def test_words_are_found(
    store: ChatStore, conversation_id: str, typed: str, highlighted: list[str]
) -> None:
    store.rename(conversation_id, "Untitled").result()
    for text in ("The quick brown fox", "Resume of foo-bar", "Größe und mehr", "今日は天気がいい"):
        store.send(conversation_id, text).result()
    assert _texts(store.search(typed).result()) == highlighted


def test_titles_come_first_and_their_matches_are_marked(store: ChatStore) -> None:
    recipes = store.create_conversation().result()
    say(store, recipes.id, "What shall I cook?", "A soup of lentils")
    store.rename(recipes.id, "Recipes for winter").result()
    other = store.create_conversation().result()
    answer = say(store, other.id, "Anything", "one of my recipes")
    hits = store.search("recip").result()
    assert [(hit.conversation_id, hit.message_id) for hit in hits] == [
        (recipes.id, None),
        (other.id, answer.id),
    ]
    assert hits[0].title.highlights == ((0, 7),)
    assert hits[1].title.text == "Anything"


def test_the_text_that_says_it_more_ranks_higher(store: ChatStore, conversation_id: str) -> None:
    store.rename(conversation_id, "Untitled").result()
    much = store.send(conversation_id, "lentil lentil lentil soup").result()
    little = store.send(conversation_id, "a lentil " + "and other things " * 30).result()
    hits = store.search("lentil").result()
    assert [hit.message_id for hit in hits] == [much.id, little.id]
    assert all(first.rank <= second.rank for first, second in pairwise(hits))
    assert len(hits[1].excerpt.text) < 200


def test_what_is_deleted_is_not_found_and_what_is_undone_is(
    store: ChatStore, conversation_id: str
) -> None:
    answer = say(store, conversation_id, "Q", "needle")
    assert len(store.search("needle").result()) == 1
    deletion = store.delete_message(answer.id).result()
    assert store.search("needle").result() == ()
    store.undelete_message(deletion.id).result()
    assert len(store.search("needle").result()) == 1
    store.delete_conversation(conversation_id).result()
    assert store.search("needle").result() == ()


def test_a_continued_answer_is_found_by_what_was_added(
    store: ChatStore, conversation_id: str
) -> None:
    answer = say(store, conversation_id, "Q", "alpha")
    store.continue_answer(answer.id, START).result()
    store.append(answer.id, " omega").result()
    store.finish_answer(answer.id, END).result()
    for word in ("alpha", "omega"):
        assert [hit.message_id for hit in store.search(word).result()] == [answer.id]


def test_marks_in_the_text_itself_do_no_harm(store: ChatStore, conversation_id: str) -> None:
    store.send(conversation_id, "\ufdd1\ufdd0 odd \ufdd0 marks \ufdd1\ufdd1").result()
    (_, hit) = store.search("marks").result()
    assert "odd" in hit.excerpt.text
    assert "\ufdd0" not in hit.excerpt.text


@pytest.mark.parametrize("record", ["> 10", "= 10"])
def test_a_damaged_index_is_made_again(chats: Chats, record: str) -> None:
    """Record 10 is the structure of the index: without it, the database is made anew."""
    store = chats.open()
    conversation_id = store.create_conversation().result().id
    say(store, conversation_id, "Q", "needle in the hay")
    chats.close()
    with closing(sqlite3.connect(chats.database)) as connection, connection:
        connection.execute(f"DELETE FROM message_search_data WHERE id {record}")
    store = chats.open()
    assert _texts(store.search("needle").result()) == ["needle"]
    assert len(list(chats.folder.glob("*damaged*"))) == (1 if record == "= 10" else 0)
    say(store, conversation_id, "Q", "another needle")
    assert _texts(store.search("needle").result()) == ["needle", "needle"]


ANY_TEXT = st.text(st.characters(), max_size=60) | st.text(
    st.sampled_from(list("\"'*^:()-+{} ANDORTNE\0a.\\\ud800é漢")), max_size=30
)


@pytest.fixture(scope="module")
def filled() -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        _fill(connection)
        yield connection


@given(typed=ANY_TEXT)
@settings(max_examples=300, deadline=None)
def test_no_input_is_an_error(filled: sqlite3.Connection, typed: str) -> None:
    search.search(filled, typed, 10)


@given(
    st.text(
        st.characters(max_codepoint=0x52F, categories=["Ll", "Lu", "Nd"]), min_size=2, max_size=12
    )
)
@settings(max_examples=100, deadline=None)
def test_a_word_that_was_stored_is_found(word: str) -> None:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        conversation_id = _fill(connection)
        tree.send(connection, conversation_id, f"before {word} after", (), 1)
        hits = search.search(connection, word, 10)
        assert any("before" in hit.excerpt.text for hit in hits)


def _fill(connection: sqlite3.Connection) -> str:
    schema.migrate(connection)
    conversation = conversations.create(connection, ChatSettings(), 0)
    tree.send(connection, conversation.id, "AND OR NOT near text", (), 0)
    return conversation.id

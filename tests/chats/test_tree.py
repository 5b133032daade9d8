"""Whatever is done to a conversation, its tree stays whole."""

import sqlite3
from contextlib import closing

from hypothesis import given, settings
from hypothesis import strategies as st

from app.chats import answers, conversations, schema, transcripts, tree
from app.chats.records import ChatSettings
from app.core.errors import UserError
from tests.chats.conftest import END, START

GROWING = ("send", "answer", "regenerate", "edit", "continue")
ACTIONS = (*GROWING, "activate", "delete", "delete", "undo", "undo")
_NUMBERS = st.integers(0, 10**6)
# A tree first, so that there is something to delete.
STEPS = st.tuples(
    st.lists(st.tuples(st.sampled_from(GROWING), _NUMBERS), min_size=3, max_size=12),
    st.lists(st.tuples(st.sampled_from(ACTIONS), _NUMBERS), max_size=30),
).map(lambda parts: parts[0] + parts[1])


class _Person:
    """Does things to one conversation, as far as they are possible."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection
        self.now_ms = 0
        self.deletions: list[str] = []
        self.texts: dict[str, str] = {}
        self.conversation_id = conversations.create(connection, ChatSettings(), 0).id

    def there(self) -> list[str]:
        return [
            message.id
            for message in transcripts.all_branches(self.connection, self.conversation_id)
        ]

    def do(self, action: str, number: int) -> None:
        self.now_ms += 1
        there = self.there()
        chosen = there[number % len(there)] if there else None
        if action == "send":
            sent = tree.send(self.connection, self.conversation_id, str(number), (), self.now_ms)
            self.texts[sent.id] = sent.text
        elif action == "undo":
            if self.deletions:
                tree.undelete(self.connection, self.deletions.pop(number % len(self.deletions)))
        elif chosen is not None:
            self._do_to(action, chosen, number)

    def _do_to(self, action: str, chosen: str, number: int) -> None:
        connection, now_ms = self.connection, self.now_ms
        if action in ("answer", "regenerate"):
            answer = answers.begin(connection, chosen, START, "me", now_ms)
            answers.append(connection, answer.id, str(number), "")
            answers.finish(connection, answer.id, END, now_ms)
            self.texts[answer.id] = str(number)
        elif action == "edit":
            edited = tree.edit(connection, chosen, str(number), now_ms)
            self.texts[edited.id] = edited.text
        elif action == "activate":
            tree.activate(connection, chosen)
        elif action == "delete":
            self.deletions.append(tree.delete(connection, chosen, now_ms).id)
        elif action == "continue":
            try:
                answers.resume(connection, chosen, START, "me", now_ms)
            except UserError:
                return
            answers.append(connection, chosen, "+", "")
            answers.finish(connection, chosen, END, now_ms)
            self.texts[chosen] += "+"

    def check(self) -> None:
        messages = transcripts.all_branches(self.connection, self.conversation_id)
        by_id = {message.id: message for message in messages}
        parents = {message.parent_id for message in messages}
        for message in messages:
            assert message.parent_id is None or message.parent_id in by_id, "an orphan"
            assert message.text == self.texts[message.id]
            assert message.id in message.branches
        shown = transcripts.transcript(self.connection, self.conversation_id)
        leaf_id = shown.conversation.active_leaf_id
        assert (leaf_id is None) == (not messages)
        assert leaf_id not in parents or leaf_id is None, "the active branch goes on"
        path = [message.id for message in shown.messages]
        assert (path[-1] if path else None) == leaf_id
        assert [by_id[each].parent_id for each in path] == [None, *path][: len(path)]
        # Every message can be shown by choosing branches.
        for message in messages:
            tree.activate(self.connection, message.id)
            now_shown = transcripts.transcript(self.connection, self.conversation_id)
            assert message.id in {each.id for each in now_shown.messages}
        if leaf_id is not None:
            tree.activate(self.connection, leaf_id)


def _person() -> _Person:
    connection = sqlite3.connect(":memory:", isolation_level=None)
    connection.execute("PRAGMA foreign_keys = ON")
    schema.migrate(connection)
    return _Person(connection)


@given(STEPS)
@settings(max_examples=60, deadline=None)
def test_any_sequence_of_actions_leaves_a_whole_tree(steps: list[tuple[str, int]]) -> None:
    person = _person()
    with closing(person.connection):
        for action, number in steps:
            person.do(action, number)
        person.check()


@given(STEPS)
@settings(max_examples=40, deadline=None)
def test_undoing_every_deletion_brings_every_message_back(steps: list[tuple[str, int]]) -> None:
    person = _person()
    with closing(person.connection):
        for action, number in steps:
            person.do(action, number)
        while person.deletions:
            tree.undelete(person.connection, person.deletions.pop())
        assert set(person.there()) == set(person.texts)
        person.check()


@given(STEPS, st.integers(0, 40))
@settings(max_examples=40, deadline=None)
def test_purging_expired_deletions_never_takes_what_is_there(
    steps: list[tuple[str, int]], days: int
) -> None:
    person = _person()
    with closing(person.connection):
        for action, number in steps:
            person.do(action, number)
            person.now_ms += number % 3 * 24 * 60 * 60 * 1000
        before = person.there()
        conversations.purge_expired(person.connection, person.now_ms + days * 24 * 60 * 60 * 1000)
        assert person.there() == before
        person.check()
        assert person.connection.execute("PRAGMA foreign_key_check").fetchall() == []


def test_a_deleted_branch_gives_way_to_the_one_beside_it() -> None:
    person = _person()
    with closing(person.connection):
        question = tree.send(person.connection, person.conversation_id, "Q", (), 1)
        first = answers.begin(person.connection, question.id, START, "me", 2)
        answers.finish(person.connection, first.id, END, 3)
        second = answers.begin(person.connection, question.id, START, "me", 4)
        answers.finish(person.connection, second.id, END, 5)
        tree.delete(person.connection, second.id, 6)
        shown = transcripts.transcript(person.connection, person.conversation_id)
        assert [message.id for message in shown.messages] == [question.id, first.id]


def test_undoing_a_deletion_below_a_deleted_message_brings_that_back_too() -> None:
    person = _person()
    with closing(person.connection):
        for number in range(3):
            sent = tree.send(person.connection, person.conversation_id, str(number), (), number)
            person.texts[sent.id] = sent.text
        top, middle, _ = person.there()
        lower = tree.delete(person.connection, middle, 5)
        upper = tree.delete(person.connection, top, 6)
        assert (lower.message_count, upper.message_count) == (2, 1)
        tree.undelete(person.connection, lower.id)
        assert len(person.there()) == 3
        tree.undelete(person.connection, upper.id)
        person.check()

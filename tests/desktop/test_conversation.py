"""The tree of messages and the path through it that is shown."""

from app.desktop.conversation import (
    Conversation,
    Message,
    new_id,
)
from app.engine.chat import Role


def _talk() -> tuple[Conversation, list[Message]]:
    chat = Conversation(new_id())
    question = chat.add(Role.USER, "one")
    answer = chat.add(Role.ASSISTANT, "first", parent=question.id)
    second = chat.add(Role.USER, "two", parent=answer.id)
    return chat, [question, answer, second]


def test_the_path_follows_the_parents() -> None:
    chat, messages = _talk()
    assert chat.path() == tuple(messages)
    assert chat.last == messages[-1]


def test_another_answer_is_a_branch_and_the_old_one_stays_reachable() -> None:
    chat, (question, answer, second) = _talk()
    other = chat.add(Role.ASSISTANT, "other", parent=question.id)
    assert chat.path() == (question, other)
    assert chat.siblings(other.id) == (answer.id, other.id)
    chat.show_branch(answer.id)
    assert chat.path() == (question, answer, second)


def test_an_edited_first_message_is_a_sibling_without_a_parent() -> None:
    chat, (question, *_) = _talk()
    edited = chat.add(Role.USER, "ONE")
    assert chat.siblings(question.id) == (question.id, edited.id)
    assert chat.path() == (edited,)


def test_an_answer_that_is_taken_back_leaves_its_question_as_the_end() -> None:
    chat, (*_, second) = _talk()
    empty = chat.add(Role.ASSISTANT, parent=second.id)
    chat.take_back(empty.id)
    assert chat.last == second
    assert chat.siblings(second.id) == (second.id,)


def test_extending_keeps_the_place() -> None:
    chat, (_, answer, second) = _talk()
    chat.extend(answer.id, " and more", "hm")
    assert chat.get(answer.id).text == "first and more"
    assert chat.get(answer.id).thinking == "hm"
    assert chat.last == second

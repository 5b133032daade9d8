"""Conversations, messages, answers, files, presets: what the window and the command line do."""

import hashlib
import sqlite3
import threading
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest

from app.chats.records import (
    AnswerEnd,
    ChatSettings,
    MessageState,
    NewAttachment,
    Preset,
    Role,
    SamplingFields,
    TitleSource,
    Usage,
)
from app.chats.store import ChatStore
from app.core.errors import Bug, ContenoxError, ErrorKind, ErrorRecord
from tests.chats.conftest import END, START, Chats, answered, say

FILE = NewAttachment(name="notes \U0001f4c4.md", media_type="text/markdown", content=b"# Notes\n")


def test_a_question_and_its_answer_are_there_after_reopening(chats: Chats) -> None:
    store = chats.open()
    conversation = store.create_conversation().result()
    question = store.send(conversation.id, "Why is the sky blue?").result()
    answer = store.begin_answer(question.id, START).result()
    store.append(answer.id, "Because ", thinking="Rayleigh").result()
    store.append(answer.id, "of scattering.").result()
    store.finish_answer(answer.id, END).result()
    chats.close()

    shown = chats.open().open_conversation(conversation.id).result()
    assert [message.role for message in shown.messages] == [Role.USER, Role.ASSISTANT]
    kept = shown.messages[1]
    assert (kept.text, kept.thinking) == ("Because of scattering.", "Rayleigh")
    assert kept.state is MessageState.FINISHED
    assert kept.stamps[0].start == START
    assert kept.stamps[0].end == END
    assert shown.conversation.title == "Why is the sky blue?"


def test_a_running_answer_is_read_with_what_was_appended(
    store: ChatStore, conversation_id: str
) -> None:
    question = store.send(conversation_id, "Count").result()
    answer = store.begin_answer(question.id, START).result()
    for piece in ("one ", "two ", "three"):
        store.append(answer.id, piece).result()
    shown = store.open_conversation(conversation_id).result().messages[-1]
    assert (shown.text, shown.state) == ("one two three", MessageState.STREAMING)


def test_appending_does_not_rewrite_the_answer(
    chats: Chats, store: ChatStore, conversation_id: str
) -> None:
    question = store.send(conversation_id, "Write").result()
    answer = store.begin_answer(question.id, START).result()
    store.append(answer.id, "x" * 1_000_000).result()
    log = chats.database.with_name(chats.database.name + "-wal")
    before = log.stat().st_size
    store.append(answer.id, "y" * 100).result()
    assert log.stat().st_size - before < 50_000


def test_text_keeps_every_character(store: ChatStore, conversation_id: str) -> None:
    text = "a\0b\r\n\t\u202eאב\U0001f468\u200d\U0001f469 \x7f\ufffe 'quoted' \"twice\" %s"
    answer = say(store, conversation_id, text, text)
    shown = store.open_conversation(conversation_id).result().messages
    assert [message.text for message in shown] == [text, text]
    assert store.message(answer.id).result().text == text


def test_half_of_a_surrogate_pair_is_replaced_not_refused(
    store: ChatStore, conversation_id: str
) -> None:
    assert store.send(conversation_id, "a\ud83d").result().text == "a\ufffd"
    assert store.send(conversation_id, "\ud83d\ude00").result().text == "\U0001f600"


def test_an_answer_that_failed_keeps_its_text_and_error(
    store: ChatStore, conversation_id: str
) -> None:
    error = ErrorRecord(
        kind=ErrorKind.ENVIRONMENT, code="engine_died", message="It died.", remedy="Continue."
    )
    question = store.send(conversation_id, "Go").result()
    answer = store.begin_answer(question.id, START).result()
    store.append(answer.id, "so far").result()
    failed = store.finish_answer(answer.id, AnswerEnd(finish_reason="failed", error=error)).result()
    assert (failed.state, failed.text) == (MessageState.FAILED, "so far")
    assert failed.stamps[-1].end is not None
    assert failed.stamps[-1].end.error == error


def test_a_continued_answer_grows_and_has_a_stamp_for_each_run(
    store: ChatStore, conversation_id: str
) -> None:
    answer = say(store, conversation_id, "Tell", "Once upon")
    store.continue_answer(answer.id, START).result()
    store.append(answer.id, " a time").result()
    end = AnswerEnd(finish_reason="length", usage=Usage(completion_tokens=2))
    continued = store.finish_answer(answer.id, end).result()
    assert continued.text == "Once upon a time"
    assert [stamp.end for stamp in continued.stamps] == [END, end]


@pytest.mark.parametrize("call", ["append", "finish", "continue", "send", "begin"])
def test_an_answer_takes_text_only_while_it_runs(
    store: ChatStore, conversation_id: str, call: str
) -> None:
    question = store.send(conversation_id, "Go").result()
    answer = store.begin_answer(question.id, START).result()
    if call in ("append", "finish"):
        store.finish_answer(answer.id, END).result()
    futures: dict[str, Callable[[], Future[Any]]] = {
        "append": lambda: store.append(answer.id, "late"),
        "finish": lambda: store.finish_answer(answer.id, END),
        "continue": lambda: store.continue_answer(answer.id, START),
        "send": lambda: store.send(conversation_id, "impatient"),
        "begin": lambda: store.begin_answer(answer.id, START),
    }
    with pytest.raises(ContenoxError) as caught:
        futures[call]().result()
    expected = "answer_not_open" if call in ("append", "finish") else "answer_running"
    assert caught.value.code == expected


def test_an_answer_that_was_replied_to_is_not_continued(
    store: ChatStore, conversation_id: str
) -> None:
    answer = say(store, conversation_id, "One", "1")
    say(store, conversation_id, "Two", "2")
    with pytest.raises(ContenoxError, match="went on after"):
        store.continue_answer(answer.id, START).result()


def test_regenerating_and_editing_make_branches_that_stay_reachable(
    store: ChatStore, conversation_id: str
) -> None:
    first = say(store, conversation_id, "Question", "first answer")
    assert first.parent_id is not None
    second = answered(store, first.parent_id, "second answer")
    edited = store.edit(first.parent_id, "Better question").result()
    shown = store.open_conversation(conversation_id).result()
    assert [message.text for message in shown.messages] == ["Better question"]
    assert edited.branches == (first.parent_id, edited.id)
    assert shown.conversation.title == "Better question"

    store.activate(first.parent_id).result()
    shown = store.open_conversation(conversation_id).result()
    assert [message.text for message in shown.messages] == ["Question", "second answer"]
    assert shown.messages[1].branches == (first.id, second.id)
    store.activate(first.id).result()
    assert store.conversation(conversation_id).result().active_leaf_id == first.id


def test_a_deleted_message_comes_back_with_all_below_it(
    store: ChatStore, conversation_id: str
) -> None:
    first = say(store, conversation_id, "One", "1")
    last = say(store, conversation_id, "Two", "2")
    assert first.parent_id is not None
    deletion = store.delete_message(first.parent_id).result()
    assert deletion.message_count == 4
    assert store.open_conversation(conversation_id).result().messages == ()
    store.undelete_message(deletion.id).result()
    shown = store.open_conversation(conversation_id).result()
    assert [message.text for message in shown.messages] == ["One", "1", "Two", "2"]
    assert shown.conversation.active_leaf_id == last.id
    with pytest.raises(ContenoxError, match="can't be undone"):
        store.undelete_message(deletion.id).result()


def test_deletions_can_be_undone_for_thirty_days_and_not_longer(
    chats: Chats, store: ChatStore, conversation_id: str
) -> None:
    answer = say(store, conversation_id, "Keep", "lose this")
    gone = store.create_conversation().result()
    store.send(gone.id, "secret", [FILE]).result()
    deletion = store.delete_message(answer.id).result()
    store.delete_conversation(gone.id).result()
    assert [each.id for each in store.conversations().result().conversations] == [conversation_id]
    assert [each.id for each in store.conversations(deleted=True).result().conversations] == [
        gone.id
    ]

    chats.clock.pass_days(29.9)
    store.maintain().result()
    store.undelete_conversation(gone.id).result()
    store.delete_conversation(gone.id).result()
    chats.clock.pass_days(0.2)
    store.maintain().result()
    with pytest.raises(ContenoxError, match="can't be undone"):
        store.undelete_message(deletion.id).result()
    store.undelete_conversation(gone.id).result()
    store.delete_conversation(gone.id).result()
    chats.clock.pass_days(30.1)
    store.maintain().result()
    with pytest.raises(ContenoxError, match="does not exist"):
        store.conversation(gone.id).result()
    assert store.search("secret").result() == ()
    assert _count(chats, "contents") == 0


def test_titles_follow_the_first_message_until_they_are_chosen(
    store: ChatStore, conversation_id: str
) -> None:
    question = store.send(conversation_id, "  What\n is   " + "a long question " * 10).result()
    title = store.conversation(conversation_id).result().title
    assert title.startswith("What is a long question a long")
    assert title.endswith("…")
    assert len(title) <= 60
    store.rename(conversation_id, " My \n title ").result()
    store.edit(question.id, "Something else").result()
    renamed = store.conversation(conversation_id).result()
    assert (renamed.title, renamed.title_source) == ("My title", TitleSource.CHOSEN)
    store.rename(conversation_id, "").result()
    assert store.conversation(conversation_id).result().title.startswith("What is a long")


def test_the_list_comes_in_pages_pinned_first_then_latest(store: ChatStore) -> None:
    ids = [store.create_conversation().result().id for _ in range(7)]
    store.pin(ids[2], True).result()
    store.send(ids[0], "now the latest").result()
    listed: list[str] = []
    page = store.conversations(limit=3).result()
    while True:
        listed += [each.id for each in page.conversations]
        if page.next is None:
            break
        page = store.conversations(page.next, limit=3).result()
    assert listed == [ids[2], ids[0], ids[6], ids[5], ids[4], ids[3], ids[1]]


def test_a_draft_is_kept_until_it_is_sent(chats: Chats) -> None:
    store = chats.open()
    conversation_id = store.create_conversation().result().id
    store.save_draft(conversation_id, "half a thou").result()
    store.save_draft(conversation_id, "half a thought").result()
    chats.close()
    store = chats.open()
    assert store.open_conversation(conversation_id).result().draft == "half a thought"
    store.send(conversation_id, "a whole thought").result()
    assert store.open_conversation(conversation_id).result().draft == ""


def test_settings_and_presets_are_kept_and_checked(store: ChatStore) -> None:
    sampling = SamplingFields(temperature=0.2, top_k=40, max_answer_tokens=500)
    preset = store.save_preset(
        Preset(id="", name=" Short ", system_prompt="Be short.", sampling=sampling)
    ).result()
    assert store.presets().result() == (preset,)
    settings = ChatSettings(
        model_name="m",
        backend="llama",
        device="GPU.1",
        preset_id=preset.id,
        system_prompt=preset.system_prompt,
        sampling=preset.sampling,
    )
    conversation = store.create_conversation(settings).result()
    assert store.conversation(conversation.id).result().settings == settings
    store.delete_preset(preset.id).result()
    kept = store.conversation(conversation.id).result().settings
    assert (kept.preset_id, kept.system_prompt) == (None, "Be short.")
    with pytest.raises(ContenoxError, match="out of its range"):
        store.configure(
            conversation.id, ChatSettings(sampling=SamplingFields(temperature=-1))
        ).result()
    with pytest.raises(ContenoxError, match="needs a name"):
        store.save_preset(Preset(id="", name="  ")).result()


def test_the_same_file_is_stored_once_and_goes_with_its_last_use(
    chats: Chats, store: ChatStore, conversation_id: str
) -> None:
    question = store.send(conversation_id, "Read this", [FILE, FILE]).result()
    edited = store.edit(question.id, "Read that").result()
    pinned = store.attach(conversation_id, FILE).result()
    assert _count(chats, "contents") == 1
    digests = {file.digest for file in (*question.attachments, *edited.attachments, pinned)}
    assert digests == {hashlib.sha256(FILE.content).hexdigest()}
    assert len(edited.attachments) == 2
    assert edited.attachments[0].name == FILE.name
    assert store.attachment_content(pinned.id).result() == FILE.content
    assert store.open_conversation(conversation_id).result().files == (pinned,)
    store.detach(pinned.id).result()
    assert _count(chats, "contents") == 1
    store.purge_conversation(conversation_id).result()
    assert _count(chats, "contents") == 0


def test_a_file_that_is_not_what_was_attached_is_refused(
    chats: Chats, store: ChatStore, conversation_id: str
) -> None:
    file = store.attach(conversation_id, FILE).result()
    _execute(chats, "UPDATE contents SET data = x'00'")
    with pytest.raises(ContenoxError, match="is not what was attached"):
        store.attachment_content(file.id).result()


def test_a_row_with_impossible_values_is_mended_and_named(
    chats: Chats, store: ChatStore, conversation_id: str
) -> None:
    answer = say(store, conversation_id, "Q", "A")
    _execute(chats, "UPDATE messages SET role = 'robot' WHERE parent_id IS NOT NULL")
    _execute(chats, "UPDATE runs SET settings = '{not json'")
    _execute(chats, "UPDATE conversations SET sampling = '{\"top_p\": 7}'")
    _execute(chats, "UPDATE messages SET text = CAST(x'ff41' AS TEXT) WHERE parent_id IS NULL")
    shown = store.open_conversation(conversation_id).result()
    assert [message.text for message in shown.messages] == ["\ufffdA", "A"]
    assert shown.messages[1].role is Role.ASSISTANT
    assert shown.conversation.settings.sampling == SamplingFields()
    named = {row.table: row for row in store.damaged_rows().result()}
    assert set(named) == {"messages", "runs", "conversations"}
    assert named["messages"].row_id == answer.id
    assert "robot" in named["messages"].content


def test_calls_return_at_once_and_finish_in_their_order(
    store: ChatStore, conversation_id: str
) -> None:
    gate = threading.Event()
    store._owner.run(lambda _: gate.wait(30))
    futures = [store.save_draft(conversation_id, str(number)) for number in range(50)]
    shown = store.open_conversation(conversation_id)
    assert not any(future.done() for future in futures)
    gate.set()
    assert shown.result().draft == "49"


def test_nothing_is_left_open_after_close(chats: Chats) -> None:
    before = threading.active_count()
    store = chats.open()
    store.create_conversation()
    store.maintain()
    store.close()
    store.close()
    assert threading.active_count() <= before
    assert sorted(path.name for path in chats.folder.iterdir() if path.is_file()) == [
        "chats.sqlite3",
        "opening.lock",
    ]


def test_what_nobody_foresaw_is_a_bug_of_ours_by_name(store: ChatStore) -> None:
    with pytest.raises(Bug, match="ZeroDivisionError"):
        store._owner.run(lambda _: 1 // 0).result()
    store.create_conversation().result()


def test_a_call_after_close_is_a_plain_error(store: ChatStore) -> None:
    store.opened().result()
    store.close()
    for future in (store.create_conversation(), store.backups(), store.markdown("x")):
        with pytest.raises(ContenoxError) as caught:
            future.result()
        assert caught.value.code == "chats_closed"


def test_a_folder_that_cannot_be_made_is_an_error_of_each_call(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    store = ChatStore(tmp_path / "file" / "chats")
    with pytest.raises(ContenoxError, match="a folder is needed there"):
        store.opened().result()
    with pytest.raises(ContenoxError, match="a folder is needed there"):
        store.create_conversation().result()
    store.close()


@pytest.mark.parametrize(
    "call", ["conversation", "open", "send", "rename", "message", "edit", "begin", "content"]
)
def test_what_does_not_exist_is_a_plain_error(store: ChatStore, call: str) -> None:
    futures: dict[str, Callable[[], Future[Any]]] = {
        "conversation": lambda: store.conversation("x"),
        "open": lambda: store.open_conversation("x"),
        "send": lambda: store.send("x", "text"),
        "rename": lambda: store.rename("x", "title"),
        "message": lambda: store.message("x"),
        "edit": lambda: store.edit("x", "text"),
        "begin": lambda: store.begin_answer("x", START),
        "content": lambda: store.attachment_content("x"),
    }
    with pytest.raises(ContenoxError) as caught:
        futures[call]().result()
    assert caught.value.code.endswith("_not_found")


def _count(chats: Chats, table: str) -> int:
    connection = sqlite3.connect(chats.database)
    try:
        return int(connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0])
    finally:
        connection.close()


def _execute(chats: Chats, statement: str) -> None:
    """As another program would."""
    connection = sqlite3.connect(chats.database)
    try:
        with connection:
            connection.execute(statement)
    finally:
        connection.close()

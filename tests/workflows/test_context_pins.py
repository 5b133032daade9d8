"""Pinned files stay with their chat, and what became of them outside it is told."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.chats.records import ContextFields, PastedPart
from app.chats.store import ChatStore
from app.core.errors import ContenoxError
from app.engine.chat import Role
from app.engine.manifest import SegmentKind
from app.workflows.context_chat import stored_talk
from app.workflows.context_pins import Pins, PinState

pytestmark = pytest.mark.s2_5


@pytest.fixture
def store(tmp_path: Path) -> Iterator[ChatStore]:
    made = ChatStore(tmp_path / "chats")
    made.create_conversation(conversation_id="c").result()
    yield made
    made.close()


def test_a_file_is_kept_with_its_bytes_and_told_when_it_changes_or_goes(
    store: ChatStore, tmp_path: Path
) -> None:
    note = tmp_path / "note.md"
    note.write_text("Be terse.")
    pins = Pins(store)
    pins.add("c", [note])
    assert [one.state for one in pins.look_again("c")] == [PinState.SAME]
    note.write_text("Be long.")
    assert [one.state for one in pins.look_again("c")] == [PinState.CHANGED]
    note.unlink()
    assert [one.state for one in pins.look_again("c")] == [PinState.MISSING]
    assert [one.text for one in Pins(store).segments("c")] == ["Be terse."]


def test_pinning_again_reads_anew_and_does_not_double(store: ChatStore, tmp_path: Path) -> None:
    note = tmp_path / "note.md"
    note.write_text("one")
    pins = Pins(store)
    pins.add("c", [note])
    note.write_text("two")
    pins.add("c", [note])
    assert [(one.name, one.text) for one in pins.segments("c")] == [("note.md", "two")]


def test_two_files_of_one_name_can_be_told_apart(store: ChatStore, tmp_path: Path) -> None:
    pins = Pins(store)
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "README.md").write_text(folder)
        pins.add("c", [tmp_path / folder / "README.md"])
    assert {one.name for one in pins.of("c")} == {"README.md", "b/README.md"}


def test_a_folder_is_its_map_and_its_rules(store: ChatStore, tmp_path: Path) -> None:
    folder = tmp_path / "src"
    folder.mkdir()
    (folder / "AGENTS.md").write_text("Use tabs.")
    (folder / "x.py").write_text("def run(): ...\n")
    pins = Pins(store)
    pins.add("c", [folder])
    kinds = [(one.kind, one.name) for one in pins.of("c")]
    assert kinds == [(SegmentKind.REPO_RULES, "src/AGENTS.md"), (SegmentKind.REPO_MAP, "src")]
    (folder / "y.py").write_text("def more(): ...\n")
    states = {one.kind: one.state for one in pins.look_again("c")}
    assert states[SegmentKind.REPO_MAP] is PinState.CHANGED
    assert states[SegmentKind.REPO_RULES] is PinState.SAME


def test_a_bad_file_pins_nothing_of_the_lot(store: ChatStore, tmp_path: Path) -> None:
    good, bad = tmp_path / "good.txt", tmp_path / "bad.bin"
    good.write_text("good")
    bad.write_bytes(b"\0\1\2" * 100)
    with pytest.raises(ContenoxError, match=r"bad\.bin is no text file"):
        Pins(store).add("c", [good, bad])
    assert Pins(store).of("c") == ()


@pytest.mark.skipif(os.name == "nt", reason="needs a pipe in the file system")
def test_a_pipe_is_refused_at_once(store: ChatStore, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ContenoxError, match="no text file"):
        Pins(store).add("c", [tmp_path / "pipe"])


def test_pins_survive_an_export_without_the_paths_of_this_machine(
    store: ChatStore, tmp_path: Path
) -> None:
    note = tmp_path / "secret folder" / "note.md"
    note.parent.mkdir()
    note.write_text("Be terse.")
    Pins(store).add("c", [note])
    target = tmp_path / "out.json"
    store.export_json(target, ("c",)).result()
    assert "secret folder" not in target.read_text()
    (copy,) = store.import_json(target, as_copies=True).result()
    assert [one.text for one in Pins(store).segments(copy)] == ["Be terse."]
    assert [one.state for one in Pins(store).look_again(copy)] == [PinState.UNKNOWN]


def test_a_chat_copies_its_pins_to_another(store: ChatStore, tmp_path: Path) -> None:
    note = tmp_path / "note.md"
    note.write_text("Be terse.")
    pins = Pins(store)
    pins.add("c", [note])
    store.create_conversation(conversation_id="d").result()
    pins.copy("c", "d")
    assert pins.segments("d") == pins.segments("c")


def test_what_is_left_out_stays_out_of_the_parts_and_of_a_copy(
    store: ChatStore, tmp_path: Path
) -> None:
    first = store.send("c", "one").result()
    log = "\n".join(f"10:00:0{number} INFO step" for number in range(5))
    second = store.send("c", f"two\n{log}").result()
    third = store.send("c", "three").result()
    settings = store.conversation("c").result().settings
    pasted = (PastedPart(message=second.id, number=0),)
    context = ContextFields(kept_from=second.id, summary="They began.", left_out_pasted=pasted)
    store.configure("c", type(settings)(context=context)).result()
    parts = stored_talk(store, "c").read()
    assert "INFO" not in parts.history[0].content
    assert [one.content[:5].strip() for one in parts.history] == ["two", "three"]
    assert store.message(second.id).result().text.endswith(log), "nothing is lost"
    assert parts.history[0].role is Role.USER
    assert parts.summary == "They began."
    target = tmp_path / "out.json"
    store.export_json(target, ("c",)).result()
    (copy,) = store.import_json(target, as_copies=True).result()
    assert stored_talk(store, copy).read() == parts
    store.activate(first.id).result()
    store.delete_message(second.id).result()
    assert stored_talk(store, "c").read().summary == "", "the boundary is in no branch that is left"
    assert third.parent_id == second.id

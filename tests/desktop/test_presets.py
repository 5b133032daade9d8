"""Presets: made in the dialog, chosen in a chat, and heeded by the engine's request."""

from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.chats.records import Preset, SamplingFields
from app.desktop.application import Desktop
from app.desktop.preset_dialog import PresetDialog
from app.engine.chat import Role
from tests.desktop.rooms import Room, Start, take_turn

TEACHER = Preset(
    id="teacher",
    name="Teacher",
    system_prompt="You are a patient teacher.",
    sampling=SamplingFields(temperature=0.5, seed=7),
)


def _dialog(desktop: Desktop) -> PresetDialog:
    desktop.presets.edit()
    assert desktop.presets.dialog is not None
    return desktop.presets.dialog


def _choose(desktop: Desktop, row: int) -> None:
    desktop.window.presets.setCurrentIndex(row)
    desktop.window.presets.activated.emit(row)


def _restart_with_teacher(start: Start, qtbot: QtBot) -> tuple[Desktop, Room]:
    desktop, room = start()
    room.chats.save_preset(TEACHER)
    desktop, room = start()
    qtbot.waitUntil(lambda: desktop.window.presets.itemText(1) == "Teacher")
    return desktop, room


def test_a_chosen_preset_reaches_the_request(start: Start, qtbot: QtBot) -> None:
    desktop, room = _restart_with_teacher(start, qtbot)
    _choose(desktop, 1)
    take_turn(desktop, room, qtbot, "one", "first")
    assert room.wishes[-1] == TEACHER.sampling
    first = room.turns[-1][2][0]
    assert (first.role, first.content) == (Role.SYSTEM, "You are a patient teacher.")
    kept = room.chats.load(desktop.chats.current.id)
    assert kept.settings.system_prompt == TEACHER.system_prompt
    _choose(desktop, 0)
    take_turn(desktop, room, qtbot, "two", "second")
    assert room.wishes[-1] == SamplingFields()
    assert room.turns[-1][2][0].role is Role.USER


def test_each_chat_has_its_own_preset_also_after_the_next_start(start: Start, qtbot: QtBot) -> None:
    desktop, room = _restart_with_teacher(start, qtbot)
    _choose(desktop, 1)
    take_turn(desktop, room, qtbot, "one", "first")
    taught = desktop.chats.current.id
    desktop.window.new_chat_asked.emit()
    assert desktop.window.presets.currentIndex() == 0
    take_turn(desktop, room, qtbot, "two", "second")
    assert room.wishes[-1] == SamplingFields()
    desktop, room = start()
    desktop.window.chat_list.chosen.emit(taught)
    qtbot.waitUntil(lambda: desktop.window.presets.currentText() == "Teacher")
    take_turn(desktop, room, qtbot, "more", "third")
    assert room.wishes[-1].seed == 7


def test_a_preset_is_made_changed_and_deleted(start: Start, qtbot: QtBot) -> None:
    desktop, room = start()
    dialog = _dialog(desktop)
    assert not dialog.name.isEnabled()
    dialog.new_button.click()
    QTest.keyClicks(dialog.name, "Brief")
    dialog.prompt.setPlainText("Answer in one sentence.")
    for name, typed in (("temperature", "0.7"), ("top_k", "40"), ("max_answer_tokens", "200")):
        QTest.keyClicks(dialog.form.fields[name], typed)
    qtbot.waitUntil(
        lambda: (
            [preset.sampling for preset in room.chats.presets()]
            == [SamplingFields(temperature=0.7, top_k=40, max_answer_tokens=200)]
        )
    )
    assert room.chats.presets()[0].name == "Brief"
    assert room.chats.presets()[0].system_prompt == "Answer in one sentence."
    _choose(desktop, 1)
    dialog.form.fields["temperature"].clear()
    QTest.keyClicks(dialog.form.fields["temperature"], "9")
    assert desktop.chats.current.settings.sampling.temperature == 0.7, "5 is the most"
    dialog.form.fields["temperature"].clear()
    QTest.keyClicks(dialog.form.fields["temperature"], "1.5")
    assert desktop.chats.current.settings.sampling.temperature == 1.5
    dialog.remove_button.click()
    qtbot.waitUntil(lambda: room.chats.presets() == ())
    assert desktop.window.presets.currentText() == "No preset"
    assert desktop.chats.current.settings.system_prompt == "Answer in one sentence."
    dialog.accept()
    assert desktop.presets.dialog is None


def test_the_last_entry_opens_the_dialog_and_chooses_nothing(start: Start, qtbot: QtBot) -> None:
    desktop, _ = _restart_with_teacher(start, qtbot)
    _choose(desktop, 1)
    _choose(desktop, desktop.window.presets.count() - 1)
    assert desktop.window.presets.currentText() == "Teacher"
    dialog = desktop.presets.dialog
    assert dialog is not None
    assert dialog.name.text() == "Teacher"
    assert dialog.form.fields["temperature"].text() == "0.5"
    dialog.accept()

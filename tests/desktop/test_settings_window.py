"""Every declared setting has a row or a reason to have none; a change counts at once."""

from collections.abc import Callable

import msgspec
from PySide6.QtWidgets import QCheckBox, QComboBox
from pytestqt.qtbot import QtBot

from app.core.settings import Settings
from app.desktop.application import Desktop
from app.desktop.settings_window import NOT_SHOWN, SettingsWindow, described
from tests.desktop.rooms import Room


def _settings(desktop: Desktop) -> SettingsWindow:
    desktop.window.settings_asked.emit()
    window = desktop.citizen.settings
    assert window is not None
    return window


def test_each_setting_has_a_row_and_a_help(desktop: Desktop) -> None:
    declared = {field.name for field in msgspec.structs.fields(Settings)}
    assert set(_settings(desktop).rows) == declared - NOT_SHOWN
    assert all(described(name) for name in declared)


def test_dark_colours_come_at_once_and_stay(
    opened: Callable[[], Desktop], room: Room, qtbot: QtBot
) -> None:
    desktop = opened()
    looks = _settings(desktop).rows["appearance"]
    assert isinstance(looks, QComboBox)
    looks.setCurrentIndex(2)
    looks.activated.emit(2)
    assert desktop.theme.dark
    qtbot.waitUntil(lambda: room.settings.load().appearance == "dark")
    assert opened().theme.dark


def test_a_switch_is_written(desktop: Desktop, room: Room, qtbot: QtBot) -> None:
    box = _settings(desktop).rows["close_to_tray"]
    assert isinstance(box, QCheckBox)
    box.click()
    qtbot.waitUntil(lambda: not room.settings.load().close_to_tray)


def test_a_value_that_was_written_by_hand_is_shown_and_kept(
    opened: Callable[[], Desktop], room: Room
) -> None:
    room.settings.save(Settings(idle_unload_s=42))
    idle = _settings(opened()).rows["idle_unload_s"]
    assert isinstance(idle, QComboBox)
    assert idle.currentText() == "42"
    assert room.settings.load().idle_unload_s == 42


def test_what_another_program_changed_is_not_undone(
    desktop: Desktop, room: Room, qtbot: QtBot
) -> None:
    room.settings.change(model_store="elsewhere")  # contenox models move, say
    desktop.preferences.change(close_to_tray=False)
    qtbot.waitUntil(lambda: not room.settings.load().close_to_tray)
    assert room.settings.load().model_store == "elsewhere"


def test_the_window_comes_back_where_it_was(opened: Callable[[], Desktop]) -> None:
    first = opened()
    first.window.resize(777, 555)
    size = first.window.size()
    first.quit()
    first.close()
    assert opened().window.size() == size


def test_opening_twice_shows_one_window(desktop: Desktop) -> None:
    assert _settings(desktop) is _settings(desktop)
    _settings(desktop).close()
    assert desktop.citizen.settings is None

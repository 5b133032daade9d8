"""After a sleep the window asks for the devices again, by itself."""

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.desktop.application import Desktop
from tests.desktop.rooms import NO_GPU, Room


@pytest.fixture
def changed() -> list[bool]:
    return []


@pytest.fixture
def desktop(qapp: QApplication, room: Room, changed: list[bool], qtbot: QtBot) -> Iterator[Desktop]:
    look: Callable[[], bool] = lambda: bool(changed) and changed.pop()  # noqa: E731
    made = Desktop(qapp, replace(room.services, look_around=look))
    with qtbot.waitSignals([made.inventory.models_listed, made.inventory.devices_listed]):
        made.start()
    yield made
    made.close()


def test_devices_are_listed_again_only_if_something_happened(
    desktop: Desktop, room: Room, changed: list[bool], qtbot: QtBot
) -> None:
    devices = desktop.window.devices
    assert devices.count() == 3
    room.inventory = NO_GPU
    desktop.inventory.look_around()
    qtbot.wait(50)
    assert devices.count() == 3
    changed.append(True)
    desktop.inventory.look_around()
    qtbot.waitUntil(lambda: devices.count() == 2)

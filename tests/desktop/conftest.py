"""Runs without a screen, unless one was asked for, and leaves nothing behind."""

import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QLocale, QTimer
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.desktop.application import Desktop
from tests.desktop.rooms import Room, Start

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")


@pytest.fixture(autouse=True)
def _nothing_left(qapp: QApplication) -> Iterator[None]:
    """After each test no thread, no running timer and no window is left."""
    threads = set(threading.enumerate())
    QLocale.setDefault(QLocale("en_US"))
    yield
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    left = set(threading.enumerate()) - threads
    for thread in left:  # one that is just ending may do so
        thread.join(2)
    assert [thread.name for thread in left if thread.is_alive()] == []
    assert [widget for widget in qapp.topLevelWidgets() if widget.isVisible()] == []
    assert [timer for timer in qapp.findChildren(QTimer) if timer.isActive()] == []


@pytest.fixture
def room(tmp_path: Path) -> Iterator[Room]:
    """Invented services. Its gates are open: what a test shuts is opened again."""
    room = Room(tmp_path)
    yield room
    room.prepare_gate.set()
    room.starter_gate.set()
    room.engine.close()
    room.chats.close()


@pytest.fixture
def opened(qapp: QApplication, room: Room, qtbot: QtBot) -> Iterator[Callable[[], Desktop]]:
    """Opens the whole window on ``room`` and waits until the models are listed."""
    desktops: list[Desktop] = []

    def open_desktop() -> Desktop:
        desktop = Desktop(qapp, room.services)
        desktops.append(desktop)
        with qtbot.waitSignals([desktop.inventory.models_listed, desktop.inventory.devices_listed]):
            desktop.start()
        return desktop

    yield open_desktop
    room.prepare_gate.set()
    room.starter_gate.set()
    for desktop in desktops:
        desktop.close()


@pytest.fixture
def desktop(opened: Callable[[], Desktop]) -> Desktop:
    """The window on invented services, with its models and devices listed."""
    return opened()


@pytest.fixture
def start(tmp_path: Path, qapp: QApplication, qtbot: QtBot) -> Iterator[Start]:
    """Starts the program on one data folder, again and again; the earlier one is quit."""
    running: list[tuple[Desktop, Room]] = []

    def begin() -> tuple[Desktop, Room]:
        end()
        room = Room(tmp_path)
        desktop = Desktop(qapp, room.services)
        running.append((desktop, room))
        with qtbot.waitSignals(
            [
                desktop.inventory.models_listed,
                desktop.inventory.devices_listed,
                desktop.chats.listed,
            ]
        ):
            desktop.start()
        return desktop, room

    def end() -> None:
        while running:
            desktop, room = running.pop()
            desktop.quit()
            desktop.close()
            room.engine.close()
            room.chats.close()

    yield begin
    end()

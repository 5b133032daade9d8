"""The chat store is kept in order, and what became of it is said calmly, with a way back."""

from collections.abc import Callable
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.chats.records import BackupKind
from app.chats.store import ChatStore
from app.desktop.application import Desktop
from app.desktop.backups_page import BackupsPage
from app.desktop.upkeep import StoreUpkeep
from tests.desktop.rooms import Room


def _chats_with(folder: Path, *titles: str) -> None:
    store = ChatStore(folder)
    for title in titles:
        store.send(store.create_conversation().result().id, title).result()
    store.maintain().result()
    store.close()


def _upkeep(desktop: Desktop) -> StoreUpkeep:
    assert desktop.upkeep is not None
    return desktop.upkeep


def _titles(desktop: Desktop) -> list[str]:
    return [chat.title for chat in desktop.chats.summaries]


def _page(desktop: Desktop, qtbot: QtBot) -> BackupsPage:
    desktop.window.settings_asked.emit()
    page = desktop.citizen.backups
    qtbot.waitUntil(lambda: page.list.count() > 0)
    return page


def test_a_copy_is_made_soon_after_the_start_and_the_store_is_looked_after_every_hour(
    desktop: Desktop, room: Room, qtbot: QtBot
) -> None:
    timer = _upkeep(desktop)._timer
    assert timer.isActive()
    with qtbot.waitSignal(_upkeep(desktop).backups_listed):
        timer.timeout.emit()
    assert [backup.kind for backup in room.store.backups().result()] == [BackupKind.DAILY]
    assert timer.interval() == 60 * 60 * 1000


@pytest.fixture
def damaged(room: Room) -> Path:
    """The room's chats with one copy; then their file is overwritten."""
    folder = room.services.data_root / "chats"
    _chats_with(folder, "Cranes over Bremen")
    file = folder / "chats.sqlite3"
    file.write_bytes(b"no database " * 1000)
    return file


@pytest.mark.usefixtures("damaged")
def test_damage_is_said_with_what_was_set_aside_and_the_newest_copy_brings_the_chats_back(
    opened: Callable[[], Desktop], room: Room, qtbot: QtBot
) -> None:
    desktop = opened()
    notices = desktop.window.notices
    qtbot.waitUntil(lambda: "was damaged" in _words(notices.banners))
    assert ".damaged-" in _words(notices.banners)
    assert _titles(desktop) == []
    button = notices.banners["chats"].button
    assert button is not None
    button.click()
    qtbot.waitUntil(lambda: _titles(desktop) == ["Cranes over Bremen"])
    assert "as they were" in _words(notices.banners)


def test_a_recovery_is_shown_while_it_runs(desktop: Desktop, qtbot: QtBot) -> None:
    upkeep, notices = _upkeep(desktop), desktop.window.notices
    upkeep._mending.emit()
    qtbot.waitUntil(lambda: "being mended" in _words(notices.banners))
    assert notices.isVisible()


def test_a_database_that_is_gone_is_noticed(
    opened: Callable[[], Desktop], room: Room, qtbot: QtBot
) -> None:
    folder = room.services.data_root / "chats"
    _chats_with(folder, "Cranes over Bremen")
    for file in folder.glob("chats.sqlite3*"):
        file.unlink()
    desktop = opened()
    qtbot.waitUntil(lambda: "is gone" in _words(desktop.window.notices.banners))
    notices = desktop.window.notices
    notices.drop("chats")
    assert not notices.isVisible()


def test_going_back_to_a_copy_is_undone_by_the_copy_that_it_made(
    opened: Callable[[], Desktop], room: Room, qtbot: QtBot
) -> None:
    _chats_with(room.services.data_root / "chats", "Cranes over Bremen")
    room.store.send(room.store.create_conversation().result().id, "Written later").result()
    desktop = opened()
    qtbot.waitUntil(lambda: len(_titles(desktop)) == 2)
    page = _page(desktop, qtbot)
    page.list.setCurrentRow(0)
    page.restore.click()
    qtbot.waitUntil(lambda: _titles(desktop) == ["Cranes over Bremen"])
    qtbot.waitUntil(lambda: page.list.count() == 2)
    assert "before going back" in page.list.item(0).text()
    page.list.setCurrentRow(0)
    page.restore.click()
    qtbot.waitUntil(lambda: len(_titles(desktop)) == 2)


def test_while_an_answer_runs_nobody_goes_back(
    opened: Callable[[], Desktop], room: Room, qtbot: QtBot
) -> None:
    _chats_with(room.services.data_root / "chats", "Cranes over Bremen")
    desktop = opened()
    page = _page(desktop, qtbot)
    desktop.window.composer.sent.emit("Hello")
    qtbot.waitUntil(lambda: bool(room.engine.requests))
    page.restore.click()
    qtbot.waitUntil(lambda: "answer" in page.outcome.text())
    assert room.store.backups().result()[0].kind is BackupKind.DAILY


def _words(banners: object) -> str:
    assert isinstance(banners, dict)
    return " ".join(banner.accessibleName() for banner in banners.values())

"""The pages about the network and diagnostics, and settings that count at once."""

import zipfile
from pathlib import Path

from PySide6.QtWidgets import QCheckBox, QComboBox
from pytestqt.qtbot import QtBot

from app.desktop.application import Desktop
from app.models.ledger import Contact
from app.workflows.diagnostics import BundlePart
from tests.desktop.rooms import Room

CONTACT = Contact(
    day="2026-11-29",
    host="models.example.org",
    purpose="model files",
    requests=1200,
    received_bytes=98_000_000,
    first_at=1_764_000_000.0,
    last_at=1_764_000_100.0,
)


def test_every_contacted_server_is_listed(desktop: Desktop, room: Room, qtbot: QtBot) -> None:
    room.contacts = (CONTACT,)
    desktop.window.settings_asked.emit()
    table = desktop.citizen.contacts
    assert table is not None
    qtbot.waitUntil(lambda: table.rowCount() == 1)
    row = [item.text() for column in range(5) if (item := table.item(0, column))]
    assert row[:2] == ["models.example.org", "model files"]
    assert row[3:] == ["1,200", "98 MB"]


def test_the_offline_switch_and_the_idle_time_count_at_once(
    desktop: Desktop, room: Room, qtbot: QtBot
) -> None:
    desktop.window.settings_asked.emit()
    settings = desktop.citizen.settings
    assert settings is not None
    offline, idle = settings.rows["offline"], settings.rows["idle_unload_s"]
    assert isinstance(offline, QCheckBox)
    assert isinstance(idle, QComboBox)
    offline.click()
    assert room.applied[-1].offline
    idle.setCurrentIndex(0)
    idle.activated.emit(0)
    assert room.applied[-1].idle_unload_s == 60
    qtbot.waitUntil(lambda: room.settings.load().offline)


def test_what_is_shown_of_the_bundle_is_what_is_saved(
    desktop: Desktop, room: Room, qtbot: QtBot, tmp_path: Path
) -> None:
    room.parts = (
        BundlePart(name="about.json", content="{}\n"),
        BundlePart(name="contenox.log", content="one\ntwo äß\n"),
    )
    desktop.window.settings_asked.emit()
    page = desktop.citizen.diagnostics
    assert not page.save.isEnabled()
    page.collect.click()
    qtbot.waitUntil(page.save.isEnabled)
    shown = {}
    for row in range(page.names.count()):
        page.names.setCurrentRow(row)
        shown[page.names.item(row).text()] = page.preview.toPlainText()
    room.parts = ()  # what happens afterwards is not in the file
    target = tmp_path / "bundle.zip"
    page.save_to(str(target))
    qtbot.waitUntil(lambda: "Saved" in page.outcome.text())
    with zipfile.ZipFile(target) as bundle:
        saved = {name: bundle.read(name).decode() for name in bundle.namelist()}
    assert saved == shown


def test_a_bundle_that_cannot_be_saved_says_why(
    desktop: Desktop, room: Room, qtbot: QtBot, tmp_path: Path
) -> None:
    room.parts = (BundlePart(name="about.json", content="{}"),)
    desktop.window.settings_asked.emit()
    page = desktop.citizen.diagnostics
    page.collect.click()
    qtbot.waitUntil(page.save.isEnabled)
    (tmp_path / "file").write_text("no folder")
    page.save_to(str(tmp_path / "file" / "bundle.zip"))
    qtbot.waitUntil(lambda: "is a file, and a folder" in page.outcome.text())


def test_closing_the_settings_while_something_is_collected_is_harmless(
    desktop: Desktop, room: Room, qtbot: QtBot
) -> None:
    desktop.window.settings_asked.emit()
    page = desktop.citizen.diagnostics
    page.collect.click()
    assert desktop.citizen.settings is not None
    desktop.citizen.settings.close()
    desktop.window.settings_asked.emit()
    page = desktop.citizen.diagnostics
    page.collect.click()
    qtbot.waitUntil(page.collect.isEnabled)

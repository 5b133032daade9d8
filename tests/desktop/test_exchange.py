"""Chats as files: Markdown, JSON that comes back, and PDF."""

from pathlib import Path

import pytest
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from app.core.errors import UserError
from app.desktop.application import Desktop
from app.desktop.exchange import file_name
from app.desktop.pdf import write_pdf
from tests.desktop.rooms import Room, take_turn

ANSWER = "It is **Paris**.\n\n| City | People |\n|---|---|\n| Paris | 2,100,000 |\n"


@pytest.fixture
def asked(desktop: Desktop, room: Room, qtbot: QtBot) -> Desktop:
    """A window with one chat of one turn."""
    take_turn(desktop, room, qtbot, "What is the capital?", ANSWER)
    return desktop


def _export(desktop: Desktop, qtbot: QtBot, target: Path) -> bytes:
    with qtbot.waitSignal(desktop.exchange.exported):
        desktop.exchange.export(desktop.chats.current.id, target)
    return target.read_bytes()


def test_markdown_and_json_and_pdf(asked: Desktop, qtbot: QtBot, tmp_path: Path) -> None:
    assert "It is **Paris**." in _export(asked, qtbot, tmp_path / "é.md").decode()
    assert b"2,100,000" in _export(asked, qtbot, tmp_path / "chat.json")
    pdf = _export(asked, qtbot, tmp_path / "chat.PDF")
    assert pdf.startswith(b"%PDF-")
    assert len(pdf) > 2000
    banner = asked.window.transcript.banner
    assert banner is not None
    assert "chat.PDF" in banner.accessibleName()


def test_an_exported_chat_comes_back_as_a_copy(
    asked: Desktop, room: Room, qtbot: QtBot, tmp_path: Path
) -> None:
    first = asked.chats.current.id
    _export(asked, qtbot, tmp_path / "chat.json")
    asked.exchange.bring_in(tmp_path / "chat.json")
    qtbot.waitUntil(lambda: asked.chats.current.id != first)
    path = asked.chats.current.path()
    assert [message.text for message in path] == ["What is the capital?", ANSWER]
    assert len(room.chats.summaries()) == 2


def test_a_file_that_is_no_export_is_refused_with_a_sentence(
    asked: Desktop, qtbot: QtBot, tmp_path: Path
) -> None:
    wrong = tmp_path / "wrong.json"
    wrong.write_text("{}")
    with qtbot.waitSignal(asked.exchange.failed):
        asked.exchange.bring_in(wrong)
    assert asked.window.transcript.banner is not None


def test_a_folder_that_cannot_be_written_is_said(
    asked: Desktop, qtbot: QtBot, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    for name in ("chat.md", "chat.json", "chat.pdf"):
        with qtbot.waitSignal(asked.exchange.failed) as failed:
            asked.exchange.export(asked.chats.current.id, tmp_path / "file" / name)
        assert failed.args is not None
        assert failed.args[0].code == "export_unwritable"


def test_copy_as_markdown(asked: Desktop, qtbot: QtBot) -> None:
    QGuiApplication.clipboard().clear()
    asked.window.chat_list.copy_asked.emit(asked.chats.current.id)
    qtbot.waitUntil(lambda: "It is **Paris**." in QGuiApplication.clipboard().text())
    assert "## You" in QGuiApplication.clipboard().text()


def test_the_dialog_offers_the_title_as_a_name(asked: Desktop, qtbot: QtBot) -> None:
    asked.exchange.ask_export(asked.chats.current.id, 'What: is/the "capital"?')
    dialog = asked.exchange.dialog
    assert dialog is not None
    assert Path(dialog.selectedFiles()[0]).name == "What is the capital.md"
    dialog.close()


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("", "chat"),
        ("a/b\\c", "a b c"),
        ("...", "chat"),
        ("x" * 300, "x" * 80),
        ("Über é漢", "Über é漢"),
    ],
)
def test_titles_become_names_for_every_system(title: str, name: str) -> None:
    assert file_name(title) == name


@pytest.mark.usefixtures("qapp")
def test_a_pdf_reads_no_file_of_the_computer(tmp_path: Path) -> None:
    secret = tmp_path / "secret.png"
    secret.write_bytes(
        bytes.fromhex(
            "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d49444154"
            "78da63fcffff3f0300050001ff5c0d1ed00000000049454e44ae426082"
        )
    )
    write_pdf("Text", tmp_path / "plain.pdf")
    write_pdf(f"Text ![a]({secret.as_uri()}) <img src='{secret.as_uri()}'>", tmp_path / "image.pdf")
    assert b"/Subtype /Image" not in (tmp_path / "image.pdf").read_bytes()


@pytest.mark.usefixtures("qapp")
def test_a_pdf_that_cannot_be_written_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(UserError) as caught:
        write_pdf("Text", tmp_path / "file" / "x.pdf")
    assert caught.value.code == "export_unwritable"

"""From right to left, in high contrast: the window is mirrored, complete and readable."""

from collections.abc import Callable, Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.desktop.application import Desktop
from tests.desktop.fake_engine import finished, text
from tests.desktop.rooms import Room

ANSWER = "Some **text**, `code`:\n\n```python\nx = 1\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"


@pytest.fixture
def right_to_left(qapp: QApplication) -> Iterator[None]:
    qapp.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
    yield
    qapp.setLayoutDirection(Qt.LayoutDirection.LeftToRight)


def _ask(desktop: Desktop, room: Room, qtbot: QtBot) -> None:
    desktop.window.composer.sent.emit("שלום, what is this?")
    qtbot.waitUntil(lambda: bool(room.engine.requests))
    request = room.engine.last
    with qtbot.waitSignal(desktop.desk.answered):
        room.engine.say(text(request, ANSWER), finished(request))


@pytest.mark.usefixtures("right_to_left")
def test_the_window_is_mirrored_and_every_page_opens(
    opened: Callable[[], Desktop], room: Room, qtbot: QtBot
) -> None:
    desktop = opened()
    _ask(desktop, room, qtbot)
    window = desktop.window
    assert window.chat_list.geometry().left() > window.transcript.geometry().left()
    window.settings_asked.emit()
    settings = desktop.citizen.settings
    assert settings is not None
    assert settings.names.mapTo(settings, settings.names.rect().topLeft()).x() > 400
    for page in range(settings.names.count()):
        settings.names.setCurrentRow(page)
        assert not settings.grab().isNull()
    desktop.tray.quick_asked.emit()
    assert not desktop.citizen.quick.grab().isNull()
    assert not window.grab().isNull()


def _contrast(one: str, other: str) -> float:
    """WCAG 2.1's contrast ratio of two colours."""

    def light(name: str) -> float:
        colour = QColor(name)
        parts = [
            part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
            for part in (colour.redF(), colour.greenF(), colour.blueF())
        ]
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]

    lights = sorted((light(one), light(other)))
    return (lights[1] + 0.05) / (lights[0] + 0.05)


def test_high_contrast_takes_the_systems_colours_everywhere(
    opened: Callable[[], Desktop], room: Room, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    desktop = opened()
    theme, role = desktop.theme, QPalette.ColorRole
    palette = QPalette()
    for which, colour in (
        (role.Window, "#000000"),
        (role.Base, "#000000"),
        (role.WindowText, "#ffffff"),
        (role.Highlight, "#1aebff"),
        (role.HighlightedText, "#000000"),
    ):
        palette.setColor(which, QColor(colour))
    monkeypatch.setitem(vars(theme), "high_contrast", True)  # read once at the start
    monkeypatch.setattr(theme, "_plain_palette", palette)
    theme.apply()
    _ask(desktop, room, qtbot)
    colours = theme.colours
    for ground in (colours.window, colours.side, colours.surface, colours.hover, colours.question):
        for ink in (colours.text, colours.muted, colours.border):
            assert _contrast(ink, ground) >= 7
    assert _contrast(colours.chosen, colours.side) >= 7
    assert _contrast(colours.on_accent, colours.accent) >= 7
    assert _contrast(colours.error_text, colours.error) >= 7
    picture = desktop.window.grab().toImage()
    assert picture.pixelColor(picture.width() - 60, 300) == QColor("#000000")
    monkeypatch.undo()
    theme.apply()

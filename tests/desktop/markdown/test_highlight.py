"""Code gets colours that can be read, within bounds."""

import pytest
from PySide6.QtGui import QColor, QFont, QPalette
from pytestqt.qtbot import QtBot

from app.desktop.markdown.highlight import MAX_CHARS, PALETTES, Ink, highlight
from app.desktop.markdown.theme import Mode, contrast, theme_of


def palette(base: str, text: str) -> QPalette:
    found = QPalette()
    found.setColor(QPalette.ColorRole.Base, QColor(base))
    found.setColor(QPalette.ColorRole.Text, QColor(text))
    return found


@pytest.mark.parametrize(
    ("base", "text", "mode"),
    [
        ("#ffffff", "#000000", Mode.LIGHT),
        ("#f3f3f3", "#1a1a1a", Mode.LIGHT),
        ("#1e1f22", "#e6e6e6", Mode.DARK),
        ("#2d2d2d", "#ffffff", Mode.DARK),
    ],
)
def test_every_ink_has_a_contrast_of_four_and_a_half(
    qtbot: QtBot, base: str, text: str, mode: Mode
) -> None:
    theme = theme_of(palette(base, text), QFont())
    assert theme.mode is mode
    ground = theme.colours.code_background
    for ink, colour in PALETTES[mode].items():
        assert contrast(QColor(colour), ground) >= 4.5, ink
    assert set(PALETTES[mode]) == set(Ink)
    for other in (theme.colours.link, theme.colours.muted, theme.colours.text):
        assert contrast(other, QColor(base)) >= 4.5
    assert contrast(theme.colours.muted, theme.colours.code_header) >= 4.5
    assert contrast(theme.colours.text, theme.colours.pill) >= 4.5


def test_spans_cover_what_they_name() -> None:
    text = "def f(x):\n    return 'é' # c\n"
    found = [(text[s.start : s.start + s.length], s.ink) for s in highlight("py", text).spans]
    assert found == [
        ("def", Ink.KEYWORD),
        ("f", Ink.NAME),
        ("return", Ink.KEYWORD),
        ("'é'", Ink.STRING),
        ("# c", Ink.COMMENT),
    ]


def test_leading_empty_lines_do_not_shift_the_spans() -> None:
    (span,) = highlight("python", "\n\nNone").spans
    assert span.start == 2


def test_a_safe_place_is_never_inside_a_text_with_empty_lines() -> None:
    text = "x = 1\n\ny = '''a\n\nb\n"
    assert highlight("python", text).safe == text.index("y")


@pytest.mark.parametrize("language", ["", "no such language", "text", "{", "\0", "../x"])
def test_an_unknown_language_stays_plain(language: str) -> None:
    assert highlight(language, "def f(): pass").spans == ()


def test_long_blocks_and_long_lines_stay_plain() -> None:
    assert highlight("python", "x = 1\n" * MAX_CHARS).spans == ()
    assert highlight("python", "x = 1;" * 1_000).spans == ()

"""Text can be read on its ground in both schemes, and every icon exists."""

import pytest
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QApplication

from app.core.paths import resources_dir
from app.desktop.theme import DARK, LIGHT, Colours, Theme


def _contrast(one: str, other: str) -> float:
    """The contrast ratio of the Web Content Accessibility Guidelines 2.2."""

    def luminance(name: str) -> float:
        colour = QColor(name)
        parts = (colour.redF(), colour.greenF(), colour.blueF())
        linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize(
    ("text", "ground"),
    [
        ("text", "window"),
        ("text", "question"),
        ("text", "notice"),
        ("text", "selection"),
        ("muted", "window"),
        ("muted", "side"),
        ("muted", "surface"),
        ("on_accent", "accent"),
        ("accent", "window"),
        ("careful", "question"),
        ("careful", "side"),
        ("accent", "question"),
        ("muted", "question"),
        ("error_text", "window"),
        ("error_text", "error"),
        ("text", "hover"),
    ],
)
def test_text_can_be_read(colours: Colours, text: str, ground: str) -> None:
    assert _contrast(getattr(colours, text), getattr(colours, ground)) >= 4.5


def test_the_style_sheet_has_a_colour_for_every_name(qapp: QApplication) -> None:
    theme = Theme(qapp, resources_dir())
    sheet = qapp.styleSheet().replace(resources_dir().as_posix(), "")
    assert "@" not in sheet
    for file in (resources_dir() / "icons").glob("*.svg"):
        assert not theme.icon(file.stem).isNull()
    theme.deleteLater()

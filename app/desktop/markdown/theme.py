"""Colours, fonts and distances of an answer, all derived from the widget's palette and font.

Distances are multiples of the font's size, so that they grow with it; the screen's scaling is
Qt's own.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFont, QFontInfo, QFontMetricsF, QGuiApplication, QPalette

_CODE_FAMILIES: Final = ["Cascadia Mono", "Consolas", "SF Mono", "DejaVu Sans Mono", "monospace"]
_HEADING_SCALES: Final = (1.6, 1.35, 1.18, 1.06, 1.0, 0.92)
_DARK_LIGHTNESS: Final = 128


class Mode(StrEnum):
    """High contrast uses the palette's colours alone: the person chose them."""

    LIGHT = "light"
    DARK = "dark"
    HIGH_CONTRAST = "high_contrast"


@dataclass(frozen=True, slots=True)
class Colours:
    text: QColor
    muted: QColor
    link: QColor
    line: QColor
    quote_bar: QColor
    code_background: QColor
    code_header: QColor
    pill: QColor
    table_header: QColor
    table_stripe: QColor
    selection: QColor
    selected_text: QColor
    focus: QColor
    tick: QColor


@dataclass(frozen=True, slots=True)
class Theme:
    """Everything the layout and the painting need. ``em`` is the body font's size in pixels."""

    mode: Mode
    colours: Colours
    body: QFont
    code: QFont
    small: QFont
    headings: tuple[QFont, ...]
    em: float
    line_height_percent: int = 128

    @property
    def gap(self) -> float:
        """The distance between two blocks."""
        return round(self.em * 0.95)

    @property
    def item_gap(self) -> float:
        """The distance between two list items and inside one."""
        return round(self.em * 0.45)

    @property
    def indent(self) -> float:
        """How far a list or a quote is set in."""
        return round(self.em * 1.75)


def theme_of(palette: QPalette, font: QFont, *, muted: bool = False) -> Theme:
    """Returns the theme for a widget's palette and font.

    ``muted`` is for text that shall stand back, such as thinking.
    """
    mode = _mode(palette)
    colours = _contrast_colours(palette) if mode is Mode.HIGH_CONTRAST else _colours(palette, mode)
    if muted and mode is not Mode.HIGH_CONTRAST:
        colours = _with_text(colours, colours.muted)
    em = float(QFontInfo(font).pixelSize())
    code = QFont(font)
    code.setFamilies(_CODE_FAMILIES)
    code.setStyleHint(QFont.StyleHint.Monospace)
    _match_x_height(code, font)
    headings = tuple(_heading(font, scale) for scale in _HEADING_SCALES)
    return Theme(mode, colours, QFont(font), code, _scaled(font, 0.86), headings, em)


def mix(one: QColor, other: QColor, share: float) -> QColor:
    """Returns ``one`` with ``share`` (0 to 1) of ``other`` in it."""
    return QColor.fromRgbF(
        one.redF() + (other.redF() - one.redF()) * share,
        one.greenF() + (other.greenF() - one.greenF()) * share,
        one.blueF() + (other.blueF() - one.blueF()) * share,
    )


def contrast(one: QColor, other: QColor) -> float:
    """Returns the contrast ratio of WCAG 2.1, 1 to 21."""
    lighter, darker = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(colour: QColor) -> float:
    def linear(value: float) -> float:
        return value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4

    red, green, blue = (linear(v) for v in (colour.redF(), colour.greenF(), colour.blueF()))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _mode(palette: QPalette) -> Mode:
    hints = QGuiApplication.styleHints()
    if hints.accessibility().contrastPreference() == Qt.ContrastPreference.HighContrast:
        return Mode.HIGH_CONTRAST
    base = palette.color(QPalette.ColorRole.Base)
    return Mode.DARK if base.lightness() < _DARK_LIGHTNESS else Mode.LIGHT


def _colours(palette: QPalette, mode: Mode) -> Colours:
    base = palette.color(QPalette.ColorRole.Base)
    text = palette.color(QPalette.ColorRole.Text)
    dark = mode is Mode.DARK
    link = QColor("#7cb7ff") if dark else QColor("#0b5cad")
    return Colours(
        text=text,
        muted=mix(text, base, 0.28 if dark else 0.31),
        link=link,
        line=mix(base, text, 0.20 if dark else 0.16),
        quote_bar=mix(base, text, 0.32 if dark else 0.24),
        code_background=mix(base, text, 0.055 if dark else 0.035),
        code_header=mix(base, text, 0.10 if dark else 0.07),
        pill=mix(base, text, 0.13 if dark else 0.08),
        table_header=mix(base, text, 0.09 if dark else 0.055),
        table_stripe=mix(base, text, 0.035 if dark else 0.02),
        selection=palette.color(QPalette.ColorRole.Highlight),
        selected_text=palette.color(QPalette.ColorRole.HighlightedText),
        focus=link,
        tick=palette.color(QPalette.ColorRole.Accent),
    )


def _contrast_colours(palette: QPalette) -> Colours:
    base = palette.color(QPalette.ColorRole.Base)
    text = palette.color(QPalette.ColorRole.Text)
    return Colours(
        text=text,
        muted=text,
        link=palette.color(QPalette.ColorRole.Link),
        line=text,
        quote_bar=text,
        code_background=base,
        code_header=base,
        pill=base,
        table_header=base,
        table_stripe=base,
        selection=palette.color(QPalette.ColorRole.Highlight),
        selected_text=palette.color(QPalette.ColorRole.HighlightedText),
        focus=text,
        tick=text,
    )


def _with_text(colours: Colours, text: QColor) -> Colours:
    values = {name: getattr(colours, name) for name in Colours.__slots__}
    return Colours(**(values | {"text": text}))


def _scaled(font: QFont, scale: float) -> QFont:
    scaled = QFont(font)
    if font.pointSizeF() > 0:
        scaled.setPointSizeF(font.pointSizeF() * scale)
    else:
        scaled.setPixelSize(max(1, round(font.pixelSize() * scale)))
    return scaled


def _heading(font: QFont, scale: float) -> QFont:
    heading = _scaled(font, scale)
    heading.setWeight(QFont.Weight.DemiBold)
    return heading


def _match_x_height(code: QFont, body: QFont) -> None:
    """Code in a line shall look as large as the words around it: their x-heights match."""
    ratio = QFontMetricsF(body).xHeight() / max(1.0, QFontMetricsF(code).xHeight())
    scale = min(1.0, max(0.84, ratio))
    if code.pointSizeF() > 0:
        code.setPointSizeF(code.pointSizeF() * scale)
    else:
        code.setPixelSize(max(1, round(code.pixelSize() * scale)))

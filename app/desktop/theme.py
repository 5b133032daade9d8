"""Colours, type scale and style sheet: light, dark, or the system's own in high contrast."""

import re
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Final

from PySide6.QtCore import QObject, Qt, Signal, Slot
from PySide6.QtGui import QColor, QIcon, QPainter, QPalette, QPixmap
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QApplication

_ICON_SIZES: Final = (16, 20, 24, 32, 40, 48, 64, 96, 128, 256)


@dataclass(frozen=True, slots=True)
class Colours:
    """One set of colours as ``#rrggbb``. Text on its ground has a contrast of at least 4.5 to 1."""

    window: str
    side: str
    surface: str
    hover: str
    border: str
    text: str
    muted: str
    accent: str
    accent_hover: str
    on_accent: str
    question: str
    question_border: str
    notice: str
    notice_border: str
    careful: str
    error: str
    error_border: str
    error_text: str
    selection: str
    on_selection: str
    chosen: str


LIGHT: Final = Colours(
    window="#fbfaf8",
    side="#f3f1ed",
    surface="#ffffff",
    hover="#ebe8e2",
    border="#dedad2",
    text="#211f1c",
    muted="#69655d",
    accent="#1f7a63",
    accent_hover="#18634f",
    on_accent="#ffffff",
    question="#e8f0ec",
    question_border="#e8f0ec",
    notice="#fdf5e4",
    notice_border="#e9cf9a",
    careful="#8a6100",
    error="#fcefeb",
    error_border="#e6bbad",
    error_text="#8f3013",
    selection="#bfe0d5",
    on_selection="#211f1c",
    chosen="#ebe8e2",
)

DARK: Final = Colours(
    window="#1b1c1e",
    side="#161719",
    surface="#242628",
    hover="#303336",
    border="#3a3d40",
    text="#ecebe7",
    muted="#a3a19b",
    accent="#5cc2a5",
    accent_hover="#76d3b9",
    on_accent="#0c211a",
    question="#24352f",
    question_border="#24352f",
    notice="#332a19",
    notice_border="#63502a",
    careful="#e2b65c",
    error="#38221c",
    error_border="#6d3d30",
    error_text="#f2a58f",
    selection="#2f6355",
    on_selection="#ecebe7",
    chosen="#303336",
)


class Theme(QObject):
    """Follows the system's colour scheme and contrast; paints icons in the text's colour."""

    changed = Signal()

    def __init__(self, app: QApplication, resources: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._app = app
        self._icons = resources / "icons"
        self._sheet = (resources / "style" / "window.qss").read_text(encoding="utf-8")
        self._plain_palette = QPalette(app.palette())
        self.colours = LIGHT
        self._wanted = Qt.ColorScheme.Unknown
        app.setStyle("Fusion")
        self.apply()
        app.styleHints().colorSchemeChanged.connect(self.apply)

    @property
    def dark(self) -> bool:
        """Whether the person, or else the system, wants a dark window."""
        if self._wanted is Qt.ColorScheme.Unknown:
            return self._app.styleHints().colorScheme() is Qt.ColorScheme.Dark
        return self._wanted is Qt.ColorScheme.Dark

    def prefer(self, scheme: Qt.ColorScheme) -> None:
        """Takes ``scheme``, or the system's for ``Unknown``; title bars follow where they can."""
        if scheme is self._wanted:
            return
        self._wanted = scheme
        self._app.styleHints().setColorScheme(scheme)
        self.apply()

    @cached_property
    def high_contrast(self) -> bool:
        """Whether the person asked the system for more contrast, read once at the start."""
        hints = self._app.styleHints()
        return hints.accessibility().contrastPreference() is Qt.ContrastPreference.HighContrast

    @Slot()
    def apply(self) -> None:
        """Gives the application the palette and the style sheet of the current scheme."""
        if self.high_contrast:
            self.colours = _from_palette(self._plain_palette)
        else:
            self.colours = DARK if self.dark else LIGHT
        self._app.setPalette(_palette(self.colours))
        self._app.setStyleSheet(_filled(self._sheet, self.colours, self._icons))
        self.changed.emit()

    def icon(self, name: str, *, colour: str | None = None) -> QIcon:
        """Returns ``name.svg`` drawn in ``colour``, or in the colour of muted text."""
        source = (self._icons / f"{name}.svg").read_text(encoding="utf-8")
        return _rendered(source.replace("#000000", colour or self.colours.muted))

    def mark(self, name: str) -> QIcon:
        """Returns ``name.svg`` in its own colours."""
        return _rendered((self._icons / f"{name}.svg").read_text(encoding="utf-8"))


def _rendered(svg: str) -> QIcon:
    renderer = QSvgRenderer(svg.encode())
    icon = QIcon()
    for size in _ICON_SIZES:
        pixmap = QPixmap(size, size)
        pixmap.fill(Qt.GlobalColor.transparent)
        painter = QPainter(pixmap)
        renderer.render(painter)
        painter.end()
        icon.addPixmap(pixmap)
    return icon


def _filled(sheet: str, colours: Colours, icons: Path) -> str:
    """Puts the colours in the place of ``@name``; an unknown name is a fault of ours."""
    tick = "check-light" if QColor(colours.on_accent).lightness() > 127 else "check-dark"
    values = asdict(colours) | {"check": (icons / f"{tick}.svg").as_posix()}
    return re.sub(r"@([a-z_]+)", lambda match: values[match.group(1)], sheet)


def _palette(colours: Colours) -> QPalette:
    palette = QPalette()
    role = QPalette.ColorRole
    for which, value in (
        (role.Window, colours.window),
        (role.WindowText, colours.text),
        (role.Base, colours.surface),
        (role.AlternateBase, colours.side),
        (role.Text, colours.text),
        (role.Button, colours.surface),
        (role.ButtonText, colours.text),
        (role.ToolTipBase, colours.surface),
        (role.ToolTipText, colours.text),
        (role.PlaceholderText, colours.muted),
        (role.Highlight, colours.selection),
        (role.HighlightedText, colours.on_selection),
        (role.Link, colours.accent),
        (role.LinkVisited, colours.accent),
        (role.Accent, colours.accent),
    ):
        palette.setColor(which, QColor(value))
    for which in (role.WindowText, role.Text, role.ButtonText):
        palette.setColor(QPalette.ColorGroup.Disabled, which, QColor(colours.muted))
    return palette


def _from_palette(palette: QPalette) -> Colours:
    """The system's own colours, for a person who asked for high contrast."""

    def name(role: QPalette.ColorRole) -> str:
        return palette.color(role).name()

    role = QPalette.ColorRole
    window, text = name(role.Window), name(role.WindowText)
    return Colours(
        window=window,
        side=window,
        surface=name(role.Base),
        hover=window,
        border=text,
        text=text,
        muted=text,
        accent=name(role.Highlight),
        accent_hover=name(role.Highlight),
        on_accent=name(role.HighlightedText),
        question=name(role.Base),
        question_border=text,
        notice=window,
        notice_border=text,
        careful=text,
        error=window,
        error_border=text,
        error_text=text,
        selection=name(role.Highlight),
        on_selection=name(role.HighlightedText),
        chosen=name(role.Highlight),  # a frame, since all grounds are the same
    )

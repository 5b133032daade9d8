"""A button that is only an icon: it has a name for a screen reader and a hint for everyone."""

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QToolButton, QWidget

from app.desktop.theme import Theme


class IconButton(QToolButton):
    """A flat button. The icon follows the theme's colours."""

    def __init__(
        self,
        theme: Theme,
        icon: str,
        name: str,
        parent: QWidget | None = None,
        *,
        size: int = 18,
        label: bool = False,
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        self._icon = icon
        self._colour: str | None = None
        self.setIconSize(QSize(size, size))
        self.setAccessibleName(name)
        # A click takes the focus from no text: where the button then goes away, the next key would
        # press whatever is beside it.
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        if label:
            self.setText(name)
            self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        else:
            self.setToolTip(name)
        self._paint()
        theme.changed.connect(self._paint)

    def show_as(self, icon: str, name: str) -> None:
        """Turns the button into another one."""
        self._icon = icon
        self.setAccessibleName(name)
        self.setToolTip(name)
        self._paint()

    def icon_colour(self) -> str | None:
        """The colour of the icon; ``None`` is the theme's muted text."""
        return None

    def _paint(self) -> None:
        self.setIcon(self._theme.icon(self._icon, colour=self.icon_colour()))


class RoundButton(IconButton):
    """The one button of a place that matters most, on the accent colour."""

    def __init__(self, theme: Theme, icon: str, name: str, parent: QWidget | None = None) -> None:
        super().__init__(theme, icon, name, parent, size=20)
        self.setObjectName("round")

    def icon_colour(self) -> str | None:
        return self._theme.colours.on_accent if self.isEnabled() else None

    def setEnabled(self, enabled: bool) -> None:  # noqa: N802  Qt's name
        super().setEnabled(enabled)
        self._paint()

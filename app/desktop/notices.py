"""Calm lines above the conversation about the program itself; each stays until it is put away."""

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.desktop.announce import announce
from app.desktop.banner import Banner, BannerKind
from app.desktop.icon_button import IconButton
from app.desktop.theme import Theme


class Notices(QWidget):
    """One banner for each subject; a newer one about the same subject takes its place."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.banners: dict[str, Banner] = {}
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(16, 4, 16, 8)
        self._column.setSpacing(8)
        self.hide()

    def tell(
        self,
        subject: str,
        headline: str,
        sentence: str,
        *,
        button: str = "",
        on_press: Callable[[], None] | None = None,
        code: str = "",
        kind: BannerKind = BannerKind.NOTICE,
        lasting: bool = False,
    ) -> None:
        """Shows a banner. ``lasting``: it goes by ``drop`` alone, since something is going on.

        ``on_press`` is called by ``button``, and the banner is gone then.
        """
        self.drop(subject)
        banner = Banner(self._theme, kind, headline, sentence, code=code, button=button)

        def press() -> None:
            self.drop(subject)
            if on_press is not None:
                on_press()

        banner.pressed.connect(press)
        layout = banner.layout()
        if not lasting and layout is not None:
            away = IconButton(self._theme, "close", self.tr("Put this away"), banner)
            away.clicked.connect(lambda: self.drop(subject))
            layout.addWidget(away)
            layout.setAlignment(away, Qt.AlignmentFlag.AlignTop)
        self.banners[subject] = banner
        self._column.addWidget(banner)
        self.show()
        announce(self, headline)

    def drop(self, subject: str) -> None:
        """Puts the banner about ``subject`` away, if there is one."""
        banner = self.banners.pop(subject, None)
        if banner is not None:
            self._column.removeWidget(banner)
            banner.hide()
            banner.deleteLater()
        if not self.banners:
            self.hide()

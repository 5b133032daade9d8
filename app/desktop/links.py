"""What a click on a link does: the system's browser opens it, if it is a web address."""

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices


def open_link(address: str) -> bool:
    """Opens ``address`` if it is http or https; says whether it was.

    Any other scheme could start a program with what a model wrote.
    """
    url = QUrl(address, QUrl.ParsingMode.StrictMode)
    if url.scheme() not in ("http", "https") or not url.host():
        return False
    return QDesktopServices.openUrl(url)

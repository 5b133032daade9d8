"""Points in time as the person's language writes them."""

from PySide6.QtCore import QDateTime, QLocale


def moment(at_ms: int) -> str:
    """Date and time of day of ``at_ms`` (Unix milliseconds), in the local time zone."""
    at = QDateTime.fromMSecsSinceEpoch(at_ms)
    return QLocale().toString(at, QLocale.FormatType.ShortFormat)

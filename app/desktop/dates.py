"""Points in time as the person's language writes them."""

from PySide6.QtCore import QDate, QDateTime, QLocale


def moment(at_ms: int) -> str:
    """Date and time of day of ``at_ms`` (Unix milliseconds), in the local time zone."""
    at = QDateTime.fromMSecsSinceEpoch(at_ms)
    return QLocale().toString(at, QLocale.FormatType.ShortFormat)


def moment_briefly(at_ms: int) -> str:
    """The time of day of ``at_ms`` if that is today, else the date with it."""
    at = QDateTime.fromMSecsSinceEpoch(at_ms)
    if at.date() != QDate.currentDate():
        return moment(at_ms)
    return QLocale().toString(at.time(), QLocale.FormatType.ShortFormat)

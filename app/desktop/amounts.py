"""Sizes and durations as the person's language writes them: 4.9 GB or 4,9 GB."""

from PySide6.QtCore import QLocale

from app.core import units


def format_bytes(size_bytes: int) -> str:
    """A byte count in decimal units, with the language's decimal sign."""
    return _localised(units.format_bytes(size_bytes))


def format_duration(seconds: float) -> str:
    """A duration with the precision a person needs, with the language's decimal sign."""
    return _localised(units.format_duration(seconds))


def format_seconds(seconds: float) -> str:
    """Seconds with one decimal, without the unit."""
    return QLocale().toString(float(seconds), "f", 1)


def _localised(text: str) -> str:
    return text.replace(".", QLocale().decimalPoint())

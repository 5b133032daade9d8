"""Sizes and times as people read them. Byte counts are plain ``int`` everywhere."""

from typing import Final

KIB: Final = 1024
MIB: Final = 1024**2
GIB: Final = 1024**3


def format_bytes(size_bytes: int) -> str:
    """Writes a byte count in decimal units, as Windows download pages and disks do.

    >>> format_bytes(98_000_000)
    '98 MB'
    >>> format_bytes(4_882_865_352)
    '4.9 GB'
    """
    if abs(size_bytes) < 1000:
        return f"{size_bytes} bytes"
    value = float(size_bytes)
    for unit in ("kB", "MB", "GB", "TB"):
        value /= 1000
        if abs(value) < 999.5 or unit == "TB":
            break
    digits = 1 if abs(value) < 10 else 0
    return f"{value:.{digits}f} {unit}"


def format_duration(seconds: float) -> str:
    """Writes a duration with the precision a person needs.

    >>> format_duration(0.4), format_duration(75), format_duration(7300)
    ('0.4 s', '1 min 15 s', '2 h 2 min')
    """
    if seconds < 10:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min"

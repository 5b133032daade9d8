"""Keeps a download from filling the disk."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Final

from app.core.errors import EnvironmentFault
from app.core.units import format_bytes

# What stays free for the system, the compiled models and the chats.
DEFAULT_RESERVE_BYTES: Final = 2_000_000_000


def free_bytes(folder: Path) -> int:
    """Free space of the volume that holds ``folder`` or will hold it."""
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    return shutil.disk_usage(folder).free


class DiskGuard:
    """Compares what is needed with what is free.

    Args:
        reserve_bytes: what a download must leave free.
        free: how the free space of a folder's volume is found.
    """

    def __init__(
        self,
        reserve_bytes: int = DEFAULT_RESERVE_BYTES,
        free: Callable[[Path], int] = free_bytes,
    ) -> None:
        self._reserve_bytes = reserve_bytes
        self._free = free

    def require(self, folder: Path, needed_bytes: int = 0) -> None:
        """Checks that ``needed_bytes`` fit and the reserve stays.

        Raises:
            EnvironmentFault: ``disk_full``, with the sum.
        """
        free = self._free(folder)
        if free >= needed_bytes + self._reserve_bytes:
            return
        reserve = format_bytes(self._reserve_bytes)
        need = f"{format_bytes(needed_bytes)} and " if needed_bytes else ""
        missing = needed_bytes + self._reserve_bytes - free
        raise EnvironmentFault(
            "disk_full",
            f"The disk has {format_bytes(free)} free; the download needs {need}{reserve} in "
            "reserve.",
            f"Free {format_bytes(missing)}, or move the model store to another drive.",
        )

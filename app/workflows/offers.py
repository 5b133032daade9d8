"""Which offers were made already, so that nobody is asked twice."""

import logging
from pathlib import Path
from typing import Final

import msgspec

from app.core.errors import ContenoxError
from app.core.files import write_atomic

_log = logging.getLogger(__name__)

OFFERS_FILE: Final = "offers.json"
_MOST: Final = 1000


class MadeOffers:
    """The offers' keys, kept in the cache folder; a lost file means being asked once more.

    Args:
        path: where they are kept.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def first_time(self, key: str) -> bool:
        """Whether ``key`` is new; from now on it isn't."""
        made = self._read()
        if key in made:
            return False
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            write_atomic(self._path, msgspec.json.encode([*made, key][-_MOST:]))
        except (OSError, ContenoxError) as error:
            _log.warning("an offer isn't remembered: %s", error)
        return True

    def _read(self) -> list[str]:
        try:
            return msgspec.json.decode(self._path.read_bytes(), type=list[str])
        except FileNotFoundError:
            return []
        except (OSError, msgspec.MsgspecError, UnicodeDecodeError) as error:
            _log.warning("the offers can't be read and are made again: %s", error)
            return []

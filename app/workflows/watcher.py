"""Looks, before the engine is used, whether the machine is still the one it was.

A graphics driver may hang after a sleep, and an update may replace it under a running program. So
the engine is asked for a sign of life first, and devices and certificates are read anew.
"""

import logging
import threading
from collections.abc import Callable
from typing import Final, Protocol

from msgspec import Struct

from app.hardware.surroundings import Surroundings, read_surroundings

_log = logging.getLogger(__name__)

SIGN_OF_LIFE_S: Final = 5.0


class Pinged(Protocol):
    """The part of the engine's client that is needed here."""

    def ping(self, timeout_s: float) -> bool:
        """Whether the engine answers in time; one that doesn't is ended. True without one."""


class Seen(Struct, frozen=True, kw_only=True):
    """What happened since the last look. ``engine_ended``: it gave no sign of life."""

    slept: bool = False
    graphics_changed: bool = False
    engine_ended: bool = False

    @property
    def anything(self) -> bool:
        return self.slept or self.graphics_changed


class Watcher:
    """May be asked from any thread.

    Args:
        engine: whom to ask.
        read: how the machine is now.
    """

    def __init__(
        self, engine: Pinged, read: Callable[[], Surroundings] = read_surroundings
    ) -> None:
        self._engine = engine
        self._read = read
        self._looking = threading.Lock()
        self._before = read()

    def look(self) -> Seen:
        """Compares with the last look. Blocks where the engine doesn't answer, for five seconds."""
        with self._looking:
            now, before = self._read(), self._before
            self._before = now
            seen = Seen(
                slept=now.slept_since(before), graphics_changed=now.graphics != before.graphics
            )
            if not seen.anything:
                return seen
            alive = self._engine.ping(SIGN_OF_LIFE_S)
            _log.info(
                "the machine %s; the engine %s",
                "slept" if seen.slept else "has other graphics devices or drivers",
                "answers" if alive else "gave no sign of life and was ended",
            )
            return Seen(
                slept=seen.slept, graphics_changed=seen.graphics_changed, engine_ended=not alive
            )

"""How long to wait before a server is asked again, and when to give up."""

import random
import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import Final

from msgspec import Struct

_RATE_LIMIT_RESET: Final = ";t="


class RetryPolicy(Struct, frozen=True, kw_only=True):
    """Bounds of the attempts. An attempt that brought bytes sets the count back to zero.

    ``longest_s`` also bounds what a server asks for with ``Retry-After``.
    """

    idle_attempts: int = 7
    first_s: float = 0.5
    longest_s: float = 60.0

    def pause_s(self, attempt: int, asked_s: float | None = None) -> float:
        """The pause after the ``attempt``-th idle one (from 1).

        Doubles each time; half of it is random, so that many clients don't come back at once.
        """
        if asked_s is not None:
            return min(max(asked_s, 0.0), self.longest_s)
        whole = min(self.longest_s, self.first_s * float(2 ** min(attempt - 1, 16)))
        return whole * random.uniform(0.5, 1.0)  # noqa: S311 - spreads load, keeps no secret


def asked_pause_s(headers: Mapping[str, str]) -> float | None:
    """What ``Retry-After`` (seconds or a date) or ``RateLimit: ...;t=`` asks for, if anything."""
    text = headers.get("retry-after")
    if text is None:
        _, found, rest = headers.get("ratelimit", "").partition(_RATE_LIMIT_RESET)
        text = rest.split(";")[0] if found else None
    if text is None:
        return None
    try:
        return float(text)
    except ValueError:
        pass
    try:
        return parsedate_to_datetime(text).timestamp() - time.time()
    except ValueError:
        return None

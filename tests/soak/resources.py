"""What a process holds: memory, threads, and files or handles."""

import sys
import time
from dataclasses import dataclass
from typing import Final

import psutil

_SETTLED_S: Final = 10.0


@dataclass(frozen=True, slots=True)
class Held:
    rss_bytes: int
    threads: int
    handles: int

    @classmethod
    def by(cls, pid: int) -> "Held":
        process = psutil.Process(pid)
        # Each system has one of the two.
        name = "num_handles" if sys.platform == "win32" else "num_fds"
        count: int = getattr(process, name)()
        return cls(process.memory_info().rss, process.num_threads(), count)

    def leaked_since(self, before: "Held", *, growth: float) -> bool:
        """Whether there are more threads or handles, or memory grew by more than a share."""
        return (
            self.threads > before.threads
            or self.handles > before.handles
            or self.rss_bytes > before.rss_bytes * (1 + growth)
        )


def check_no_leak(pid: int, before: Held, *, growth: float = 0.05) -> None:
    """Fails if process ``pid`` holds more than ``before``, and still does after ten seconds.

    A thread that was joined may be the system's for a moment longer; a leak stays.
    """
    deadline = time.monotonic() + _SETTLED_S
    while (now := Held.by(pid)).leaked_since(before, growth=growth):
        assert time.monotonic() < deadline, f"before {before}, after {now}"
        time.sleep(0.05)

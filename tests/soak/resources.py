"""What a process holds: memory, threads, and files or handles."""

import sys
from dataclasses import dataclass

import psutil


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

    def check_no_leak_since(self, before: "Held", *, growth: float = 0.05) -> None:
        """Fails if there are more threads or handles, or if memory grew by more than a share."""
        print(f"before {before}, after {self}")
        assert self.threads <= before.threads
        assert self.handles <= before.handles
        assert self.rss_bytes <= before.rss_bytes * (1 + growth)

"""What a loopback Hub can be told to do wrong."""

import threading
from dataclasses import dataclass, field
from enum import StrEnum


class Where(StrEnum):
    """Which answer a fault hits: the JSON API, a HEAD or GET of a file, or the body of a blob."""

    API = "api"
    HEAD = "head"
    RESOLVE = "resolve"
    BODY = "body"


@dataclass
class Fault:
    """One fault. The fields that are not set do nothing.

    ``times`` is how many answers it still hits (``None`` for ever). A byte position counts from
    the beginning of the file, also in a partial answer.
    """

    where: Where = Where.BODY
    path: str | None = None
    times: int | None = None
    cut_at: int | None = None
    reset_at: int | None = None
    stall_at: int | None = None
    corrupt_at: int | None = None
    body: bytes | None = None
    no_length: bool = False
    status: int | None = None
    headers: dict[str, str] = field(default_factory=dict)
    ignore_range: bool = False
    wrong_range: bool = False
    gzip: bool = False
    drop_headers: tuple[str, ...] = ()
    redirect_to: str | None = None
    hits: int = 0


class FaultList:
    """The faults that are switched on, and a count of the answers they hit."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._faults: list[Fault] = []

    def add(self, fault: Fault) -> Fault:
        with self._lock:
            self._faults.append(fault)
        return fault

    def clear(self) -> None:
        with self._lock:
            self._faults.clear()

    def take(self, where: Where, path: str) -> Fault:
        """The fault that hits this answer; one without effect if none does."""
        with self._lock:
            for fault in self._faults:
                if fault.where != where or fault.path not in (None, path) or fault.times == 0:
                    continue
                if fault.times is not None:
                    fault.times -= 1
                fault.hits += 1
                return fault
        return Fault()

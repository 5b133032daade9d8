"""Stable prefixes on disk: what a model held when it was unloaded, for its next load.

A snapshot is used only if everything that decides its KV is the same, if its tokens lead the new
prompt, and if reading it back takes less time than computing it again. The folder holds text in
another form, so it is the user's alone; the files go after a day.
"""

import contextlib
import hashlib
import logging
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from app.core.errors import ContenoxError
from app.core.files import replace, write_atomic
from app.core.units import GIB
from app.engine.manifest import Identity, token_sha256

_log = logging.getLogger(__name__)

BUDGET_BYTES: Final = 4 * GIB
MAX_AGE_S: Final = 24 * 3600.0
FEWEST_TOKENS: Final = 256
"""A shorter prefix is computed before a file is found."""

# Until a restore has been measured: a slow disk, and the time to find and open a file.
_ASSUMED_BYTES_PER_S: Final = 200e6
_ASSUMED_OPEN_S: Final = 0.02
_TEMPORARY: Final = ".part"


class Snapshot(Struct, frozen=True, kw_only=True):
    """What is known about one. ``saved_at`` is in seconds since 1970.

    ``prefill_s_per_token`` was measured before it was saved, ``restore_s`` when it was last read.
    """

    identity: Identity
    tokens: int
    token_sha256: str
    size_bytes: int
    saved_at: float
    save_s: float
    prefill_s_per_token: float
    restore_s: float | None = None

    @property
    def expected_restore_s(self) -> float:
        if self.restore_s is not None:
            return self.restore_s
        return _ASSUMED_OPEN_S + self.size_bytes / _ASSUMED_BYTES_PER_S

    def wins(self, held_tokens: int) -> bool:
        """Whether reading it is faster than to compute what ``held_tokens`` leave over."""
        return self.expected_restore_s < (self.tokens - held_tokens) * self.prefill_s_per_token


class SnapshotStore:
    """The snapshots in ``folder``, which is created with the first.

    Args:
        folder: in the user's cache.
        budget_bytes: the oldest go when all together are larger.
        max_age_s: older ones are not used and go.
        now: seconds since 1970.
    """

    def __init__(
        self,
        folder: Path,
        budget_bytes: int = BUDGET_BYTES,
        max_age_s: float = MAX_AGE_S,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._folder = folder
        self._budget_bytes = budget_bytes
        self._max_age_s = max_age_s
        self._now = now

    def save(
        self,
        ids: Sequence[int],
        identity: Identity,
        prefill_s_per_token: float,
        write: Callable[[Path], int],
    ) -> Snapshot | None:
        """Saves the cache of ``ids``; ``None`` if that can't be done, which costs nobody anything.

        Args:
            write: writes the state to a path and returns its bytes.
        """
        key = _key(identity, token_sha256(ids))
        state = self._folder / f"{key}.state"
        temporary = state.with_suffix(_TEMPORARY)
        started = time.perf_counter()
        try:
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            size = write(temporary)
            temporary.chmod(0o600)
            if size > self._budget_bytes:
                temporary.unlink()
                return None
            replace(temporary, state)
            saved = Snapshot(
                identity=identity,
                tokens=len(ids),
                token_sha256=token_sha256(ids),
                size_bytes=size,
                saved_at=self._now(),
                save_s=time.perf_counter() - started,
                prefill_s_per_token=prefill_s_per_token,
            )
            self._write_record(key, saved)
        except (OSError, ContenoxError) as error:
            _log.warning("the state of the context was not saved: %s", error)
            with contextlib.suppress(OSError):
                temporary.unlink()
            return None
        self.prune()
        return saved

    def find(self, ids: Sequence[int], identity: Identity, held_tokens: int) -> Snapshot | None:
        """The longest snapshot that leads ``ids`` and is faster than computing, if there is one."""
        limit = self._now() - self._max_age_s
        fitting = [
            one
            for _, one in self._all()
            if one.identity == identity
            and one.saved_at >= limit
            and held_tokens < one.tokens < len(ids)
            and one.wins(held_tokens)
            and one.token_sha256 == token_sha256(ids[: one.tokens])
        ]
        return max(fitting, key=lambda one: one.tokens, default=None)

    def has(self, ids: Sequence[int], identity: Identity) -> bool:
        """Whether exactly these tokens are saved, and young enough to be used for some time."""
        sha256 = token_sha256(ids)
        limit = self._now() - self._max_age_s / 2
        return any(
            one.identity == identity and one.token_sha256 == sha256 and one.saved_at >= limit
            for _, one in self._all()
        )

    def path_of(self, snapshot: Snapshot) -> Path:
        return self._folder / f"{_key(snapshot.identity, snapshot.token_sha256)}.state"

    def note_restored(self, snapshot: Snapshot, seconds: float) -> None:
        """Keeps how long the restore really took, for the next decision."""
        with contextlib.suppress(OSError, ContenoxError):
            key = _key(snapshot.identity, snapshot.token_sha256)
            self._write_record(key, msgspec.structs.replace(snapshot, restore_s=seconds))

    def drop(self, snapshot: Snapshot) -> None:
        """Deletes one that can't be read."""
        self._delete(_key(snapshot.identity, snapshot.token_sha256))

    def prune(self) -> None:
        """Deletes what is too old, what is over the budget, and what a crash left behind."""
        known = sorted(self._all(), key=lambda pair: pair[1].saved_at, reverse=True)
        limit = self._now() - self._max_age_s
        left = self._budget_bytes
        kept: set[str] = set()
        for key, one in known:
            left -= one.size_bytes
            if one.saved_at >= limit and left >= 0:
                kept.add(key)
        with contextlib.suppress(OSError):
            for path in list(self._folder.iterdir()):
                if path.stem not in kept:
                    with contextlib.suppress(OSError):
                        path.unlink()

    def _all(self) -> Iterator[tuple[str, Snapshot]]:
        with contextlib.suppress(OSError):
            for path in sorted(self._folder.glob("*.json")):
                with contextlib.suppress(OSError, msgspec.MsgspecError):
                    yield path.stem, msgspec.json.decode(path.read_bytes(), type=Snapshot)

    def _write_record(self, key: str, snapshot: Snapshot) -> None:
        write_atomic(self._folder / f"{key}.json", msgspec.json.encode(snapshot))

    def _delete(self, key: str) -> None:
        for suffix in (".json", ".state"):
            with contextlib.suppress(OSError):
                (self._folder / f"{key}{suffix}").unlink()


def _key(identity: Identity, sha256: str) -> str:
    return hashlib.sha256(msgspec.json.encode(identity) + sha256.encode()).hexdigest()[:32]

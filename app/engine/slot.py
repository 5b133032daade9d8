"""What the engine has loaded: one model, or none.

Only the inference thread touches the slot. Two specs that are equal are the same loaded model;
everything that makes a model different is in the spec.
"""

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from app.core.errors import Bug
from app.engine.backends.base import Session
from app.engine.backends.context_port import KeepingSession
from app.engine.outcome import SlotState
from app.engine.spec import LoadSpec

_log = logging.getLogger(__name__)

S = SlotState

TRANSITIONS: Final[dict[SlotState, frozenset[SlotState]]] = {
    S.EMPTY: frozenset({S.LOADING}),
    S.LOADING: frozenset({S.READY, S.FAILED}),
    S.READY: frozenset({S.BUSY, S.UNLOADING, S.FAILED}),
    S.BUSY: frozenset({S.READY, S.FAILED}),
    S.UNLOADING: frozenset({S.EMPTY}),
    S.FAILED: frozenset({S.LOADING, S.EMPTY}),
}

Opener = Callable[[LoadSpec], Session]


class Slot:
    """Holds at most one session and knows what may be done with it.

    Args:
        on_change: told of each new state, with the generation and the spec.
    """

    def __init__(self, on_change: Callable[[SlotState, int, LoadSpec | None], None]) -> None:
        self._on_change = on_change
        self._state = S.EMPTY
        self._spec: LoadSpec | None = None
        self._session: Session | None = None
        self.pipeline = ""
        """What runs the session, or ran the last one."""
        self.generation = 0
        self.closing_since: float | None = None
        """When a close that has not returned yet began, by ``time.monotonic``."""
        self.close_failed = False
        """Whether a session could not be closed: only the end of the process frees it then."""

    @property
    def state(self) -> SlotState:
        return self._state

    @property
    def spec(self) -> LoadSpec | None:
        """What is loaded or being loaded."""
        return self._spec

    def holds(self, spec: LoadSpec) -> bool:
        """Whether a request for ``spec`` needs no load."""
        return self._state is S.READY and self._spec == spec

    def session_of(self, spec: LoadSpec) -> Session | None:
        """The session that answers for ``spec``, also while it does. Any thread may call this."""
        session = self._session
        ready = self._state in (S.READY, S.BUSY) and self._spec == spec
        return session if ready else None

    def load(self, spec: LoadSpec, opener: Opener) -> None:
        """Makes ``spec`` the loaded model; the old one is closed before the new one is opened.

        Raises:
            Exception: what ``opener`` raised; the slot is then ``FAILED`` and holds nothing.
        """
        self.unload()
        self.generation += 1
        self._spec = spec
        self._move(S.LOADING)
        try:
            self._session = opener(spec)
            self.pipeline = self._session.pipeline
        except BaseException:
            self._move(S.FAILED)
            raise
        self._move(S.READY)

    @contextmanager
    def lease(self) -> Iterator[Session]:
        """The loaded session for the length of one request.

        A body that calls ``evict`` leaves the slot ``FAILED``.
        """
        if self._session is None:
            raise Bug("slot_empty", "A request ran without a loaded model.", "Try again.")
        self._move(S.BUSY)
        try:
            yield self._session
        finally:
            if self._state is S.BUSY:
                self._move(S.READY)

    def evict(self) -> None:
        """Closes a session that a fatal error has made unusable; late events are then stale."""
        session, self._session = self._session, None
        self.generation += 1
        self._move(S.FAILED)
        self._close(session)

    def unload(self) -> None:
        """Closes the session, if there is one."""
        if self._state is S.READY:
            session, self._session = self._session, None
            self._move(S.UNLOADING)
            _keep(session)
            self._close(session)
        if self._state in (S.UNLOADING, S.FAILED):
            self._spec = None
            self._move(S.EMPTY)

    def _close(self, session: Session | None) -> None:
        if session is None:
            return
        self.closing_since = time.monotonic()
        try:
            session.close()
        except Exception:  # noqa: BLE001 - whoever asked for the close has nothing to do with it
            _log.exception("a session could not be closed")
            self.close_failed = True
        finally:
            self.closing_since = None

    def _move(self, state: SlotState) -> None:
        if state not in TRANSITIONS[self._state]:
            raise Bug(
                "slot_transition",
                f"The engine's slot can't go from {self._state} to {state}.",
                "Restart the program.",
            )
        self._state = state
        self._on_change(state, self.generation, self._spec)


def _keep(session: object) -> None:
    """Lets a healthy session save what its next load can use; that it can't is no failure."""
    if not isinstance(session, KeepingSession):
        return
    try:
        session.keep_prefix()
    except Exception:  # noqa: BLE001 - whoever asked for the unload has nothing to do with it
        _log.exception("the stable prefix was not kept")

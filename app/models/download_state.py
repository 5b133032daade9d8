"""The life of a download: its states, what moves it, and which moves each state allows."""

from enum import StrEnum
from types import MappingProxyType
from typing import Final


class DownloadState(StrEnum):
    """``WAITING`` goes on by itself (network, server), ``PAUSED`` when a person says so."""

    QUEUED = "queued"
    WAITING = "waiting"
    RUNNING = "running"
    PAUSED = "paused"
    VERIFYING = "verifying"
    INSTALLED = "installed"
    FAILED = "failed"
    CANCELLED = "cancelled"


class Move(StrEnum):
    """What can happen to a download. ``RECOVER`` is the start of a program after another died."""

    ADD = "add"
    START = "start"
    WAIT = "wait"
    PAUSE = "pause"
    RESUME = "resume"
    CANCEL = "cancel"
    VERIFY = "verify"
    FINISH = "finish"
    FAIL = "fail"
    RECOVER = "recover"


_S, _M = DownloadState, Move
_TABLE: Final = MappingProxyType(
    {
        _S.QUEUED: {
            _M.ADD: _S.QUEUED,
            _M.START: _S.RUNNING,
            _M.PAUSE: _S.PAUSED,
            _M.CANCEL: _S.CANCELLED,
        },
        _S.WAITING: {
            _M.ADD: _S.QUEUED,
            _M.RESUME: _S.QUEUED,
            _M.PAUSE: _S.PAUSED,
            _M.CANCEL: _S.CANCELLED,
        },
        _S.RUNNING: {
            _M.ADD: _S.RUNNING,
            _M.WAIT: _S.WAITING,
            _M.PAUSE: _S.PAUSED,
            _M.CANCEL: _S.CANCELLED,
            _M.VERIFY: _S.VERIFYING,
            _M.FINISH: _S.INSTALLED,
            _M.FAIL: _S.FAILED,
            _M.RECOVER: _S.QUEUED,
        },
        _S.PAUSED: {
            _M.ADD: _S.QUEUED,
            _M.RESUME: _S.QUEUED,
            _M.CANCEL: _S.CANCELLED,
        },
        _S.VERIFYING: {
            _M.ADD: _S.VERIFYING,
            _M.WAIT: _S.WAITING,
            _M.PAUSE: _S.PAUSED,
            _M.CANCEL: _S.CANCELLED,
            _M.FINISH: _S.INSTALLED,
            _M.FAIL: _S.FAILED,
            _M.RECOVER: _S.QUEUED,
        },
        _S.INSTALLED: {_M.ADD: _S.QUEUED},
        _S.FAILED: {_M.ADD: _S.QUEUED, _M.RESUME: _S.QUEUED, _M.CANCEL: _S.CANCELLED},
        _S.CANCELLED: {_M.ADD: _S.QUEUED},
    }
)
ACTIVE: Final = frozenset({DownloadState.RUNNING, DownloadState.VERIFYING})
FINISHED: Final = frozenset({DownloadState.INSTALLED, DownloadState.CANCELLED})


def after(state: DownloadState, move: Move) -> DownloadState | None:
    """The state that ``move`` leads to, or ``None`` if ``state`` doesn't allow it."""
    return _TABLE[state].get(move)


def allows(state: DownloadState, move: Move) -> bool:
    """Whether a button for ``move`` does anything in ``state``."""
    return move in _TABLE[state]

"""What one row of the Models window is doing, and what may be pressed then."""

from enum import StrEnum
from types import MappingProxyType
from typing import Final

from msgspec import Struct

from app.desktop.models.ports import Download, Key, ModelRow, Presence, Source
from app.models.download_state import DownloadState


class RowState(StrEnum):
    """Exactly one of these is true for each row."""

    ABSENT = "absent"
    QUEUED = "queued"
    WAITING = "waiting"
    RUNNING = "running"
    VERIFYING = "verifying"  # the download's last step
    PAUSED = "paused"
    FAILED = "failed"
    INSTALLED = "installed"
    CHECKING = "checking"  # a person asked for every file to be hashed
    DAMAGED = "damaged"
    AWAY = "away"


class Press(StrEnum):
    """What a person can ask of one row."""

    GET = "get"
    PAUSE = "pause"
    RESUME = "resume"
    CANCEL = "cancel"
    CHAT = "chat"
    VERIFY = "verify"
    STOP_VERIFY = "stop_verify"
    OPEN_FOLDER = "open_folder"
    DELETE = "delete"


_S, _P = RowState, Press
PRESSES: Final = MappingProxyType(
    {
        _S.ABSENT: (_P.GET,),
        _S.QUEUED: (_P.PAUSE, _P.CANCEL),
        _S.WAITING: (_P.RESUME, _P.PAUSE, _P.CANCEL),
        _S.RUNNING: (_P.PAUSE, _P.CANCEL),
        _S.VERIFYING: (_P.PAUSE, _P.CANCEL),
        _S.PAUSED: (_P.RESUME, _P.CANCEL),
        _S.FAILED: (_P.RESUME, _P.CANCEL),
        _S.INSTALLED: (_P.CHAT, _P.VERIFY, _P.OPEN_FOLDER, _P.DELETE),
        _S.CHECKING: (_P.STOP_VERIFY, _P.OPEN_FOLDER),
        _S.DAMAGED: (_P.GET, _P.VERIFY, _P.OPEN_FOLDER, _P.DELETE),
        _S.AWAY: (),
    }
)
"""The buttons of each state, the one that matters most first."""

ON_ITS_WAY: Final = frozenset(
    {_S.QUEUED, _S.WAITING, _S.RUNNING, _S.VERIFYING, _S.PAUSED, _S.FAILED}
)
"""A download is in the queue, whether it moves or not."""

HERE: Final = frozenset({_S.INSTALLED, _S.CHECKING, _S.DAMAGED, _S.AWAY})

_OF_DOWNLOAD: Final = MappingProxyType(
    {
        DownloadState.QUEUED: _S.QUEUED,
        DownloadState.WAITING: _S.WAITING,
        DownloadState.RUNNING: _S.RUNNING,
        DownloadState.VERIFYING: _S.VERIFYING,
        DownloadState.PAUSED: _S.PAUSED,
        DownloadState.FAILED: _S.FAILED,
    }
)
_OF_PRESENCE: Final = MappingProxyType(
    {
        Presence.ABSENT: _S.ABSENT,
        Presence.INSTALLED: _S.INSTALLED,
        Presence.DAMAGED: _S.DAMAGED,
        Presence.AWAY: _S.AWAY,
    }
)
_LEFT_OUT: Final = MappingProxyType({Source.IMPORT: (_P.GET,), Source.STARTER: (_P.PAUSE,)})


class Amount(Struct, frozen=True):
    """How far something is."""

    done_bytes: int
    total_bytes: int

    @property
    def fraction(self) -> float:
        if self.total_bytes <= 0:
            return 0.0
        return min(1.0, max(0.0, self.done_bytes / self.total_bytes))


class Line(Struct, frozen=True, kw_only=True):
    """A row with all that happens to it. ``check`` is there while its files are being hashed."""

    row: ModelRow
    download: Download | None = None
    check: Amount | None = None

    @property
    def key(self) -> Key:
        return self.row.key

    @property
    def state(self) -> RowState:
        """A download that is done or cancelled says nothing: the disk does."""
        if self.check is not None:
            return RowState.CHECKING
        if self.download is not None and self.download.state in _OF_DOWNLOAD:
            return _OF_DOWNLOAD[self.download.state]
        return _OF_PRESENCE[self.row.presence]

    @property
    def amount(self) -> Amount | None:
        """How far the download or the check is; absent where neither is under way."""
        if self.check is not None:
            return self.check
        if self.download is not None and self.state in ON_ITS_WAY:
            total = self.download.total_bytes or self.row.size_bytes
            return Amount(self.download.done_bytes, total)
        return None

    @property
    def presses(self) -> tuple[Press, ...]:
        """The buttons of this row.

        What a person brought can't be fetched again; the starter takes no pause, it is small.
        """
        left_out = _LEFT_OUT.get(self.row.source, ())
        return tuple(press for press in PRESSES[self.state] if press not in left_out)

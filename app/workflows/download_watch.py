"""Follows one download until it rests, whichever program runs it: what a console command does."""

import time
from collections.abc import Callable
from typing import Final

from app.core.errors import UserError
from app.models.download_state import DownloadState
from app.models.identity import Stopped, never_stop
from app.workflows.download_view import DownloadView
from app.workflows.downloads import Downloads

_RESTING: Final = frozenset(
    {
        DownloadState.INSTALLED,
        DownloadState.FAILED,
        DownloadState.PAUSED,
        DownloadState.CANCELLED,
    }
)
_POLL_S: Final = 0.25


def watch(
    downloads: Downloads,
    model: str,
    variant: str,
    on_view: Callable[[DownloadView], None],
    stop: Callable[[], bool] = never_stop,
) -> DownloadView:
    """Blocks until the download is installed, failed, paused or cancelled; returns that view.

    If the program that ran it ends, this one takes over. A download that waits (``view.reason``
    says for what) is followed further.

    Raises:
        Stopped: ``stop`` said so; the download itself goes on or stays queued.
        UserError: ``download_unknown``.
    """
    while True:
        downloads.start()
        view = next(
            (v for v in downloads.downloads() if (v.model, v.variant) == (model, variant)), None
        )
        if view is None:
            raise UserError(
                "download_unknown",
                f"There is no download of {model}/{variant}.",
                "Look at the list of downloads again.",
            )
        on_view(view)
        if view.state in _RESTING:
            return view
        if stop():
            raise Stopped
        time.sleep(_POLL_S)

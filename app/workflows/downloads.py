"""The downloads of one data root: a queue, at most two at a time, watched and steered from both
skins, also from another program than the one that runs them.
"""

import contextlib
import logging
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from app.core.errors import ContenoxError, EnvironmentFault, UserError
from app.models.catalog import Catalog
from app.models.download import ModelDownload, require_hub
from app.models.download_lock import WriterLock
from app.models.download_state import ACTIVE, FINISHED, DownloadState, Move, allows
from app.models.download_store import DownloadRow, DownloadStore, MovedMeanwhile
from app.workflows.download_job import DownloadJob, JobEnd
from app.workflows.download_view import DownloadView

_log = logging.getLogger(__name__)

_ACTIVE_LIMIT: Final = 2
_POLL_S: Final = 0.3
_POLL_AFTER_ERROR_S: Final = 5.0


class Downloads:
    """Runs and steers the downloads. Every method returns at once, but ``close``.

    Args:
        catalog: what can be downloaded.
        store: the queue on disk.
        download: the steps of one download.
        lock: decides which program runs them.
        on_change: hears of each change and about four times a second of progress, on a thread of
            this object's.
        retry_s: the pause after a passing fault.
    """

    def __init__(
        self,
        catalog: Catalog,
        store: DownloadStore,
        download: ModelDownload,
        lock: WriterLock,
        on_change: Callable[[DownloadView], None] = lambda _: None,
        retry_s: float = 30.0,
    ) -> None:
        self._catalog = catalog
        self._store = store
        self._download = download
        self._lock = lock
        self._on_change = on_change
        self._retry_s = retry_s
        self._jobs: dict[tuple[str, str], DownloadJob] = {}
        self._guard = threading.Lock()
        self._wake = threading.Event()
        self._closing = False
        self._scheduler: threading.Thread | None = None

    # -- Life --

    def start(self) -> bool:
        """Begins to run what is queued, unless another program of this data root does so.

        Raises:
            EnvironmentFault: the data root can't be written.
        """
        if self._scheduler is not None:
            return True
        if not self._lock.acquire():
            return False
        with contextlib.suppress(EnvironmentFault):  # a full disk; the scheduler tries again
            self._store.recover()
            self._sweep()
        self._scheduler = threading.Thread(target=self._schedule, name="downloads", daemon=True)
        self._scheduler.start()
        return True

    def close(self) -> None:
        """Stops what runs; it goes on at the next start. Waits for the threads, well under 1 s."""
        self._closing = True
        self._wake.set()
        if self._scheduler is not None:
            self._scheduler.join()
            self._scheduler = None
        with self._guard:
            jobs = tuple(self._jobs.values())
        for job in jobs:
            job.stop(Move.RECOVER)
        for job in jobs:
            job.join()
        self._lock.release()

    # -- Asking --

    def downloads(self) -> tuple[DownloadView, ...]:
        """All downloads of this data root, the oldest first."""
        return tuple(self._view(row) for row in self._store.rows())

    def get(self, name: str, backend: str | None = None) -> DownloadView:
        """Queues a variant of the list; what was paused, failed or cancelled goes on.

        Raises:
            UserError: ``model_not_curated``, ``variant_not_curated``, ``not_from_hub``.
        """
        model, variant = self._catalog.find(name, backend)
        require_hub(model, variant)
        row = self._store.add(model.name, variant.name, variant.size_bytes)
        return self._changed(row)

    def pause(self, model: str, variant: str) -> DownloadView:
        """Raises ``UserError`` ``download_move`` if there is nothing to pause."""
        return self._steer(model, variant, Move.PAUSE)

    def resume(self, model: str, variant: str, *, accept_change: bool = False) -> DownloadView:
        """Lets a paused, waiting or failed download go on.

        Args:
            accept_change: the person agreed that a newer version replaces the installed one.

        Raises:
            UserError: ``download_move``.
        """
        row = self._store.row(model, variant)
        if accept_change and row is not None and row.plan is not None:
            self._store.accept(model, variant, row.plan.commit)
        return self._steer(model, variant, Move.RESUME)

    def cancel(self, model: str, variant: str) -> DownloadView:
        """Ends a download and removes what it had fetched.

        Raises:
            UserError: ``download_move``.
        """
        return self._steer(model, variant, Move.CANCEL)

    def pause_all(self) -> None:
        """Pauses everything that isn't finished."""
        self._each(Move.PAUSE)

    def resume_all(self) -> None:
        """Lets everything go on that is paused or waits."""
        for row in self._store.rows():
            if row.state is not DownloadState.FAILED and allows(row.state, Move.RESUME):
                with contextlib.suppress(ContenoxError):
                    self._steer(row.model, row.variant, Move.RESUME)

    # -- Steering --

    def _each(self, move: Move) -> None:
        for row in self._store.rows():
            if allows(row.state, move):
                with contextlib.suppress(ContenoxError):
                    self._steer(row.model, row.variant, move)

    def _steer(self, model: str, variant: str, move: Move) -> DownloadView:
        """Moves what rests; what runs, here or in another program, gets the wish."""
        row = self._store.row(model, variant)
        while row is not None and not (row.state in ACTIVE and move in (Move.PAUSE, Move.CANCEL)):
            try:
                row = self._store.move(model, variant, move, only_from=row.state)
            except MovedMeanwhile:
                row = self._store.row(model, variant)
                continue
            if move is Move.CANCEL:
                self._discard(row)
            return self._changed(row)
        row = self._store.wish(model, variant, move)
        with self._guard:
            job = self._jobs.get(row.key)
        if job is not None:
            job.stop(move)
        return self._changed(row)

    def _changed(self, row: DownloadRow) -> DownloadView:
        view = self._view(row)
        self._wake.set()
        self._on_change(view)
        return view

    def _view(self, row: DownloadRow) -> DownloadView:
        with self._guard:
            job = self._jobs.get(row.key)
        done, speed = row.done_bytes, None
        if job is not None:
            done, speed = job.progress()
        left = max(0, row.total_bytes - done)
        return DownloadView(
            model=row.model,
            variant=row.variant,
            state=row.state,
            done_bytes=done,
            total_bytes=row.total_bytes,
            bytes_per_s=speed,
            eta_s=left / speed if speed else None,
            reason=row.reason,
            retry_at=row.retry_at,
        )

    # -- Running --

    def _schedule(self) -> None:
        """The scheduler thread: starts what may start, and passes wishes on."""
        while not self._closing:
            pause_s = _POLL_S
            try:
                self._tick()
            except ContenoxError as error:  # a full disk must not end the thread
                _log.warning("downloads: %s", error.message)
                pause_s = _POLL_AFTER_ERROR_S
            self._wake.wait(pause_s)
            self._wake.clear()

    def _tick(self) -> None:
        now = time.time()
        for row in self._store.rows():
            with self._guard:
                job = self._jobs.get(row.key)
                running = len(self._jobs)
            if job is not None:
                if row.wish is not None:
                    job.stop(row.wish)
            elif row.state in ACTIVE:  # its end could not be stored, on a full disk
                with contextlib.suppress(UserError):
                    self._store.move(*row.key, row.wish or Move.RECOVER)
            elif row.wish is not None and allows(row.state, row.wish):
                self._steer(*row.key, row.wish)  # it came while the job was ending
            elif row.state is DownloadState.WAITING and (row.retry_at or 0) <= now:
                self._changed(self._store.move(*row.key, Move.RESUME))
            elif row.state is DownloadState.QUEUED and running < _ACTIVE_LIMIT:
                self._begin(row)

    def _begin(self, row: DownloadRow) -> None:
        try:
            model, variant = self._catalog.find(row.model, row.variant)
        except ContenoxError as error:  # a newer list no longer has it
            self._store.move(*row.key, Move.START)
            self._changed(self._store.move(*row.key, Move.FAIL, error.record()))
            return
        row = self._store.move(*row.key, Move.START)
        job = DownloadJob(model, variant, row, self._store, self._download, self._ended)
        job.on_progress = lambda current: self._on_change(self._view(current))
        with self._guard:
            self._jobs[row.key] = job
        self._on_change(self._view(row))
        job.start()

    def _ended(self, job: DownloadJob, end: JobEnd) -> None:
        """On the job's thread, as its last act."""
        retry_at = time.time() + self._retry_s if end.move is Move.WAIT else None
        try:
            before = self._store.row(*job.row.key)
            row = self._store.move(*job.row.key, end.move, end.reason, retry_at)
            if before is not None and before.wish not in (None, end.move):
                row = self._store.wish(*row.key, before.wish)
        except ContenoxError as error:
            _log.warning("a download's end could not be stored: %s", error.message)
            row = job.row
        with self._guard:
            del self._jobs[job.row.key]
        if end.move is Move.CANCEL:
            self._discard(row)
        self._changed(row)

    # -- Folders --

    def _discard(self, row: DownloadRow) -> None:
        folder = self._folder_of(row)
        if folder is not None:
            self._download.discard(folder)
        with contextlib.suppress(ContenoxError):
            self._store.set_plan(*row.key, None)
            self._store.set_done(*row.key, 0)

    def _folder_of(self, row: DownloadRow) -> Path | None:
        if row.plan is None:
            return None
        return self._download.folder(row.model, row.variant, row.plan)

    def _sweep(self) -> None:
        """Removes the folders of downloads that are in no list any more."""
        kept = (self._folder_of(row) for row in self._store.rows() if row.state not in FINISHED)
        self._download.sweep(folder for folder in kept if folder is not None)

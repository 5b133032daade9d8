"""One running download: a thread, a switch that stops it, and how far it is."""

import contextlib
import logging
import threading
import time
from collections.abc import Callable
from typing import Final

from msgspec import Struct

from app.core.errors import Bug, ContenoxError, ErrorRecord, UserError
from app.models.catalog import Model, Variant
from app.models.download import ModelDownload
from app.models.download_plan import Plan, withdrawn
from app.models.download_speed import SpeedMeter
from app.models.download_state import Move
from app.models.download_store import DownloadRow, DownloadStore
from app.models.fetch_stop import StopSwitch
from app.models.hub_errors import TEMPORARY
from app.models.identity import Stopped

_log = logging.getLogger(__name__)

_TELL_S: Final = 0.25
_STORE_S: Final = 1.0
# A person has to do something before it makes sense to go on.
_FOR_A_PERSON: Final = frozenset(
    {"disk_full", "data_root_is_file", "data_root_unwritable", "offline", "revision_changed"}
)


class JobEnd(Struct, frozen=True):
    """How a job ended: the move that its row makes, and why."""

    move: Move
    reason: ErrorRecord | None = None


class DownloadJob:
    """Runs one download on a thread of its own.

    Args:
        on_end: called once, on the thread, as its last act.
    """

    def __init__(
        self,
        model: Model,
        variant: Variant,
        row: DownloadRow,
        store: DownloadStore,
        download: ModelDownload,
        on_end: Callable[["DownloadJob", JobEnd], None],
    ) -> None:
        self.row = row
        self.on_progress: Callable[[DownloadRow], None] = lambda _: None
        self._model = model
        self._variant = variant
        self._store = store
        self._download = download
        self._on_end = on_end
        self._stop = StopSwitch()
        self._wanted_end = Move.RECOVER
        self._guard = threading.Lock()
        self._done_bytes = 0
        self._meter = SpeedMeter()
        self._told_at = self._stored_at = time.monotonic()
        self._thread = threading.Thread(
            target=self._run, name=f"download {model.name}", daemon=True
        )

    def start(self) -> None:
        self._thread.start()

    def stop(self, move: Move) -> None:
        """Stops it so that its row makes ``move``. The first wish counts, but a cancel always.

        A job that is just ending ends as it does; the row then keeps the wish.
        """
        with self._guard:
            if not self._stop.pressed() or move is Move.CANCEL:
                self._wanted_end = move
        self._stop.press()

    def join(self) -> None:
        self._thread.join()

    def progress(self) -> tuple[int, float | None]:
        """Bytes that are there, and bytes a second over the last ten."""
        with self._guard:
            return self._done_bytes, self._meter.bytes_per_s(time.monotonic())

    def _run(self) -> None:
        try:
            self._work()
            end = JobEnd(Move.FINISH)
        except Stopped:
            with self._guard:
                end = JobEnd(self._wanted_end)
        except ContenoxError as error:
            end = self._failed(error)
        except Exception as error:  # noqa: BLE001 - the thread ends here, its row must not hang
            _log.exception("a download broke")
            end = JobEnd(Move.FAIL, Bug.unexpected(error).record())
        with contextlib.suppress(ContenoxError):
            self._store.set_done(*self.row.key, self._done_bytes)
        self._on_end(self, end)

    def _work(self) -> None:
        plan = self._plan()
        if self._download.installed(self._model, self._variant, plan) is not None:
            self.kept(plan.size_bytes)
            return
        self._ask_before_a_change(plan)
        records = self._download.fetch(self._model, self._variant, plan, self._stop, self)
        self.row = self._store.move(*self.row.key, Move.VERIFY)
        self.on_progress(self.row)
        self._stop.check()
        self._download.install(self._model, self._variant, plan, records)

    def _plan(self) -> Plan:
        """The plan of an earlier run, so that a publisher's new commit mixes nothing."""
        plan = self.row.plan
        if plan is None:
            plan = self._download.plan(self._model, self._variant, self._stop)
            self.row = self._store.set_plan(*self.row.key, plan)
        return plan

    def _ask_before_a_change(self, plan: Plan) -> None:
        before = self._download.changed_from(self._model, self._variant, plan)
        if before is None or self.row.accepted_commit == plan.commit:
            return
        raise UserError(
            "revision_changed",
            f"{self._model.title} is installed already, but as something else: {before} is there, "
            f"commit {plan.commit[:12]} is offered.",
            "Agree to the change to replace the installed version, or cancel to keep it.",
        )

    def _failed(self, error: ContenoxError) -> JobEnd:
        if error.code in TEMPORARY:
            return JobEnd(Move.WAIT, error.record())
        if error.code in _FOR_A_PERSON:
            return JobEnd(Move.PAUSE, error.record())
        if withdrawn(error):
            self._store.set_plan(*self.row.key, None)
        return JobEnd(Move.FAIL, error.record())

    def kept(self, count: int) -> None:
        """Bytes that were there before; negative where they turned out to be worthless."""
        self._count(count, 0)

    def received(self, count: int) -> None:
        """Bytes from the network."""
        self._count(count, count)

    def _count(self, count: int, received: int) -> None:
        now = time.monotonic()
        with self._guard:
            self._done_bytes += count
            self._meter.add(received, now)
            done = self._done_bytes
        if now - self._stored_at >= _STORE_S:
            self._stored_at = now
            self._store.set_done(*self.row.key, done)
        if now - self._told_at >= _TELL_S:
            self._told_at = now
            self.on_progress(self.row)

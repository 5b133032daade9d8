"""One thread and its queue, whose end is waited for only as long as the caller wants."""

import threading
from collections.abc import Callable
from concurrent.futures import Future
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

_T = TypeVar("_T")


class SerialThread:
    """Runs calls one after the other, in the order in which they came.

    The thread starts with the first call. It is a daemon, unlike those of ``ThreadPoolExecutor``,
    which are waited for without a limit when the program ends: a disk that hangs in a call can't
    keep the program from ending. What such a call was writing is safe as after a power cut.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._lock = threading.Lock()
        self._jobs: SimpleQueue[tuple[Future[Any], Callable[[], Any]] | None] = SimpleQueue()
        self._thread: threading.Thread | None = None
        self._closed = False

    def submit(self, call: Callable[[], _T]) -> Future[_T]:
        """Queues ``call``. Raises ``RuntimeError`` once the thread is closed."""
        future: Future[_T] = Future()
        with self._lock:
            if self._closed:
                raise RuntimeError(f"the thread {self._name} is closed")
            self._jobs.put((future, call))
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name=self._name, daemon=True)
                self._thread.start()
        return future

    def close(self, *, drop_waiting: bool = False) -> None:
        """Takes no more calls. Those that wait are done, or cancelled if ``drop_waiting``."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
            while drop_waiting:
                try:
                    job = self._jobs.get_nowait()
                except Empty:
                    break
                if job is not None:
                    job[0].cancel()
            self._jobs.put(None)

    def join(self, timeout_s: float) -> bool:
        """Waits at most ``timeout_s`` seconds for the end; says whether it has come."""
        if self._thread is None:
            return True
        self._thread.join(max(0.0, timeout_s))
        return not self._thread.is_alive()

    def _run(self) -> None:
        while (job := self._jobs.get()) is not None:
            future, call = job
            if not future.set_running_or_notify_cancel():
                continue
            try:
                future.set_result(call())
            except BaseException as error:  # noqa: BLE001 - it belongs to who asked
                future.set_exception(error)

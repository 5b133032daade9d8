"""One line of counts and times for each request that ended, never any text.

The engine process appends them to ``trace.jsonl`` in its log folder; benchmarks and the diagnostic
bundle read them. Two engines may share the file: each line is one write, and a line that a crash
cut is skipped by the reader.
"""

import contextlib
import logging
import os
import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from app.core.units import MIB
from app.engine.protocol import Failed, Finished, Request, Terminal
from app.engine.spec import LoadSpec

_log = logging.getLogger(__name__)

TRACE_FILE: Final = "trace.jsonl"
_MAX_BYTES: Final = 4 * MIB
_KEPT_FILES: Final = 2


class TraceRecord(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What one request was and how it ended.

    ``time`` is when it ended, in UTC. ``wall_s`` runs from its receipt to its end, waiting and
    loading included. ``outcome`` is the finish reason or the error's code. The other figures are
    those of ``Usage`` and ``Timings``; the fields of a model are empty where a request has none.
    """

    time: str
    request: str
    kind: str
    outcome: str
    failed: bool = False
    fatal: bool = False
    model_digest: str = ""
    profile_digest: str = ""
    backend: str = ""
    device: str = ""
    pipeline: str = ""
    context_tokens: int = 0
    generation: int = 0
    prompt_tokens: int = 0
    reused_tokens: int = 0
    completion_tokens: int = 0
    thinking_tokens: int = 0
    wall_s: float = 0.0
    load_s: float = 0.0
    ttft_s: float | None = None
    prefill_tokens_per_s: float | None = None
    decode_tokens_per_s: float | None = None


def trace_record(
    request: Request, terminal: Terminal, *, pipeline: str, wall_s: float
) -> TraceRecord:
    """Makes the record of ``request``, which ended in ``terminal``.

    Args:
        pipeline: what runs the loaded model.
        wall_s: seconds since the request was received.
    """
    ended = TraceRecord(
        time=datetime.now(UTC).isoformat(timespec="milliseconds"),
        request=request.request,
        kind=type(request).__name__.lower(),
        outcome=terminal.error.code if isinstance(terminal, Failed) else terminal.reason.value,
        failed=isinstance(terminal, Failed),
        fatal=isinstance(terminal, Failed) and terminal.fatal,
        generation=terminal.generation,
        wall_s=wall_s,
    )
    spec = getattr(request, "spec", None)
    if isinstance(spec, LoadSpec):
        ended = msgspec.structs.replace(
            ended,
            model_digest=spec.model_digest,
            profile_digest=spec.profile_digest,
            backend=spec.backend,
            device=spec.device,
            pipeline=pipeline,
            context_tokens=spec.context_tokens,
        )
    if isinstance(terminal, Finished):
        usage, timings = terminal.usage, terminal.timings
        ended = msgspec.structs.replace(
            ended,
            prompt_tokens=usage.prompt_tokens,
            reused_tokens=usage.reused_tokens,
            completion_tokens=usage.completion_tokens,
            thinking_tokens=usage.thinking_tokens,
            load_s=timings.load_s,
            ttft_s=timings.ttft_s,
            prefill_tokens_per_s=timings.prefill_tokens_per_s,
            decode_tokens_per_s=timings.decode_tokens_per_s,
        )
    return ended


class TraceFile:
    """Appends records to a file, from any thread; older ones move to ``.1`` and ``.2``.

    Args:
        path: the file; its folder exists.
        max_bytes: a file that has grown beyond this is moved aside.
    """

    def __init__(self, path: Path, max_bytes: int = _MAX_BYTES) -> None:
        self._path = path
        self._max_bytes = max_bytes
        self._lock = threading.Lock()

    def append(self, record: TraceRecord) -> None:
        """Writes one line. A full disk or a locked file costs the line, never the request."""
        line = msgspec.json.encode(record) + b"\n"
        try:
            with self._lock:
                self._rotate()
                descriptor = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
                try:
                    os.write(descriptor, line)
                finally:
                    os.close(descriptor)
        except OSError as error:
            _log.warning("the trace was not written: %s", error)

    def _rotate(self) -> None:
        with contextlib.suppress(FileNotFoundError):
            if self._path.stat().st_size < self._max_bytes:
                return
            for number in range(_KEPT_FILES, 0, -1):
                older = self._numbered(number - 1)
                with contextlib.suppress(FileNotFoundError):
                    older.replace(self._numbered(number))

    def _numbered(self, number: int) -> Path:
        return self._path.with_name(f"{self._path.name}.{number}") if number else self._path


def read_trace(path: Path) -> Iterator[TraceRecord]:
    """The records of a trace file, oldest first; lines that aren't whole are left out."""
    with contextlib.suppress(FileNotFoundError):
        for line in path.read_bytes().splitlines():
            with contextlib.suppress(msgspec.MsgspecError):
                yield msgspec.json.decode(line, type=TraceRecord)

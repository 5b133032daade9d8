"""Invented models, a queue and a shelf behind the window's ports."""

import threading
from collections.abc import Callable
from pathlib import Path

import msgspec

from app.core.errors import DataFault, ErrorRecord
from app.desktop.models.ports import (
    Ability,
    BytesReport,
    Download,
    FileFacts,
    FitFacts,
    Key,
    ModelDetails,
    ModelRow,
    ModelsServices,
    Presence,
    Source,
    StarterStep,
    StoreFacts,
    Verdict,
)
from app.models.download_state import DownloadState, Move, after
from app.models.identity import Stopped

GB = 1_000_000_000


def fit(verdict: Verdict, weights_bytes: int = GB) -> FitFacts:
    """A verdict with a sum."""
    return FitFacts(
        verdict=verdict,
        device="CPU",
        context_tokens=8192,
        weights_bytes=weights_bytes,
        kv_bytes=GB,
        working_bytes=GB // 2,
        usable_bytes=10 * GB,
    )


def row(name: str, variant: str = "openvino", **fields: object) -> ModelRow:
    """A permissive chat model of 2 GB that fits, unless ``fields`` say otherwise."""
    size = int(str(fields.pop("size_bytes", 2 * GB)))
    plain = ModelRow(
        model=name,
        variant=variant,
        title=name.replace("-", " ").title(),
        backend="llama" if variant == "gguf" else "openvino",
        size_bytes=size,
        good_at="Everyday chat.",
        use="chat",
        parameters=size,
        quantisation="INT4",
        context_tokens=8192,
        licence="Apache-2.0",
        licence_link="https://example.com/licence",
        is_permissive=True,
        publisher="Acme",
        repository=f"acme/{name}",
        revision="a" * 40,
        trust="pinned",
        fit=fit(Verdict.FITS, size),
    )
    return msgspec.structs.replace(plain, **fields)


STARTER = row(
    "smollm2-135m-instruct",
    size_bytes=98_000_000,
    source=Source.STARTER,
    use="smoke",
    repository="",
    revision="",
)
SMALL = row("small-chat", size_bytes=2 * GB, parameters=1_700_000_000)
LARGE = row("large-chat", size_bytes=5 * GB, parameters=8_000_000_000)
CODER = row("coder", "gguf", use="coding", size_bytes=4 * GB)
HUGE = row("huge", "gguf", size_bytes=40 * GB, fit=fit(Verdict.DOES_NOT_FIT), use="reasoning")
ROWS = (STARTER, SMALL, LARGE, CODER, HUGE)


class Queued(msgspec.Struct, frozen=True, kw_only=True):
    """A download as the queue tells of it."""

    model: str
    variant: str
    state: DownloadState = DownloadState.QUEUED
    done_bytes: int = 0
    total_bytes: int = 2 * GB
    bytes_per_s: float | None = None
    eta_s: float | None = None
    reason: ErrorRecord | None = None


class Queue:
    """Moves downloads as the real one does; a test lets bytes arrive with ``tell``."""

    def __init__(self) -> None:
        self.views: dict[Key, Queued] = {}
        self.listener: Callable[[Download], None] = lambda _: None
        self.opened = 0
        self.started = 0
        self.closed = 0
        self.ours = True
        self.threads: set[str] = set()
        self.accepted: list[Key] = []
        self.error: Exception | None = None

    def open(self, listener: Callable[[Download], None]) -> "Queue":
        if self.error is not None:
            raise self.error
        self.listener = listener
        self.opened += 1
        return self

    def start(self) -> bool:
        self.threads.add(threading.current_thread().name)
        self.started += 1
        return self.ours

    def close(self) -> None:
        self.closed += 1

    def downloads(self) -> tuple[Download, ...]:
        return tuple(self.views.values())

    def get(self, name: str, backend: str | None = None) -> Download:
        assert backend is not None
        self.threads.add(threading.current_thread().name)
        self.views.setdefault((name, backend), Queued(model=name, variant=backend))
        return self._move((name, backend), Move.ADD)

    def pause(self, model: str, variant: str) -> Download:
        return self._move((model, variant), Move.PAUSE)

    def resume(self, model: str, variant: str, *, accept_change: bool = False) -> Download:
        if accept_change:
            self.accepted.append((model, variant))
        return self._move((model, variant), Move.RESUME)

    def cancel(self, model: str, variant: str) -> Download:
        return self._move((model, variant), Move.CANCEL)

    def _move(self, key: Key, move: Move) -> Download:
        state = after(self.views[key].state, move)
        assert state is not None, (key, move)
        self.views[key] = msgspec.structs.replace(self.views[key], state=state, reason=None)
        return self.views[key]

    def tell(self, key: Key, **fields: object) -> None:
        """What a thread of the queue says."""
        self.views[key] = msgspec.structs.replace(self.views[key], **fields)
        self.listener(self.views[key])


class ShelfDouble:
    """Rows in memory; deletes and verifies as a test wants it."""

    def __init__(self, rows: tuple[ModelRow, ...] = ROWS) -> None:
        self.listed = rows
        self.deleted: dict[Key, ModelRow] = {}
        self.verify_error: Exception | None = None
        self.verify_gate = threading.Event()
        self.verify_gate.set()
        self.closed = 0

    def rows(self) -> tuple[ModelRow, ...]:
        return self.listed

    def measure_machine(self) -> bool:
        return False

    def store(self) -> StoreFacts:
        used = sum(r.size_bytes for r in self.listed if r.presence is Presence.INSTALLED)
        return StoreFacts(
            folder=Path("store"),
            models_bytes=used,
            free_bytes=100 * GB,
            total_bytes=200 * GB,
            reserve_bytes=2 * GB,
        )

    def details(self, key: Key) -> ModelDetails:
        files = (FileFacts(path="model.bin", size_bytes=GB, sha256="ab" * 32),)
        tools = Ability(name="tools", is_offered=False, is_verified=True, evidence="Never calls.")
        return ModelDetails(files=files, abilities=(tools,))

    def verify(self, key: Key, report: BytesReport, stop: Callable[[], bool]) -> None:
        report(GB, 2 * GB)
        while not self.verify_gate.wait(0.01):
            if stop():
                raise Stopped
        if self.verify_error is not None:
            raise self.verify_error

    def delete(self, key: Key) -> None:
        self.deleted[key] = self.of(key)
        self.put(key, presence=Presence.ABSENT)

    def undelete(self, key: Key) -> None:
        before = self.deleted.pop(key)
        self.put(key, presence=before.presence)

    def close(self) -> None:
        self.closed += 1

    def of(self, key: Key) -> ModelRow:
        return next(row for row in self.listed if row.key == key)

    def put(self, key: Key, **fields: object) -> None:
        """Changes a row as the disk would."""
        self.listed = tuple(
            msgspec.structs.replace(row, **fields) if row.key == key else row for row in self.listed
        )


class Step(msgspec.Struct, frozen=True):
    done_bytes: int
    total_bytes: int | None = None


class ModelRoom:
    """All of it, with the services made of it."""

    def __init__(self) -> None:
        self.shelf = ShelfDouble()
        self.queue = Queue()
        self.left = False
        self.starter_gate = threading.Event()
        self.starter_gate.set()
        self.imported: list[Path] = []
        self.moved: list[Path] = []
        self.import_error: Exception | None = None
        self.services = ModelsServices(
            shelf=self.shelf,
            open_downloads=self.queue.open,
            has_downloads=lambda: self.left,
            get_starter=self._starter,
            import_model=self._import,
            move_store=self._move,
        )

    def _starter(self, report: Callable[[StarterStep], None], stop: Callable[[], bool]) -> None:
        report(Step(49_000_000, 98_000_000))
        while not self.starter_gate.wait(0.01):
            if stop():
                raise Stopped
        self.shelf.put(STARTER.key, presence=Presence.INSTALLED)

    def _import(self, path: Path, report: BytesReport, stop: Callable[[], bool]) -> Key:
        report(1, 2)
        if self.import_error is not None:
            raise self.import_error
        self.imported.append(path)
        brought = row("mine", source=Source.IMPORT, presence=Presence.INSTALLED, trust="")
        self.shelf.listed = (*self.shelf.listed, brought)
        return brought.key

    def _move(self, target: Path, report: BytesReport, stop: Callable[[], bool]) -> None:
        report(1, 2)
        assert self.queue.closed, "the queue rests while the store moves"
        self.moved.append(target)


DAMAGED = DataFault(
    "model_damaged", "The file model.bin has changed on the disk.", "Get the model again."
)

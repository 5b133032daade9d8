"""What the desktop is given to work with. The composition root fills it in; tests fill in fakes."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from app.chats.records import SamplingFields
from app.core.settings import SettingsFile
from app.desktop.around import Around
from app.desktop.kept_chats import KeptChats
from app.desktop.measured.ports import MeasureServices
from app.desktop.models.ports import ModelsServices
from app.engine.outcome import Timings, Usage
from app.engine.protocol import Generate, Request
from app.engine.spec import LoadSpec
from app.hardware.readings import DeviceInventory, DeviceReading
from app.workflows.context import ChatParts
from app.workflows.cpu_retry import TurnListener
from app.workflows.reading_speed import ReadingSpeed


class Engine(Protocol):
    """The part of the engine client that the window uses. No method but ``close`` blocks."""

    def submit(self, request: Request, listener: TurnListener) -> None:
        """Sends ``request``; every event of it reaches ``listener`` on a reader thread."""

    def cancel(self, request_id: str) -> None:
        """Asks the engine to end a request; its terminal event says that it did."""

    def close(self, timeout_s: float = 2.0) -> None:
        """Ends the engine process; returns within ``timeout_s`` seconds."""


class ModelEntry(Protocol):
    """An installed model as the window shows it. ``app.models`` provides the records."""

    @property
    def name(self) -> str: ...
    @property
    def variant(self) -> str: ...
    @property
    def backend(self) -> str: ...
    @property
    def size_bytes(self) -> int: ...
    @property
    def context_tokens(self) -> int: ...


class PrepareTurn(Protocol):
    """Makes the request of one turn. May read files: it is called on a worker thread."""

    def __call__(
        self,
        model: ModelEntry,
        device: DeviceReading | None,
        parts: ChatParts,
        wishes: SamplingFields,
    ) -> Generate:
        """Returns the request that answers the chat of ``parts``; what ``wishes`` leave open is the
        program's choice.

        ``device`` absent means the automatic choice. When the history ends in an answer and there
        is no turn, the answer shall go on from its end without repeating it.

        Raises:
            ContenoxError: the model or the device can't be used.
        """


class PrefixWarmer(Protocol):
    """Keeps the beginnings of chats in the model's cache. Every method may block; one thread."""

    def note_turn(self, chat: str, turn: Generate) -> None:
        """A turn of ``chat`` was read."""

    def forget(self, chat: str) -> None:
        """What ``chat`` begins with is something else now."""

    def warm_next(self) -> str | None:
        """Reads again what is worth most; returns its chat, or ``None`` if nothing gains by it."""


class Readings(Protocol):
    """How fast each model reads here. Every method may block; one thread."""

    def note(self, digest: str, device: str, usage: Usage, timings: Timings) -> None:
        """An answer of the model has ended."""

    def of(self, spec: LoadSpec, characters: int) -> ReadingSpeed | None:
        """What is known, or else expected, before ``characters`` are read."""


class FetchProgress(Protocol):
    """How far the first model is. ``step`` is ``download``, ``unpack``, ``convert`` or ``hash``;
    ``total_bytes`` is absent where nothing tells how much there is to do.
    """

    @property
    def step(self) -> str: ...
    @property
    def done_bytes(self) -> int: ...
    @property
    def total_bytes(self) -> int | None: ...


class EnsureStarter(Protocol):
    """Installs the first model; blocks until ``list_models`` lists it."""

    def __call__(
        self, report: Callable[[FetchProgress], None], stop: Callable[[], bool], /
    ) -> object:
        """Tells ``report`` how far it is and asks ``stop`` often; what was whole stays.

        Raises:
            ContenoxError: it can't be installed.
            Stopped: ``stop`` said so.
        """


@dataclass(frozen=True, slots=True)
class DesktopServices:
    """The desktop's collaborators. Except ``open_engine`` all callables may block.

    ``models`` absent means a window that can't get models, beside the starter; ``measure`` absent
    one that measures nothing; ``warmer`` absent one that reads nothing again while it is idle;
    ``readings`` absent one that foresees how long a turn takes for a loaded model only.
    ``look_around`` says whether the machine slept or its graphics devices changed since it was
    called last.

    ``open_engine`` gets the listener of the engine's notices (called on a reader thread) and
    starts no process before the first request.
    """

    open_engine: Callable[[Callable[[object], None]], Engine]
    list_models: Callable[[], tuple[ModelEntry, ...]]
    list_devices: Callable[[], DeviceInventory]
    prepare_turn: PrepareTurn
    ensure_starter: EnsureStarter
    settings_file: SettingsFile
    data_root: Path
    chats: KeptChats
    models: ModelsServices | None = None
    measure: MeasureServices | None = None
    look_around: Callable[[], bool] = lambda: False
    warmer: PrefixWarmer | None = None
    readings: Readings | None = None
    around: Around = field(default_factory=Around)

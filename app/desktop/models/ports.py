"""What the Models window is given to work with, and the records that it shows.

The window knows no catalogue, library or queue: it reads these records and presses these methods.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Protocol

from msgspec import Struct

from app.core.errors import ErrorRecord
from app.hardware.expected_speed import ExpectedSpeed
from app.models.download_state import DownloadState

Key = tuple[str, str]
"""A model's name and a variant's name: one row."""


class Verdict(StrEnum):
    """Whether a model fits here. ``UNKNOWN``: a figure is missing, and the sentence says which."""

    FITS = "fits"
    TIGHT = "tight"
    DOES_NOT_FIT = "does_not_fit"
    UNKNOWN = "unknown"


class FitFacts(Struct, frozen=True, kw_only=True):
    """The verdict and the sum behind it; where it is unknown, ``problem`` says why."""

    verdict: Verdict = Verdict.UNKNOWN
    device: str = ""
    context_tokens: int = 0
    weights_bytes: int = 0
    kv_bytes: int = 0
    working_bytes: int = 0
    usable_bytes: int = 0
    problem: ErrorRecord | None = None

    @property
    def needed_bytes(self) -> int:
        return self.weights_bytes + self.kv_bytes + self.working_bytes


class Presence(StrEnum):
    """What is on the disk. ``AWAY``: the drive that holds the model isn't there at the moment."""

    ABSENT = "absent"
    INSTALLED = "installed"
    DAMAGED = "damaged"
    AWAY = "away"


class Source(StrEnum):
    """How a model gets here: from the Hub, as the starter, or from a person's own files."""

    HUB = "hub"
    STARTER = "starter"
    IMPORT = "import"


class ModelRow(Struct, frozen=True, kw_only=True):
    """One variant of one model.

    ``use`` is ``chat``, ``coding``, ``reasoning``, ``smoke`` or empty. ``trust`` is ``pinned``,
    ``first-use`` or empty for an import. ``problem`` says why a damaged one is not loaded.
    ``tokens_per_s`` was measured; ``expected`` is an estimate for the processor, until it was.
    """

    model: str
    variant: str
    title: str
    backend: str
    size_bytes: int
    size_is_exact: bool = True
    good_at: str = ""
    use: str = ""
    parameters: int | None = None
    quantisation: str = ""
    context_tokens: int | None = None
    licence: str = ""
    licence_link: str = ""
    is_permissive: bool = False
    publisher: str = ""
    repository: str = ""
    revision: str = ""
    trust: str = ""
    provenance: str = ""
    source: Source = Source.HUB
    fit: FitFacts = FitFacts()
    tokens_per_s: float | None = None
    expected: ExpectedSpeed | None = None
    presence: Presence = Presence.ABSENT
    problem: ErrorRecord | None = None
    folder: Path | None = None

    @property
    def key(self) -> Key:
        return self.model, self.variant


class FileFacts(Struct, frozen=True, kw_only=True):
    """One file. Size and digest are absent where the first download will tell them."""

    path: str
    size_bytes: int | None = None
    sha256: str | None = None


class Ability(Struct, frozen=True, kw_only=True):
    """One thing that a profile says about a model. ``name``: chat, tools, thinking, embeddings."""

    name: str
    is_offered: bool
    is_verified: bool
    evidence: str


class ModelDetails(Struct, frozen=True, kw_only=True):
    """What takes a look at files, so that it is read when a row is shown."""

    files: tuple[FileFacts, ...] = ()
    abilities: tuple[Ability, ...] = ()


class StoreFacts(Struct, frozen=True, kw_only=True):
    """The folder of the models and its disk. ``reserve_bytes`` is what downloads leave free."""

    folder: Path
    models_bytes: int
    free_bytes: int
    total_bytes: int
    reserve_bytes: int


class BytesReport(Protocol):
    """Hears how far a long job is. Called on the thread of the job."""

    def __call__(self, done_bytes: int, total_bytes: int, /) -> None: ...


class Shelf(Protocol):
    """The catalogue and the library as one list. Every method blocks."""

    def rows(self) -> tuple[ModelRow, ...]:
        """Every curated variant, and every model that is here."""

    def measure_machine(self) -> bool:
        """Probes the processor for two seconds, if nobody did yet; says whether it did."""

    def store(self) -> StoreFacts:
        """The disk of the models."""

    def details(self, key: Key) -> ModelDetails:
        """Files and abilities of one row."""

    def verify(self, key: Key, report: BytesReport, stop: Callable[[], bool]) -> None:
        """Hashes every file.

        Raises:
            DataFault: names the file that isn't what it was.
            Stopped: ``stop`` said so.
        """

    def delete(self, key: Key) -> None:
        """Puts the model aside until the program quits."""

    def undelete(self, key: Key) -> None:
        """Brings back a model that was deleted."""

    def close(self) -> None:
        """Deletes for good what was put aside."""


class StarterStep(Protocol):
    """How far the starter is; ``total_bytes`` is absent where nothing tells."""

    @property
    def done_bytes(self) -> int: ...
    @property
    def total_bytes(self) -> int | None: ...


class GetStarter(Protocol):
    """Installs the starter in both its variants."""

    def __call__(
        self, report: Callable[[StarterStep], None], stop: Callable[[], bool], /
    ) -> object:
        """Raises ``ContenoxError`` or ``Stopped``; what was whole stays."""


class ImportModel(Protocol):
    """Takes a folder of an OpenVINO model, a GGUF file or an exported folder into the library."""

    def __call__(self, path: Path, report: BytesReport, stop: Callable[[], bool], /) -> Key:
        """Raises ``ContenoxError`` with the reason of a refusal, or ``Stopped``."""


class MoveStore(Protocol):
    """Moves all models to another folder: copies, verifies, switches, deletes."""

    def __call__(self, target: Path, report: BytesReport, stop: Callable[[], bool], /) -> None:
        """Raises ``ContenoxError`` or ``Stopped``; the old store is whole then."""


class Download(Protocol):
    """A download as it is shown. ``app.workflows.downloads`` provides the records."""

    @property
    def model(self) -> str: ...
    @property
    def variant(self) -> str: ...
    @property
    def state(self) -> DownloadState: ...
    @property
    def done_bytes(self) -> int: ...
    @property
    def total_bytes(self) -> int: ...
    @property
    def bytes_per_s(self) -> float | None: ...
    @property
    def eta_s(self) -> float | None: ...
    @property
    def reason(self) -> ErrorRecord | None: ...


class Downloads(Protocol):
    """The queue. Its methods read a small database, so they are called on a worker thread."""

    def start(self) -> bool:
        """Runs what is queued; false if another program does so."""

    def close(self) -> None:
        """Stops what runs; it goes on at the next start."""

    def downloads(self) -> tuple[Download, ...]: ...

    def get(self, name: str, backend: str | None = None) -> Download: ...

    def pause(self, model: str, variant: str) -> Download: ...

    def resume(self, model: str, variant: str, *, accept_change: bool = False) -> Download: ...

    def cancel(self, model: str, variant: str) -> Download: ...


@dataclass(frozen=True, slots=True)
class ModelsServices:
    """The collaborators of the Models window.

    Args:
        shelf: catalogue and library.
        open_downloads: builds the queue with a listener, which is called on its threads; blocks.
        has_downloads: whether a queue was left by an earlier start; costs one look at the disk.
        get_starter: installs the model that needs no Hub; blocks.
        import_model: absent where this build can't.
        move_store: absent where this build can't.
    """

    shelf: Shelf
    open_downloads: Callable[[Callable[[Download], None]], Downloads]
    has_downloads: Callable[[], bool]
    get_starter: GetStarter
    import_model: ImportModel | None = None
    move_store: MoveStore | None = None

"""What a backend offers besides answering: exact counting, and reuse that can be foreseen."""

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from app.engine.backends.base import Control, Outcome
from app.engine.manifest import Identity
from app.engine.protocol import Generate
from app.engine.reuse import Books, PrefillSpeed
from app.engine.snapshots import SnapshotStore
from app.engine.spec import LoadSpec


@dataclass(frozen=True, slots=True)
class WrittenPrompt:
    """A prompt as the model's template renders it, and its ids.

    ``text`` has a mark inside each control token that a message imitates; see ``prompt``.
    """

    text: str
    ids: list[int]


class PromptTokenizer(Protocol):
    """A model's tokenizer and template without its weights; the tokenizer thread's own."""

    def write(self, turn: Generate, control: Control) -> WrittenPrompt:
        """Renders and tokenizes the prompt, exactly as the loaded model would.

        Raises:
            RequestStopped: ``control`` said so.
            ContenoxError: what ``Session.generate`` would raise before it computes anything.
        """

    def encode(self, text: str, control: Control) -> list[int]:
        """The ids of a beginning of a ``WrittenPrompt.text``; ``control`` may stop it."""

    def protect(self, text: str) -> str:
        """A message's text as it stands in a ``WrittenPrompt.text``."""

    def identity(self, spec: LoadSpec) -> Identity:
        """What decides the KV of this model under ``spec``."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader of a report should know about this tokenizer."""

    def close(self) -> None:
        """Frees it. Idempotent."""


@runtime_checkable
class TokenizingBackend(Protocol):
    """A backend that can count without loading a model."""

    def open_tokenizer(self, spec: LoadSpec, control: Control) -> PromptTokenizer:
        """Checks the files and loads the tokenizer; raises what ``open_session`` raises."""


@runtime_checkable
class KeepingSession(Protocol):
    """A session whose backend can write its cache to a file; the paged pipeline's can't."""

    def keep_in(self, store: SnapshotStore) -> None:
        """From now on, uses what is in ``store`` where that wins."""

    def keep_prefix(self) -> None:
        """Saves the stable prefix of the last chat; called before the session is closed."""


@runtime_checkable
class ReusingSession(Protocol):
    """A session whose cache is kept account of."""

    @property
    def books(self) -> Books: ...

    @property
    def speed(self) -> PrefillSpeed: ...

    def prefill(self, turn: Generate, control: Control) -> Outcome:
        """Computes what every answer to the next message of ``turn`` begins with.

        Raises:
            UserError: ``prefill_not_supported``, by the name of the pipeline.
        """

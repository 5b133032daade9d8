"""What the window is given around the chat itself: upkeep, the network, diagnostics."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from app.chats.store import ChatStore
from app.core.settings import Settings
from app.models.ledger import Contact
from app.workflows.diagnostics import BundlePart


def _nothing_to_apply(_settings: Settings) -> None:
    pass


def _no_bundle() -> tuple[BundlePart, ...]:
    return ()


@dataclass(frozen=True, slots=True)
class Around:
    """``store`` absent means chats that are kept nowhere.

    ``apply_settings`` is called on the GUI thread with each change and never blocks. The others
    read files, so they are called on a worker.
    """

    store: ChatStore | None = None
    apply_settings: Callable[[Settings], None] = _nothing_to_apply
    contacts: Callable[[], tuple[Contact, ...]] = tuple
    collect_diagnostics: Callable[[], tuple[BundlePart, ...]] = _no_bundle
    save_diagnostics: Callable[[tuple[BundlePart, ...], Path], None] | None = None

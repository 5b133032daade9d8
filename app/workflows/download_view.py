"""One download as a skin shows it."""

from msgspec import Struct

from app.core.errors import ErrorRecord
from app.models.download_state import DownloadState, Move, allows


class DownloadView(Struct, frozen=True, kw_only=True):
    """What a skin shows. ``reason`` says why it waits, is paused by the program, or failed."""

    model: str
    variant: str
    state: DownloadState
    done_bytes: int
    total_bytes: int
    bytes_per_s: float | None = None
    eta_s: float | None = None
    reason: ErrorRecord | None = None
    retry_at: float | None = None

    def allows(self, move: Move) -> bool:
        """Whether a button for ``move`` does anything now."""
        return allows(self.state, move)

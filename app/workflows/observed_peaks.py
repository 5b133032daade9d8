"""How much memory a model really took here, remembered for the next time it is judged."""

import logging
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from app.core.errors import ContenoxError
from app.core.files import write_atomic
from app.engine.spec import LoadSpec

_log = logging.getLogger(__name__)

PEAKS_FILE: Final = "peaks.json"
_KEPT: Final = 200
# A peak is written again when it rose by this share; answers differ by a few MB each.
_NOTICEABLE: Final = 1.02


class ObservedPeak(Struct, frozen=True, kw_only=True):
    """The most that the engine held while it had this model, with this context, on this device."""

    digest: str
    device: str
    context_tokens: int
    peak_bytes: int

    @property
    def key(self) -> tuple[str, str, int]:
        return self.digest, self.device, self.context_tokens


class ObservedPeaks:
    """The peaks of this machine in one file, the newest last.

    Args:
        path: the file; written when a peak is new or noticeably higher.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._peaks: dict[tuple[str, str, int], ObservedPeak] | None = None

    def record(self, spec: LoadSpec, peak_bytes: int) -> None:
        """Takes in a peak. A file that can't be written stops nothing."""
        peak = ObservedPeak(
            digest=spec.model_digest,
            device=spec.device,
            context_tokens=spec.context_tokens,
            peak_bytes=peak_bytes,
        )
        peaks = self._load()
        before = peaks.get(peak.key)
        if before is not None and peak_bytes < before.peak_bytes * _NOTICEABLE:
            return
        peaks.pop(peak.key, None)
        peaks[peak.key] = peak
        kept = tuple(peaks.values())[-_KEPT:]
        try:
            write_atomic(self._path, msgspec.json.format(msgspec.json.encode(kept)) + b"\n")
        except ContenoxError as error:
            _log.warning("a peak of memory could not be stored: %s", error.message)

    def of(self, digest: str, device: str) -> tuple[ObservedPeak, ...]:
        """The peaks of one model on one device, at any context."""
        peaks = self._load().values()
        return tuple(peak for peak in peaks if (peak.digest, peak.device) == (digest, device))

    def _load(self) -> dict[tuple[str, str, int], ObservedPeak]:
        if self._peaks is None:
            try:
                found = msgspec.json.decode(self._path.read_bytes(), type=tuple[ObservedPeak, ...])
            except (OSError, msgspec.MsgspecError):
                found = ()
            self._peaks = {peak.key: peak for peak in found}
        return self._peaks

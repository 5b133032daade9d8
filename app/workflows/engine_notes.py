"""What the engine's notices teach about models: how much memory they took, which one broke it."""

import logging

from app.core.errors import ContenoxError
from app.engine.client import EngineDied, Notice
from app.engine.outcome import SlotState
from app.engine.protocol import StateChanged
from app.engine.spec import LoadSpec
from app.models.library import Library
from app.workflows.observed_peaks import ObservedPeaks

_log = logging.getLogger(__name__)


class EngineNotes:
    """Listens to the engine. Called on a reader thread; never raises.

    Args:
        library: where a model lies that the engine died of.
        peaks: gets what was observed.
    """

    def __init__(self, library: Library, peaks: ObservedPeaks) -> None:
        self._library = library
        self._peaks = peaks
        self._loading: LoadSpec | None = None

    def heed(self, notice: Notice) -> None:
        """Takes in one notice.

        After a death in a load every file of the model is hashed before it is loaded again.
        """
        if isinstance(notice, EngineDied):
            self._distrust()
        if not isinstance(notice, StateChanged):
            return
        self._loading = notice.spec if notice.state is SlotState.LOADING else None
        if notice.spec is not None and notice.peak_rss_bytes is not None:
            self._peaks.record(notice.spec, notice.peak_rss_bytes)

    def _distrust(self) -> None:
        spec, self._loading = self._loading, None
        if spec is None:
            return
        try:
            for model in self._library.installed():
                if model.digest == spec.model_digest:
                    self._library.distrust(model)
        except ContenoxError as error:
            _log.warning("the model that the engine died of is not noted: %s", error.message)

"""The real catalogue and library behind the window's ports. The only module that knows both."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Final

from PySide6.QtCore import QCoreApplication

from app.core.errors import UserError
from app.core.paths import profiles_dir
from app.desktop.models.ports import (
    Ability,
    BytesReport,
    FileFacts,
    FitFacts,
    GetStarter,
    Key,
    ModelDetails,
    ModelRow,
    ModelsServices,
    Presence,
    Source,
    StoreFacts,
    Verdict,
)
from app.desktop.phrases import phrase
from app.models.catalog import LicenceKind, Origin, Variant
from app.models.download_disk import DEFAULT_RESERVE_BYTES, free_bytes
from app.models.library import InstalledModel
from app.models.profile import (
    LLAMA_PROFILE,
    OPENVINO_PROFILE,
    LlamaProfile,
    OpenVinoProfile,
    Profile,
    Status,
    capabilities,
)
from app.models.profile_files import profile_of, read_profile
from app.models.trash import Trashed
from app.models.variant import read_manifest
from app.workflows.model_fit import FitHere
from app.workflows.model_move import MoveProgress
from app.workflows.model_row import ModelRow as ListedRow
from app.workflows.model_row import RowState
from app.workflows.model_services import ModelProgress, ModelServices

_PRESENCE: Final = {
    RowState.AVAILABLE: Presence.ABSENT,
    RowState.INSTALLED: Presence.INSTALLED,
    RowState.BROKEN: Presence.DAMAGED,
    RowState.AWAY: Presence.AWAY,
}


class LibraryShelf:
    """Called on worker threads of the window, one job at a time for each kind.

    Args:
        models: what can be done with models on this data root.
        unload: lets go of the model that the engine holds.
    """

    def __init__(
        self,
        models: ModelServices,
        unload: Callable[[], None],
    ) -> None:
        self._models = models
        self._unload = unload
        self._trashed: dict[Key, Trashed] = {}

    # --- Looking -------------------------------------------------------------------------------

    def rows(self) -> tuple[ModelRow, ...]:
        return tuple(self._row(row) for row in self._models.table.rows())

    def _row(self, row: ListedRow) -> ModelRow:
        listed = self._listed((row.name, row.variant))
        folder = Path(row.folder) if row.folder else None
        return ModelRow(
            model=row.name,
            variant=row.variant,
            title=row.title,
            backend=row.backend,
            size_bytes=row.size_bytes,
            size_is_exact=row.size_is_exact,
            good_at=QCoreApplication.translate("catalogue", row.good_at),
            use=row.use or "",
            parameters=row.parameters,
            quantisation=phrase(row.quantisation or ""),
            context_tokens=row.context_tokens,
            licence=row.licence or "",
            licence_link=row.licence_link or "",
            is_permissive=row.licence_kind is LicenceKind.PERMISSIVE,
            publisher=phrase(row.publisher or ""),
            repository=row.repository or "",
            revision=row.revision or "",
            trust=row.trust or ("" if listed is None else listed.trust.value),
            provenance=phrase(row.source or ""),
            source=_source(row, listed),
            fit=_fit(row.fit),
            tokens_per_s=row.tokens_per_s,
            expected=row.expected,
            presence=_PRESENCE[row.state],
            problem=row.problem,
            folder=folder,
        )

    def measure_machine(self) -> bool:
        if self._models.rates.known() is not None:
            return False
        self._models.rates.require()
        return True

    def store(self) -> StoreFacts:
        disk = self._models.table.disk()
        folder = Path(disk.store)
        there = folder
        while not there.exists() and there != there.parent:
            there = there.parent
        return StoreFacts(
            folder=folder,
            models_bytes=disk.models_bytes,
            free_bytes=free_bytes(folder) if disk.free_bytes is None else disk.free_bytes,
            total_bytes=shutil.disk_usage(there).total,
            reserve_bytes=DEFAULT_RESERVE_BYTES,
        )

    def details(self, key: Key) -> ModelDetails:
        installed = self._installed(key)
        listed = self._listed(key)
        if installed is not None:
            manifest = read_manifest(installed.folder)
            files = tuple(
                FileFacts(path=file.path, size_bytes=file.size_bytes, sha256=file.sha256)
                for file in manifest.files
            )
            return ModelDetails(files=files, abilities=_abilities(profile_of(installed)))
        if listed is None:
            return ModelDetails()
        files = tuple(
            FileFacts(path=file.path, size_bytes=file.size_bytes, sha256=file.sha256)
            for file in listed.files
        )
        return ModelDetails(files=files, abilities=_abilities(_shipped(key[0], listed.backend)))

    # --- Changing ------------------------------------------------------------------------------

    def verify(self, key: Key, report: BytesReport, stop: Callable[[], bool]) -> None:
        self._models.verify(self._require(key), _told(report), stop)

    def delete(self, key: Key) -> None:
        self._unload()
        installed = self._installed(key)
        if installed is not None:
            self._trashed[key] = self._models.trash.put(installed)
            return
        for broken in self._models.library.broken():
            if (broken.name, broken.variant) == key:
                self._models.library.discard(broken)

    def undelete(self, key: Key) -> None:
        trashed = self._trashed.pop(key, None)
        if trashed is not None:
            self._models.trash.undo(trashed)

    def close(self) -> None:
        """Empties the trash: what was deleted is gone once the program has quit."""
        self._models.close()

    # --- Bringing in ---------------------------------------------------------------------------

    def import_model(self, path: Path, report: BytesReport, stop: Callable[[], bool]) -> Key:
        """Imports what lies at ``path``; returns the first of several.

        Raises:
            ContenoxError: the reason of the refusal.
            Stopped: ``stop`` said so.
        """
        taken = self._models.import_from(path, None, _told(report), stop)
        return taken[0].name, taken[0].variant

    def move_store(self, target: Path, report: BytesReport, stop: Callable[[], bool]) -> None:
        """Moves all models to ``target``.

        Raises:
            ContenoxError: nothing was switched.
            Stopped: ``stop`` said so; the next move goes on.
        """
        self._unload()

        def on_progress(progress: MoveProgress) -> None:
            report(progress.done_bytes, progress.total_bytes)

        self._models.store_move().run(target, on_progress, stop)

    # --- Helpers -------------------------------------------------------------------------------

    def _listed(self, key: Key) -> Variant | None:
        for model, variant in self._models.catalog.rows():
            if (model.name, variant.name) == key:
                return variant
        return None

    def _installed(self, key: Key) -> InstalledModel | None:
        for model in self._models.library.installed():
            if (model.name, model.variant) == key:
                return model
        return None

    def _require(self, key: Key) -> InstalledModel:
        """Raises ``UserError`` ``model_not_found``, or the fault of a broken model."""
        model = self._installed(key)
        if model is not None:
            return model
        for broken in self._models.library.broken():
            if (broken.name, broken.variant) == key:
                raise broken.error
        raise UserError(
            "model_not_found",
            f"There is no model {'/'.join(key)!r} on this computer any more.",
            "Look at the list of models again.",
        )


def _source(row: ListedRow, listed: Variant | None) -> Source:
    if listed is None or (not row.curated and row.state is not RowState.BROKEN):
        return Source.IMPORT
    return Source.STARTER if listed.origin is Origin.STARTER else Source.HUB


def _fit(fit: FitHere) -> FitFacts:
    return FitFacts(
        verdict=Verdict(fit.verdict.value),
        problem=fit.problem,
        device=fit.device,
        context_tokens=fit.context_tokens or 0,
        weights_bytes=fit.weights_bytes or 0,
        kv_bytes=fit.kv_bytes or 0,
        working_bytes=fit.working_bytes or 0,
        usable_bytes=fit.usable_bytes or 0,
    )


def _shipped(name: str, backend: str) -> Profile:
    file = LLAMA_PROFILE if backend == "llama" else OPENVINO_PROFILE
    path = profiles_dir() / name / file
    if path.is_file():
        return read_profile(path)
    return LlamaProfile() if backend == "llama" else OpenVinoProfile()


def _abilities(profile: Profile) -> tuple[Ability, ...]:
    can, evidence = capabilities(profile), profile.evidence
    return tuple(
        Ability(
            name=name,
            is_offered=offered,
            is_verified=claim.status is Status.VERIFIED,
            evidence=claim.source,
        )
        for name, offered, claim in (
            ("chat", can.chat, evidence.chat),
            ("thinking", can.think, evidence.reasoning),
            ("tools", can.tools, evidence.tools),
            ("embeddings", can.embed, evidence.embeddings),
        )
    )


def _told(report: BytesReport) -> Callable[[ModelProgress], None]:
    return lambda progress: report(progress.done_bytes, progress.total_bytes)


def models_services(
    models: ModelServices,
    get_starter: GetStarter,
    unload: Callable[[], None],
) -> ModelsServices:
    """The window's ports over the real workflows. Reads nothing.

    Args:
        models: what can be done with models on this data root.
        get_starter: installs the starter.
        unload: lets go of the model that the engine holds; blocks.
    """
    shelf = LibraryShelf(models, unload)
    return ModelsServices(
        shelf=shelf,
        open_downloads=models.open_downloads,
        has_downloads=lambda: bool(models.known_downloads()),
        get_starter=get_starter,
        import_model=shelf.import_model,
        move_store=shelf.move_store,
    )

"""One row of the table of models: of the curated list, installed, broken, or on an absent drive."""

from enum import StrEnum

import msgspec
from msgspec import Struct

from app.core.errors import ErrorRecord
from app.hardware.expected_speed import ExpectedSpeed
from app.models.catalog import LicenceKind, Model, Use, Variant
from app.models.library import BrokenModel, InstalledModel
from app.models.remembered import RememberedModel
from app.models.stamp import read_stamp
from app.workflows.download_view import DownloadView
from app.workflows.model_fit import FitHere, FitVerdict


class RowState(StrEnum):
    """``AVAILABLE`` can be got; ``AWAY`` is installed on a drive that is not there now."""

    AVAILABLE = "available"
    INSTALLED = "installed"
    BROKEN = "broken"
    AWAY = "away"


class ModelRow(Struct, frozen=True, kw_only=True):
    """One variant of a model, with everything that a table or a page of details shows.

    ``curated``: a row of the list, or bytes that are one. ``path`` is what the backend opens.
    ``problem`` says what is wrong with a broken one. ``verified_at`` is in Unix seconds.
    ``tokens_per_s`` was measured while writing here; ``expected`` is an estimate for the processor.
    """

    name: str
    variant: str
    backend: str
    title: str
    state: RowState
    curated: bool
    fit: FitHere
    size_bytes: int
    size_is_exact: bool = True
    context_tokens: int | None = None
    use: Use | None = None
    good_at: str = ""
    parameters: int | None = None
    active_parameters: int | None = None
    quantisation: str | None = None
    publisher: str | None = None
    repository: str | None = None
    revision: str | None = None
    trust: str | None = None
    licence: str | None = None
    licence_kind: LicenceKind | None = None
    licence_link: str | None = None
    source: str = ""
    tokens_per_s: float | None = None
    expected: ExpectedSpeed | None = None
    digest: str | None = None
    path: str | None = None
    folder: str | None = None
    verified_at: float | None = None
    download: DownloadView | None = None
    problem: ErrorRecord | None = None

    @property
    def full_name(self) -> str:
        """The name that means this variant alone."""
        return f"{self.name}/{self.variant}"


def listed_row(model: Model, variant: Variant, fit: FitHere) -> ModelRow:
    """A row of the curated list that isn't installed."""
    return ModelRow(
        name=model.name,
        variant=variant.name,
        backend=variant.backend.value,
        title=model.title,
        state=RowState.AVAILABLE,
        curated=True,
        fit=fit,
        size_bytes=variant.size_bytes,
        size_is_exact=variant.size_is_exact,
        context_tokens=model.trained_context_tokens,
        use=model.use,
        good_at=model.good_at,
        parameters=model.parameters,
        active_parameters=model.active_parameters,
        quantisation=variant.quantisation,
        publisher=variant.publisher,
        repository=variant.repository,
        revision=variant.revision,
        trust=variant.trust.value,
        licence=model.licence.name,
        licence_kind=model.licence.kind,
        licence_link=model.licence.link,
        source=variant.provenance.note,
    )


def installed_row(model: InstalledModel, fit: FitHere, listed: ModelRow | None) -> ModelRow:
    """An installed model by its own files; ``listed`` adds what the list knows of it."""
    stamp = read_stamp(model.folder)
    origin = model.origin
    row = ModelRow(
        name=model.name,
        variant=model.variant,
        backend=model.backend,
        title=model.name,
        state=RowState.INSTALLED,
        curated=not model.imported,
        fit=fit,
        size_bytes=model.size_bytes,
        context_tokens=model.context_tokens,
        repository=None if origin is None else origin.repository,
        revision=None if origin is None else origin.commit or None,
        trust=None if origin is None else origin.trust,
        licence=model.licence,
        source=model.source,
        digest=model.digest,
        path=str(model.path),
        folder=str(model.folder),
        verified_at=None if stamp is None else stamp.verified_at,
    )
    return row if listed is None else _with_words_of(row, listed)


def broken_row(model: BrokenModel, listed: ModelRow | None) -> ModelRow:
    """A folder of the store that is no whole model, with the reason."""
    row = ModelRow(
        name=model.name,
        variant=model.variant,
        backend="",
        title=model.name,
        state=RowState.BROKEN,
        curated=False,
        fit=_no_fit("It can't be run."),
        size_bytes=0,
        folder=str(model.folder),
        problem=model.error.record(),
    )
    if listed is None:
        return row
    return msgspec.structs.replace(
        listed, state=RowState.BROKEN, folder=row.folder, problem=row.problem
    )


def away_row(model: RememberedModel, fit: FitHere | None, listed: ModelRow | None) -> ModelRow:
    """A model whose drive is not there."""
    row = ModelRow(
        name=model.name,
        variant=model.variant,
        backend=model.backend,
        title=model.name,
        state=RowState.AWAY,
        curated=not model.imported,
        fit=fit or _no_fit("Its drive is not there."),
        size_bytes=model.size_bytes,
        context_tokens=model.context_tokens,
        licence=model.licence,
        source=model.source,
        digest=model.digest,
    )
    return row if listed is None else _with_words_of(row, listed)


def _with_words_of(row: ModelRow, listed: ModelRow) -> ModelRow:
    """What the list tells of a model, whose bytes somebody else may have brought."""
    return msgspec.structs.replace(
        row,
        title=listed.title,
        use=listed.use,
        good_at=listed.good_at,
        parameters=listed.parameters,
        active_parameters=listed.active_parameters,
        quantisation=listed.quantisation,
        publisher=listed.publisher if row.curated else None,
        licence=listed.licence,
        licence_kind=listed.licence_kind,
        licence_link=listed.licence_link,
    )


def _no_fit(sentence: str) -> FitHere:
    return FitHere(verdict=FitVerdict.UNKNOWN, device="", sentence=sentence)

"""The maintainer's side of the catalogue: looks each row up on the Hub, pins it, finds drift.

The size and sha256 of large files are what the Hub's index says; every small file is fetched, held
against its git name, and hashed here. Running it twice on an unchanged Hub gives the same bytes.
"""

import tempfile
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from app.core.errors import ContenoxError
from app.models.catalog import (
    Catalog,
    FilePin,
    LicenceKind,
    Model,
    Origin,
    Provenance,
    Trust,
    Variant,
)
from app.models.download_plan import Plan, PlannedFile, resolved_plan
from app.models.fetch import Fetcher, Wanted
from app.models.fetch_stop import StopSwitch
from app.models.hub_errors import TEMPORARY
from app.models.hub_metadata import HubMetadata
from app.models.hub_snapshot import Snapshot

_HELD: Final = Provenance(
    held_against_hub=True,
    note="Sizes and digests were read from the Hub at this commit by the catalogue's refresh.",
)
_PERMISSIVE: Final = frozenset({"apache-2.0", "mit", "bsd-2-clause", "bsd-3-clause", "cc-by-4.0"})


class Finding(Struct, frozen=True, kw_only=True):
    """Something about one row that a person should look at. ``drift`` fails a check."""

    model: str
    variant: str
    sentence: str
    drift: bool = True


class Refreshed(Struct, frozen=True, kw_only=True):
    """A refreshed catalogue and all that differs from the one before."""

    catalog: Catalog
    findings: tuple[Finding, ...]


class _Nobody:
    """Listens to nothing."""

    def kept(self, count: int) -> None:
        """See ``FetchListener``."""

    def received(self, count: int) -> None:
        """See ``FetchListener``."""


class CatalogRefresh:
    """Compares a catalogue with the Hub.

    Args:
        metadata: answers questions about repositories.
        new_fetcher: makes what fetches the small files.
        stop: ends a long run.
    """

    def __init__(
        self,
        metadata: HubMetadata,
        new_fetcher: Callable[[], Fetcher],
        stop: StopSwitch | None = None,
    ) -> None:
        self._metadata = metadata
        self._new_fetcher = new_fetcher
        self._stop = stop or StopSwitch()

    def refresh(self, catalog: Catalog, names: Collection[str] = ()) -> Refreshed:
        """Pins each row of the Hub (of the models ``names``, if any) to its newest commit.

        A row that can't be resolved stays as it is, with a finding. The serial number rises only
        if something changed.

        Raises:
            EnvironmentFault: the network or the Hub is out of order; nothing is concluded then.
        """
        findings: list[Finding] = []
        models: list[Model] = []
        for model in catalog.models:
            variants = model.variants
            if not names or model.name in names:
                variants = tuple(
                    self._refreshed(model, variant, findings) for variant in model.variants
                )
            models.append(msgspec.structs.replace(model, variants=variants))
        changed = tuple(models) != catalog.models
        return Refreshed(
            catalog=msgspec.structs.replace(
                catalog, serial=catalog.serial + changed, models=tuple(models)
            ),
            findings=tuple(findings),
        )

    def check(self, catalog: Catalog, names: Collection[str] = ()) -> tuple[Finding, ...]:
        """Holds every pinned row against the Hub at its own commit. Changes nothing.

        Raises:
            EnvironmentFault: the network or the Hub is out of order; nothing is concluded then.
        """
        findings: list[Finding] = []
        for model, variant in catalog.rows():
            if variant.origin is not Origin.HUB or (names and model.name not in names):
                continue
            if variant.trust is Trust.FIRST_USE:
                findings.append(_finding(model, variant, "is not pinned yet", drift=False))
            found = self._looked_up(model, variant, variant.revision, findings)
            if found is not None and variant.trust is Trust.PINNED:
                findings += _differences(model, variant, found)
        return tuple(findings)

    def _refreshed(self, model: Model, variant: Variant, findings: list[Finding]) -> Variant:
        if variant.origin is not Origin.HUB:
            return variant
        found = self._looked_up(model, variant, None, findings)
        if found is None:
            return variant
        fresh = msgspec.structs.replace(
            variant,
            revision=found.commit,
            trust=Trust.PINNED,
            files=_pins(found),
            size_bytes=found.size_bytes,
            size_is_exact=True,
            provenance=_HELD,
        )
        findings += _differences(model, variant, found, drift=False)
        if variant.revision != found.commit:
            before = "no commit" if variant.revision is None else variant.revision[:12]
            text = f"moves from {before} to {found.commit[:12]}"
            findings.append(_finding(model, variant, text, drift=False))
        return fresh

    def _looked_up(
        self, model: Model, variant: Variant, revision: str | None, findings: list[Finding]
    ) -> Plan | None:
        """The files at ``revision``, each with its sha256; ``None`` after a finding."""
        assert variant.repository is not None
        try:
            snapshot = self._metadata.resolve(variant.repository, revision, self._stop)
            findings += _licence(model, variant, snapshot)
            # What is offered counts here, not what the row expects.
            open_row = msgspec.structs.replace(variant, trust=Trust.FIRST_USE)
            return self._hashed(resolved_plan(model, open_row, snapshot))
        except ContenoxError as error:
            if error.code in TEMPORARY or error.code == "offline":
                raise
            findings.append(_finding(model, variant, f"can't be used: {error.message}"))
            return None

    def _hashed(self, plan: Plan) -> Plan:
        """Fetches the files that have no sha256 yet, and hashes them."""
        files: list[PlannedFile] = []
        with tempfile.TemporaryDirectory() as folder, self._new_fetcher() as fetcher:
            for file in plan.files:
                sha256 = file.sha256
                if sha256 is None:
                    sha256 = self._sha256(fetcher, plan, file, Path(folder))
                files.append(msgspec.structs.replace(file, sha256=sha256))
        return msgspec.structs.replace(plan, files=tuple(files))

    def _sha256(self, fetcher: Fetcher, plan: Plan, file: PlannedFile, folder: Path) -> str:
        wanted = Wanted(
            repository=plan.repository,
            commit=plan.commit,
            path=file.path,
            size_bytes=file.size_bytes,
            git_blob_id=file.git_blob_id,
        )
        return fetcher.fetch(wanted, folder / file.path, self._stop, _Nobody()).sha256


def _pins(plan: Plan) -> tuple[FilePin, ...]:
    ordered = sorted(plan.files, key=lambda file: file.path)
    return tuple(
        FilePin(path=file.path, size_bytes=file.size_bytes, sha256=file.sha256) for file in ordered
    )


def _differences(
    model: Model, variant: Variant, found: Plan, *, drift: bool = True
) -> list[Finding]:
    """What the row says and the Hub doesn't, file by file; nothing for a row without digests."""
    if variant.trust is not Trust.PINNED:
        return []
    listed = {pin.path: pin for pin in variant.files}
    offered = {pin.path: pin for pin in _pins(found)}
    texts = [f"no longer has {path}" for path in sorted(listed.keys() - offered.keys())]
    texts += [f"has a new file {path}" for path in sorted(offered.keys() - listed.keys())]
    texts += [
        f"has other bytes in {path}"
        for path in sorted(listed.keys() & offered.keys())
        if listed[path] != offered[path]
    ]
    return [_finding(model, variant, text, drift=drift) for text in texts]


def _licence(model: Model, variant: Variant, snapshot: Snapshot) -> list[Finding]:
    """A licence that is marked permissive must be one on the Hub too; a person decides."""
    name = (snapshot.licence or "none").casefold()
    if model.licence.kind is LicenceKind.PERMISSIVE and name not in _PERMISSIVE:
        text = f"is listed as {model.licence.name}, and the Hub says '{name[:40]}'"
        # A quantiser often names no licence of its own.
        return [_finding(model, variant, text, drift=snapshot.licence is not None)]
    return []


def _finding(model: Model, variant: Variant, text: str, *, drift: bool = True) -> Finding:
    sentence = f"{variant.repository} {text}."
    return Finding(model=model.name, variant=variant.name, sentence=sentence, drift=drift)

"""The maintainer's refresh pins what the Hub has, twice the same, and its check finds drift."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from app.core.errors import EnvironmentFault
from app.models.catalog import Catalog, Trust, canonical_bytes, parse_catalog
from app.models.catalog_refresh import CatalogRefresh
from app.models.download_disk import DiskGuard
from app.models.fetch import Fetcher, FetchLimits
from app.models.fetch_retry import RetryPolicy
from app.models.hub_endpoint import HubEndpoint
from app.models.hub_metadata import HubMetadata
from tests.support.loopback_hub import LoopbackHub
from tests.support.model_files import (
    GGUF_REPOSITORY,
    OPENVINO_REPOSITORY,
    gguf_files,
    openvino_files,
    tiny_catalog,
)

LIMITS = FetchLimits(retry=RetryPolicy(idle_attempts=2, first_s=0.01, longest_s=0.1))


class Maintainer:
    """A hub with both repositories, and a refresh that talks to it."""

    def __init__(self, hub: LoopbackHub, folder: Path) -> None:
        self.hub = hub
        self.files = openvino_files(folder / "files")
        hub.add(OPENVINO_REPOSITORY, self.files)
        hub.add(GGUF_REPOSITORY, gguf_files())
        endpoint = HubEndpoint(url=hub.endpoint)
        metadata = HubMetadata(endpoint, lambda *_: None, 5.0, LIMITS.retry)
        self.work = CatalogRefresh(
            metadata, lambda: Fetcher(endpoint, DiskGuard(0), lambda *_: None, LIMITS)
        )

    def first_use(self) -> Catalog:
        return tiny_catalog(self.files, trust=Trust.FIRST_USE)

    def pinned(self) -> Catalog:
        return self.work.refresh(self.first_use()).catalog

    def drift(self, catalog: Catalog) -> list[str]:
        return [found.sentence for found in self.work.check(catalog) if found.drift]


@pytest.fixture
def maintainer(tmp_path: Path) -> Iterator[Maintainer]:
    with LoopbackHub() as hub:
        yield Maintainer(hub, tmp_path)


def test_a_refresh_pins_first_use_rows_and_is_repeatable(maintainer: Maintainer) -> None:
    first = maintainer.pinned()
    assert all(variant.trust is Trust.PINNED for _, variant in first.rows())
    assert all(variant.provenance.held_against_hub for _, variant in first.rows())
    assert first.serial == 2
    assert parse_catalog(canonical_bytes(first)) == first
    expected = tiny_catalog(maintainer.files).find("tiny", "openvino")[1]
    got = first.find("tiny", "openvino")[1]
    assert (got.files, got.size_bytes) == (expected.files, expected.size_bytes)
    again = maintainer.work.refresh(first)
    assert canonical_bytes(again.catalog) == canonical_bytes(first)
    assert again.findings == ()


def test_no_weights_are_fetched(maintainer: Maintainer) -> None:
    maintainer.pinned()
    assert not [seen for seen in maintainer.hub.seen if seen.server == "cdn"]


def test_a_check_of_what_was_pinned_finds_nothing(maintainer: Maintainer) -> None:
    assert maintainer.work.check(maintainer.pinned()) == ()


def test_a_moved_main_is_no_drift_and_a_refresh_names_the_file(maintainer: Maintainer) -> None:
    pinned = maintainer.pinned()
    newer = maintainer.files | {"README.md": b"# Tiny 2"}
    maintainer.hub.repositories[OPENVINO_REPOSITORY].move(newer, "b" * 40)
    assert maintainer.drift(pinned) == []
    refreshed = maintainer.work.refresh(pinned)
    sentences = [finding.sentence for finding in refreshed.findings]
    assert any("other bytes in README.md" in sentence for sentence in sentences)
    assert any("bbbbbbbbbbbb" in sentence for sentence in sentences)
    assert refreshed.catalog.find("tiny", "openvino")[1].revision == "b" * 40


def test_changed_bytes_under_the_same_commit_are_drift(maintainer: Maintainer) -> None:
    pinned = maintainer.pinned()
    files = maintainer.hub.repositories[OPENVINO_REPOSITORY].files
    files["openvino_model.bin"] = b"other" + files["openvino_model.bin"][5:]
    files["extra.json"] = b"{}"
    assert maintainer.drift(pinned) == [
        f"{OPENVINO_REPOSITORY} has a new file extra.json.",
        f"{OPENVINO_REPOSITORY} has other bytes in openvino_model.bin.",
    ]


@pytest.mark.parametrize("kind", ["gated", "private", "disabled"])
def test_a_repository_that_is_withheld_is_drift_and_keeps_its_row(
    maintainer: Maintainer, kind: str
) -> None:
    pinned = maintainer.pinned()
    setattr(maintainer.hub.repositories[OPENVINO_REPOSITORY], kind, True)
    assert len(maintainer.drift(pinned)) == 1
    assert maintainer.work.refresh(pinned).catalog == pinned


def test_a_changed_licence_is_drift(maintainer: Maintainer) -> None:
    pinned = maintainer.pinned()
    maintainer.hub.repositories[OPENVINO_REPOSITORY].licence = "cc-by-nc-4.0"
    assert "cc-by-nc-4.0" in maintainer.drift(pinned)[0]


def test_a_repository_that_became_a_vision_model_is_drift(maintainer: Maintainer) -> None:
    pinned = maintainer.pinned()
    maintainer.hub.repositories[OPENVINO_REPOSITORY].files["preprocessor_config.json"] = b"{}"
    assert "not a text-only model" in maintainer.drift(pinned)[0]


def test_a_small_file_that_breaks_on_the_way_is_not_pinned(maintainer: Maintainer) -> None:
    maintainer.hub.fault(path="config.json", corrupt_at=2)
    refreshed = maintainer.work.refresh(maintainer.first_use(), ["tiny"])
    assert refreshed.catalog.find("tiny", "openvino")[1].trust is Trust.FIRST_USE
    assert any("config.json" in finding.sentence for finding in refreshed.findings)


def test_rows_that_are_not_pinned_are_told_but_no_drift(maintainer: Maintainer) -> None:
    findings = maintainer.work.check(maintainer.first_use())
    assert {finding.drift for finding in findings} == {False}
    assert len(findings) == 2


def test_an_overloaded_hub_concludes_nothing(maintainer: Maintainer) -> None:
    pinned = maintainer.pinned()
    maintainer.hub.fault(where="api", status=503)
    with pytest.raises(EnvironmentFault):
        maintainer.work.check(pinned)


def test_only_the_named_models_are_asked_about(maintainer: Maintainer) -> None:
    before = len(maintainer.hub.seen)
    catalog = maintainer.first_use()
    assert maintainer.work.refresh(catalog, ["somebody-else"]).catalog == catalog
    assert len(maintainer.hub.seen) == before

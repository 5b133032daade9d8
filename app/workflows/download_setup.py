"""Puts the parts of the downloads together for one data root.

What speaks to the network is imported when it is asked for: the window starts without it.
"""

from collections.abc import Callable
from importlib.metadata import version
from typing import TYPE_CHECKING, Final

from app.core.paths import DataRoot
from app.models.catalog import Catalog
from app.models.download_disk import DiskGuard
from app.models.download_lock import WriterLock
from app.models.download_store import DownloadStore
from app.models.fetch_stop import StopSwitch
from app.models.hub_endpoint import HubEndpoint
from app.models.ledger import Ledger
from app.models.library import Library
from app.workflows.download_view import DownloadView

if TYPE_CHECKING:
    from app.models.catalog_refresh import CatalogRefresh
    from app.models.fetch import FetchLimits
    from app.workflows.downloads import Downloads

STORE_FILE: Final = "downloads.sqlite3"
LOCK_FILE: Final = "downloads.lock"
LEDGER_FILE: Final = "network.sqlite3"


def open_ledger(root: DataRoot) -> Ledger:
    """The ledger of contacts of this data root."""
    return Ledger(root.path / LEDGER_FILE)


def open_catalog_refresh(
    root: DataRoot, endpoint: HubEndpoint, stop: StopSwitch | None = None
) -> "CatalogRefresh":
    """Builds what the maintainer's ``catalog refresh`` and ``catalog check`` run."""
    from app.models.catalog_refresh import CatalogRefresh
    from app.models.fetch import Fetcher
    from app.models.hub_metadata import HubMetadata

    ledger = open_ledger(root)
    return CatalogRefresh(
        HubMetadata(endpoint, ledger.record),
        lambda: Fetcher(endpoint, DiskGuard(), ledger.record),
        stop,
    )


def open_downloads(
    root: DataRoot,
    library: Library,
    catalog: Catalog,
    endpoint: HubEndpoint,
    on_change: Callable[[DownloadView], None] = lambda _: None,
    *,
    disk: DiskGuard | None = None,
    limits: "FetchLimits | None" = None,
    retry_s: float = 30.0,
) -> "Downloads":
    """Builds the downloads; nothing runs before ``start``.

    Args:
        endpoint: usually ``HubEndpoint.from_environment(offline=...)``.
        disk, limits, retry_s: shorter or stricter ones, for tests.
    """
    from app.models.download import ModelDownload
    from app.models.fetch import Fetcher, FetchLimits
    from app.models.hub_metadata import HubMetadata
    from app.workflows.downloads import Downloads

    guard = disk or DiskGuard()
    ledger = open_ledger(root)
    chosen = limits or FetchLimits()
    download = ModelDownload(
        library,
        HubMetadata(endpoint, ledger.record, timeout_s=chosen.no_byte_s, retry=chosen.retry),
        lambda: Fetcher(endpoint, guard, ledger.record, chosen),
        guard,
        version("openvino"),
    )
    return Downloads(
        catalog,
        DownloadStore(root.path / STORE_FILE),
        download,
        WriterLock(root.path / LOCK_FILE),
        on_change,
        retry_s,
    )

"""A program that only downloads, to be killed: ``DATA_ROOT ENDPOINT CATALOG MODEL BACKEND``."""

import sys
import threading
from pathlib import Path

from app.core.paths import DataRoot
from app.models.catalog import parse_catalog
from app.models.download_disk import DiskGuard
from app.models.hub_endpoint import HubEndpoint
from app.models.library import Library
from app.workflows.download_setup import open_downloads


def main() -> None:
    data_root, endpoint, catalog, model, backend = sys.argv[1:]
    root = DataRoot(Path(data_root))
    downloads = open_downloads(
        root,
        Library(root.models),
        parse_catalog(Path(catalog).read_bytes()),
        HubEndpoint(url=endpoint),
        disk=DiskGuard(0),
    )
    assert downloads.start()
    downloads.get(model, backend)
    threading.Event().wait()


if __name__ == "__main__":
    main()

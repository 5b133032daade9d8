"""A data root, a loopback Hub and the downloads of one program, for tests of them together."""

import threading
import time
from collections.abc import Callable
from pathlib import Path

from app.core.paths import DataRoot
from app.models.catalog import Catalog
from app.models.download_disk import DiskGuard
from app.models.download_state import DownloadState
from app.models.fetch import FetchLimits
from app.models.fetch_retry import RetryPolicy
from app.models.hub_endpoint import HubEndpoint
from app.models.library import Library
from app.workflows.download_setup import open_downloads
from app.workflows.download_view import DownloadView
from app.workflows.downloads import Downloads
from tests.support.loopback_hub import LoopbackHub
from tests.support.model_files import (
    GGUF_REPOSITORY,
    OPENVINO_REPOSITORY,
    gguf_files,
    openvino_files,
    tiny_catalog,
)

MIB = 1 << 20
LIMITS = FetchLimits(
    connect_s=2.0,
    no_byte_s=2.0,
    direct_from_bytes=MIB // 4,
    retry=RetryPolicy(idle_attempts=2, first_s=0.01, longest_s=0.1),
)


class Machine:
    """A data root, a hub, and the downloads of one program."""

    def __init__(self, hub: LoopbackHub, root: DataRoot, folder: Path) -> None:
        self.hub, self.root = hub, root
        self.files = openvino_files(folder / "files")
        self.library = Library(root.models)
        self.free = 1 << 40
        self.views: list[DownloadView] = []
        self._changed = threading.Condition()
        self._opened: list[Downloads] = []
        hub.add(OPENVINO_REPOSITORY, self.files)
        hub.add(GGUF_REPOSITORY, gguf_files())

    def open(
        self, catalog: Catalog | None = None, *, retry_s: float = 0.05, offline: bool = False
    ) -> Downloads:
        downloads = open_downloads(
            self.root,
            self.library,
            catalog or tiny_catalog(self.files),
            HubEndpoint(url=self.hub.endpoint, offline=offline),
            self._on_change,
            disk=DiskGuard(MIB, lambda _: self.free),
            limits=LIMITS,
            retry_s=retry_s,
        )
        self._opened.append(downloads)
        return downloads

    def started(self, catalog: Catalog | None = None, **options: float) -> Downloads:
        downloads = self.open(catalog, **options)  # type: ignore[arg-type]  # keywords of open
        assert downloads.start()
        return downloads

    def close(self) -> None:
        for downloads in self._opened:
            downloads.close()
        self._opened.clear()

    def wait(
        self, downloads: Downloads, *states: DownloadState, variant: str = "openvino"
    ) -> DownloadView:
        """Waits until the variant is in one of ``states``; fails after 20 s."""

        def current() -> DownloadView | None:
            views = [view for view in downloads.downloads() if view.variant == variant]
            return next((view for view in views if view.state in states), None)

        return self.until(current)

    def stalled(self, downloads: Downloads) -> None:
        """Waits until the first mebibyte of the weights arrived and no more comes."""
        assert self.hub.stalled.wait(20)
        self.until(lambda: next((v for v in downloads.downloads() if v.done_bytes >= MIB), None))

    def until(self, probe: Callable[[], DownloadView | None]) -> DownloadView:
        deadline = time.monotonic() + 20
        with self._changed:
            while (found := probe()) is None:
                assert time.monotonic() < deadline, [view.state for view in self.views[-5:]]
                self._changed.wait(0.05)
        return found

    def _on_change(self, view: DownloadView) -> None:
        with self._changed:
            self.views.append(view)
            self._changed.notify_all()

    def installed_right(self) -> bool:
        model = self.library.find("tiny", "openvino")
        self.library.verify(model)
        wanted = {path: data for path, data in self.files.items() if not path.endswith(".png")}
        return all((model.folder / path).read_bytes() == data for path, data in wanted.items())

    def leftovers(self) -> list[Path]:
        return list((self.root.models / ".downloads").glob("*"))

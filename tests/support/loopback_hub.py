"""A Hub on loopback that the real huggingface_hub client accepts, with faults to switch on.

Two origins, as in life: the Hub answers the API and redirects large files to a second server,
where no token may arrive. Not a mock of a client: bytes travel through real sockets.
"""

import hashlib
import socket
import ssl
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.server import ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self
from urllib.parse import quote

from tests.support.hub_faults import Fault, FaultList
from tests.support.hub_handler import HubHandler, Seen


@dataclass
class Repository:
    """A repository at one commit. ``gated`` answers 401 to files, ``private`` to everything."""

    files: dict[str, bytes]
    commit: str
    gated: bool = False
    private: bool = False
    disabled: bool = False
    licence: str = "apache-2.0"
    older: dict[str, dict[str, bytes]] = field(default_factory=dict)

    def at(self, revision: str) -> tuple[str, dict[str, bytes]] | None:
        if revision in ("main", self.commit):
            return self.commit, self.files
        files = self.older.get(revision)
        return None if files is None else (revision, files)

    def move(self, files: Mapping[str, bytes], commit: str) -> None:
        """A new commit of the publisher; the old one stays reachable by its name."""
        self.older[self.commit] = self.files
        self.files, self.commit = dict(files), commit


class HubServer(ThreadingHTTPServer):
    daemon_threads = False
    block_on_close = True

    def __init__(self, hub: "LoopbackHub", name: str, tls: ssl.SSLContext | None) -> None:
        super().__init__(("127.0.0.1", 0), HubHandler)
        self.hub, self.name, self._tls = hub, name, tls
        if tls is not None:
            self.socket = tls.wrap_socket(self.socket, server_side=True)
        self._open: set[socket.socket] = set()
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self.serve_forever, args=(0.02,), name=name)
        self._thread.start()

    @property
    def url(self) -> str:
        if self._tls is not None:
            return f"https://{self.name}.test"
        return f"http://127.0.0.1:{self.port}"

    @property
    def port(self) -> int:
        return int(self.server_address[1])

    def process_request(self, request: Any, client_address: Any) -> None:
        with self._lock:
            self._open.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        with self._lock:
            self._open.discard(request)
        super().shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that goes away in mid-answer is what these tests are about."""

    def stop(self) -> None:
        self.shutdown()
        with self._lock:
            for connection in self._open:
                try:
                    connection.shutdown(socket.SHUT_RDWR)
                except OSError:
                    continue
        self.server_close()
        self._thread.join()


class LoopbackHub:
    """The two servers, their repositories and faults, and what was asked of them.

    Args:
        tls: if given, both speak TLS under the names ``hub.test`` and ``cdn.test``, which only a
            proxy that knows ``ports`` can reach.
    """

    def __init__(self, tls: ssl.SSLContext | None = None) -> None:
        self.repositories: dict[str, Repository] = {}
        self.faults = FaultList()
        self.seen: list[Seen] = []
        self.stalled = threading.Event()
        self.released = threading.Event()
        self.page_size = 1000
        self._blobs: dict[str, bytes] = {}
        self._hub = HubServer(self, "hub", tls)
        self._cdn = HubServer(self, "cdn", tls)

    @property
    def endpoint(self) -> str:
        return self._hub.url

    @property
    def cdn(self) -> str:
        return self._cdn.url

    @property
    def ports(self) -> dict[str, int]:
        return {"hub.test": self._hub.port, "cdn.test": self._cdn.port}

    def add(
        self, repository: str, files: Mapping[str, bytes], commit: str = "a" * 40
    ) -> Repository:
        self.repositories[repository] = Repository(files=dict(files), commit=commit)
        return self.repositories[repository]

    def fault(self, **fields: Any) -> Fault:
        """Switches a fault on; the fields are those of ``Fault``."""
        return self.faults.add(Fault(**fields))

    def bodies(self, path: str | None = None) -> list[Seen]:
        """The requests that asked for bytes of a file (of ``path``)."""
        return [
            seen
            for seen in self.seen
            if seen.method == "GET"
            and (seen.server == "cdn" or "/resolve/" in seen.path)
            and (path is None or seen.path.split("?")[0].endswith(f"/{path}"))
        ]

    def blob_url(self, path: str, content: bytes) -> str:
        digest = hashlib.sha256(content).hexdigest()
        self._blobs[digest] = content
        return f"{self.cdn}/{digest}/{quote(path)}?Signature=secret"

    def blob(self, digest: str) -> bytes | None:
        return self._blobs.get(digest)

    def close(self) -> None:
        self.released.set()
        self._hub.stop()
        self._cdn.stop()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

"""Fetches one file so that it is either exactly the expected bytes, or not there.

Bytes go to a ``.part`` file, are hashed on the way, and a broken transfer continues with a Range
request. Nothing that a server says decides where a byte is written.
"""

from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Final, Protocol, Self

import httpx2
from msgspec import Struct

from app import __version__
from app.core.errors import ContenoxError, DataFault
from app.core.files import replace
from app.core.paths import unwritable
from app.models.download_disk import DiskGuard
from app.models.fetch_answer import BeginAnew, check_head, host_of_error, may_be_expired
from app.models.fetch_body import body_pieces
from app.models.fetch_part import PartFile
from app.models.fetch_retry import RetryPolicy
from app.models.fetch_stop import StopSwitch
from app.models.hub_endpoint import HubEndpoint, host_of
from app.models.hub_errors import (
    ServerAnswer,
    from_answer,
    unreachable,
    wrong_digest,
    wrong_size,
)
from app.models.identity import FileRecord

_PURPOSE: Final = "model files"
PART_SUFFIX: Final = ".part"
# To the Hub, and to the second server that it points to.
_MAX_CONNECTIONS: Final = 2
_MAX_REDIRECTS: Final = 10
_DISK_CHECK_BYTES: Final = 64 << 20
# Bytes that are wrong as a whole are fetched once more from the beginning, then given up.
_WHOLE_TRIES: Final = 2
# After these no byte of the part can be trusted.
_WORTHLESS: Final = frozenset({"wrong_size", "wrong_digest"})


class Wanted(Struct, frozen=True, kw_only=True):
    """One file to fetch and what it must be. At least one of the two digests is known."""

    repository: str
    commit: str
    path: str
    size_bytes: int
    sha256: str | None = None
    git_blob_id: str | None = None


class FetchLimits(Struct, frozen=True, kw_only=True):
    """``no_byte_s``: a connection that brings nothing for so long counts as broken.

    ``direct_from_bytes``: how long a body must be to be read directly (see ``fetch_body``).
    """

    connect_s: float = 15.0
    no_byte_s: float = 30.0
    direct_from_bytes: int | None = 8 << 20
    retry: RetryPolicy = RetryPolicy()


class FetchListener(Protocol):
    """Hears how far a fetch is. Called on the fetching thread."""

    def kept(self, count: int) -> None:
        """Bytes of an earlier run that count; negative for bytes that were thrown away."""

    def received(self, count: int) -> None:
        """Bytes that came over the network."""


class Fetcher:
    """Fetches one file after the other, for one download: the switch that stops that download may
    shut every connection of this object. One file is in transfer at a time.

    Args:
        endpoint: the Hub or a mirror.
        disk: says when the disk is too full.
        on_contact: gets host, purpose and received bytes of each answer, for the ledger.
        limits: timeouts and retries.
    """

    def __init__(
        self,
        endpoint: HubEndpoint,
        disk: DiskGuard,
        on_contact: Callable[[str, str, int], None],
        limits: FetchLimits | None = None,
    ) -> None:
        self._endpoint = endpoint
        self._disk = disk
        self._on_contact = on_contact
        self._limits = limits or FetchLimits()
        self._client = new_client(self._limits)
        self._plainly = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._client.close()

    def fetch(
        self,
        wanted: Wanted,
        target: Path,
        stop: StopSwitch,
        listener: FetchListener,
    ) -> FileRecord:
        """Brings ``wanted`` to ``target``.

        Raises:
            Stopped: pressed; the part stays for a later run.
            UserError: ``offline``, ``access_refused``, ``model_gated``.
            EnvironmentFault: ``network_unreachable``, ``server_busy``, ``network_login``,
                ``disk_full``, ...; the part stays.
            DataFault: ``wrong_size``, ``wrong_digest``, ``model_withdrawn``, ...; no byte stays.
        """
        self._endpoint.require_online()
        part_path = target.with_name(target.name + PART_SUFFIX)
        by_blob = wanted.sha256 is None
        try:
            with PartFile(part_path, wanted.size_bytes, blob_id=by_blob) as part:
                part.take_up(stop)
                listener.kept(part.size_bytes)
                record = self._until_right(wanted, part, stop, listener)
                part.sync()
        except DataFault as error:
            if error.code in _WORTHLESS:
                part_path.unlink(missing_ok=True)
            raise
        try:
            replace(part_path, target)
        except OSError as error:
            raise unwritable(target, error) from error
        return record

    def _until_right(
        self, wanted: Wanted, part: PartFile, stop: StopSwitch, listener: FetchListener
    ) -> FileRecord:
        for attempt in range(_WHOLE_TRIES):
            self._plainly = attempt > 0
            self._until_whole(wanted, part, stop, listener)
            part.drain()
            right = (
                part.git_blob_id() == wanted.git_blob_id
                if wanted.sha256 is None
                else part.sha256() == wanted.sha256
            )
            if right:
                return FileRecord(
                    path=wanted.path, size_bytes=wanted.size_bytes, sha256=part.sha256()
                )
            listener.kept(-part.size_bytes)
            part.restart()
        raise wrong_digest(wanted.path)

    def _until_whole(
        self, wanted: Wanted, part: PartFile, stop: StopSwitch, listener: FetchListener
    ) -> None:
        idle = restarts = 0
        failure: ContenoxError = unreachable(host_of(self._endpoint.url), BeginAnew())
        while part.size_bytes < wanted.size_bytes:
            stop.check()
            before, asked_s = part.size_bytes, None
            try:
                self._attempt(wanted, part, stop, listener)
            except httpx2.TransportError as error:
                stop.check()
                failure = unreachable(host_of_error(error, self._endpoint), error)
            except ServerAnswer as answer:
                failure, asked_s = from_answer(answer), answer.asked_s
                if not answer.temporary and not may_be_expired(answer, self._endpoint):
                    raise failure from answer
            except BeginAnew:
                listener.kept(-part.size_bytes)
                part.restart()
                restarts += 1
            idle = 0 if part.size_bytes > before else idle + 1
            if max(idle, restarts) >= self._limits.retry.idle_attempts:
                raise failure
            if part.size_bytes < wanted.size_bytes:
                stop.pause(self._limits.retry.pause_s(max(idle, 1), asked_s))

    def _attempt(
        self, wanted: Wanted, part: PartFile, stop: StopSwitch, listener: FetchListener
    ) -> None:
        """One request, its redirects, and as many bytes as it brings."""
        url = self._endpoint.file_url(wanted.repository, wanted.commit, wanted.path)
        for _ in range(_MAX_REDIRECTS):
            with self._client.stream(
                "GET",
                url,
                headers=self._headers(url, part.size_bytes),
                extensions={"trace": stop.trace},
            ) as response:
                if not response.has_redirect_location:
                    before = part.size_bytes
                    try:
                        self._receive(response, wanted, part, stop, listener)
                    finally:
                        self._on_contact(host_of(url), _PURPOSE, part.size_bytes - before)
                    return
                self._on_contact(host_of(url), _PURPOSE, 0)
                url = self._redirected(response)
        raise DataFault(
            "redirect_refused",
            f"{host_of(url)} sends this program round in circles.",
            "Try again later, or another mirror.",
        )

    def _redirected(self, response: httpx2.Response) -> str:
        try:
            target = str(response.url.join(response.headers["location"]))
        except (httpx2.InvalidURL, ValueError):
            target = ""
        self._endpoint.check_redirect(target)
        return target

    def _headers(self, url: str, start: int) -> dict[str, str]:
        headers = {"Range": f"bytes={start}-"} if start else {}
        if self._endpoint.token is not None and self._endpoint.may_receive_token(url):
            headers["Authorization"] = f"Bearer {self._endpoint.token}"
        return headers

    def _receive(
        self,
        response: httpx2.Response,
        wanted: Wanted,
        part: PartFile,
        stop: StopSwitch,
        listener: FetchListener,
    ) -> None:
        check_head(response, wanted.path, wanted.size_bytes, part.size_bytes)
        until_check = 0
        for piece in body_pieces(
            response,
            direct_from_bytes=None if self._plainly else self._limits.direct_from_bytes,
            no_byte_s=self._limits.no_byte_s,
        ):
            stop.check()
            self._endpoint.require_online()
            if part.size_bytes + len(piece) > wanted.size_bytes:
                raise wrong_size(wanted.path, wanted.size_bytes, part.size_bytes + len(piece))
            until_check -= len(piece)
            if until_check <= 0:
                self._disk.require(part.path.parent)
                until_check = _DISK_CHECK_BYTES
            part.append(piece)
            listener.received(len(piece))
        if part.size_bytes < wanted.size_bytes:
            raise httpx2.RemoteProtocolError("the answer ended early")


def new_client(limits: FetchLimits) -> httpx2.Client:
    """A client with the system's proxies and certificates, and no proxy to this machine itself.

    httpx2 2.16 takes the proxies of the environment or the system, and the system's certificates
    (truststore on Windows, ``SSL_CERT_FILE`` where set).
    """
    direct = dict.fromkeys(("all://127.0.0.1", "all://localhost", "all://[::1]"))
    return httpx2.Client(
        follow_redirects=False,
        timeout=httpx2.Timeout(limits.no_byte_s, connect=limits.connect_s, pool=None),
        limits=httpx2.Limits(
            max_connections=_MAX_CONNECTIONS, max_keepalive_connections=_MAX_CONNECTIONS
        ),
        headers={"Accept-Encoding": "identity", "User-Agent": f"contenox-desktop/{__version__}"},
        mounts=direct,
    )

"""Asks a Hub what a repository holds: commit, files, sizes, digests, and who may have it.

huggingface_hub does the asking (it knows the API and its errors); its downloads are not used, since
they neither continue nor verify (docs/decisions/0062).
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

import httpx2

from app.core.errors import ContenoxError, DataFault
from app.core.telemetry import block_telemetry
from app.models.fetch_retry import RetryPolicy
from app.models.fetch_stop import StopSwitch
from app.models.hub_endpoint import HubEndpoint, host_of
from app.models.hub_errors import TEMPORARY, from_library, gated, not_found
from app.models.hub_snapshot import RemoteFile, Snapshot

if TYPE_CHECKING:
    from huggingface_hub.hf_api import ModelInfo, RepoSibling

_PURPOSE: Final = "model information"
_COMMIT_CHARACTERS: Final = frozenset("0123456789abcdef")


class HubMetadata:
    """Resolves repositories.

    Args:
        endpoint: the Hub or a mirror.
        on_contact: gets host, purpose and received bytes, for the ledger.
        timeout_s: of one request; the library has none of its own.
        retry: how often and how long.
    """

    def __init__(
        self,
        endpoint: HubEndpoint,
        on_contact: Callable[[str, str, int], None],
        timeout_s: float = 30.0,
        retry: RetryPolicy | None = None,
    ) -> None:
        self._endpoint = endpoint
        self._on_contact = on_contact
        self._timeout_s = timeout_s
        self._retry = retry or RetryPolicy(idle_attempts=4)

    def resolve(self, repository: str, revision: str | None, stop: StopSwitch) -> Snapshot:
        """Looks ``repository`` up at ``revision`` (``None``: its newest commit).

        Raises:
            Stopped: pressed; the request is left behind.
            UserError: ``offline``, ``model_gated``, ``access_refused``.
            EnvironmentFault: ``network_unreachable``, ``server_busy``, ``network_login``.
            DataFault: ``model_withdrawn``, ``listing_unusable``.
        """
        self._endpoint.require_online()
        attempt = 1
        while True:
            try:
                info = stop.abandonable(lambda: self._ask(repository, revision))
            except ContenoxError as error:
                if error.code not in TEMPORARY or attempt >= self._retry.idle_attempts:
                    raise
                stop.pause(self._retry.pause_s(attempt))
                attempt += 1
            else:
                return self._snapshot(repository, info)

    def _ask(self, repository: str, revision: str | None) -> "ModelInfo":
        block_telemetry()
        from huggingface_hub import HfApi, close_session  # slow to import, and used online only

        host = host_of(self._endpoint.url)
        api = HfApi(endpoint=self._endpoint.url, token=self._endpoint.token or False)
        self._on_contact(host, _PURPOSE, 0)
        try:
            return api.model_info(
                repository, revision=revision, files_metadata=True, timeout=self._timeout_s
            )
        except (OSError, ValueError, httpx2.HTTPError) as error:
            if isinstance(error, httpx2.TransportError):
                # The library keeps its client, with the proxies of the moment it was made.
                close_session()
            raise from_library(error, host) from error

    def _snapshot(self, repository: str, info: "ModelInfo") -> Snapshot:
        if info.gated and self._endpoint.token is None:
            raise gated()
        if info.disabled or info.sha is None:
            raise not_found()
        if len(info.sha) != 40 or not _COMMIT_CHARACTERS.issuperset(info.sha):
            raise _unusable("the commit has no proper name")
        return Snapshot(
            repository=repository,
            commit=info.sha,
            files=tuple(_remote_file(sibling) for sibling in info.siblings or ()),
            licence=info.card_data.get("license") if info.card_data is not None else None,
        )


def _remote_file(sibling: "RepoSibling") -> RemoteFile:
    lfs = sibling.lfs
    size = lfs.size if lfs is not None else sibling.size
    if not isinstance(size, int) or size < 0:
        raise _unusable(f"the file {sibling.rfilename[:60]!r} has no size")
    return RemoteFile(
        path=sibling.rfilename,
        size_bytes=size,
        sha256=lfs.sha256 if lfs is not None else None,
        git_blob_id=None if lfs is not None else sibling.blob_id,
    )


def _unusable(because: str) -> DataFault:
    return DataFault(
        "listing_unusable",
        f"The list of files that the server gave can't be used: {because}.",
        "Try again later, or another mirror.",
    )

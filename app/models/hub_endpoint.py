"""Which server is asked, with which token, and whether any may be asked at all."""

import ipaddress
import os
from typing import Final, Self
from urllib.parse import quote, urlsplit

from msgspec import Struct

from app.core.errors import DataFault, UserError

DEFAULT_URL: Final = "https://huggingface.co"
TOKEN_VARIABLE: Final = "CONTENOX_HUB_TOKEN"  # noqa: S105 - a name, no secret
_YES: Final = frozenset({"1", "true", "yes", "on"})


class NetworkSwitch:
    """The person's offline switch, turned while downloads run. Any thread may turn and read it."""

    def __init__(self, *, off: bool = False) -> None:
        self.off = off


class HubEndpoint(Struct, frozen=True, kw_only=True):
    """A Hub or a mirror of it.

    ``token`` is one that the person gave to this program; those of other tools are never used.
    ``offline`` refuses every request before a name is looked up, and so does ``switch`` once it is
    off.
    """

    url: str = DEFAULT_URL
    token: str | None = None
    offline: bool = False
    switch: NetworkSwitch | None = None

    @classmethod
    def from_environment(
        cls, *, offline: bool = False, switch: NetworkSwitch | None = None
    ) -> Self:
        """``HF_ENDPOINT``, ``CONTENOX_HUB_TOKEN`` and ``HF_HUB_OFFLINE``; ``offline`` adds to it.

        Raises:
            UserError: ``endpoint_refused``.
        """
        url = (os.environ.get("HF_ENDPOINT") or DEFAULT_URL).rstrip("/")
        parts = urlsplit(url)
        if parts.scheme != "https" and not is_loopback(url):
            raise UserError(
                "endpoint_refused",
                f"The model server {url!r} has no protected connection.",
                "Set HF_ENDPOINT to an address that begins with https://, or remove it.",
            )
        switched_off = os.environ.get("HF_HUB_OFFLINE", "").casefold() in _YES
        token = os.environ.get(TOKEN_VARIABLE) or None
        return cls(url=url, token=token, offline=offline or switched_off, switch=switch)

    def require_online(self) -> None:
        """Raises ``UserError`` ``offline`` if no server may be asked."""
        if self.offline or (self.switch is not None and self.switch.off):
            raise UserError(
                "offline",
                "The program is set to offline, so no server was asked.",
                "Turn the offline switch off, or import the model from a folder.",
            )

    def file_url(self, repository: str, revision: str, path: str) -> str:
        """Where one file of a repository is, at one commit."""
        return f"{self.url}/{quote(repository)}/resolve/{quote(revision, safe='')}/{quote(path)}"

    def may_receive_token(self, url: str) -> bool:
        """Only the endpoint's own origin may see the token."""
        return _origin(url) == _origin(self.url)

    def check_redirect(self, target: str) -> None:
        """Accepts a redirect's target.

        Bytes may come from anywhere, since they are held against digests; but a remote server must
        not send this program to an unprotected address or to services of this machine.

        Raises:
            DataFault: ``redirect_refused``.
        """
        if is_loopback(target):
            if is_loopback(self.url):
                return
        elif urlsplit(target).scheme == "https":
            return
        raise DataFault(
            "redirect_refused",
            f"The model server points to an address that isn't safe ({host_of(target)}).",
            "Check HF_ENDPOINT; if it is not set, the network may be interfering.",
        )


def host_of(url: str) -> str:
    """Host and port of ``url`` as shown to a person."""
    return urlsplit(url).netloc.rpartition("@")[2]


def is_loopback(url: str) -> bool:
    """Whether ``url`` is http(s) to this very machine."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or parts.hostname is None:
        return False
    if parts.hostname == "localhost":
        return True
    try:
        return ipaddress.ip_address(parts.hostname).is_loopback
    except ValueError:
        return False


def _origin(url: str) -> tuple[str, str | None, int]:
    parts = urlsplit(url)
    return parts.scheme, parts.hostname, parts.port or (443 if parts.scheme == "https" else 80)

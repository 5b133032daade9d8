"""What an answer to a request for a file means, judged before its body."""

import httpx2

from app.core.errors import DataFault
from app.models.fetch_retry import asked_pause_s
from app.models.hub_endpoint import HubEndpoint, host_of
from app.models.hub_errors import ServerAnswer, login_page, wrong_size


class BeginAnew(Exception):
    """The server can't continue where the part ends; the file begins anew."""


def check_head(response: httpx2.Response, path: str, size_bytes: int, start: int) -> None:
    """Judges an answer before its body: status, range and length.

    Args:
        start: the byte that was asked for first.

    Raises:
        BeginAnew: the server can't continue at ``start``.
        ServerAnswer: no success.
        EnvironmentFault: ``network_login``.
        DataFault: ``wrong_size`` or ``server_answer``.
    """
    host = host_of(str(response.url))
    if response.status_code == 416 or (response.status_code == 200 and start):
        raise BeginAnew
    if response.status_code not in (200, 206):
        raise ServerAnswer(
            response.status_code,
            response.headers.get("x-error-code", ""),
            host,
            asked_pause_s(response.headers),
        )
    if response.headers.get("content-encoding", "identity") != "identity":
        raise DataFault(
            "server_answer",
            f"{host} packs files in a way that was not asked for.",
            "Try again later, or another mirror.",
        )
    if response.status_code == 206 and not _continues(response, size_bytes, start):
        raise BeginAnew
    length = response.headers.get("content-length", "")
    if length.isdecimal() and int(length) + start != size_bytes:
        if "text/html" in response.headers.get("content-type", ""):
            raise login_page(host)
        raise wrong_size(path, size_bytes, int(length) + start)


def may_be_expired(answer: ServerAnswer, endpoint: HubEndpoint) -> bool:
    """A signed link of a second server runs out; the next attempt asks the Hub for a new one."""
    return answer.status == 403 and answer.host != host_of(endpoint.url)


def host_of_error(error: httpx2.TransportError, endpoint: HubEndpoint) -> str:
    try:
        return host_of(str(error.request.url))
    except RuntimeError:  # an error without its request
        return host_of(endpoint.url)


def _continues(response: httpx2.Response, size_bytes: int, start: int) -> bool:
    expected = f"bytes {start}-{size_bytes - 1}/"
    content_range = str(response.headers.get("content-range", ""))
    return content_range in (f"{expected}{size_bytes}", f"{expected}*")

"""The bytes of an answer's body, with little between the socket and the disk.

WORKAROUND(httpx2 2.16.2): ``iter_raw`` copies every byte three times in pieces of at most 64 KiB,
about 0.6 CPU seconds a gigabyte. A long body of known length is therefore read from the answer's
``network_stream`` in large pieces, after the first piece, with which the HTTP parser gives out all
that it had read ahead. Should that ever change, the digest is wrong and the fetcher reads the file
once more in the plain way. A connection that was read like this is closed, not used again.
"""

from collections.abc import Iterator
from typing import Final

import httpcore2
import httpx2

_PIECE_BYTES: Final = 1 << 20


def body_pieces(
    response: httpx2.Response, *, direct_from_bytes: int | None, no_byte_s: float
) -> Iterator[bytes]:
    """Yields the body's pieces; ends early, without an error, where the connection ends early.

    Args:
        direct_from_bytes: bodies at least so long are read directly; ``None`` means none is.
        no_byte_s: how long to wait for the next bytes.

    Raises:
        httpx2.TransportError: the connection broke.
    """
    length = _known_length(response)
    stream = response.extensions.get("network_stream")
    if direct_from_bytes is None or length is None or stream is None or length < direct_from_bytes:
        yield from response.iter_raw()
        return
    pieces = response.iter_raw()  # kept to the end: its end closes the connection
    first = next(pieces, b"")
    yield first
    left = length - len(first)
    while first and left > 0:
        piece = _read(stream, min(left, _PIECE_BYTES), no_byte_s)
        if not piece:
            return
        left -= len(piece)
        yield piece


def _known_length(response: httpx2.Response) -> int | None:
    text = response.headers.get("content-length", "")
    if (
        response.http_version != "HTTP/1.1"
        or not text.isdecimal()
        or "transfer-encoding" in response.headers
    ):
        return None
    return int(text)


def _read(stream: httpcore2.NetworkStream, most: int, no_byte_s: float) -> bytes:
    try:
        return stream.read(most, timeout=no_byte_s)
    except httpcore2.TimeoutException as error:
        raise httpx2.ReadTimeout(str(error)) from error
    except httpcore2.NetworkError as error:
        raise httpx2.ReadError(str(error)) from error

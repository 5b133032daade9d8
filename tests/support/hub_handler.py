"""How the loopback Hub answers: the JSON API, files, blobs, and each of them broken."""

import gzip
import hashlib
import json
import socket
import struct
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import parse_qs, unquote, urlsplit

from tests.support.hub_faults import Fault, Where

if TYPE_CHECKING:
    from tests.support.loopback_hub import HubServer, LoopbackHub, Repository

GOOD_TOKEN = "hf_good"
_LFS_SUFFIXES = (".bin", ".gguf", "tokenizer.json")
_PIECE = 64 * 1024


def git_blob_id(content: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()


@dataclass(frozen=True)
class Seen:
    """One request that arrived."""

    server: str
    method: str
    path: str
    range: str | None
    authorization: str | None
    encoding: str | None


class HubHandler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    @property
    def hub(self) -> "LoopbackHub":
        return cast("HubServer", self.server).hub

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name of the base
        """Nothing is printed."""

    def do_HEAD(self) -> None:
        self._answer()

    def do_GET(self) -> None:
        self._answer()

    def _answer(self) -> None:
        server = cast("HubServer", self.server)
        get = self.headers.get
        self.hub.seen.append(
            Seen(
                server.name,
                self.command,
                self.path,
                get("Range"),
                get("Authorization"),
                get("Accept-Encoding"),
            )
        )
        url = urlsplit(self.path)
        parts = unquote(url.path).strip("/").split("/")
        if server.name == "cdn":
            content = self.hub.blob(parts[0])
            path = "/".join(parts[1:])
            if content is None:
                self._json(404, {})
            else:
                self._body(self.hub.faults.take(Where.BODY, path), content, {})
        elif parts[:2] == ["api", "models"]:
            self._api(parts[2:], parse_qs(url.query))
        else:
            self._resolve(parts)

    # -- The API --

    def _api(self, parts: list[str], query: dict[str, list[str]]) -> None:
        fault = self.hub.faults.take(Where.API, "/".join(parts))
        if self._broken(fault):
            return
        repository = self.hub.repositories.get("/".join(parts[:2]))
        if repository is None or (repository.private and not self._good_token()):
            self._error(401, "RepoNotFound", "Repository not found")
            return
        revision = parts[3] if len(parts) > 3 else "main"
        found = repository.at(revision)
        if found is None:
            self._error(404, "RevisionNotFound", "Invalid rev id")
        elif "tree" in parts[2:3]:
            self._tree(found[1], query)
        else:
            self._info("/".join(parts[:2]), repository, found)

    def _info(
        self, name: str, repository: "Repository", found: tuple[str, dict[str, bytes]]
    ) -> None:
        siblings = [
            {"rfilename": path, "size": len(content), "blobId": git_blob_id(content)}
            | ({"lfs": self._lfs(content)} if path.endswith(_LFS_SUFFIXES) else {})
            for path, content in found[1].items()
        ]
        info = {
            "id": name,
            "sha": found[0],
            "siblings": siblings,
            "gated": "auto" if repository.gated else False,
            "private": repository.private,
            "disabled": repository.disabled,
            "cardData": {"license": repository.licence},
        }
        self._json(200, info)

    def _tree(self, files: dict[str, bytes], query: dict[str, list[str]]) -> None:
        start = int(query.get("cursor", ["0"])[0])
        page = list(files.items())[start : start + self.hub.page_size]
        rows = [
            {"type": "file", "path": path, "size": len(content), "oid": git_blob_id(content)}
            | ({"lfs": self._lfs(content)} if path.endswith(_LFS_SUFFIXES) else {})
            for path, content in page
        ]
        after = start + self.hub.page_size
        link = {}
        if after < len(files):
            url = f"{self.hub.endpoint}{urlsplit(self.path).path}?recursive=true&cursor={after}"
            link = {"Link": f'<{url}>; rel="next"'}
        self._json(200, rows, link)

    @staticmethod
    def _lfs(content: bytes) -> dict[str, object]:
        digest = hashlib.sha256(content).hexdigest()
        return {"oid": digest, "sha256": digest, "size": len(content), "pointerSize": 134}

    # -- Files --

    def _resolve(self, parts: list[str]) -> None:
        name, path = "/".join(parts[:2]), "/".join(parts[4:])
        head = self.command == "HEAD"
        fault = self.hub.faults.take(Where.HEAD if head else Where.RESOLVE, path)
        if self._broken(fault):
            return
        repository = self.hub.repositories.get(name)
        if repository is None or (repository.private and not self._good_token()):
            self._error(401, "RepoNotFound", "Repository not found")
            return
        if repository.gated and not self._good_token():
            status = 403 if self.headers.get("Authorization") else 401
            self._error(status, "GatedRepo", "Access to this model is restricted")
            return
        found = repository.at(parts[3])
        if found is None or path not in found[1]:
            self._error(404, "EntryNotFound" if found else "RevisionNotFound", "Not found")
            return
        content = found[1][path]
        headers = {"X-Repo-Commit": found[0], "ETag": f'"{git_blob_id(content)}"'}
        if path.endswith(_LFS_SUFFIXES):
            headers["X-Linked-Etag"] = f'"{hashlib.sha256(content).hexdigest()}"'
            headers["X-Linked-Size"] = str(len(content))
            headers["Location"] = self.hub.blob_url(path, content)
            self._headers(302, _merged(headers, fault), 0)
        elif head:
            self._headers(200, _merged(headers, fault), len(content))
        else:
            self._body(self.hub.faults.take(Where.BODY, path), content, headers)

    def _good_token(self) -> bool:
        return self.headers.get("Authorization") == f"Bearer {GOOD_TOKEN}"

    def _body(self, fault: Fault, content: bytes, headers: dict[str, str]) -> None:
        """Sends ``content`` or the asked range of it, as ``fault`` has it."""
        if self._broken(fault):
            return
        if fault.body is not None:
            content = fault.body
        if fault.corrupt_at is not None:
            at = fault.corrupt_at
            content = content[:at] + bytes([content[at] ^ 0xFF]) + content[at + 1 :]
        start, status = self._start(fault, len(content))
        if status == 416:
            self._headers(416, {"Content-Range": f"bytes */{len(content)}"}, 0)
            return
        headers = _merged(headers, fault)
        if status == 206:
            first = start + 1 if fault.wrong_range else start
            headers["Content-Range"] = f"bytes {first}-{len(content) - 1}/{len(content)}"
        sent = content[start:]
        if fault.gzip:
            sent = gzip.compress(sent)
            headers["Content-Encoding"] = "gzip"
        self._headers(status, headers, None if fault.no_length else len(sent))
        if self.command == "GET":
            self._send(fault, sent, start)

    def _start(self, fault: Fault, size: int) -> tuple[int, int]:
        asked = self.headers.get("Range")
        if asked is None or fault.ignore_range:
            return 0, 200
        start = int(asked.removeprefix("bytes=").rstrip("-"))
        return (start, 416) if start >= size else (start, 206)

    def _send(self, fault: Fault, sent: bytes, start: int) -> None:
        stops = (fault.cut_at, fault.reset_at, fault.stall_at)
        end = min((stop - start for stop in stops if stop is not None), default=len(sent))
        view = memoryview(sent)[: max(0, end)]
        for offset in range(0, len(view), _PIECE):
            self.wfile.write(view[offset : offset + _PIECE])
        if fault.stall_at is not None:
            self.wfile.flush()
            self.hub.stalled.set()
            self.hub.released.wait(60)
        if any(stop is not None for stop in stops) or fault.no_length:
            self.close_connection = True
        if fault.reset_at is not None:
            self._reset()

    # -- Answers --

    def _broken(self, fault: Fault) -> bool:
        """Gives the answers that have nothing to do with what was asked."""
        if fault.status is not None:
            self._headers(fault.status, dict(fault.headers), 0)
        elif fault.redirect_to is not None:
            target = self.hub.endpoint + self.path if fault.redirect_to == "loop" else ""
            self._headers(302, {"Location": target or fault.redirect_to}, 0)
        elif fault.where != Where.BODY and fault.stall_at is not None:
            self.hub.stalled.set()
            self.hub.released.wait(60)
            self.close_connection = True
        elif fault.where != Where.BODY and fault.cut_at is not None:
            self.close_connection = True
        elif fault.where != Where.BODY and fault.reset_at is not None:
            self.close_connection = True
            self._reset()
        elif fault.where != Where.BODY and fault.body is not None:
            self._headers(200, {"Content-Type": "text/html"}, len(fault.body))
            self.wfile.write(fault.body)
        else:
            return False
        return True

    def _reset(self) -> None:
        """Ends the connection by a reset (RST) in place of an orderly end (FIN)."""
        linger = struct.pack("ii", 1, 0)
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        self.connection.close()

    def _json(self, status: int, content: object, headers: dict[str, str] | None = None) -> None:
        data = json.dumps(content).encode()
        self._headers(status, {"Content-Type": "application/json", **(headers or {})}, len(data))
        self.wfile.write(data)

    def _error(self, status: int, code: str, message: str) -> None:
        self._headers(status, {"X-Error-Code": code, "X-Error-Message": message}, 0)

    def _headers(self, status: int, headers: dict[str, str], length: int | None) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if length is not None:
            self.send_header("Content-Length", str(length))
        else:
            self.send_header("Connection", "close")
        self.end_headers()


def _merged(headers: dict[str, str], fault: Fault) -> dict[str, str]:
    kept = {name: value for name, value in headers.items() if name not in fault.drop_headers}
    return kept | fault.headers

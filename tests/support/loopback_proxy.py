"""A forward proxy on loopback that only tunnels (CONNECT), to the servers that it knows."""

import socket
import threading
from collections.abc import Mapping
from types import TracebackType
from typing import Self


class LoopbackProxy:
    """Tunnels to ``ports`` by host name; answers 502 to every other, and 407 if told so."""

    def __init__(self, ports: Mapping[str, int]) -> None:
        self._ports = dict(ports)
        self.connects: list[str] = []
        self.refuses = False
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._threads: list[threading.Thread] = []
        self._sockets: list[socket.socket] = []
        self._run(self._accept)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._listener.getsockname()[1]}"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for connection in (self._listener, *self._sockets):
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                continue
            finally:
                connection.close()
        for thread in self._threads:
            thread.join()

    def _run(self, work: object, *arguments: socket.socket) -> None:
        assert callable(work)
        thread = threading.Thread(target=work, args=arguments)
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            self._sockets.append(client)
            self._run(self._tunnel, client)

    def _tunnel(self, client: socket.socket) -> None:
        head = b""
        while b"\r\n\r\n" not in head:
            piece = client.recv(4096)
            if not piece:
                return
            head += piece
        target = head.split(b" ")[1].decode()
        self.connects.append(target)
        port = self._ports.get(target.partition(":")[0])
        if self.refuses or port is None:
            status = b"407 Proxy Authentication Required" if self.refuses else b"502 Bad Gateway"
            client.sendall(b"HTTP/1.1 " + status + b"\r\nContent-Length: 0\r\n\r\n")
            client.close()
            return
        server = socket.create_connection(("127.0.0.1", port))
        self._sockets.append(server)
        client.sendall(b"HTTP/1.1 200 Connected\r\n\r\n")
        self._run(_pump, client, server)
        _pump(server, client)


def _pump(source: socket.socket, target: socket.socket) -> None:
    try:
        while piece := source.recv(1 << 16):
            target.sendall(piece)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        return

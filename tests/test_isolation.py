"""The tests' own promises: no network, no data of the person who runs them."""

import os
import socket
from pathlib import Path

import pytest

from app.core.paths import DATA_ROOT_VARIABLE, DataRoot
from tests import conftest


@pytest.mark.parametrize("address", [("192.0.2.1", 9), ("2001:db8::1", 9)])
def test_a_socket_to_the_outside_is_refused(address: tuple[str, int]) -> None:
    family = socket.AF_INET6 if ":" in address[0] else socket.AF_INET
    with socket.socket(family, socket.SOCK_DGRAM) as sock, pytest.raises(RuntimeError):
        sock.connect(address)
    conftest.forget_refusals()


def test_a_lookup_of_an_outside_name_is_refused() -> None:
    with pytest.raises(RuntimeError, match="loopback"):
        socket.getaddrinfo("example.invalid", 80)
    conftest.forget_refusals()


def test_loopback_works() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        with socket.create_connection(("localhost", port)) as client:
            assert client.getpeername()[1] == port


def test_the_data_root_is_the_tests_own(tmp_path: Path, data_root: DataRoot) -> None:
    assert os.environ[DATA_ROOT_VARIABLE] == str(data_root.path)
    assert data_root.path.is_relative_to(tmp_path)
    assert not data_root.path.exists()

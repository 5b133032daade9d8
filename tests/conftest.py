"""What every test gets: no network but loopback, a data root of its own, one starter model."""

import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import hypothesis
import platformdirs
import pytest

from app.core.errors import DataFault
from app.core.paths import DATA_ROOT_VARIABLE, DataRoot
from app.core.telemetry import block_telemetry
from app.engine.client import EngineClient
from app.models.download_lock import WriterLock
from app.models.library import InstalledModel, Library
from app.models.starter import STARTER, converter_version
from app.workflows.starter import ensure_starter

TEST_CACHE_VARIABLE: Final = "CONTENOX_TEST_CACHE"

_LOOPBACK: Final = frozenset({"localhost", "::1", ""})
_ADDRESSED: Final = frozenset({"socket.connect", "socket.sendto", "socket.sendmsg"})
_LOOKUPS: Final = frozenset({"socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr"})
_refused: list[str] = []


def _is_loopback(host: object) -> bool:
    if isinstance(host, bytes):
        host = host.decode("ascii", "replace")
    return host is None or (
        isinstance(host, str) and (host in _LOOPBACK or host.startswith("127."))
    )


def _guard_sockets(event: str, arguments: tuple[Any, ...]) -> None:
    """An audit hook: sees every socket that Python code of this process uses."""
    if event in _ADDRESSED:
        address = arguments[1]
        # Unix sockets have a path for an address, connected ones none.
        host = address[0] if isinstance(address, tuple) else None
    elif event in _LOOKUPS:
        host = arguments[0]
    else:
        return
    if not _is_loopback(host):
        _refused.append(f"{event} {host!r}")
        raise RuntimeError(f"A test may only talk to loopback, not to {host!r}.")


def pytest_configure() -> None:
    """Runs before any test module is imported."""
    block_telemetry()
    # The same examples everywhere, and no verdict on how fast the machine makes them.
    hypothesis.settings.register_profile(
        "contenox",
        derandomize=True,
        deadline=None,
        suppress_health_check=[hypothesis.HealthCheck.too_slow],
    )
    hypothesis.settings.load_profile("contenox")
    sys.addaudithook(_guard_sockets)


def forget_refusals() -> None:
    """For the one test that reaches out on purpose."""
    _refused.clear()


@pytest.fixture(autouse=True)
def _only_loopback() -> Iterator[None]:
    """Fails a test whose code tried to reach out, also if the refusal was swallowed."""
    forget_refusals()
    yield
    assert not _refused, f"sockets to the outside: {_refused}"


@pytest.fixture(autouse=True)
def data_root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> DataRoot:
    """A data root that no other test shares. Nothing is created before it is needed."""
    root = tmp_path / "Daten é漢"
    monkeypatch.setenv(DATA_ROOT_VARIABLE, str(root))
    return DataRoot(root)


@pytest.fixture(scope="session")
def starter_store() -> Library:
    """A library with both variants of the starter, made once for each converter.

    It lies outside the tree, in the folder that ``CONTENOX_TEST_CACHE`` names or in the user's
    cache, and is verified to the byte before it is used.
    """
    named = os.environ.get(TEST_CACHE_VARIABLE)
    cache = Path(named) if named else Path(platformdirs.user_cache_dir("contenox-tests", False))
    key = f"starter-{STARTER.gguf.sha256[:12]}-{converter_version()}"
    root = DataRoot((cache / key).absolute())
    library = Library(root.models)
    # The tests may run in several processes: one of them makes it, the others find it made.
    lock = WriterLock(root.path / "made.lock")
    while not lock.acquire():
        time.sleep(0.1)
    try:
        for model in library.installed():
            try:
                library.verify(model)
            except DataFault:
                library.delete(model)
        client = EngineClient(log_dir=root.logs)
        try:
            ensure_starter(library, root, client, lambda _: None)
        finally:
            client.close()
    finally:
        lock.release()
    return library


@pytest.fixture(scope="session")
def starter_openvino(starter_store: Library) -> InstalledModel:
    """The starter for OpenVINO."""
    return starter_store.find("starter", backend="openvino")


@pytest.fixture(scope="session")
def starter_gguf(starter_store: Library) -> InstalledModel:
    """The starter for llama.cpp."""
    return starter_store.find("starter", backend="llama")

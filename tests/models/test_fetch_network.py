"""Behind a company's proxy, with a company's certificate: both work, both fail with a sentence."""

import hashlib
import ssl
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import huggingface_hub
import pytest

from app.core.errors import EnvironmentFault
from app.models.download_disk import DiskGuard
from app.models.fetch import Fetcher, FetchLimits, Wanted
from app.models.fetch_retry import RetryPolicy
from app.models.fetch_stop import StopSwitch
from app.models.hub_endpoint import HubEndpoint
from app.models.hub_metadata import HubMetadata
from app.models.identity import FileRecord, Stopped
from tests.support.loopback_hub import LoopbackHub
from tests.support.loopback_proxy import LoopbackProxy
from tests.support.promptness import AT_ONCE_S

PEM = Path(__file__).resolve().parents[1] / "support" / "loopback_tls.pem"
CONTENT = hashlib.shake_256(b"tls").digest(300_000)
RETRY = RetryPolicy(idle_attempts=2, first_s=0.01, longest_s=0.05)
ENDPOINT = HubEndpoint(url="https://hub.test")


class Company:
    """A hub that only a proxy reaches, under a certificate that only this company trusts."""

    def __init__(self, hub: LoopbackHub, proxy: LoopbackProxy, target: Path) -> None:
        self.hub, self.proxy, self.target = hub, proxy, target
        self.stop = StopSwitch()
        hub.add("acme/tiny", {"openvino_model.bin": CONTENT})

    def kept(self, count: int) -> None:
        """Not looked at."""

    def received(self, count: int) -> None:
        """Not looked at."""

    def fetch(self) -> FileRecord:
        wanted = Wanted(
            repository="acme/tiny",
            commit="a" * 40,
            path="openvino_model.bin",
            size_bytes=len(CONTENT),
            sha256=hashlib.sha256(CONTENT).hexdigest(),
        )
        limits = FetchLimits(no_byte_s=30.0, direct_from_bytes=100_000, retry=RETRY)
        with Fetcher(ENDPOINT, DiskGuard(0), lambda *_: None, limits) as fetcher:
            return fetcher.fetch(wanted, self.target, self.stop, self)

    def fails(self) -> EnvironmentFault:
        with pytest.raises(EnvironmentFault) as caught:
            self.fetch()
        return caught.value


@pytest.fixture
def company(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Company]:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(PEM)
    for name in ("NO_PROXY", "no_proxy", "https_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    with LoopbackHub(context) as hub, LoopbackProxy(hub.ports) as proxy:
        monkeypatch.setenv("HTTPS_PROXY", proxy.url)
        monkeypatch.setenv("SSL_CERT_FILE", str(PEM))
        huggingface_hub.close_session()
        yield Company(hub, proxy, tmp_path / "openvino_model.bin")
        huggingface_hub.close_session()
        hub.released.set()


def test_bytes_and_questions_go_through_the_proxy(company: Company) -> None:
    metadata = HubMetadata(ENDPOINT, lambda *_: None, 10.0, RETRY)
    assert metadata.resolve("acme/tiny", None, company.stop).commit == "a" * 40
    assert company.fetch().size_bytes == len(CONTENT)
    assert company.target.read_bytes() == CONTENT
    assert {"hub.test:443", "cdn.test:443"} == set(company.proxy.connects)


def test_a_certificate_that_the_system_does_not_trust_is_named(
    company: Company, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SSL_CERT_FILE")
    error = company.fails()
    assert error.code == "network_unreachable"
    assert "certificate" in error.message
    assert not company.hub.seen


def test_a_proxy_that_refuses_is_named(company: Company) -> None:
    company.proxy.refuses = True
    error = company.fails()
    assert error.code == "network_unreachable"
    assert "proxy" in error.message


def test_a_stalled_tls_stream_stops_at_once(company: Company) -> None:
    company.hub.fault(stall_at=100_000)
    ended: list[BaseException] = []

    def run() -> None:
        try:
            company.fetch()
        except BaseException as error:  # noqa: BLE001 - handed to the test
            ended.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    assert company.hub.stalled.wait(20)
    pressed = time.monotonic()
    company.stop.press()
    thread.join(20)
    assert time.monotonic() - pressed < AT_ONCE_S
    assert [type(error) for error in ended] == [Stopped]

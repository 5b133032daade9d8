"""Offline, every server is refused, also in the middle of a download; the ledger knows of pip."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from app.core.errors import UserError
from app.models.download_disk import DiskGuard
from app.models.fetch import Fetcher, FetchLimits, Wanted
from app.models.fetch_stop import StopSwitch
from app.models.hub_endpoint import HubEndpoint, NetworkSwitch
from app.models.wheel import tell_contacts
from tests.support.loopback_hub import LoopbackHub

CONTENT = bytes(range(256)) * 8192
SIZE = len(CONTENT)


@pytest.fixture
def hub() -> Iterator[LoopbackHub]:
    with LoopbackHub() as running:
        running.add("acme/tiny", {"model.bin": CONTENT})
        yield running


class TurnsOff:
    """Turns the switch when the first bytes are here."""

    def __init__(self, switch: NetworkSwitch) -> None:
        self._switch = switch

    def kept(self, count: int) -> None:
        pass

    def received(self, count: int) -> None:
        self._switch.off = True


def test_a_running_download_is_refused_from_then_on_and_its_part_stays(
    hub: LoopbackHub, tmp_path: Path
) -> None:
    switch = NetworkSwitch()
    wanted = Wanted(
        repository="acme/tiny",
        commit="a" * 40,
        path="model.bin",
        size_bytes=SIZE,
        sha256="0" * 64,
        git_blob_id=None,
    )
    endpoint = HubEndpoint(url=hub.endpoint, switch=switch)
    disk = DiskGuard(reserve_bytes=1, free=lambda _: 1 << 40)
    limits = FetchLimits(direct_from_bytes=None)
    contacts: list[tuple[str, str, int]] = []
    with Fetcher(endpoint, disk, lambda *one: contacts.append(one), limits) as fetcher:
        for _ in range(2):  # in the middle, and before the first byte
            with pytest.raises(UserError, match="offline") as caught:
                fetcher.fetch(wanted, tmp_path / "model.bin", StopSwitch(), TurnsOff(switch))
            assert caught.value.code == "offline"
    assert 0 < (tmp_path / "model.bin.part").stat().st_size < SIZE
    assert len(contacts) == 2  # the hub and its store of files, before the switch was turned


@pytest.mark.parametrize(
    ("words", "hosts"),
    [
        (
            "  Downloading x-1.whl (93 MB)\n",
            ["pip's default index", "pip's default store of files"],
        ),
        (
            "Looking in indexes: https://me:word@one.example/simple, https://two.example/s\n"
            "Downloading https://files.one.example/x/x-1.whl (93 MB)\n",
            ["one.example", "two.example", "files.one.example"],
        ),
        ("Looking in links: /some/folder\nProcessing /some/folder/x-1.whl\n", []),
    ],
)
def test_the_hosts_that_pip_asked_are_recorded(words: str, hosts: list[str]) -> None:
    contacts: list[tuple[str, str, int]] = []
    tell_contacts(words, 7, lambda *contact: contacts.append(contact))
    assert [host for host, _, _ in contacts] == hosts
    assert sum(count for _, _, count in contacts) == (7 if hosts else 0)

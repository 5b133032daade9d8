"""Each row of the fault table: the fetcher ends with the right bytes, or with none."""

import errno
import hashlib
import os
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec
import pytest

from app.core.errors import ContenoxError, DataFault, EnvironmentFault, UserError
from app.models import fetch_body
from app.models.download_disk import DiskGuard
from app.models.fetch import Fetcher, FetchLimits, Wanted
from app.models.fetch_part import PartFile
from app.models.fetch_retry import RetryPolicy
from app.models.fetch_stop import StopSwitch
from app.models.hub_endpoint import HubEndpoint
from app.models.identity import FileRecord, Stopped
from tests.support.hub_handler import GOOD_TOKEN, git_blob_id
from tests.support.loopback_hub import LoopbackHub
from tests.support.promptness import AT_ONCE_S

MIB = 1 << 20
CONTENT = hashlib.shake_256(b"weights").digest(2 * MIB + 12_345)
CONFIG = b'{"architectures": ["TestForCausalLM"]}'
NAME = "openvino_model.bin"
QUICK = FetchLimits(
    connect_s=2.0,
    no_byte_s=0.4,
    direct_from_bytes=MIB // 4,
    retry=RetryPolicy(idle_attempts=3, first_s=0.01, longest_s=0.3),
)
PLAIN = msgspec.structs.replace(QUICK, direct_from_bytes=None)


@dataclass
class Rig:
    """A hub, a fetcher and a target, with what happened."""

    hub: LoopbackHub
    folder: Path
    limits: FetchLimits = QUICK
    token: str | None = None
    free: int = 1 << 40
    contacts: list[tuple[str, str, int]] = field(default_factory=list)
    progress: list[int] = field(default_factory=list)
    stop: StopSwitch = field(default_factory=StopSwitch)

    @property
    def target(self) -> Path:
        return self.folder / NAME

    @property
    def part(self) -> Path:
        return self.folder / f"{NAME}.part"

    def fetch(
        self, path: str = NAME, before: dict[str, Any] | None = None, **changes: Any
    ) -> FileRecord:
        content = CONFIG if path == "config.json" else CONTENT
        small = path == "config.json"
        wanted: dict[str, Any] = {
            "repository": "acme/tiny",
            "commit": "a" * 40,
            "path": path,
            "size_bytes": len(content),
            "sha256": None if small else hashlib.sha256(content).hexdigest(),
            "git_blob_id": git_blob_id(content) if small else None,
        }
        with Fetcher(
            HubEndpoint(url=self.hub.endpoint, token=self.token),
            DiskGuard(reserve_bytes=MIB, free=lambda _: self.free),
            lambda *contact: self.contacts.append(contact),
            self.limits,
        ) as fetcher:
            for file, known in (before or {}).items():
                fetcher.fetch(Wanted(**(wanted | known)), self.folder / file, self.stop, self)
            return fetcher.fetch(Wanted(**(wanted | changes)), self.folder / path, self.stop, self)

    def kept(self, count: int) -> None:
        self.progress.append(count)

    def received(self, count: int) -> None:
        self.progress.append(count)

    def fails(self, path: str = NAME, **changes: Any) -> ContenoxError:
        """Fetches, expects a failure, and that nothing was published."""
        with pytest.raises(ContenoxError) as caught:
            self.fetch(path, **changes)
        assert not (self.folder / path).exists()
        return caught.value


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[Rig]:
    with LoopbackHub() as hub:
        hub.add("acme/tiny", {NAME: CONTENT, "config.json": CONFIG})
        yield Rig(hub, tmp_path)


def _right(rig: Rig, record: FileRecord) -> bool:
    return (
        rig.target.read_bytes() == CONTENT
        and record.sha256 == hashlib.sha256(CONTENT).hexdigest()
        and not rig.part.exists()
        and sum(rig.progress) == len(CONTENT)
    )


def test_a_file_arrives_whole_over_the_redirect(rig: Rig) -> None:
    assert _right(rig, rig.fetch())
    assert [host for host, _, _ in rig.contacts] == [
        rig.hub.endpoint.removeprefix("http://"),
        rig.hub.cdn.removeprefix("http://"),
    ]
    assert rig.contacts[-1][2] == len(CONTENT)
    assert {seen.encoding for seen in rig.hub.seen} == {"identity"}


def test_a_direct_read_that_misses_bytes_is_found_out_and_done_plainly(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What would happen if the HTTP parser kept bytes back that it had read ahead."""
    real = fetch_body._read
    lost: list[int] = []

    def loses_the_first_byte(stream: Any, most: int, no_byte_s: float) -> bytes:
        piece = real(stream, most, no_byte_s)
        if not lost:
            lost.append(1)
            piece = piece[1:]
        return piece

    monkeypatch.setattr(fetch_body, "_read", loses_the_first_byte)
    assert _right(rig, rig.fetch())
    assert lost


def test_a_small_file_is_held_against_its_git_name(rig: Rig) -> None:
    record = rig.fetch("config.json")
    assert (rig.folder / "config.json").read_bytes() == CONFIG
    assert record.sha256 == hashlib.sha256(CONFIG).hexdigest()


RECOVERED: dict[str, dict[str, Any]] = {
    "fin once": {"cut_at": MIB, "times": 1},
    "fin at byte 0 twice": {"cut_at": 0, "times": 2},
    "reset in mid-file": {"reset_at": MIB, "times": 1},
    "reset before the answer": {"where": "resolve", "reset_at": 0, "times": 1},
    "closed before the answer": {"where": "resolve", "cut_at": 0, "times": 1},
    "stall in mid-file": {"stall_at": MIB, "times": 1},
    "stall before the answer": {"where": "resolve", "stall_at": 0, "times": 1},
    "one wrong byte, once": {"corrupt_at": MIB + 7, "times": 1},
    "garbage of the right length, once": {"body": b"x" * len(CONTENT), "times": 1},
    "no content length": {"no_length": True},
    "no content length and cut": {"no_length": True, "cut_at": MIB, "times": 1},
    "no linked headers": {"where": "resolve", "drop_headers": ("X-Linked-Etag", "X-Linked-Size")},
    "no etag and commit": {"where": "resolve", "drop_headers": ("ETag", "X-Repo-Commit")},
    "weak etag": {"where": "resolve", "headers": {"ETag": 'W/"weak"'}},
    "hostile etag": {"where": "resolve", "headers": {"X-Linked-Etag": '"../../../../evil"'}},
    "false linked size": {"where": "resolve", "headers": {"X-Linked-Size": "9999999"}},
    "500 once": {"status": 500, "times": 1},
    "503 twice on the hub": {"where": "resolve", "status": 503, "times": 2},
    "429 with Retry-After": {"status": 429, "headers": {"Retry-After": "0.1"}, "times": 1},
    "429 with RateLimit": {"status": 429, "headers": {"RateLimit": '"api";r=0;t=0'}, "times": 1},
    "429 with a date": {
        "status": 429,
        "headers": {"Retry-After": "Wed, 21 Oct 2015 07:28:00 GMT"},
        "times": 1,
    },
    "expired link": {"status": 403, "times": 1},
    "408": {"status": 408, "times": 1},
}


@pytest.mark.parametrize("limits", [QUICK, PLAIN], ids=["direct", "plain"])
@pytest.mark.parametrize("fault", RECOVERED.values(), ids=RECOVERED.keys())
def test_a_passing_fault_ends_in_the_right_bytes(
    rig: Rig, fault: dict[str, Any], limits: FetchLimits
) -> None:
    rig.limits = limits
    fault_on = rig.hub.fault(**fault)
    assert _right(rig, rig.fetch())
    assert fault_on.hits > 0
    assert fault_on.times in (None, 0)


def test_a_broken_transfer_goes_on_at_the_byte_where_it_broke(rig: Rig) -> None:
    rig.hub.fault(cut_at=MIB, times=1)
    assert _right(rig, rig.fetch())
    assert [seen.range for seen in rig.hub.bodies() if seen.server == "cdn"] == [
        None,
        f"bytes={MIB}-",
    ]


@pytest.mark.parametrize(
    "second", [{"ignore_range": True}, {"wrong_range": True, "times": 1}, {"status": 416}]
)
def test_a_server_that_can_not_continue_is_asked_from_the_beginning(
    rig: Rig, second: dict[str, Any]
) -> None:
    rig.hub.fault(cut_at=MIB, times=1)
    rig.hub.fault(**({"times": 1} | second))
    assert _right(rig, rig.fetch())


def test_a_server_that_neither_continues_nor_finishes_is_given_up(rig: Rig) -> None:
    rig.hub.fault(cut_at=MIB, ignore_range=True)
    assert rig.fails().code == "network_unreachable"


LOST: dict[str, tuple[dict[str, Any], str]] = {
    "one wrong byte for ever": ({"corrupt_at": 5}, "wrong_digest"),
    "garbage for ever": ({"body": b"x" * len(CONTENT)}, "wrong_digest"),
    "short with honest length": ({"body": CONTENT[:-1]}, "wrong_size"),
    "longer": ({"body": CONTENT + b"x"}, "wrong_size"),
    "longer without length": ({"body": CONTENT + b"x", "no_length": True}, "wrong_size"),
    "packed though not asked for": ({"gzip": True}, "server_answer"),
    "sign-in page": (
        {"body": b"<html>sign in", "headers": {"Content-Type": "text/html; charset=utf-8"}},
        "network_login",
    ),
    "fin at byte 0 for ever": ({"cut_at": 0}, "network_unreachable"),
    "stall for ever": ({"stall_at": 0}, "network_unreachable"),
    "503 for ever": ({"status": 503}, "server_busy"),
    "429 for ever": ({"status": 429}, "server_busy"),
    "403 from the second server for ever": ({"status": 403}, "access_refused"),
    "403 from the hub": ({"where": "resolve", "status": 403}, "access_refused"),
    "404": ({"where": "resolve", "status": 404}, "model_withdrawn"),
    "407": ({"where": "resolve", "status": 407}, "network_unreachable"),
    "418": ({"where": "resolve", "status": 418}, "server_answer"),
    "endless redirect": ({"where": "resolve", "redirect_to": "loop"}, "redirect_refused"),
    "redirect to plain http": (
        {"where": "resolve", "redirect_to": "http://192.0.2.1/x"},
        "redirect_refused",
    ),
    "redirect to a file": (
        {"where": "resolve", "redirect_to": "file:///etc/x"},
        "redirect_refused",
    ),
    "redirect to nonsense": ({"where": "resolve", "redirect_to": "http://["}, "redirect_refused"),
}


@pytest.mark.parametrize(("fault", "code"), LOST.values(), ids=LOST.keys())
def test_a_lasting_fault_publishes_nothing(rig: Rig, fault: dict[str, Any], code: str) -> None:
    fault_on = rig.hub.fault(**fault)
    error = rig.fails()
    assert fault_on.hits > 0
    assert error.code == code
    assert error.message
    assert error.remedy


def test_a_wrong_configuration_file_is_not_published(rig: Rig) -> None:
    rig.hub.fault(path="config.json", corrupt_at=3)
    assert rig.fails("config.json").code == "wrong_digest"


def test_after_a_wrong_byte_nothing_of_the_file_is_kept(rig: Rig) -> None:
    rig.hub.fault(corrupt_at=5)
    assert isinstance(rig.fails(), DataFault)
    assert not rig.part.exists()


def test_after_a_lost_network_the_part_is_kept_and_continued(rig: Rig) -> None:
    rig.hub.fault(cut_at=MIB)
    rig.fails()
    assert rig.part.stat().st_size == MIB
    rig.hub.faults.clear()
    rig.progress.clear()
    assert _right(rig, rig.fetch())
    assert rig.hub.bodies()[-1].range == f"bytes={MIB}-"


def test_a_part_that_was_tampered_with_is_found_out_and_fetched_anew(rig: Rig) -> None:
    rig.part.write_bytes(b"evil" + CONTENT[4:MIB])
    assert _right(rig, rig.fetch())


def test_a_part_that_is_too_long_is_fetched_anew(rig: Rig) -> None:
    rig.part.write_bytes(CONTENT + b"more")
    assert _right(rig, rig.fetch())


def test_a_part_that_is_complete_costs_no_request(rig: Rig) -> None:
    rig.part.write_bytes(CONTENT)
    assert _right(rig, rig.fetch())
    assert rig.hub.seen == []


def test_a_pause_that_a_server_asks_for_is_bounded(rig: Rig) -> None:
    rig.hub.fault(status=429, headers={"Retry-After": "86400"}, times=1)
    started = time.monotonic()
    assert _right(rig, rig.fetch())
    assert time.monotonic() - started < 5


STALLS: dict[str, dict[str, Any]] = {
    "in the body": {"path": NAME, "stall_at": MIB},
    "before the answer": {"where": "resolve", "path": NAME, "stall_at": 0},
}


@pytest.mark.parametrize("direct", [MIB // 4, None], ids=["direct", "plain"])
@pytest.mark.parametrize("reused", [False, True], ids=["new connection", "reused connection"])
@pytest.mark.parametrize("fault", STALLS.values(), ids=STALLS.keys())
def test_a_stalled_transfer_stops_at_once(
    rig: Rig, fault: dict[str, Any], reused: bool, direct: int | None
) -> None:
    rig.limits = FetchLimits(no_byte_s=60.0, direct_from_bytes=direct)
    rig.hub.fault(**fault)
    ended: list[BaseException] = []
    small = {"path": "config.json", "size_bytes": len(CONFIG), "sha256": None}
    small["git_blob_id"] = git_blob_id(CONFIG)

    def run() -> None:
        try:
            rig.fetch(before={"config.json": small} if reused else None)
        except BaseException as error:  # noqa: BLE001 - handed to the test
            ended.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    assert rig.hub.stalled.wait(10)
    pressed = time.monotonic()
    rig.stop.press()
    thread.join(10)
    assert time.monotonic() - pressed < AT_ONCE_S
    assert [type(error) for error in ended] == [Stopped]
    assert not rig.target.exists()


def test_a_pause_between_attempts_stops_at_once(rig: Rig) -> None:
    rig.limits = FetchLimits(retry=RetryPolicy(longest_s=60.0))
    rig.hub.fault(status=429, headers={"Retry-After": "60"})
    timer = threading.Timer(0.3, rig.stop.press)
    timer.start()
    started = time.monotonic()
    with pytest.raises(Stopped):
        rig.fetch()
    assert time.monotonic() - started < AT_ONCE_S
    timer.join()


def test_a_switch_that_was_pressed_before_lets_nothing_begin(rig: Rig) -> None:
    rig.stop.press()
    with pytest.raises(Stopped):
        rig.fetch()
    assert rig.hub.seen == []


def test_a_disk_that_fills_keeps_the_part(rig: Rig) -> None:
    rig.free = 10
    error = rig.fails()
    assert isinstance(error, EnvironmentFault)
    assert error.code == "disk_full"
    rig.free = 1 << 40
    rig.progress.clear()
    assert _right(rig, rig.fetch())


def test_a_disk_that_is_full_in_mid_write_keeps_what_was_written(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = PartFile._write_all

    def full_after_a_mebibyte(part: PartFile, piece: bytes) -> None:
        if os.fstat(part._file.fileno()).st_size + len(piece) > MIB:
            raise OSError(errno.ENOSPC, "No space left on device")
        real(part, piece)

    with monkeypatch.context() as patched:
        patched.setattr(PartFile, "_write_all", full_after_a_mebibyte)
        assert rig.fails().code == "disk_full"
    assert 0 < rig.part.stat().st_size <= MIB
    rig.progress.clear()
    assert _right(rig, rig.fetch())


def test_a_token_reaches_the_hub_and_never_the_second_server(rig: Rig) -> None:
    rig.hub.repositories["acme/tiny"].gated = True
    rig.token = GOOD_TOKEN
    assert _right(rig, rig.fetch())
    assert {seen.server: seen.authorization for seen in rig.hub.seen} == {
        "hub": f"Bearer {GOOD_TOKEN}",
        "cdn": None,
    }


@pytest.mark.parametrize("token", [None, "hf_bad"])
def test_a_gated_repository_says_what_it_is(rig: Rig, token: str | None) -> None:
    rig.hub.repositories["acme/tiny"].gated = True
    rig.token = token
    assert rig.fails().code == "model_gated"


def test_without_a_token_none_is_sent(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_TOKEN", "hf_of_another_tool")
    rig.fetch()
    assert {seen.authorization for seen in rig.hub.seen} == {None}


def test_offline_asks_nobody(rig: Rig) -> None:
    endpoint = HubEndpoint(url=rig.hub.endpoint, offline=True)
    wanted = Wanted(repository="acme/tiny", commit="a" * 40, path=NAME, size_bytes=1, sha256="")
    with (
        Fetcher(endpoint, DiskGuard(0), lambda *_: None, QUICK) as fetcher,
        pytest.raises(UserError) as caught,
    ):
        fetcher.fetch(wanted, rig.target, rig.stop, rig)
    assert caught.value.code == "offline"
    assert rig.hub.seen == []


def test_a_server_that_is_not_there_is_unreachable(rig: Rig) -> None:
    rig.hub.close()
    error = rig.fails()
    assert error.code == "network_unreachable"

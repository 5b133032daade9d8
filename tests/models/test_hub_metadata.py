"""What the Hub says about a repository, through the real client, and its refusals."""

import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

from app.core.errors import ContenoxError, DataFault, UserError
from app.models.fetch_retry import RetryPolicy, asked_pause_s
from app.models.fetch_stop import StopSwitch
from app.models.hub_endpoint import HubEndpoint, host_of
from app.models.hub_metadata import HubMetadata
from app.models.identity import Stopped
from app.models.text_only import RefusalReason, judge_openvino_files
from tests.support.hub_handler import GOOD_TOKEN, git_blob_id
from tests.support.loopback_hub import LoopbackHub
from tests.support.promptness import AT_ONCE_S

FILES = {"config.json": b"{}", "openvino_model.bin": b"w" * 1000}
RETRY = RetryPolicy(idle_attempts=3, first_s=0.01, longest_s=0.1)


@pytest.fixture
def hub() -> Iterator[LoopbackHub]:
    with LoopbackHub() as running:
        running.add("acme/tiny", FILES)
        yield running


def _metadata(hub: LoopbackHub, token: str | None = None, timeout_s: float = 5.0) -> HubMetadata:
    endpoint = HubEndpoint(url=hub.endpoint, token=token)
    return HubMetadata(endpoint, lambda *_: None, timeout_s, RETRY)


def test_a_repository_resolves_to_commit_sizes_and_digests(hub: LoopbackHub) -> None:
    snapshot = _metadata(hub).resolve("acme/tiny", None, StopSwitch())
    assert snapshot.commit == "a" * 40
    assert snapshot.licence == "apache-2.0"
    files = {file.path: file for file in snapshot.files}
    assert files["config.json"].git_blob_id == git_blob_id(b"{}")
    assert files["config.json"].sha256 is None
    assert files["openvino_model.bin"].size_bytes == 1000
    assert files["openvino_model.bin"].sha256 is not None


def test_an_old_commit_still_resolves_after_the_publisher_moved_on(hub: LoopbackHub) -> None:
    hub.repositories["acme/tiny"].move({"config.json": b"{1}"}, "b" * 40)
    old = _metadata(hub).resolve("acme/tiny", "a" * 40, StopSwitch())
    assert old.commit == "a" * 40
    assert {file.path for file in old.files} == set(FILES)
    assert _metadata(hub).resolve("acme/tiny", None, StopSwitch()).commit == "b" * 40


def _code(hub: LoopbackHub, name: str = "acme/tiny", **arguments: Any) -> str:
    with pytest.raises(ContenoxError) as caught:
        _metadata(hub, **arguments).resolve(name, None, StopSwitch())
    return caught.value.code


def test_gated_private_disabled_and_missing_repositories_are_told(hub: LoopbackHub) -> None:
    hub.repositories["acme/tiny"].gated = True
    assert _code(hub) == "model_gated"
    assert _metadata(hub, GOOD_TOKEN).resolve("acme/tiny", None, StopSwitch()).files
    hub.add("acme/private", FILES).private = True
    assert _code(hub, "acme/private") == "model_withdrawn"
    hub.add("acme/disabled", FILES).disabled = True
    assert _code(hub, "acme/disabled") == "model_withdrawn"
    assert _code(hub, "acme/missing") == "model_withdrawn"


@pytest.mark.parametrize(
    "fault",
    [
        {"status": 503, "times": 2},
        {"status": 500, "times": 1},
        {"status": 429, "headers": {"Retry-After": "0"}, "times": 1},
        {"reset_at": 0, "times": 1},
        {"cut_at": 0, "times": 1},
        {"body": b"<html>sign in</html>", "times": 1},
    ],
)
def test_a_passing_fault_of_the_api_is_waited_out(hub: LoopbackHub, fault: dict[str, Any]) -> None:
    hub.fault(where="api", **fault)
    assert _metadata(hub).resolve("acme/tiny", None, StopSwitch()).commit == "a" * 40


@pytest.mark.parametrize(
    ("fault", "code"),
    [
        ({"status": 503}, "server_busy"),
        ({"reset_at": 0}, "network_unreachable"),
        ({"body": b"<html>sign in</html>"}, "network_login"),
        ({"stall_at": 0}, "network_unreachable"),
        ({"status": 403}, "access_refused"),
    ],
)
def test_a_lasting_fault_of_the_api_is_told(
    hub: LoopbackHub, fault: dict[str, Any], code: str
) -> None:
    hub.fault(where="api", **fault)
    assert _code(hub, timeout_s=0.3) == code


def test_an_api_that_hangs_is_left_at_once(hub: LoopbackHub) -> None:
    hub.fault(where="api", stall_at=0)
    stop = StopSwitch()
    ended: list[BaseException] = []

    def run() -> None:
        try:
            _metadata(hub).resolve("acme/tiny", None, stop)
        except BaseException as error:  # noqa: BLE001 - handed to the test
            ended.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    assert hub.stalled.wait(10)
    pressed = time.monotonic()
    stop.press()
    thread.join(10)
    assert time.monotonic() - pressed < AT_ONCE_S
    assert [type(error) for error in ended] == [Stopped]


def test_twenty_thousand_files_are_read_and_refused(hub: LoopbackHub) -> None:
    hub.add("acme/huge", {f"shard-{number:05}.json": b"{}" for number in range(20_000)})
    snapshot = _metadata(hub).resolve("acme/huge", None, StopSwitch())
    assert len(snapshot.files) == 20_000
    refusal = judge_openvino_files(file.path for file in snapshot.files)
    assert refusal is not None
    assert refusal.reason is RefusalReason.TOO_MANY_FILES


def test_a_listing_without_sizes_is_refused(hub: LoopbackHub) -> None:
    hub.fault(
        where="api",
        body=b'{"id":"acme/tiny","sha":"' + b"a" * 40 + b'","siblings":[{"rfilename":"x"}]}',
    )
    with pytest.raises(DataFault) as caught:
        _metadata(hub).resolve("acme/tiny", None, StopSwitch())
    assert caught.value.code == "listing_unusable"


def test_a_commit_that_is_no_commit_is_refused(hub: LoopbackHub) -> None:
    hub.fault(where="api", body=b'{"id":"acme/tiny","sha":"../../evil","siblings":[]}')
    with pytest.raises(DataFault) as caught:
        _metadata(hub).resolve("acme/tiny", None, StopSwitch())
    assert caught.value.code == "listing_unusable"


def test_offline_asks_nobody(hub: LoopbackHub) -> None:
    metadata = HubMetadata(HubEndpoint(url=hub.endpoint, offline=True), lambda *_: None)
    with pytest.raises(UserError) as caught:
        metadata.resolve("acme/tiny", None, StopSwitch())
    assert caught.value.code == "offline"
    assert hub.seen == []


def test_the_endpoint_comes_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "https://mirror.test/hub/")
    monkeypatch.setenv("HF_TOKEN", "hf_of_another_tool")
    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
    endpoint = HubEndpoint.from_environment()
    assert endpoint == HubEndpoint(url="https://mirror.test/hub")
    assert (
        endpoint.file_url("a/b", "c" * 40, "d e#.bin")
        == f"https://mirror.test/hub/a/b/resolve/{'c' * 40}/d%20e%23.bin"
    )
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    assert HubEndpoint.from_environment().offline


@pytest.mark.parametrize("url", ["http://mirror.test", "ftp://mirror.test", "mirror.test"])
def test_an_unprotected_endpoint_is_refused(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_ENDPOINT", url)
    with pytest.raises(UserError) as caught:
        HubEndpoint.from_environment()
    assert caught.value.code == "endpoint_refused"


def test_a_remote_server_can_not_point_at_this_machine() -> None:
    remote = HubEndpoint(url="https://hub.test")
    remote.check_redirect("https://cdn.test/x")
    for target in ("http://cdn.test/x", "http://127.0.0.1:9/x", "https://localhost/x", "", "x"):
        with pytest.raises(DataFault):
            remote.check_redirect(target)
    HubEndpoint(url="http://127.0.0.1:1").check_redirect("http://127.0.0.1:2/x")


def test_a_token_is_for_the_very_origin_only() -> None:
    endpoint = HubEndpoint(url="https://hub.test", token="t")
    assert endpoint.may_receive_token("https://hub.test:443/x")
    assert not endpoint.may_receive_token("http://hub.test/x")
    assert not endpoint.may_receive_token("https://hub.test:444/x")
    assert not endpoint.may_receive_token("https://hub.test.evil/x")
    assert host_of("https://user:secret@hub.test/x") == "hub.test"


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": "soon"}, None),
        ({"ratelimit": '"api";r=0;t=12'}, 12.0),
        ({}, None),
    ],
)
def test_what_a_server_asks_for_is_read(headers: dict[str, str], expected: float | None) -> None:
    assert asked_pause_s(headers) == expected


def test_pauses_grow_are_spread_and_bounded() -> None:
    policy = RetryPolicy(first_s=1.0, longest_s=8.0)
    for attempt, whole in enumerate([1.0, 2.0, 4.0, 8.0, 8.0], start=1):
        pauses = {policy.pause_s(attempt) for _ in range(20)}
        assert len(pauses) > 1
        assert all(whole / 2 <= pause <= whole for pause in pauses)
    assert policy.pause_s(1, asked_s=3600.0) == 8.0
    assert policy.pause_s(1, asked_s=-5.0) == 0.0

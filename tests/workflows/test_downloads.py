"""Downloads as a person meets them: steered, broken off, continued, and never a wrong byte."""

import os
import random
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from app.core.errors import EnvironmentFault, UserError
from app.core.paths import DataRoot
from app.models.catalog import Trust, canonical_bytes, load_catalog
from app.models.download_state import DownloadState, Move
from app.models.download_store import DownloadStore
from app.models.identity import Stopped
from app.models.variant import read_manifest
from app.workflows.download_setup import open_ledger
from app.workflows.download_view import DownloadView
from app.workflows.download_watch import watch
from tests.support.download_machine import MIB, Machine
from tests.support.loopback_hub import LoopbackHub
from tests.support.model_files import (
    GGUF_FILE,
    OPENVINO_REPOSITORY,
    gguf_files,
    openvino_files,
    tiny_catalog,
)
from tests.support.promptness import AT_ONCE_S

WEIGHTS = "openvino_model.bin"
REPOSITORY_ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def machine(data_root: DataRoot, tmp_path: Path) -> Iterator[Machine]:
    with LoopbackHub() as hub:
        made = Machine(hub, data_root, tmp_path)
        yield made
        hub.released.set()
        made.close()


S = DownloadState


def _program(machine: Machine, folder: Path) -> "subprocess.Popen[bytes]":
    """Starts a program that gets the OpenVINO variant, to be killed."""
    catalog = folder / "catalog.json"
    catalog.write_bytes(canonical_bytes(tiny_catalog(machine.files)))
    arguments = [machine.root.path, machine.hub.endpoint, catalog, "tiny", "openvino"]
    return subprocess.Popen(
        [sys.executable, "-m", "tests.support.download_program", *map(str, arguments)],
        cwd=REPOSITORY_ROOT,
        env=os.environ | {"PYTHONPATH": str(REPOSITORY_ROOT)},
    )


def test_a_pinned_model_is_installed_without_a_question_to_the_api(machine: Machine) -> None:
    downloads = machine.started()
    queued = downloads.get("small", "openvino")
    assert (queued.model, queued.variant) == ("tiny", "openvino")
    view = machine.wait(downloads, S.INSTALLED, S.FAILED)
    assert view.reason is None
    assert view.done_bytes == view.total_bytes > MIB
    assert machine.installed_right()
    assert not [seen for seen in machine.hub.seen if "/api/" in seen.path]
    assert machine.leftovers() == []
    manifest = read_manifest(machine.library.find("tiny", "openvino").folder)
    assert manifest.origin is not None
    assert manifest.origin.commit == "a" * 40
    assert manifest.origin.trust == "pinned"
    states = [view.state for view in machine.views]
    assert states.index(S.QUEUED) < states.index(S.RUNNING) < states.index(S.VERIFYING)


def test_what_can_refuse_a_model_is_fetched_before_its_weights(machine: Machine) -> None:
    downloads = machine.started()
    downloads.get("tiny")
    machine.wait(downloads, S.INSTALLED)
    order = [seen.path.split("?")[0].rsplit("/", 1)[-1] for seen in machine.hub.bodies()]
    assert order[:2] == ["config.json", "openvino_model.xml"]
    assert order[-1] == WEIGHTS


def test_every_contacted_host_is_in_the_ledger(machine: Machine) -> None:
    downloads = machine.started()
    downloads.get("tiny", "llama")
    machine.wait(downloads, S.INSTALLED, variant="gguf")
    contacts = open_ledger(machine.root).contacts()
    asked = {(contact.host, contact.purpose) for contact in contacts}
    hub = machine.hub.endpoint.removeprefix("http://")
    cdn = machine.hub.cdn.removeprefix("http://")
    assert asked == {(hub, "model information"), (hub, "model files"), (cdn, "model files")}
    received = sum(contact.received_bytes for contact in contacts if contact.host == cdn)
    assert received == len(gguf_files()[GGUF_FILE])


def test_a_first_use_gguf_brings_the_one_listed_file(machine: Machine) -> None:
    downloads = machine.started()
    downloads.get("tiny", "llama")
    assert machine.wait(downloads, S.INSTALLED, S.FAILED, variant="gguf").reason is None
    model = machine.library.find("tiny", "llama")
    assert model.path.name == GGUF_FILE
    assert model.context_tokens == 128
    machine.library.verify(model)


def test_a_first_use_model_records_what_came(machine: Machine) -> None:
    downloads = machine.started(tiny_catalog(machine.files, trust=Trust.FIRST_USE))
    downloads.get("tiny", "openvino")
    assert machine.wait(downloads, S.INSTALLED, S.FAILED).reason is None
    assert machine.installed_right()
    manifest = read_manifest(machine.library.find("tiny", "openvino").folder)
    assert manifest.origin is not None
    assert manifest.origin.trust == "first-use"
    assert "picture.png" not in {file.path for file in manifest.files}


def test_a_pause_keeps_the_bytes_and_resume_goes_on_there(machine: Machine) -> None:
    machine.hub.fault(path=WEIGHTS, stall_at=MIB, times=1)
    downloads = machine.started()
    downloads.get("tiny", "openvino")
    machine.stalled(downloads)
    pressed = time.monotonic()
    downloads.pause("tiny", "openvino")
    assert time.monotonic() - pressed < AT_ONCE_S
    paused = machine.wait(downloads, S.PAUSED)
    assert time.monotonic() - pressed < AT_ONCE_S
    assert paused.reason is None
    assert paused.done_bytes >= MIB
    assert paused.allows(Move.RESUME)
    downloads.resume("tiny", "openvino")
    machine.wait(downloads, S.INSTALLED)
    assert machine.installed_right()
    assert machine.hub.bodies(WEIGHTS)[-1].range == f"bytes={MIB}-"


def test_a_cancel_removes_what_was_fetched(machine: Machine) -> None:
    machine.hub.fault(path=WEIGHTS, stall_at=MIB)
    downloads = machine.started()
    downloads.get("tiny", "openvino")
    machine.stalled(downloads)
    downloads.cancel("tiny", "openvino")
    machine.wait(downloads, S.CANCELLED)
    machine.until(lambda: None if machine.leftovers() else downloads.downloads()[0])
    assert machine.library.installed() == ()


def test_a_program_that_ends_goes_on_at_the_next_start(machine: Machine) -> None:
    machine.hub.fault(path=WEIGHTS, stall_at=MIB, times=1)
    downloads = machine.started()
    downloads.get("tiny", "openvino")
    machine.stalled(downloads)
    started = time.monotonic()
    downloads.close()
    assert time.monotonic() - started < AT_ONCE_S
    again = machine.started()
    machine.wait(again, S.INSTALLED)
    assert machine.installed_right()
    assert machine.hub.bodies(WEIGHTS)[-1].range == f"bytes={MIB}-"


def test_a_program_that_is_killed_in_mid_file_loses_nothing(
    machine: Machine, tmp_path: Path
) -> None:
    machine.hub.fault(path=WEIGHTS, stall_at=2 * MIB, times=1)
    program = _program(machine, tmp_path)
    try:
        assert machine.hub.stalled.wait(30)
        part = next((machine.root.models / ".downloads").glob(f"*/{WEIGHTS}.part"))
        deadline = time.monotonic() + 10
        while part.stat().st_size < MIB:  # the writer thread hands over whole mebibytes
            assert time.monotonic() < deadline
            threading.Event().wait(0.01)
        watching = machine.open()
        assert not watching.start()  # the other program holds the lock
        assert watching.downloads()[0].state is S.RUNNING
    finally:
        program.kill()
        program.wait()
    downloads = machine.started()
    machine.wait(downloads, S.INSTALLED)
    assert machine.installed_right()
    resumed = machine.hub.bodies(WEIGHTS)[-1].range
    assert resumed is not None
    assert int(resumed.removeprefix("bytes=").rstrip("-")) >= MIB


@pytest.mark.soak
def test_fifty_kills_at_random_moments_lose_nothing(machine: Machine, tmp_path: Path) -> None:
    chance = random.Random(20)

    for _ in range(50):
        machine.hub.faults.clear()
        machine.hub.stalled.clear()
        machine.hub.fault(path=WEIGHTS, stall_at=chance.randrange(len(machine.files[WEIGHTS])))
        program = _program(machine, tmp_path)
        machine.hub.stalled.wait(chance.uniform(0.5, 3.0))
        program.kill()
        program.wait()
    machine.hub.faults.clear()
    downloads = machine.started()
    machine.wait(downloads, S.INSTALLED)
    assert machine.installed_right()
    assert machine.leftovers() == []


def test_a_command_follows_a_download_and_takes_over_when_its_program_dies(
    machine: Machine, tmp_path: Path
) -> None:
    machine.hub.fault(path=WEIGHTS, stall_at=MIB, times=1)
    program = _program(machine, tmp_path)
    assert machine.hub.stalled.wait(30)
    following = machine.open()
    seen: list[DownloadView] = []

    def on_view(view: DownloadView) -> None:
        if not seen:
            assert view.state is S.RUNNING
            program.kill()
            program.wait()
        seen.append(view)

    assert watch(following, "tiny", "openvino", on_view).state is S.INSTALLED
    assert machine.installed_right()
    with pytest.raises(UserError) as caught:
        watch(following, "nobody", "openvino", on_view)
    assert caught.value.code == "download_unknown"


def test_following_can_be_stopped_without_stopping_the_download(machine: Machine) -> None:
    machine.hub.fault(path=WEIGHTS, stall_at=MIB)
    downloads = machine.started()
    downloads.get("tiny", "openvino")
    machine.stalled(downloads)
    with pytest.raises(Stopped):
        watch(downloads, "tiny", "openvino", lambda _: None, lambda: True)
    assert downloads.downloads()[0].state is S.RUNNING


def test_another_program_can_queue_pause_and_cancel(machine: Machine) -> None:
    machine.hub.fault(path=WEIGHTS, stall_at=MIB)
    owner = machine.started()
    other = machine.open()
    assert not other.start()
    other.get("tiny", "openvino")
    machine.stalled(owner)
    other.pause("tiny", "openvino")
    machine.wait(other, S.PAUSED)
    other.cancel("tiny", "openvino")
    assert owner.downloads()[0].state is S.CANCELLED


def test_a_lost_network_waits_and_goes_on_by_itself(machine: Machine) -> None:
    machine.hub.fault(path=WEIGHTS, cut_at=MIB, times=1)
    fault = machine.hub.fault(path=WEIGHTS, cut_at=MIB, times=3)
    downloads = machine.started()
    downloads.get("tiny", "openvino")
    machine.wait(downloads, S.INSTALLED)
    waits = [view for view in machine.views if view.state is S.WAITING]
    assert fault.times == 0
    assert waits
    assert waits[0].reason is not None
    assert waits[0].reason.code == "network_unreachable"
    assert waits[0].retry_at is not None
    assert machine.installed_right()


def test_a_wrong_byte_installs_nothing_and_costs_that_file_only(machine: Machine) -> None:
    fault = machine.hub.fault(path=WEIGHTS, corrupt_at=MIB, times=2)
    downloads = machine.started()
    downloads.get("tiny", "openvino")
    failed = machine.wait(downloads, S.FAILED)
    assert fault.times == 0
    assert failed.reason is not None
    assert failed.reason.code == "wrong_digest"
    assert machine.library.installed() == ()
    before = len(machine.hub.bodies())
    downloads.resume("tiny", "openvino")
    machine.wait(downloads, S.INSTALLED)
    assert machine.installed_right()
    assert {
        seen.path.split("?")[0].rsplit("/", 1)[-1] for seen in machine.hub.bodies()[before:]
    } == {WEIGHTS}


def test_a_full_disk_pauses_with_the_sum_and_goes_on_when_there_is_room(
    machine: Machine,
) -> None:
    machine.free = MIB
    downloads = machine.started()
    downloads.get("tiny", "openvino")
    paused = machine.wait(downloads, S.PAUSED)
    assert paused.reason is not None
    assert paused.reason.code == "disk_full"
    assert not machine.hub.bodies()
    machine.free = 1 << 40
    downloads.resume("tiny", "openvino")
    machine.wait(downloads, S.INSTALLED)
    assert machine.installed_right()


def test_a_moved_revision_mixes_nothing_into_a_running_download(
    machine: Machine, tmp_path: Path
) -> None:
    catalog = tiny_catalog(machine.files, trust=Trust.FIRST_USE)
    machine.hub.fault(path=WEIGHTS, stall_at=MIB, times=1)
    downloads = machine.started(catalog)
    downloads.get("tiny", "openvino")
    machine.stalled(downloads)
    downloads.close()
    newer = openvino_files(tmp_path / "newer", seed=b"2")
    machine.hub.repositories[OPENVINO_REPOSITORY].move(newer, "b" * 40)
    again = machine.started(catalog)
    machine.wait(again, S.INSTALLED)
    assert machine.installed_right()


def test_a_newer_version_replaces_an_installed_one_only_after_a_yes(
    machine: Machine, tmp_path: Path
) -> None:
    downloads = machine.started(tiny_catalog(machine.files, trust=Trust.FIRST_USE))
    downloads.get("tiny", "openvino")
    machine.wait(downloads, S.INSTALLED)
    old = machine.library.find("tiny", "openvino").digest
    newer = openvino_files(tmp_path / "newer", seed=b"2")
    machine.hub.repositories[OPENVINO_REPOSITORY].move(newer, "b" * 40)
    downloads.get("tiny", "openvino")
    paused = machine.wait(downloads, S.PAUSED)
    assert paused.reason is not None
    assert paused.reason.code == "revision_changed"
    assert machine.library.find("tiny", "openvino").digest == old
    downloads.resume("tiny", "openvino", accept_change=True)
    machine.wait(downloads, S.INSTALLED)
    machine.files = newer
    assert machine.installed_right()


def test_a_model_from_elsewhere_under_the_same_name_is_not_replaced_silently(
    machine: Machine,
) -> None:
    downloads = machine.started()
    downloads.get("tiny", "openvino")
    machine.wait(downloads, S.INSTALLED)
    folder = machine.library.find("tiny", "openvino").folder
    manifest = msgspec.structs.replace(read_manifest(folder), origin=None)
    (folder / "manifest.json").write_bytes(msgspec.json.encode(manifest))
    downloads.get("tiny", "openvino")
    paused = machine.wait(downloads, S.PAUSED)
    assert paused.reason is not None
    assert paused.reason.code == "revision_changed"
    assert "from elsewhere" in paused.reason.message


def test_getting_what_is_installed_costs_no_bytes(machine: Machine) -> None:
    downloads = machine.started()
    downloads.get("tiny", "openvino")
    machine.wait(downloads, S.INSTALLED)
    before = len(machine.hub.seen)
    assert downloads.get("tiny", "openvino").state is S.QUEUED
    machine.wait(downloads, S.INSTALLED)
    assert len(machine.hub.seen) == before


@pytest.mark.parametrize(
    ("extra", "code"),
    [
        ("openvino_vision_embeddings_model.xml", "unsupported_pipeline"),
        ("preprocessor_config.json", "unsupported_pipeline"),
        ("NUL.txt", "unsafe_file_name"),
        ("OPENVINO_MODEL.bin", "unsafe_file_name"),
        ("../../evil.json", "unsafe_file_name"),
    ],
)
def test_a_repository_that_is_no_text_model_is_refused_before_its_first_byte(
    machine: Machine, extra: str, code: str
) -> None:
    machine.hub.repositories[OPENVINO_REPOSITORY].files[extra] = b"x"
    downloads = machine.started(tiny_catalog(machine.files, trust=Trust.FIRST_USE))
    downloads.get("tiny", "openvino")
    failed = machine.wait(downloads, S.FAILED)
    assert failed.reason is not None
    assert failed.reason.code == code
    assert not machine.hub.bodies()


def test_a_configuration_of_a_vision_model_stops_before_the_weights(machine: Machine) -> None:
    files = machine.hub.repositories[OPENVINO_REPOSITORY].files
    files["config.json"] = b'{"architectures": ["TinyForCausalLM"], "vision_config": {"x": 1}}'
    downloads = machine.started(tiny_catalog(machine.files, trust=Trust.FIRST_USE))
    downloads.get("tiny", "openvino")
    failed = machine.wait(downloads, S.FAILED)
    assert failed.reason is not None
    assert failed.reason.code == "unsupported_pipeline"
    assert not machine.hub.bodies(WEIGHTS)


@pytest.mark.parametrize("kind", ["gated", "private", "disabled"])
def test_a_repository_that_is_not_for_everybody_is_refused(machine: Machine, kind: str) -> None:
    setattr(machine.hub.repositories[OPENVINO_REPOSITORY], kind, True)
    downloads = machine.started(tiny_catalog(machine.files, trust=Trust.FIRST_USE))
    downloads.get("tiny", "openvino")
    failed = machine.wait(downloads, S.FAILED)
    assert failed.reason is not None
    assert failed.reason.code in ("model_gated", "model_withdrawn")


def test_offline_pauses_and_asks_nobody(machine: Machine) -> None:
    downloads = machine.open(offline=True)
    assert downloads.start()
    downloads.get("tiny", "openvino")
    paused = machine.wait(downloads, S.PAUSED)
    assert paused.reason is not None
    assert paused.reason.code == "offline"
    assert machine.hub.seen == []


def test_at_most_two_downloads_run_at_once_and_all_can_be_paused(machine: Machine) -> None:
    machine.hub.fault(path=WEIGHTS, stall_at=MIB)
    downloads = machine.started()
    downloads.get("tiny", "openvino")
    downloads.get("tiny", "llama")
    machine.wait(downloads, S.INSTALLED, variant="gguf")
    machine.stalled(downloads)
    downloads.pause_all()
    machine.wait(downloads, S.PAUSED)
    downloads.resume_all()
    machine.wait(downloads, S.RUNNING)


@pytest.mark.parametrize("move", ["pause", "resume", "cancel"])
def test_a_move_that_makes_no_sense_is_refused(machine: Machine, move: str) -> None:
    downloads = machine.started()
    downloads.get("tiny", "openvino")
    machine.wait(downloads, S.INSTALLED)
    with pytest.raises(UserError) as caught:
        getattr(downloads, move)("tiny", "openvino")
    assert caught.value.code == "download_move"
    with pytest.raises(UserError) as caught:
        getattr(downloads, move)("nobody", "openvino")
    assert caught.value.code == "download_unknown"


def test_the_starter_is_not_asked_of_a_hub(machine: Machine) -> None:
    downloads = machine.open(load_catalog())
    with pytest.raises(UserError) as caught:
        downloads.get("smollm2-135m-instruct")
    assert caught.value.code == "not_from_hub"
    assert downloads.downloads() == ()


def test_a_start_on_a_disk_without_a_free_byte_does_not_fail(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    downloads = machine.open()

    def full(store: DownloadStore) -> None:
        raise EnvironmentFault("disk_full", "The disk is full.", "Free some space.")

    monkeypatch.setattr(DownloadStore, "recover", full)
    assert downloads.start()


def test_a_free_repository_name_is_not_accepted(machine: Machine) -> None:
    downloads = machine.open()
    for name in (OPENVINO_REPOSITORY, "acme/anything", "https://hub.test/a/b"):
        with pytest.raises(UserError) as caught:
            downloads.get(name)
        assert caught.value.code == "model_not_curated"

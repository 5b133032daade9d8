"""Downloads in a console of their own: Ctrl-C, kill -9, two at once, and a chat at the end."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.core.paths import DATA_ROOT_VARIABLE, DataRoot
from app.models.library import InstalledModel
from tests.cli.conftest import ROW, Console, repository_of, variant_of
from tests.support.loopback_hub import LoopbackHub

ROOT = Path(__file__).parents[2]
OPENVINO = f"{ROW}/openvino"
MIB = 1 << 20

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")


class Command:
    """A console command in a process group of its own, as a terminal starts it."""

    def __init__(self, data_root: DataRoot, *arguments: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "app", *arguments],
            cwd=ROOT, env=os.environ | {DATA_ROOT_VARIABLE: str(data_root.path)},
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
        )  # fmt: skip

    def send(self, number: int) -> None:
        os.killpg(self.process.pid, number)

    def end(self) -> tuple[int, str, str]:
        out, err = self.process.communicate(timeout=60)
        return self.process.returncode, out.decode(), err.decode()


@pytest.fixture
def stalled(hub: LoopbackHub, data_root: DataRoot, files: dict[str, bytes]) -> Iterator[Command]:
    """A download that got four mebibytes of the weights and no more; one of them is on the disk."""
    weights = files["openvino_model.bin"] * 3
    hub.add(repository_of("openvino"), files | {"openvino_model.bin": weights})
    fault = hub.fault(path="openvino_model.bin", stall_at=4 * MIB)
    command = Command(data_root, "models", "get", ROW)
    assert hub.stalled.wait(60)
    fault.times = 0
    _wait_for(data_root.models / ".downloads", MIB)
    yield command
    if command.process.poll() is None:
        command.send(signal.SIGKILL)
        command.process.communicate()


def _wait_for(folder: Path, size_bytes: int) -> None:
    """Waits until a part of the weights has reached the disk; fails after a minute."""
    deadline = time.monotonic() + 60
    while not any(
        part.stat().st_size >= size_bytes for part in folder.rglob("openvino_model.bin.part")
    ):
        assert time.monotonic() < deadline
        time.sleep(0.02)


def _resumed_from(hub: LoopbackHub) -> list[str]:
    ranges = [seen.range for seen in hub.bodies("openvino_model.bin")]
    return [value for value in ranges if value and not value.startswith("bytes=0-")]


def test_ctrl_c_pauses_says_so_and_a_second_get_goes_on(
    console: Console, hub: LoopbackHub, stalled: Command
) -> None:
    stalled.send(signal.SIGINT)
    code, out, err = stalled.end()
    assert code == 130, err
    assert out.startswith("Paused at ")
    assert out.endswith(f"Go on with: contenox models get {OPENVINO}\n")
    assert "paused" in console("models", "list")[1]
    code, out, _ = console("models", "get", ROW)
    assert (code, out) == (0, f"{OPENVINO} is installed; every byte was checked.\n")
    assert _resumed_from(hub)
    assert console("models", "verify")[0] == 0


def test_a_kill_in_mid_download_loses_nothing(
    console: Console, hub: LoopbackHub, stalled: Command
) -> None:
    stalled.send(signal.SIGKILL)
    assert stalled.end()[0] == -signal.SIGKILL
    assert "queued" in console("models", "list")[1]
    code, out, _ = console("models", "get", ROW)
    assert (code, out) == (0, f"{OPENVINO} is installed; every byte was checked.\n")
    assert _resumed_from(hub)
    assert console("models", "verify")[0] == 0


def test_what_was_killed_can_be_paused_resumed_and_given_up(
    console: Console, stalled: Command, data_root: DataRoot
) -> None:
    stalled.send(signal.SIGKILL)
    stalled.end()
    later = f"{OPENVINO} goes on with the window, or with: contenox models get {OPENVINO}\n"
    assert console("models", "resume", ROW)[:2] == (0, later)
    paused = f"{OPENVINO} rests; go on with: contenox models get {OPENVINO}\n"
    assert console("models", "pause", ROW)[:2] == (0, paused)
    assert "paused" in console("models", "list")[1]
    assert console("models", "resume", ROW)[:2] == (0, later)
    given_up = f"{OPENVINO} is given up, and what was there of it is deleted.\n"
    assert console("models", "cancel", ROW)[:2] == (0, given_up)
    assert list((data_root.models / ".downloads").iterdir()) == []
    assert "downloading" not in console("models", "list")[1]


def test_another_console_can_pause_it(console: Console, hub: LoopbackHub, stalled: Command) -> None:
    assert "downloading" in console("models", "list")[1]
    code, out, _ = console("models", "pause", ROW)
    assert (code, out) == (0, f"{OPENVINO} rests; go on with: contenox models get {OPENVINO}\n")
    code, out, err = stalled.end()
    assert (code, out) == (1, f"{OPENVINO} was paused by another window or command.\n"), err


def test_a_move_waits_for_a_running_download(
    console: Console, stalled: Command, tmp_path: Path
) -> None:
    code, _, err = console("models", "move", str(tmp_path / "new"))
    assert code == 1
    assert err.endswith("[downloads_running]\n")


@pytest.fixture
def starter_hub(
    hub: LoopbackHub, starter_openvino: InstalledModel, starter_gguf: InstalledModel
) -> LoopbackHub:
    """The starter's own bytes as an OpenVINO repository and as a GGUF one."""
    files = {
        path.relative_to(starter_openvino.folder).as_posix(): path.read_bytes()
        for path in starter_openvino.folder.rglob("*")
        if path.is_file() and path.name not in ("manifest.json", "contenox-verified.json")
    }
    hub.add(repository_of("openvino"), files)
    gguf = variant_of("llama").files[0].path
    hub.add(repository_of("llama"), {gguf: starter_gguf.path.read_bytes()})
    return hub


@pytest.mark.real_model
def test_what_get_installs_chat_runs_and_its_memory_is_noted(
    console: Console, starter_hub: LoopbackHub, data_root: DataRoot
) -> None:
    starter_hub.fault(path="openvino_model.bin", cut_at=50_000_000, times=1)
    assert console("models", "get", ROW)[0] == 0
    assert console("models", "get", ROW, "--backend", "llama")[0] == 0
    question = "What is the capital of France?"
    for backend in ("openvino", "llama"):
        command = Command(
            data_root, "chat", "--json", "--model", ROW, "--backend", backend,
            "--max-tokens", "20", question,
        )  # fmt: skip
        code, out, err = command.end()
        assert code == 0, err
        answer = json.loads(out)
        assert (answer["backend"], answer["model"]["name"]) == (backend, ROW)
        assert answer["usage"]["completion_tokens"] > 0
        if backend == "openvino":
            assert "Paris" in answer["text"]
    for variant, weights in (("openvino", 92e6), ("gguf", 98e6)):
        shown = json.loads(console("models", "show", f"{ROW}/{variant}", "--json")[1])
        assert weights < shown["fit"]["observed_peak_bytes"] < 4e9
        assert shown["state"] == "installed"
    assert console("models", "verify")[0] == 0

"""The console program as a person starts it: a process, its output, its exit code."""

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

import app
from app.core.paths import DATA_ROOT_VARIABLE
from app.models.library import Library
from tests.cli.conftest import Console

ROOT = Path(__file__).parents[2]


def run(
    *arguments: str, data: Path | None = None, stdin: bytes = b"", more: Mapping[str, str] = {}
) -> subprocess.CompletedProcess[str]:
    environment = os.environ | dict(more)
    if data is not None:
        environment[DATA_ROOT_VARIABLE] = str(data)
    done = subprocess.run(
        [sys.executable, "-m", "app", *arguments],
        cwd=ROOT, env=environment, input=stdin, capture_output=True, timeout=110, check=False,
    )  # fmt: skip
    return subprocess.CompletedProcess(
        done.args, done.returncode, done.stdout.decode(), done.stderr.decode()
    )


@pytest.fixture
def root_with_starter(starter_store: Library, tmp_path: Path) -> Path:
    """A data root of this test's own that shares the starter's files."""
    root = tmp_path / "Żółć 测试"
    root.mkdir()
    (root / "models").symlink_to(starter_store.store, target_is_directory=True)
    return root


def test_the_version_is_printed_at_once() -> None:
    done = run("--version")
    assert (done.returncode, done.stdout) == (0, f"contenox {app.__version__}\n")


@pytest.mark.parametrize(
    "arguments",
    [
        ["chat"],
        ["nonsense"],
        ["chat", "--max-tokens", "0", "x"],
        ["chat", "--temperature", "9", "x"],
        ["chat", "--seed", "-1", "x"],
        ["chat", "--seed", "18446744073709551616", "x"],
    ],
)  # fmt: skip
def test_a_wrong_command_line_exits_with_2(arguments: list[str]) -> None:
    done = run(*arguments)
    assert done.returncode == 2
    assert done.stderr.startswith("usage:")


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere there is always a display")
def test_a_window_without_a_display_is_one_sentence() -> None:
    nowhere = {"DISPLAY": "", "WAYLAND_DISPLAY": "", "QT_QPA_PLATFORM": ""}
    done = run(more=nowhere)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.count("\n") == 1
    assert "[no_display]" in done.stderr


def test_without_a_model_the_sentence_names_the_remedy(tmp_path: Path) -> None:
    done = run("chat", "hello", data=tmp_path)
    assert done.returncode == 1
    assert done.stderr == (
        "contenox: No model is installed yet. Get the starter model with: contenox starter"
        " [no_model]\n"
    )
    listed = run("models", "list", data=tmp_path)
    assert (listed.returncode, "contenox starter" in listed.stdout) == (0, True)
    listed = run("models", "list", "--installed", "--json", data=tmp_path)
    assert (listed.returncode, listed.stdout) == (0, "[]\n")


@pytest.mark.real_model
def test_chat_streams_the_answer_to_stdout_and_figures_to_stderr(root_with_starter: Path) -> None:
    done = run("chat", "What is the capital of France?", data=root_with_starter)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "The capital of France is Paris.\n"
    assert re.search(r"tokens/s prefill; .*tokens/s decode", done.stderr)


@pytest.mark.real_model
def test_json_is_one_object_on_the_last_line(root_with_starter: Path) -> None:
    done = run(
        "chat", "--json", "--system", "Answer briefly.", "-",
        data=root_with_starter, stdin="What is the capital of France?".encode("utf-8-sig"),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout.splitlines()[-1])
    assert set(answer) == {
        "text", "finish_reason", "usage", "timings", "model", "device", "backend",
    }  # fmt: skip
    assert "Paris" in answer["text"]
    assert answer["finish_reason"] == "stop"
    assert set(answer["usage"]) == {"prompt_tokens", "reused_tokens", "completion_tokens"}
    assert set(answer["timings"]) == {
        "load_s", "ttft_s", "prefill_tokens_per_s", "decode_tokens_per_s",
    }  # fmt: skip
    assert answer["timings"]["load_s"] > 0
    assert (answer["device"], answer["backend"]) == ("CPU", "openvino")


@pytest.mark.real_model
@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["--model", "nope", "x"], "model_not_found"),
        (["--device", "NPU", "x"], "npu_not_supported"),
        (["--device", "AUTO:NPU", "x"], "npu_not_supported"),
        (["--device", "HETERO:GPU,CPU", "x"], "composite_device"),
        (["  "], "prompt_empty"),
    ],
)
def test_a_bad_choice_is_one_sentence_with_a_code(
    root_with_starter: Path, arguments: list[str], code: str
) -> None:
    done = run("chat", *arguments, data=root_with_starter)
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert done.stderr.endswith(f"[{code}]\n")


def test_stdin_that_is_no_utf8_is_refused_by_name(root_with_starter: Path) -> None:
    done = run("chat", "-", data=root_with_starter, stdin=b"caf\xe9")
    assert done.returncode == 1
    assert "[not_utf8]" in done.stderr


@pytest.mark.parametrize(
    "command",
    [["chat", "hi"], ["explain", "hi"], ["models", "list"], ["starter"], ["devices"], ["certify"]],
    ids=" ".join,
)
def test_a_data_root_that_is_no_folder_is_said_by_every_command(
    console: Console, command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"")
    for root in (file, file / "below"):
        monkeypatch.setenv(DATA_ROOT_VARIABLE, str(root))
        assert console(*command) == (
            1,
            "",
            f"contenox: {file} is a file, and a folder is needed there. Move the file away, or"
            f" choose another folder with {DATA_ROOT_VARIABLE}. [data_root_is_file]\n",
        )


def test_a_data_root_that_is_no_folder_is_said_by_the_window(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"")
    code = (
        "import sys\n"
        "from PySide6.QtCore import QTimer\n"
        "from PySide6.QtWidgets import QMessageBox\n"
        "def exec_(box):\n"
        "    print(box.text(), box.informativeText(), sep='\\n')\n"
        "    return 0\n"
        "QMessageBox.exec = exec_\n"
        "from app.composition import run_window\n"
        "sys.exit(run_window())\n"
    )
    environment = os.environ | {
        DATA_ROOT_VARIABLE: str(file), "QT_QPA_PLATFORM": "offscreen", "LANG": "de_DE.UTF-8",
        "LC_ALL": "de_DE.UTF-8",
    }  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT, env=environment, capture_output=True, timeout=60, check=False,
    )  # fmt: skip
    said = done.stdout.decode()
    assert done.returncode == 1, done.stderr
    assert said.startswith("Wo ein Ordner für die Daten sein müsste, liegt eine Datei.\n")
    assert f"data_root_is_file: {file} is a file" in said


@pytest.mark.real_model
def test_ctrl_c_cancels_keeps_the_text_and_exits_with_130(root_with_starter: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "app", "chat", "Tell me a very long story about the sea."],
        cwd=ROOT, env=os.environ | {DATA_ROOT_VARIABLE: str(root_with_starter)},
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
    )  # fmt: skip
    assert process.stdout is not None
    begun = process.stdout.read(10)
    # As a terminal does: to every process of the group.
    os.killpg(process.pid, signal.SIGINT)
    rest, errors = process.communicate(timeout=30)
    assert process.returncode == 130, errors.decode()
    assert "it was cancelled" in errors.decode()
    assert begun + rest


@pytest.mark.real_model
def test_the_backends_are_really_loaded(root_with_starter: Path) -> None:
    done = run("backends", data=root_with_starter)
    first, *rest = done.stdout.splitlines()
    assert done.returncode == 0, done.stderr
    names = first.removeprefix("backends: ").split(",")
    assert "openvino" in names
    assert names == sorted(names)
    assert any("openvino-genai 2026.4.1.0" in line for line in rest)
    reports = json.loads(run("backends", "--json", data=root_with_starter).stdout)
    assert [report["name"] for report in reports] == ["llama", "openvino"]


@pytest.mark.real_model
def test_the_devices_name_the_cpu_and_never_an_npu(root_with_starter: Path) -> None:
    devices = json.loads(run("devices", "--json", data=root_with_starter).stdout)
    assert devices[0]["id"] == "CPU"
    assert devices[0]["full_name"]
    assert devices[0]["total_bytes"] > 0
    assert not any("NPU" in device["id"] for device in devices)


@pytest.mark.real_model
def test_a_second_starter_costs_nothing(root_with_starter: Path) -> None:
    manifests = {
        path: path.stat().st_mtime_ns
        for path in (root_with_starter / "models").resolve().rglob("manifest.json")
    }
    assert len(manifests) == 2
    done = run("starter", data=root_with_starter)
    assert done.returncode == 0, done.stderr
    assert "smollm2-135m-instruct/openvino" in done.stdout
    assert not (root_with_starter / "downloads").exists()
    assert {path: path.stat().st_mtime_ns for path in manifests} == manifests

"""The bundle says what the program is and did, and neither who uses it nor what was written."""

import json
import zipfile
from pathlib import Path

import msgspec
import pytest

from app.core.errors import EnvironmentFault
from app.core.paths import DataRoot
from app.core.settings import Settings
from app.engine.trace import TRACE_FILE, TraceFile, TraceRecord
from app.hardware.readings import DeviceInventory, ProbeOutcome, cpu_reading
from app.workflows.diagnostics import BundlePart, Diagnostics, Redaction, save_bundle

DEVICES = DeviceInventory(
    devices=(
        msgspec.structs.replace(
            cpu_reading("Some CPU"), detail="said by the library in /home/änna/x"
        ),
    ),
    outcome=ProbeOutcome.COMPLETE,
)


def _redaction(root: Path) -> Redaction:
    return Redaction(
        ((root, "<data>"), (Path("/home/änna"), "<home>")),
        (("änna", "<person>"), ("laptop-7", "<computer>"), ("al", "<person>")),
    )


@pytest.fixture
def diagnostics(tmp_path: Path) -> Diagnostics:
    root = DataRoot(tmp_path)
    settings = Settings(
        model_store="/home/änna/models", window_geometry="abc", default_model="qwen3", offline=True
    )
    return Diagnostics(root, lambda: settings, lambda: DEVICES, lambda: (), _redaction(tmp_path))


def _content(diagnostics: Diagnostics, name: str) -> str:
    return next(part.content for part in diagnostics.collect() if part.name == name)


def test_versions_and_devices_with_the_librarys_words_are_in_it(diagnostics: Diagnostics) -> None:
    about = json.loads(_content(diagnostics, "about.json"))
    assert about["libraries"]["msgspec"] == msgspec.__version__
    devices = json.loads(_content(diagnostics, "devices.json"))
    assert devices["devices"][0]["detail"] == "said by the library in <home>/x"


def test_settings_have_no_place_of_the_person(diagnostics: Diagnostics) -> None:
    settings = json.loads(_content(diagnostics, "settings.json"))
    assert settings["model_store"] == "<home>/models"
    assert settings["offline"] is True
    assert "window_geometry" not in settings


def test_requests_are_counted(diagnostics: Diagnostics, tmp_path: Path) -> None:
    trace = tmp_path / "logs" / TRACE_FILE
    trace.parent.mkdir()
    file = TraceFile(trace)
    for number in range(3):
        file.append(
            TraceRecord(
                time="t",
                request=str(number),
                kind="generate",
                outcome="stop" if number else "engine_died",
                backend="openvino",
            )
        )
    counted = json.loads(_content(diagnostics, "requests.json"))
    assert [(row["outcome"], row["requests"]) for row in counted] == [
        ("engine_died", 1),
        ("stop", 2),
    ]


def test_only_the_end_of_a_log_is_taken_in_whole_lines(
    diagnostics: Diagnostics, tmp_path: Path
) -> None:
    (tmp_path / "logs").mkdir()
    lines = [f"line {number} of Änna on LAPTOP-7 in {tmp_path}/chats" for number in range(5000)]
    (tmp_path / "logs" / "engine.log").write_text("\n".join(lines) + "\n", encoding="utf-8")
    tail = _content(diagnostics, "engine.log")
    assert len(tail.encode()) <= 64 * 1024
    assert tail.startswith("line ")
    assert tail.splitlines()[-1] == "line 4999 of <person> on <computer> in <data>/chats"


@pytest.mark.parametrize(
    ("text", "redacted"),
    [
        (r'{"path": "C:\\Users\\Anna\\x"}', r'{"path": "<home>\\x"}'),
        ("c:/users/ANNA/y", "<home>/y"),
        ("token hf_abcdefghijklmnop end", "token <token> end"),
        ("https://me:secret@proxy.example/x", "https://<login>@proxy.example/x"),
        ("annals and Joanna", "annals and Joanna"),
        ("by anna.", "by <person>."),
    ],
)
def test_each_spelling_is_found(text: str, redacted: str) -> None:
    class WindowsHome:
        parts = ("C:\\", "Users", "Anna")

        def __str__(self) -> str:
            return r"C:\Users\Anna"

        def as_posix(self) -> str:
            return "C:/Users/Anna"

        def as_uri(self) -> str:
            return "file:///C:/Users/Anna"

    redact = Redaction(((WindowsHome(), "<home>"),), (("anna", "<person>"),))  # type: ignore[arg-type]
    assert redact(text) == redacted


def test_a_part_that_fails_says_so_and_the_others_are_there(tmp_path: Path) -> None:
    def fail() -> DeviceInventory:
        raise OSError("no devices")

    made = Diagnostics(DataRoot(tmp_path), Settings, fail, lambda: (), _redaction(tmp_path))
    parts = {part.name: part.content for part in made.collect()}
    assert "could not be made: OSError" in parts["devices.json"]
    assert json.loads(parts["settings.json"])["idle_unload_s"] == 300


def test_the_file_holds_the_parts_and_nothing_else(tmp_path: Path) -> None:
    save_bundle((BundlePart(name="a.txt", content="ä"),), tmp_path / "b.zip")
    with zipfile.ZipFile(tmp_path / "b.zip") as bundle:
        assert [(name, bundle.read(name)) for name in bundle.namelist()] == [
            ("a.txt", "ä".encode())
        ]
    with pytest.raises(EnvironmentFault):
        save_bundle((), tmp_path / "b.zip" / "c.zip")

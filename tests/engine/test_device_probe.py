"""The probe runs in a process of its own; what happens in there never reaches this one."""

import multiprocessing
import os
import socket
import sys
import threading
import time

import pytest

from app.engine.device_probe import probe_devices
from app.hardware.host import read_cpu_name
from app.hardware.readings import CPU, DeviceInventory, DeviceState, ProbeOutcome

pytestmark = pytest.mark.ov


# --- What the child runs in place of OpenVINO's reader; a new process finds them by name ---------


def crash() -> DeviceInventory:
    os.abort()


def exit_with_an_error_code() -> DeviceInventory:
    os._exit(7)


def raise_an_error_nobody_foresaw() -> DeviceInventory:
    raise KeyError("surprise")


def fail_to_load() -> DeviceInventory:
    raise ImportError("libopenvino.so: file too short\nmore words")


def hang() -> DeviceInventory:
    threading.Event().wait()
    raise AssertionError


def answer_with_nonsense() -> DeviceInventory:
    return {"devices": 3}  # type: ignore[return-value]


def be_loud() -> DeviceInventory:
    print("chatter on stdout", flush=True)
    os.write(1, b"native chatter on stdout\n")
    os.write(2, b"native chatter on stderr\n")
    return DeviceInventory.cpu_only("Loud CPU", ProbeOutcome.COMPLETE, "")


def report_the_modules() -> DeviceInventory:
    from app.engine.backends.openvino_devices import read_inventory

    read_inventory()
    loaded = sys.modules.get("openvino_telemetry") is not None
    return DeviceInventory.cpu_only(
        f"telemetry loaded: {loaded}",
        ProbeOutcome.COMPLETE,
        "Qt" if "PySide6" in sys.modules else "",
    )


def refuse_sockets() -> DeviceInventory:
    def refuse(*_: object, **__: object) -> None:
        os._exit(9)

    socket.socket.connect = refuse  # type: ignore[method-assign]
    return report_the_modules()


@pytest.mark.parametrize(
    ("probe", "outcome", "words"),
    [
        (crash, ProbeOutcome.CRASHED, "crash in the graphics driver"),
        (exit_with_an_error_code, ProbeOutcome.CRASHED, "code 7"),
        (raise_an_error_nobody_foresaw, ProbeOutcome.CRASHED, "code 1"),
        (fail_to_load, ProbeOutcome.FAILED, "file too short)"),
        (answer_with_nonsense, ProbeOutcome.UNREADABLE, "can't be understood"),
    ],
)
def test_ov3_whatever_goes_wrong_in_the_probe_leaves_the_cpu_and_says_so(
    probe: object, outcome: ProbeOutcome, words: str
) -> None:
    others = multiprocessing.active_children()
    found = probe_devices(timeout_s=60, probe=probe)  # type: ignore[arg-type]
    assert found.outcome is outcome
    assert words in found.explanation
    assert [(one.id, one.full_name) for one in found.devices] == [(CPU, read_cpu_name())]
    assert set(multiprocessing.active_children()) <= set(others)


def test_ov3_a_hanging_probe_is_killed_and_leaves_the_cpu() -> None:
    others = multiprocessing.active_children()
    threads = threading.active_count()
    started = time.monotonic()
    found = probe_devices(timeout_s=1.0, probe=hang)
    assert time.monotonic() - started < 20
    assert found.outcome is ProbeOutcome.TIMED_OUT
    assert "within 1.0 s" in found.explanation
    assert [one.id for one in found.devices] == [CPU]
    assert set(multiprocessing.active_children()) <= set(others)
    assert threading.active_count() <= threads


def test_nothing_of_the_probe_reaches_the_console(capfd: pytest.CaptureFixture[str]) -> None:
    assert probe_devices(timeout_s=60, probe=be_loud).devices[0].full_name == "Loud CPU"
    assert capfd.readouterr() == ("", "")


def test_the_probe_loads_no_telemetry_opens_no_connection_and_loads_no_qt(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("CI", raising=False)
    found = probe_devices(timeout_s=60, probe=refuse_sockets)
    assert (found.outcome, found.explanation) == (ProbeOutcome.COMPLETE, "")
    assert found.devices[0].full_name == "telemetry loaded: False"


def test_ov3_this_machine_is_read_by_openvino_itself() -> None:
    found = probe_devices(timeout_s=60)
    assert found.outcome is ProbeOutcome.COMPLETE
    assert found.devices[0].id == CPU
    assert found.devices[0].total_bytes
    assert found.runtime_version is not None
    assert found.runtime_version.startswith("2026.4.1")
    assert found.find("NPU") is None
    row = found.unavailable_gpu()
    # Exactly one of the two: GPUs that work, or a row that explains why there are none.
    assert (row is None) == bool(found.gpus())
    if row is not None:
        assert row.state is not DeviceState.PLUGIN_MISSING
        assert row.explanation

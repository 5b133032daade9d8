import os
from pathlib import Path

import psutil
import pytest

from app.hardware import host
from app.hardware.host import PowerSource, read_cpu_name, read_host, read_memory


def test_this_machine_is_read() -> None:
    found = read_host()
    assert 1 <= found.physical_cores <= found.logical_cores
    assert found.logical_cores == os.cpu_count()
    assert 0 < found.memory.available_bytes <= found.memory.total_bytes
    assert found.cpu_name == read_cpu_name()
    assert read_memory().total_bytes == found.memory.total_bytes


def test_the_processors_name_is_one_clean_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cpuinfo = tmp_path / "cpuinfo"
    cpuinfo.write_text("processor\t: 0\nmodel name\t: Intel(R)  Core(TM)   Ultra 7 155H \n\n")
    monkeypatch.setattr(host, "_raw_cpu_name", lambda: host._name_in_cpuinfo(cpuinfo))
    assert read_cpu_name() == "Intel(R) Core(TM) Ultra 7 155H"


@pytest.mark.parametrize("content", [None, "", "Hardware : BCM2835\n"])
def test_a_processor_without_a_name_is_called_processor(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: str | None
) -> None:
    cpuinfo = tmp_path / "cpuinfo"
    if content is not None:
        cpuinfo.write_text(content)
    monkeypatch.setattr(host, "_raw_cpu_name", lambda: host._name_in_cpuinfo(cpuinfo))
    assert read_cpu_name() == "Processor"


class _Battery:
    def __init__(self, percent: float, power_plugged: bool | None) -> None:
        self.percent = percent
        self.power_plugged = power_plugged


@pytest.mark.parametrize(
    ("battery", "source", "charge"),
    [
        (None, PowerSource.MAINS, None),
        (_Battery(81.5, power_plugged=True), PowerSource.MAINS, 81.5),
        (_Battery(40, power_plugged=False), PowerSource.BATTERY, 40),
        (_Battery(40, power_plugged=None), PowerSource.UNKNOWN, 40),
    ],
)
def test_power_is_mains_or_battery(
    monkeypatch: pytest.MonkeyPatch,
    battery: _Battery | None,
    source: PowerSource,
    charge: float | None,
) -> None:
    monkeypatch.setattr(psutil, "sensors_battery", lambda: battery, raising=False)
    power = host.read_power()
    assert (power.source, power.charge_percent) == (source, charge)


def test_a_battery_that_can_not_be_read_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> None:
        raise OSError("no such device")

    monkeypatch.setattr(psutil, "sensors_battery", broken, raising=False)
    assert host.read_power().source is PowerSource.UNKNOWN

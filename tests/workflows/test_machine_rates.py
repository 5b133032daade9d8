"""What the machine can do is measured once, and anew only where it means another machine."""

from pathlib import Path

import msgspec
import pytest

from app.core.paths import DataRoot
from app.hardware.expected_speed import MachineRates
from app.hardware.host import read_host
from app.workflows.machine_rates import KeptRates
from tests.support.machine import probed


class Probe:
    def __init__(self, rates: MachineRates) -> None:
        self.rates = rates
        self.calls = 0

    def __call__(self) -> MachineRates:
        self.calls += 1
        return self.rates


@pytest.fixture
def probe(data_root: DataRoot) -> Probe:
    return Probe(probed(data_root))


def test_it_is_measured_once_and_kept(tmp_path: Path, probe: Probe) -> None:
    path = tmp_path / "cache" / "machine.json"
    kept = KeptRates(path, probe)
    assert kept.known() is None
    assert kept.require() == kept.require() == probe.rates
    assert KeptRates(path, probe).require() == probe.rates
    assert probe.calls == 1


def test_measuring_again_keeps_the_higher_figures(tmp_path: Path, probe: Probe) -> None:
    path = tmp_path / "machine.json"
    KeptRates(path, probe).require()
    probe.rates = msgspec.structs.replace(
        probe.rates, read_bytes_per_s=1.0, float_operations_per_s=5e15
    )
    renewed = KeptRates(path, probe).renew()
    assert (renewed.read_bytes_per_s, renewed.float_operations_per_s) == (30e9, 5e15)


@pytest.mark.parametrize("field", ["cpu", "cores", "version"])
def test_figures_of_another_machine_do_not_count(tmp_path: Path, probe: Probe, field: str) -> None:
    path = tmp_path / "machine.json"
    other = {"cpu": "Another", "cores": read_host().physical_cores + 1, "version": 0}[field]
    path.write_bytes(msgspec.json.encode(msgspec.structs.replace(probe.rates, **{field: other})))
    assert KeptRates(path, probe).known() is None


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"cpu": 1}', b"\xff\xfe"])
def test_a_damaged_file_is_measured_again(tmp_path: Path, probe: Probe, content: bytes) -> None:
    path = tmp_path / "machine.json"
    path.write_bytes(content)
    assert KeptRates(path, probe).require() == probe.rates
    assert KeptRates(path, probe).known() == probe.rates


def test_where_nothing_can_be_kept_it_is_known_all_the_same(tmp_path: Path, probe: Probe) -> None:
    blocked = tmp_path / "blocked"
    blocked.write_bytes(b"")
    kept = KeptRates(blocked / "machine.json", probe)
    assert kept.require() == kept.known() == probe.rates

"""Which device a model runs on by itself, decided by the certificates that hold today."""

import os
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from app.certify.certificate import Certificate, Verdict
from app.core.errors import UserError
from app.core.paths import DataRoot
from app.core.settings import SettingsFile
from app.engine.client import EngineClient
from app.hardware.host import read_cpu_name
from app.hardware.readings import CPU, DeviceInventory, cpu_reading
from app.hardware.selection import DeviceSource
from app.models.library import InstalledModel, Library
from app.models.profile_files import profile_of
from app.workflows.certification_facts import without_folders
from app.workflows.certified import key_of
from app.workflows.services import Services
from tests.certify.samples import certificate
from tests.hardware.recorded import inventory
from tests.support.model_folders import install_tiny


class Machine:
    """Services on a machine with an Arc B580, and how often its devices were asked."""

    def __init__(self, root: DataRoot) -> None:
        self.probes = 0
        self.inventory = inventory("arc_b580_discrete")
        self.services = Services(
            data_root=root,
            settings_file=SettingsFile(root.settings_file),
            library=Library(root.models),
            engine=EngineClient(log_dir=root.logs),
            probe=self.probe,
        )
        self.model: InstalledModel = install_tiny(self.services.library)

    def probe(self) -> DeviceInventory:
        self.probes += 1
        return self.inventory

    def certify(
        self,
        device: str,
        rate: float,
        *,
        quality: Verdict = Verdict.PASSED,
        throughput: Verdict = Verdict.PASSED,
    ) -> Certificate:
        reading = self.inventory.find(device)
        if device == CPU:
            reading = cpu_reading(read_cpu_name())
        of = key_of(self.model, profile_of(self.model), reading, device=device, pipeline="paged")
        made = certificate(
            of, variant=self.model.variant, rate=rate, quality=quality, throughput=throughput
        )
        self.services.certified.store.save(made)
        return made

    def choose(self, wanted: str | None = None) -> tuple[str, str]:
        choice = self.services.choose_device(self.model, wanted)
        return choice.device, choice.reason


@pytest.fixture
def machine(data_root: DataRoot) -> Iterator[Machine]:
    made = Machine(data_root)
    yield made
    made.services.close()


def test_a_gpu_without_a_certificate_is_not_taken_and_costs_no_probe(machine: Machine) -> None:
    assert machine.choose()[0] == "CPU"
    machine.certify("CPU", 20)
    assert machine.choose()[0] == "CPU"
    assert machine.probes == 0


def test_the_faster_certified_device_is_taken_and_the_reason_has_both_numbers(
    machine: Machine,
) -> None:
    machine.certify("CPU", 12.1)
    machine.certify("GPU", 30.5)
    device, reason = machine.choose()
    assert device == "GPU"
    assert "GPU 30.5 tokens/s, CPU 12.1 tokens/s" in reason


def test_a_gpu_that_is_slower_is_not_taken_though_it_passed(machine: Machine) -> None:
    machine.certify("CPU", 37.5)
    machine.certify("GPU", 29.7)
    device, reason = machine.choose()
    assert device == "CPU"
    assert "fastest here" in reason
    assert "29.7" in reason


@pytest.mark.parametrize(
    ("quality", "throughput"),
    [(Verdict.FAILED, Verdict.PASSED), (Verdict.PASSED, Verdict.FAILED)],
)
def test_a_gpu_that_failed_is_not_taken(
    machine: Machine, quality: Verdict, throughput: Verdict
) -> None:
    machine.certify("GPU", 90, quality=quality, throughput=throughput)
    assert machine.choose()[0] == "CPU"


def test_a_device_that_failed_its_checks_is_not_offered_until_it_passes(machine: Machine) -> None:
    profile = profile_of(machine.model)
    machine.certify("GPU", 90, quality=Verdict.FAILED)
    failed = machine.services.certified.failed(machine.model, profile)
    assert [one.device for one in failed] == ["GPU"]
    machine.certify("GPU", 90)
    assert machine.services.certified.failed(machine.model, profile) == ()


def test_a_choice_by_hand_wins_over_every_certificate(machine: Machine) -> None:
    machine.certify("GPU", 90)
    choice = machine.services.choose_device(machine.model, "cpu")
    assert (choice.device, choice.source) == ("CPU", DeviceSource.HAND)
    with pytest.raises(UserError) as caught:
        machine.services.choose_device(machine.model, "NPU")
    assert caught.value.code == "npu_not_supported"


def test_another_driver_makes_it_stale_and_the_gpu_is_left_alone(machine: Machine) -> None:
    machine.certify("GPU", 90)
    assert machine.choose()[0] == "GPU"
    changed = [
        msgspec.structs.replace(one, driver_version="999") if one.id == "GPU" else one
        for one in machine.inventory.devices
    ]
    machine.inventory = msgspec.structs.replace(machine.inventory, devices=tuple(changed))
    later = Services(
        data_root=machine.services.data_root,
        settings_file=machine.services.settings_file,
        library=machine.services.library,
        engine=machine.services.engine,
        probe=machine.probe,
    )
    assert later.choose_device(machine.model, None).device == "CPU"
    standing = later.certified.standing(machine.model, "GPU")
    assert standing is not None
    assert standing.stale == "driver"


def test_a_changed_weight_and_a_changed_profile_make_it_stale(machine: Machine) -> None:
    certified = machine.services.certified
    made = machine.certify("CPU", 20)
    assert certified.stale(machine.model, made) is None
    profile = machine.model.folder / "contenox-openvino.json"
    profile.write_text('{"genai": {"kv_cache_precision": "f16"}}')
    assert certified.stale(machine.model, made) == "profile_digest"
    profile.unlink()
    weights: Path = machine.model.folder / "model.bin"
    before = weights.stat()
    weights.write_bytes(b"Weights")
    os.utime(weights, ns=(before.st_atime_ns, before.st_mtime_ns + 10**9))
    assert certified.stale(machine.model, made) == "model_digest"


def test_of_two_backends_the_one_measured_faster_is_taken_once_both_were(
    machine: Machine,
) -> None:
    services, openvino = machine.services, machine.model
    gguf = install_tiny(services.library, variant="gguf")
    assert services.find_model("tiny") == openvino
    machine.model = gguf
    machine.certify("CPU", 30)
    assert services.find_model("tiny") == openvino
    machine.model = openvino
    machine.certify("CPU", 20)
    assert services.find_model("tiny") == gguf
    assert services.find_model("tiny", "openvino") == openvino
    assert services.find_model("tiny/openvino") == openvino
    machine.certify("CPU", 40)
    assert services.find_model("tiny") == openvino


def test_another_runtime_makes_it_stale(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    made = machine.certify("CPU", 20)
    monkeypatch.setattr("app.workflows.certified.metadata.version", lambda _: "2030.1")
    assert machine.services.certified.stale(machine.model, made) == "runtime"


@pytest.mark.parametrize(
    ("words", "left"),
    [
        ('Cannot load "/home/ann9/x/../libs/lib_gpu.so": libOpenCL.so.1: no',
         'Cannot load "lib_gpu.so": libOpenCL.so.1: no'),
        (r'Cannot load "C:\Users\ann9\libs\gpu.dll".', 'Cannot load "gpu.dll".'),
        ("Exception from src/inference/core.cpp:268: CPU/GPU",
         "Exception from src/inference/core.cpp:268: CPU/GPU"),
    ],
)  # fmt: skip
def test_a_certificate_tells_no_folder_of_its_machine(words: str, left: str) -> None:
    found = without_folders(words)
    assert found == left
    assert "ann9" not in found

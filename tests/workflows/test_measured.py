"""What a skin is told about measurements, on a machine with a discrete GPU."""

from collections.abc import Iterator

import msgspec
import pytest

from app.certify.certificate import Verdict
from app.core.paths import DataRoot
from app.hardware.surroundings import Surroundings
from app.workflows.automatic import automatic_device, automatic_variant
from app.workflows.certified import NOT_INSTALLED, Candidate
from app.workflows.measured import MeasuredModels
from tests.certify.samples import certificate
from tests.certify.test_devices import Machine
from tests.support.model_folders import install_tiny


@pytest.fixture
def machine(data_root: DataRoot) -> Iterator[Machine]:
    made = Machine(data_root)
    yield made
    made.services.close()


def test_a_gpu_that_the_model_was_never_checked_on_is_offered_until_it_was(
    machine: Machine,
) -> None:
    measured = MeasuredModels(machine.services)
    offered = measured.unchecked(machine.model)
    assert offered is not None
    assert (offered.model, offered.device) == ("tiny/openvino", "GPU")
    assert "B580" in offered.device_name
    made = machine.certify("GPU", 30.0, quality=Verdict.FAILED)
    assert measured.unchecked(machine.model) is None
    old = msgspec.structs.replace(made.key, driver="an older one")
    machine.services.certified.store.drop(made)
    machine.services.certified.store.save(msgspec.structs.replace(made, key=old))
    assert measured.unchecked(machine.model) == offered


def test_an_offer_is_made_once_and_again_with_another_driver(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    graphics: tuple[str, ...] = ()
    monkeypatch.setattr(
        "app.workflows.measured.read_surroundings",
        lambda: Surroundings(asleep_s=0, graphics=graphics),
    )
    assert MeasuredModels(machine.services).offer(machine.model) is None
    assert machine.probes == 0, "without a graphics device none is asked for"
    graphics = ("Arc 101.1",)
    assert MeasuredModels(machine.services).offer(machine.model) is not None
    assert MeasuredModels(machine.services).offer(machine.model) is None
    graphics = ("Arc 101.2",)
    assert MeasuredModels(machine.services).offer(machine.model) is not None
    (machine.services.data_root.cache / "offers.json").write_bytes(b"{")
    assert MeasuredModels(machine.services).offer(machine.model) is not None


def test_every_model_can_be_measured_on_each_device_that_runs_it(machine: Machine) -> None:
    found = MeasuredModels(machine.services).candidates()
    assert [(one.model, one.device) for one in found] == [
        ("tiny/openvino", "CPU"),
        ("tiny/openvino", "GPU"),
    ]


def test_a_device_that_numbers_chose_is_told_with_them(machine: Machine) -> None:
    services, model = machine.services, machine.model
    machine.certify("CPU", 20.0)
    assert automatic_device(services, model, None) is None
    machine.certify("GPU", 35.25)
    chosen = automatic_device(services, model, None)
    assert chosen is not None
    assert chosen.sentence == (
        "GPU was taken by itself; measured here, in tokens/s: GPU 35.2, CPU 20.0."
    )
    assert automatic_device(services, model, "CPU") is None


def test_a_library_that_numbers_chose_comes_first_and_is_told_with_them(machine: Machine) -> None:
    services = machine.services
    install_tiny(services.library, variant="gguf")
    assert [one.variant for one in services.list_models()] == ["openvino", "gguf"]
    machine.certify("CPU", 20.0)
    assert automatic_variant(services, services.find_model("tiny")) is None
    machine.model = services.find_model("tiny", "llama")
    machine.certify("CPU", 30.0)
    assert [one.variant for one in services.list_models()] == ["gguf", "openvino"]
    chosen = automatic_variant(services, services.find_model("tiny"))
    assert chosen is not None
    assert (chosen.taken, chosen.rates) == ("llama", (("llama", 30.0), ("openvino", 20.0)))


def test_the_survey_tells_what_holds_and_why_not(machine: Machine) -> None:
    machine.certify("CPU", 20.0)
    gone = certificate(variant="gguf")
    machine.services.certified.store.save(gone)
    found = MeasuredModels(machine.services).survey()
    assert [(one.title, one.stale) for one in found] == [
        ("tiny/gguf", NOT_INSTALLED),
        ("tiny/openvino", None),
    ]


def test_the_expected_time_rests_on_what_was_measured(machine: Machine) -> None:
    measured = MeasuredModels(machine.services)
    on_cpu = Candidate(model="tiny/openvino", device="CPU", device_name="")
    on_gpu = Candidate(model="tiny/openvino", device="GPU", device_name="")
    assert measured.expected_s(on_gpu, quick=False) is None
    machine.certify("CPU", 20.0)
    slow = measured.expected_s(on_cpu, quick=False)
    quick = measured.expected_s(on_cpu, quick=True)
    machine.certify("CPU", 40.0)
    fast = measured.expected_s(on_cpu, quick=False)
    assert slow is not None
    assert quick is not None
    assert fast is not None
    assert quick < slow
    assert fast < slow

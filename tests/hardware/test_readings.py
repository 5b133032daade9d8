import pytest

from app.core.units import GIB
from app.engine.backends.openvino_devices import read_devices
from app.hardware.readings import CPU, DeviceInventory, DeviceKind, DeviceState, ProbeOutcome
from tests.hardware.recorded import NAMES, Recording, inventory, recording


class _Silent:
    """A runtime without a GPU; ``fails`` is what asking its GPU plug-in raises."""

    available_devices = ("CPU",)

    def __init__(self, fails: str | None) -> None:
        self._fails = fails

    def get_property(self, device: str, name: str, /) -> object:
        if self._fails is not None:
            raise RuntimeError(self._fails)
        return []


@pytest.mark.parametrize("name", NAMES)
def test_every_recording_says_where_it_comes_from_and_what_is_assumed(name: str) -> None:
    recorded = recording(name)
    assert "public" in recorded.recorded_from.lower()
    assert recorded.assumed


@pytest.mark.parametrize("name", NAMES)
def test_every_recording_lists_the_cpu_first_and_never_an_npu(name: str) -> None:
    devices = inventory(name).devices
    assert devices[0].id == CPU
    assert not any("NPU" in one.id or "AI Boost" in one.full_name for one in devices)


def test_integrated_gpu_shares_the_machines_memory() -> None:
    (gpu,) = inventory("arc_155h_integrated").gpus()
    assert gpu.kind is DeviceKind.INTEGRATED_GPU
    assert gpu.shared_with_host
    assert (gpu.total_bytes, gpu.free_bytes) == (16 * GIB, 0)
    assert gpu.driver_version == "32.0.101.8132"


def test_an_npu_is_named_for_diagnostics_only() -> None:
    found = inventory("arc_155h_integrated")
    assert found.npu_name == "Intel(R) AI Boost"
    assert found.find("NPU") is None


def test_nvidia_through_opencl_has_no_telemetry() -> None:
    (gpu,) = inventory("nvidia_opencl_discrete").gpus()
    assert gpu.kind is DeviceKind.DISCRETE_GPU
    assert (gpu.total_bytes, gpu.free_bytes) == (None, None)
    assert not gpu.has_telemetry


def test_discrete_gpu_with_both_figures_has_telemetry() -> None:
    (gpu,) = inventory("arc_b580_discrete").gpus()
    assert gpu.has_telemetry
    assert not gpu.shared_with_host


def test_gpu_and_gpu_0_name_the_same_device() -> None:
    one, two = inventory("arc_b580_discrete"), inventory("uhd_and_arc_a770")
    assert one.find("GPU.0") == one.find("GPU") == one.gpus()[0]
    assert two.find("GPU") == two.find("GPU.0") == two.gpus()[0]
    assert two.find("GPU.1") == two.gpus()[1]
    assert one.find("GPU.1") is None


def test_gpu_of_unknown_type_is_taken_as_discrete_so_that_its_memory_must_be_known() -> None:
    core = Recording("public", "all", ("CPU", "GPU"), {"GPU": {"FULL_DEVICE_NAME": "Thing"}})
    (gpu,) = read_devices(core, has_gpu_plugin=True, runtime_version="x").gpus()
    assert gpu.kind is DeviceKind.DISCRETE_GPU
    assert not gpu.has_telemetry


@pytest.mark.ov
@pytest.mark.parametrize(
    ("has_gpu_plugin", "fails", "state", "words"),
    [
        (True, None, DeviceState.NO_DEVICE, "finds no GPU"),
        (
            True,
            'Cannot load library "x/libopenvino_intel_gpu_plugin.so":\n libOpenCL.so.1: missing',
            DeviceState.PLUGIN_FAILED,
            "can't be loaded",
        ),
        (False, "not registered", DeviceState.PLUGIN_MISSING, "isn't installed"),
    ],
)
def test_ov3_no_gpu_missing_plugin_and_failing_plugin_are_different_explained_states(
    has_gpu_plugin: bool, fails: str | None, state: DeviceState, words: str
) -> None:
    found = read_devices(_Silent(fails), has_gpu_plugin=has_gpu_plugin, runtime_version="x")
    row = found.unavailable_gpu()
    assert row is not None
    assert row.state is state
    assert words in row.explanation
    assert [one.id for one in found.selectable()] == [CPU]
    if state is DeviceState.PLUGIN_FAILED:
        assert "libOpenCL.so.1: missing" in row.detail


@pytest.mark.parametrize("nonsense", [-1, "many", None, object(), float("nan")])
def test_nonsense_about_memory_is_no_telemetry(nonsense: object) -> None:
    core = Recording(
        "public",
        "all",
        ("CPU", "GPU"),
        {"GPU": {"GPU_DEVICE_TOTAL_MEM_SIZE": nonsense, "AVAILABLE_DEVICE_MEM_SIZE": nonsense}},
    )
    (gpu,) = read_devices(core, has_gpu_plugin=True, runtime_version="x").gpus()
    assert (gpu.total_bytes, gpu.free_bytes) == (None, None)


def test_an_inventory_after_a_failed_probe_still_has_the_cpu() -> None:
    found = DeviceInventory.cpu_only("Some CPU", ProbeOutcome.CRASHED, "The driver crashed.")
    assert [one.full_name for one in found.selectable()] == ["Some CPU"]
    assert found.unavailable_gpu() is None

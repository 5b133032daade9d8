import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from app.core.errors import ContenoxError, EnvironmentFault, UserError
from app.hardware.readings import DeviceInventory, DeviceKind, ProbeOutcome
from app.hardware.selection import (
    CertifiedDevice,
    DeviceChoice,
    DeviceSource,
    DeviceWishes,
    choose_device,
    choose_for_llama,
    parse_priority,
)
from tests.hardware.recorded import NAMES, inventory

pytestmark = pytest.mark.ov

_CPU_ONLY = DeviceInventory.cpu_only("Some CPU", ProbeOutcome.TIMED_OUT, "A driver hung.")


def _certified(**speeds: float | None) -> tuple[CertifiedDevice, ...]:
    return tuple(
        CertifiedDevice(device=name.replace("_", "."), tokens_per_s=speed)
        for name, speed in speeds.items()
    )


@pytest.mark.parametrize(
    ("wishes", "source"),
    [
        (DeviceWishes(by_hand="GPU", environment="CPU", profile="CPU"), DeviceSource.HAND),
        (DeviceWishes(environment="gpu", profile="CPU"), DeviceSource.ENVIRONMENT),
        (DeviceWishes(profile="GPU", test_environment="CPU"), DeviceSource.PROFILE),
        (DeviceWishes(by_hand=" ", test_environment="GPU"), DeviceSource.TEST_ENVIRONMENT),
    ],
)
def test_ov5_the_first_source_that_speaks_decides(
    wishes: DeviceWishes, source: DeviceSource
) -> None:
    choice = choose_device(wishes, inventory("arc_b580_discrete"))
    assert (choice.device, choice.source) == ("GPU", source)
    assert "B580" in choice.reason


def test_llama_runs_on_the_cpu_and_says_so() -> None:
    for silent in (None, " ", "automatic"):
        choice = choose_for_llama(silent)
        assert (choice.device, choice.source) == ("CPU", DeviceSource.AUTOMATIC)
        assert choice.reason.endswith("llama.cpp runs models on the CPU only here.")
    assert choose_for_llama("cpu").source is DeviceSource.HAND
    with pytest.raises(UserError, match=r"CPU only here, and GPU\.0 was") as caught:
        choose_for_llama("GPU.0")
    assert caught.value.code == "llama_on_cpu_only"
    with pytest.raises(UserError) as caught:
        choose_for_llama("NPU")
    assert caught.value.code == "npu_not_supported"


def test_ov5_a_source_that_is_not_reached_is_not_read() -> None:
    wishes = DeviceWishes(by_hand="CPU", environment="NPU", profile="AUTO", priority="npu")
    assert choose_device(wishes, _CPU_ONLY).device == "CPU"


def test_ov5_automatic_by_hand_ends_the_search() -> None:
    wishes = DeviceWishes(by_hand="automatic", environment="GPU")
    choice = choose_device(wishes, inventory("arc_b580_discrete"))
    assert (choice.device, choice.source) == ("CPU", DeviceSource.AUTOMATIC)


@pytest.mark.parametrize("field", ["by_hand", "environment", "profile", "test_environment"])
@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("npu.0", "npu_not_supported"),
        ("AUTO:NPU", "npu_not_supported"),
        ("HETERO:GPU,CPU", "composite_device"),
        ("TPU", "unknown_device"),
    ],
)
def test_ov5_every_source_is_refused_before_anything_native(
    field: str, text: str, code: str
) -> None:
    with pytest.raises(UserError) as caught:
        choose_device(DeviceWishes(**{field: text}), inventory("arc_155h_integrated"))
    assert caught.value.code == code


def test_ov5_the_refusal_names_the_source() -> None:
    wishes = DeviceWishes.collect(environment={"CONTENOX_OPENVINO_DEVICE": "NPU"})
    with pytest.raises(UserError, match=r"^CONTENOX_OPENVINO_DEVICE names the NPU"):
        choose_device(wishes, _CPU_ONLY)


def test_the_variables_are_collected() -> None:
    wishes = DeviceWishes.collect(
        by_hand="CPU",
        profile="GPU",
        environment={
            "CONTENOX_OPENVINO_DEVICE": "a",
            "CONTENOX_OPENVINO_TEST_DEVICE": "b",
            "CONTENOX_OPENVINO_DEVICE_PRIORITY": "c",
        },
    )
    assert wishes == DeviceWishes(
        by_hand="CPU", environment="a", profile="GPU", test_environment="b", priority="c"
    )


@pytest.mark.parametrize("name", NAMES)
def test_ov3_automatic_stays_on_the_cpu_until_a_gpu_passed_the_checks(name: str) -> None:
    choice = choose_device(DeviceWishes(), inventory(name))
    assert (choice.device, choice.source) == ("CPU", DeviceSource.AUTOMATIC)
    count = len(inventory(name).gpus())
    assert f"passed the answer checks on 0 of {count}" in choice.reason


def test_ov3_automatic_says_why_there_is_no_gpu() -> None:
    assert choose_device(DeviceWishes(), _CPU_ONLY).reason == (
        "The CPU was chosen automatically: there is no GPU to use. A driver hung."
    )


def test_ov3_automatic_takes_a_certified_gpu() -> None:
    choice = choose_device(DeviceWishes(), inventory("arc_155h_integrated"), _certified(GPU=None))
    assert (choice.device, choice.source) == ("GPU", DeviceSource.AUTOMATIC)


@pytest.mark.parametrize(
    ("cpu", "gpu", "device"), [(12.1, 9.8, "CPU"), (12.1, 21.7, "GPU"), (None, 9.8, "GPU")]
)
def test_automatic_decides_by_measurement_and_shows_the_numbers(
    cpu: float | None, gpu: float, device: str
) -> None:
    choice = choose_device(
        DeviceWishes(), inventory("arc_155h_integrated"), _certified(CPU=cpu, GPU=gpu)
    )
    assert choice.device == device
    assert f"GPU {gpu} tokens/s" in choice.reason


@pytest.mark.parametrize(
    ("priority", "device"),
    [
        (None, "GPU.1"),
        ("igpu", "GPU.0"),
        ("igpu,gpu", "GPU.0"),
        ("gpu", "GPU.1"),
        ("cpu,gpu", "CPU"),
    ],
)
def test_ov5_the_priority_reorders_the_kinds(priority: str | None, device: str) -> None:
    found = inventory("uhd_and_arc_a770")
    reported = tuple(
        one if one.id != "GPU.1" else structs.replace(one, free_bytes=2**33)
        for one in found.devices
    )
    choice = choose_device(
        DeviceWishes(priority=priority),
        DeviceInventory(devices=reported),
        _certified(GPU_0=None, GPU_1=None),
    )
    assert choice.device == device


@pytest.mark.parametrize("text", ["npu", "gpu,NPU,cpu", "accel", "gpu, accel"])
def test_ov5_the_npu_in_the_priority_is_refused_with_the_reason(text: str) -> None:
    with pytest.raises(UserError) as caught:
        parse_priority(text)
    assert caught.value.code == "npu_not_supported"
    assert "CONTENOX_OPENVINO_DEVICE_PRIORITY" in caught.value.message


def test_the_priority_is_read_leniently_in_form_and_strictly_in_words() -> None:
    assert parse_priority(" IGPU , gpu,igpu") == (
        DeviceKind.INTEGRATED_GPU,
        DeviceKind.DISCRETE_GPU,
        DeviceKind.CPU,
    )
    assert parse_priority(" ") == parse_priority(None)
    with pytest.raises(UserError, match="“dgpu”"):
        parse_priority("dgpu")


def test_ov3_discrete_gpu_without_telemetry_is_skipped_under_automatic() -> None:
    choice = choose_device(
        DeviceWishes(), inventory("nvidia_opencl_discrete"), _certified(GPU=99.0)
    )
    assert choice.device == "CPU"
    assert "memory can't be budgeted on 1 (NVIDIA GeForce RTX 3060" in choice.reason


def test_ov3_discrete_gpu_without_telemetry_is_an_error_when_named() -> None:
    with pytest.raises(EnvironmentFault) as caught:
        choose_device(DeviceWishes(by_hand="GPU"), inventory("nvidia_opencl_discrete"))
    assert caught.value.code == "no_memory_telemetry"


def test_a_named_device_that_is_absent_is_refused_with_what_there_is() -> None:
    with pytest.raises(EnvironmentFault) as caught:
        choose_device(DeviceWishes(by_hand="gpu.1"), inventory("arc_b580_discrete"))
    assert caught.value.code == "device_unavailable"
    assert caught.value.remedy == "Choose automatic or one of: CPU, GPU."


def test_a_gpu_where_there_is_none_is_refused_with_the_reason_of_its_absence() -> None:
    with pytest.raises(EnvironmentFault, match=r"no such device\. A driver hung\."):
        choose_device(DeviceWishes(environment="GPU"), _CPU_ONLY)


@given(
    text=st.text(max_size=12) | st.sampled_from(["CPU", "gpu", "GPU.0", "gpu.1", "automatic"]),
    name=st.sampled_from(NAMES),
    certified=st.lists(st.sampled_from(["CPU", "GPU", "GPU.0", "GPU.1", "NPU"]), max_size=3),
)
def test_ov5_a_choice_is_always_a_device_of_this_machine(
    text: str, name: str, certified: list[str]
) -> None:
    found = inventory(name)
    passed = tuple(CertifiedDevice(device=one) for one in certified)
    result = _choose_or_refuse(DeviceWishes(by_hand=text), found, passed)
    if isinstance(result, ContenoxError):
        assert result.remedy
    else:
        assert result.device in {one.id for one in found.selectable()}
        assert result.reason.endswith(".")


def _choose_or_refuse(
    wishes: DeviceWishes, found: DeviceInventory, passed: tuple[CertifiedDevice, ...]
) -> DeviceChoice | ContenoxError:
    try:
        return choose_device(wishes, found, passed)
    except ContenoxError as error:
        return error

import pytest
from msgspec import structs

from app.core.errors import EnvironmentFault
from app.core.units import GIB, MIB
from app.hardware.budget import memory_budget
from app.hardware.readings import cpu_reading
from tests.hardware.recorded import host_memory, inventory

pytestmark = pytest.mark.ov


@pytest.mark.parametrize("free_bytes", [0, None, -1])
@pytest.mark.parametrize(("host_gib", "expected_gib"), [(8, 8), (48, 16), (16, 16)])
def test_ov3_a_shared_gpu_without_free_memory_has_the_hosts_capped_at_its_total(
    free_bytes: int | None, host_gib: int, expected_gib: int
) -> None:
    (gpu,) = inventory("arc_155h_integrated").gpus()
    budget = memory_budget(structs.replace(gpu, free_bytes=free_bytes), host_memory(host_gib))
    assert budget.free_bytes == expected_gib * GIB
    assert budget.total_bytes == 16 * GIB
    assert budget.borrowed_from_host


def test_ov3_a_shared_gpu_without_a_total_has_the_hosts() -> None:
    gpu = structs.replace(inventory("uhd_and_arc_a770").gpus()[0], total_bytes=None)
    budget = memory_budget(gpu, host_memory(8, total_gib=32))
    assert (budget.total_bytes, budget.free_bytes) == (32 * GIB, 8 * GIB)


def test_ov3_a_shared_gpu_never_has_more_than_the_machine_has_available() -> None:
    (gpu,) = inventory("arc_155h_integrated").gpus()
    budget = memory_budget(structs.replace(gpu, free_bytes=12 * GIB), host_memory(3))
    assert budget.free_bytes == 3 * GIB
    assert not budget.borrowed_from_host


@pytest.mark.parametrize("name_and_index", [("nvidia_opencl_discrete", 0), ("uhd_and_arc_a770", 1)])
def test_ov3_a_discrete_gpu_without_telemetry_is_an_error(name_and_index: tuple[str, int]) -> None:
    name, index = name_and_index
    with pytest.raises(EnvironmentFault) as caught:
        memory_budget(inventory(name).gpus()[index], host_memory(64))
    assert caught.value.code == "no_memory_telemetry"


def test_ov3_a_discrete_gpu_has_its_own_memory_less_a_tenth() -> None:
    (gpu,) = inventory("arc_b580_discrete").gpus()
    budget = memory_budget(gpu, host_memory(1))
    assert budget.free_bytes == 10_484 * MIB
    assert budget.reserve_bytes == 11_875 * MIB // 10
    assert budget.usable_bytes == budget.free_bytes - budget.reserve_bytes
    assert not budget.shared_with_host


def test_the_cpu_has_what_the_machine_has_available() -> None:
    budget = memory_budget(cpu_reading("Some CPU", total_bytes=16 * GIB), host_memory(5, 16))
    assert (budget.device, budget.free_bytes, budget.total_bytes) == ("CPU", 5 * GIB, 16 * GIB)
    assert budget.usable_bytes == 5 * GIB - 512 * MIB


def test_a_machine_without_memory_to_spare_has_nothing_usable() -> None:
    host = structs.replace(host_memory(0), available_bytes=100 * MIB)
    assert memory_budget(cpu_reading("Some CPU"), host).usable_bytes == 0

"""A machine whose processor was probed already."""

from app.core.paths import DataRoot
from app.hardware.expected_speed import MachineRates
from app.hardware.host import read_host
from app.workflows.machine_rates import RATES_FILE, KeptRates


def probed(root: DataRoot) -> MachineRates:
    """Keeps round figures for this processor: 20 GB/s of one core, 30 of all, 100 GFLOPS."""
    host = read_host()
    rates = MachineRates(
        cpu=host.cpu_name,
        cores=host.physical_cores,
        one_read_bytes_per_s=20e9,
        read_bytes_per_s=30e9,
        float_operations_per_s=100e9,
    )
    return KeptRates(root.cache / RATES_FILE, lambda: rates).renew()

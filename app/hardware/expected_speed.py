"""How fast a model may run on this machine's processor, before anybody tried it.

Writing a token reads every active weight once, so memory bounds it; reading a prompt multiplies
every active weight with every token, so arithmetic bounds it (Williams, Waterman and Patterson,
"Roofline", 2009). Two probes of together two seconds measure both bounds. What a library makes of
them differs by the instructions it has for small numbers: hence a range, and never one figure.
"""

import threading
import time
from collections.abc import Callable
from typing import Final

from msgspec import Struct

VERSION: Final = 1
"""Of the probes: figures of another version aren't comparable."""

_FLOAT_BYTES: Final = 4
_BLOCK_BYTES: Final = 128 << 20  # several times what a processor's cache holds
_SIDE: Final = 768
_PROBE_S: Final = 0.65

_DECODE_SHARE: Final = {"openvino": (0.30, 0.95), "llama": (0.20, 0.90)}
"""Of the memory's rate. Both libraries were measured with one small model on one machine."""
_PREFILL_SHARE: Final = {"openvino": (0.8, 5.0), "llama": (0.2, 1.5)}
"""Of the rate in 32-bit floats: OpenVINO multiplies in 16 and 8 bits where the processor can."""


class MachineRates(Struct, frozen=True, kw_only=True):
    """What the processor can do. ``one`` is for a single thread, the others for all cores."""

    cpu: str
    cores: int
    version: int = VERSION
    one_read_bytes_per_s: float
    read_bytes_per_s: float
    float_operations_per_s: float

    def best_of(self, other: "MachineRates") -> "MachineRates":
        """The higher of each figure: whatever else ran can only have lowered it."""
        return MachineRates(
            cpu=self.cpu,
            cores=self.cores,
            one_read_bytes_per_s=max(self.one_read_bytes_per_s, other.one_read_bytes_per_s),
            read_bytes_per_s=max(self.read_bytes_per_s, other.read_bytes_per_s),
            float_operations_per_s=max(self.float_operations_per_s, other.float_operations_per_s),
        )


class SpeedRange(Struct, frozen=True, kw_only=True):
    """Tokens a second, from about the least to about the most."""

    low: float
    high: float

    def error_of(self, measured: float) -> float:
        """How far ``measured`` lies outside, as a share of the nearer end; 0 inside."""
        if measured < self.low:
            return measured / self.low - 1
        return max(measured / self.high - 1, 0.0)


class ExpectedSpeed(Struct, frozen=True, kw_only=True):
    """``prefill`` is absent where nobody knows how many weights there are."""

    decode: SpeedRange
    prefill: SpeedRange | None = None


def expected_speed(
    rates: MachineRates,
    backend: str,
    weights_bytes: int,
    parameters: int | None,
    active_parameters: int | None = None,
) -> ExpectedSpeed | None:
    """The range for a model on the processor; ``None`` for an unknown backend.

    Args:
        weights_bytes: all weights as they lie in memory.
        parameters: how many there are.
        active_parameters: how many of them a token needs, where that isn't all of them.
    """
    if backend not in _DECODE_SHARE or weights_bytes <= 0:
        return None
    active = active_parameters or parameters
    share = active / parameters if active and parameters else 1.0
    read, operations = rates.read_bytes_per_s, rates.float_operations_per_s
    if backend == "llama":
        # llama.cpp leaves a core to the window: docs/decisions/0020.
        threads = max(1, rates.cores - 1)
        read = min(read, threads * rates.one_read_bytes_per_s)
        operations *= threads / rates.cores
    bound = read / (weights_bytes * share)
    low, high = _DECODE_SHARE[backend]
    decode = SpeedRange(low=low * bound, high=high * bound)
    if not active:
        return ExpectedSpeed(decode=decode)
    bound = operations / (2 * active)
    low, high = _PREFILL_SHARE[backend]
    return ExpectedSpeed(decode=decode, prefill=SpeedRange(low=low * bound, high=high * bound))


def measure_machine(cpu: str, cores: int, probe_s: float = _PROBE_S) -> MachineRates:
    """Probes memory and arithmetic; takes about three times ``probe_s``.

    Args:
        cpu: the processor's name, to which the figures belong.
        cores: its physical cores.
    """
    import numpy  # a tenth of a second that only whoever measures waits for

    block = numpy.ones(_BLOCK_BYTES // _FLOAT_BYTES, dtype=numpy.float32)
    parts = numpy.array_split(block, cores)
    square = numpy.ones((_SIDE, _SIDE), dtype=numpy.float32)

    def read_at_once() -> None:
        others = [
            threading.Thread(target=numpy.add.reduce, args=(part,), daemon=True)
            for part in parts[1:]
        ]
        for other in others:
            other.start()
        numpy.add.reduce(parts[0])
        for other in others:
            other.join()

    one_s = _shortest_s(lambda: numpy.add.reduce(block), probe_s)
    all_s = _shortest_s(read_at_once, probe_s)
    multiply_s = _shortest_s(lambda: numpy.matmul(square, square), probe_s)
    return MachineRates(
        cpu=cpu,
        cores=cores,
        one_read_bytes_per_s=_BLOCK_BYTES / one_s,
        read_bytes_per_s=_BLOCK_BYTES / min(one_s, all_s),
        float_operations_per_s=2 * _SIDE**3 / multiply_s,
    )


def _shortest_s(work: Callable[[], object], probe_s: float) -> float:
    """The fastest of the runs that fit: what else runs on the machine only slows some of them."""
    shortest = float("inf")
    end = time.perf_counter() + probe_s
    while time.perf_counter() < end:
        begun = time.perf_counter()
        work()
        shortest = min(shortest, time.perf_counter() - begun)
    return shortest

"""What this machine can do, measured once and kept in the cache folder."""

import logging
from collections.abc import Callable
from pathlib import Path
from typing import Final

import msgspec

from app.core.errors import ContenoxError
from app.core.files import write_atomic
from app.hardware.expected_speed import VERSION, MachineRates, measure_machine
from app.hardware.host import read_host

_log = logging.getLogger(__name__)

RATES_FILE: Final = "machine.json"


def _measure() -> MachineRates:
    host = read_host()
    return measure_machine(host.cpu_name, host.physical_cores)


class KeptRates:
    """The figures of this processor; those of another one, or of an older probe, don't count.

    Args:
        path: where they are kept. A file that can't be written costs another two seconds next time.
        measure: takes two seconds.
    """

    def __init__(self, path: Path, measure: Callable[[], MachineRates] = _measure) -> None:
        self._path = path
        self._measure = measure
        self._rates: MachineRates | None = None

    def known(self) -> MachineRates | None:
        """What was measured, without measuring."""
        if self._rates is None:
            self._rates = self._read()
        return self._rates

    def require(self) -> MachineRates:
        """What was measured, now if it wasn't yet. Blocks for two seconds then."""
        return self.known() or self.renew()

    def renew(self) -> MachineRates:
        """Measures again and keeps the higher of each figure: a busy machine only lowers them."""
        known = self.known()
        fresh = self._measure()
        rates = fresh if known is None else fresh.best_of(known)
        self._rates = rates
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            write_atomic(self._path, msgspec.json.encode(rates))
        except (OSError, ContenoxError) as error:
            _log.warning("what the machine can do isn't kept: %s", error)
        return rates

    def _read(self) -> MachineRates | None:
        try:
            found = msgspec.json.decode(self._path.read_bytes(), type=MachineRates)
        except FileNotFoundError:
            return None
        except (OSError, msgspec.MsgspecError, UnicodeDecodeError) as error:
            _log.warning("what the machine can do is measured again: %s", error)
            return None
        host = read_host()
        same = (found.version, found.cpu, found.cores)
        return found if same == (VERSION, host.cpu_name, host.physical_cores) else None

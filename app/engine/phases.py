"""How long a part of a request may take that tells little of its progress, such as a load.

These bounds are no expectations: what reaches one hangs, in a driver or on a broken disk, and only
the end of the process ends it.
"""

from pathlib import Path
from typing import Final

from msgspec import Struct

from app.core.errors import EnvironmentFault
from app.core.units import format_duration

BASE_S: Final = 300.0
"""For what doesn't depend on a model's size: start a library, compile a graph, count a prompt."""

SLOWEST_BYTES_PER_S: Final = 5_000_000
"""No disk that a model is kept on reads more slowly, and no device compiles more slowly."""

_CONVERSION_PASSES: Final = 4
"""A conversion reads the source and writes, checks and moves the result."""


class Phase(Struct, frozen=True, kw_only=True):
    """A part of a request. ``name`` begins a sentence: ``Loading the model``."""

    name: str
    bound_s: float

    def hung(self) -> EnvironmentFault:
        """The end of a request whose phase is not over after ``bound_s``."""
        return EnvironmentFault(
            "engine_stuck",
            f"{self.name} was not done after {format_duration(self.bound_s)} and was given up.",
            "Try it again. If it happens again, restart the computer; then choose another device"
            " or another model.",
        )


def loading(model_path: str, base_s: float = BASE_S) -> Phase:
    """A load: ``BASE_S`` and a second for each 5 MB of the model's files."""
    return Phase(name="Loading the model", bound_s=base_s + _size(model_path) / SLOWEST_BYTES_PER_S)


def converting(source_path: str, base_s: float = BASE_S) -> Phase:
    """A conversion: ``BASE_S`` and four times what its source takes to be read."""
    bytes_passed = _CONVERSION_PASSES * _size(source_path)
    return Phase(name="Converting the model", bound_s=base_s + bytes_passed / SLOWEST_BYTES_PER_S)


def _size(path: str) -> int:
    """The bytes of a model's file or folder; 0 for none and for what can't be read."""
    try:
        if not Path(path).is_dir():
            return Path(path).stat().st_size
        # A model that is made up has no path; the empty one would be the current folder.
        files = Path(path).rglob("*") if path else ()
        return sum(one.stat().st_size for one in files if one.is_file())
    except OSError:
        return 0

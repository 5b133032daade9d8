"""All checks of a package in one call."""

from collections.abc import Sequence
from pathlib import Path

from contenox_build.bill import read_bill
from contenox_build.closure import Finding
from contenox_build.findings import (
    check_hashes,
    check_machine_paths,
    check_names,
    check_programs,
)
from contenox_build.pe import read_all


def check_package(
    folder: Path,
    *,
    bill: Path | None = None,
    release: bool = False,
    windows: bool = True,
    machine: Sequence[Path] = (),
) -> list[Finding]:
    """Everything that is wrong with the package at ``folder``, in the order of the rules.

    Args:
        bill: its bill of materials, if it shall be compared.
        release: everything must be signed.
        windows: programs and libraries are Windows' and are looked into.
        machine: folders of the machine that built it; no file may name them.
    """
    found = list(check_names(folder))
    if windows:
        found += check_programs(read_all(folder), release=release)
    found += check_machine_paths(folder, machine)
    if bill is not None:
        hashes, wrong = read_bill(bill)
        found += [*wrong, *check_hashes(folder, hashes)]
    return found

"""Checks a finished package, on any platform.

    python packaging/check_bundle.py FOLDER [--bill FILE] [--release] [--machine-path PATH ...]

Every library that a program or library of Windows imports must lie in the package, where the loader
looks for it, or be on the list of what Windows itself has; there is one newest set of Microsoft's
run time; nothing forbidden is in there; the bill of materials names each file with a licence.
Needs pefile. Exit code 1 if something is wrong, with a line for each.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from contenox_build.checks import check_package
from contenox_build.errors import PackagingError
from contenox_build.pe import read_all


def main(arguments: Sequence[str]) -> int:
    options = _parse(arguments)
    if not options.folder.is_dir():
        print(f"check_bundle: {options.folder} is no folder.", file=sys.stderr)
        return 1
    try:
        found = check_package(
            options.folder,
            bill=options.bill,
            release=options.release,
            windows=not options.not_windows,
            machine=options.machine_path,
        )
    except PackagingError as error:
        print(f"check_bundle: {error}", file=sys.stderr)
        return 1
    for finding in found:
        print(finding)
    unsigned = [] if options.not_windows else unsigned_programs(options.folder)
    if unsigned and not options.release:
        print(f"not signed ({len(unsigned)}): {', '.join(unsigned)}")
    print("The package is in order." if not found else f"{len(found)} things are wrong.")
    return 1 if found else 0


def unsigned_programs(folder: Path) -> list[str]:
    """The programs and libraries that carry no signature."""
    return [file.path for file in read_all(folder) if not file.signed]


def _parse(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Checks a finished package.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--bill", type=Path, help="the bill of materials (CycloneDX, JSON)")
    parser.add_argument("--release", action="store_true", help="everything must be signed")
    parser.add_argument("--not-windows", action="store_true", help="a package for Linux")
    parser.add_argument("--machine-path", type=Path, action="append", default=[])
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

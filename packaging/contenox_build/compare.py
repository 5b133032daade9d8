"""Whether two builds are the same, before anything was signed."""

from pathlib import Path

from contenox_build.archive import files_below, sha256_of
from contenox_build.record import read_record


def compare(one: Path, other: Path) -> list[str]:
    """A line for each file that isn't the same; empty if the builds are identical.

    Each side is a build record, which keeps the hashes from before signing, or a folder.
    """
    left, right = _hashes(one), _hashes(other)
    found = []
    for name in sorted(left.keys() | right.keys()):
        if name not in right:
            found.append(f"only in {one}: {name}")
        elif name not in left:
            found.append(f"only in {other}: {name}")
        elif left[name] != right[name]:
            found.append(f"differs: {name}")
    return found


def _hashes(path: Path) -> dict[str, str]:
    if path.is_dir():
        return {file.relative_to(path).as_posix(): sha256_of(file) for file in files_below(path)}
    return read_record(path).files

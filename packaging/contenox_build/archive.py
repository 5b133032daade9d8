"""Archives and checksums that depend on what the files hold, and on nothing else."""

import hashlib
import time
import zipfile
from collections.abc import Iterable
from pathlib import Path
from typing import Final

# Zip has no earlier date.
_FIRST_EPOCH: Final = 315_532_800
_LEVEL: Final = 6
_BLOCK_BYTES: Final = 1 << 20


def files_below(folder: Path) -> list[Path]:
    """Every file below ``folder``, in an order that is the same on each system."""
    found = (path for path in folder.rglob("*") if path.is_file())
    return sorted(found, key=lambda path: path.relative_to(folder).as_posix())


def sha256_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def write_zip(folder: Path, target: Path, top: str, epoch: int) -> None:
    """Packs ``folder`` into ``target`` as one folder ``top``, each file dated ``epoch``."""
    moment = time.gmtime(max(epoch, _FIRST_EPOCH))[:6]
    partial = target.with_name(target.name + ".part")
    with zipfile.ZipFile(partial, "w", zipfile.ZIP_DEFLATED, compresslevel=_LEVEL) as archive:
        for path in files_below(folder):
            entry = zipfile.ZipInfo(f"{top}/{path.relative_to(folder).as_posix()}", moment)
            entry.compress_type = zipfile.ZIP_DEFLATED
            # As if made on Windows, wherever it is made: no mode bits.
            entry.create_system = 0
            with path.open("rb") as source, archive.open(entry, "w") as packed:
                while block := source.read(_BLOCK_BYTES):
                    packed.write(block)
    partial.replace(target)


def sort_zip(file: Path) -> None:
    """Brings the members of an archive into the order of their names; they stay as they are."""
    partial = file.with_name(file.name + ".part")
    with zipfile.ZipFile(file) as before, zipfile.ZipFile(partial, "w") as after:
        for entry in sorted(before.infolist(), key=lambda entry: entry.filename):
            after.writestr(entry, before.read(entry))
    partial.replace(file)


def write_checksums(files: Iterable[Path], target: Path) -> None:
    """Writes ``SHA256SUMS`` in the form that ``sha256sum --check`` reads."""
    lines = [f"{sha256_of(path)} *{path.name}\n" for path in sorted(files)]
    target.write_text("".join(lines), encoding="utf-8", newline="\n")


def read_checksums(source: Path) -> dict[str, str]:
    """The sha256 of each file that ``source`` names."""
    lines = (line.split(" *", 1) for line in source.read_text(encoding="utf-8").splitlines())
    return {name: digest for digest, name in lines}

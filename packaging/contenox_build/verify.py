"""Checks a finished package again: its folder or its zip, with what lies beside it."""

import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from contenox_build import selftest
from contenox_build.archive import read_checksums, sha256_of
from contenox_build.checks import check_package
from contenox_build.closure import Finding
from contenox_build.commands import say
from contenox_build.errors import PackagingError
from contenox_build.pe import read
from contenox_build.record import MICROSOFT, BuildRecord, read_record


def verify(path: Path, *, release: bool, self_test: bool) -> BuildRecord:
    """Checks the package at ``path``.

    Args:
        release: it must be signed, from a clean source tree, and all of it by Microsoft's compiler.
        self_test: the program is run as well.

    Raises:
        PackagingError: it is not what it must be.
    """
    path = path.absolute()
    name = path.name.removesuffix(".zip")
    record = read_record(path.with_name(f"{name}.build.json"))
    with _folder(path, name) as folder:
        say("Checks")
        found = [
            *check_checksums(path.parent),
            *check_package(
                folder,
                bill=path.with_name(f"{name}.cdx.json"),
                release=release,
                windows=record.platform == "win32",
            ),
            *(check_release(record, name) if release else ()),
            *(check_installer(path.with_name(f"{name}-setup.exe")) if release else ()),
        ]
        if found:
            lines = "\n".join(f"  {finding}" for finding in found)
            raise PackagingError(f"{path} is not in order:\n{lines}")
        if self_test:
            say("Self-test")
            selftest.run_all(folder)
    return record


def check_checksums(folder: Path) -> Iterator[Finding]:
    """Each file that SHA256SUMS names is there and is what it says."""
    sums = folder / "SHA256SUMS"
    if not sums.is_file():
        yield Finding("checksum", sums.name, "is missing")
        return
    for name, digest in read_checksums(sums).items():
        file = folder / name
        if not file.is_file():
            yield Finding("checksum", name, "is missing")
        elif sha256_of(file) != digest:
            yield Finding("checksum", name, "is another file than the one that was built")


def check_release(record: BuildRecord, name: str) -> Iterator[Finding]:
    """What a package must be to be given to people."""
    if not record.llama_compiler.startswith(MICROSOFT):
        text = f"llama.cpp was built by {record.llama_compiler}, a release is {MICROSOFT} only"
        yield Finding("release", name, text)
    for text in record.stand_ins:
        yield Finding("release", name, f"holds a stand-in: {text}")
    if record.modified or not record.commit:
        yield Finding("release", name, "was not built from a commit")
    if not record.signed:
        yield Finding("release", name, "was not signed")


def check_installer(file: Path) -> Iterator[Finding]:
    """An installer is signed as what is in it."""
    if file.is_file() and not read(file, file.name).signed:
        yield Finding("signature", file.name, "is not signed")


@contextmanager
def _folder(path: Path, name: str) -> Iterator[Path]:
    if path.is_dir():
        yield path
        return
    if not zipfile.is_zipfile(path):
        raise PackagingError(f"{path} is neither a package's folder nor its zip.")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as scratch:
        with zipfile.ZipFile(path) as archive:
            archive.extractall(scratch)
        yield Path(scratch) / name

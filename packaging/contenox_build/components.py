"""To which component each file of a package belongs, with its version and licence."""

import sqlite3
import ssl
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Final

from contenox_build import distributions, project
from contenox_build.archive import files_below, sha256_of
from contenox_build.closure import INTERNAL
from contenox_build.contents import VC_RUNTIME
from contenox_build.errors import PackagingError

PROGRAM: Final = "contenox-desktop"
_STARTER: Final = "SmolLM2-135M-Instruct"
_LINUX: Final = "libraries of the Linux that built it"


@dataclass(frozen=True, slots=True)
class FileHash:
    """A file of the package, by its path in there, and its sha256."""

    path: str
    sha256: str


@dataclass(frozen=True, slots=True)
class Component:
    """A part of the package that has a licence of its own."""

    name: str
    version: str
    licence: str
    package_url: str = ""
    files: tuple[FileHash, ...] = ()


def components(folder: Path, *, windows: bool) -> tuple[Component, ...]:
    """Everything in the package at ``folder``, from the environment that built it.

    Raises:
        PackagingError: a file belongs to nothing that is known.
    """
    known = {component.name: component for component in _known(windows=windows)}
    owner = _owners(windows=windows)
    found: dict[str, list[FileHash]] = {name: [] for name in known}
    homeless = []
    for path in files_below(folder):
        text = path.relative_to(folder).as_posix()
        name = _owner(text, path, folder, owner, windows=windows)
        if name is None:
            homeless.append(text)
        else:
            found[name].append(FileHash(text, sha256_of(path)))
    if homeless:
        raise PackagingError(
            f"{len(homeless)} files of the package belong to nothing that has a licence, first of "
            f"all {homeless[0]}; name it in packaging/contenox_build/components.py."
        )
    return tuple(
        Component(
            known[name].name,
            known[name].version,
            known[name].licence,
            known[name].package_url,
            tuple(files),
        )
        for name, files in sorted(found.items())
    )


def _known(*, windows: bool) -> Iterator[Component]:
    for item in distributions.shipped(windows=windows):
        url = f"pkg:pypi/{item.name}@{item.version}"
        yield Component(item.name, item.version, item.licence, url)
    python = ".".join(map(str, sys.version_info[:3]))
    version = project.version()
    yield Component(PROGRAM, version, "Apache-2.0", f"pkg:pypi/{PROGRAM}@{version}")
    yield Component("cpython", python, "PSF-2.0", f"pkg:generic/cpython@{python}")
    yield Component("openssl", ssl.OPENSSL_VERSION.split()[1], "Apache-2.0")
    yield Component("sqlite", sqlite3.sqlite_version, "blessing")
    yield Component("libffi", "as in Python", "MIT")
    yield Component(_STARTER, "Q4_1", "Apache-2.0")
    if not windows:
        yield Component(_LINUX, "", "LicenseRef-Linux-distribution")


def _owners(*, windows: bool) -> dict[str, str]:
    """The distribution of each file that lies in the package as it lay in site-packages."""
    return {
        f"{INTERNAL}/{file}": item.name
        for item in distributions.shipped(windows=windows)
        for file in item.files
        if not file.startswith("../")
    }


_FIXED: Final = (
    (f"{INTERNAL}/licences/qt/", "pyside6-essentials"),
    (f"{INTERNAL}/resources/starter/", _STARTER),
    (f"{INTERNAL}/resources/", PROGRAM),
    (f"{INTERNAL}/profiles/", PROGRAM),
    (f"{INTERNAL}/llama_cpp/lib/", "llama-cpp-python"),
    (f"{INTERNAL}/python3", "cpython"),
    (f"{INTERNAL}/libpython3", "cpython"),
    (f"{INTERNAL}/base_library.zip", "cpython"),
    (f"{INTERNAL}/libcrypto", "openssl"),
    (f"{INTERNAL}/libssl", "openssl"),
    (f"{INTERNAL}/sqlite3.dll", "sqlite"),
    (f"{INTERNAL}/libsqlite3", "sqlite"),
    (f"{INTERNAL}/libffi", "libffi"),
)


def _owner(
    text: str, path: Path, folder: Path, owners: dict[str, str], *, windows: bool
) -> str | None:
    parts = PurePosixPath(text).parts
    if len(parts) == 1:
        # Both programs: PyInstaller's start-up code, our code and everything written in Python.
        return PROGRAM
    if text in owners:
        return owners[text]
    if parts[1] == "licences":
        return "pyside6-essentials" if parts[2] == "qt" else parts[2]
    if VC_RUNTIME.match(parts[-1]):
        return "msvc-runtime"
    for start, name in _FIXED:
        if text.startswith(start):
            return name
    if windows:
        # Python's own extension modules lie at the root and have no dot in their stem.
        return "cpython" if len(parts) == 2 and parts[1].endswith(".pyd") else None
    if path.is_symlink():
        target = path.resolve().relative_to(folder.resolve()).as_posix()
        return _owner(target, path.resolve(), folder.resolve(), owners, windows=False)
    return _LINUX if len(parts) == 2 and ".so" in parts[1] else None

"""The Python distributions that go into the package: metadata, licences, files."""

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Final

from contenox_build.errors import PackagingError
from contenox_build.project import ROOT, WINDOWS_RESOURCES

# Everything that the program imports, also through something else. The build fails on a missing
# one, and check_bundle.py fails on a file that belongs to none.
SHIPPED: Final = (
    "anyio",
    "click",
    "colorama",
    "filelock",
    "fsspec",
    "h11",
    "httpcore2",
    "httpx2",
    "huggingface-hub",
    "idna",
    "jinja2",
    "latex2mathml",
    "llama-cpp-python",
    "markdown-it-py",
    "markupsafe",
    "mdurl",
    "msgspec",
    "numpy",
    "openvino",
    "openvino-genai",
    "openvino-tokenizers",
    "packaging",
    "platformdirs",
    "psutil",
    "pygments",
    "pypdf",
    "pyqtgraph",
    "pyside6-essentials",
    "pyyaml",
    "rich",
    "shiboken6",
    "tqdm",
    "truststore",
    "typing-extensions",
    "ziafont",
    "ziamath",
)
WINDOWS_ONLY: Final = ("msvc-runtime",)
# Its bootloader is part of both programs.
BUILD_TOOLS: Final = ("pyinstaller",)

# Whose version is asked for when the program runs.
_ASKED: Final = (
    "httpcore2",
    "httpx2",
    "huggingface-hub",
    "llama-cpp-python",
    "openvino",
    "openvino-genai",
    "openvino-tokenizers",
)
QT_LICENCES: Final = WINDOWS_RESOURCES / "licences"

_LICENCE_FILE: Final = re.compile(
    r"(licen[cs]e|copying|notice|third[-_]party)[^/]*$", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Distribution:
    """One installed distribution."""

    name: str
    version: str
    licence: str
    licence_files: tuple[Path, ...]
    # Paths relative to site-packages, with "/".
    files: tuple[str, ...]


def installed(name: str) -> Distribution:
    """Reads the distribution ``name`` of this environment.

    Raises:
        PackagingError: it isn't installed, or doesn't say its licence.
    """
    try:
        found = metadata.distribution(name)
    except metadata.PackageNotFoundError as error:
        raise PackagingError(
            f"{name} is not installed; install the packages of the lock file first."
        ) from error
    files = tuple(file.as_posix() for file in found.files or ())
    texts = tuple(
        Path(str(found.locate_file(file)))
        for file in files
        if _LICENCE_FILE.search(file) and (".dist-info/" in file or file.count("/") <= 1)
    )
    licence = _licence(found)
    if licence is None:
        raise PackagingError(
            f"{name} doesn't say its licence; add it to KNOWN_LICENCES in distributions.py."
        )
    return Distribution(name, found.version, licence, texts, files)


def shipped(*, windows: bool) -> Iterator[Distribution]:
    """Everything that is in the package, sorted by name."""
    names = SHIPPED + BUILD_TOOLS + (WINDOWS_ONLY if windows else ())
    return (installed(name) for name in sorted(names))


def import_names() -> frozenset[str]:
    """The top-level modules of everything that may be in the package."""
    allowed = {*SHIPPED, *WINDOWS_ONLY, *BUILD_TOOLS}
    return frozenset(
        name
        for name, owners in metadata.packages_distributions().items()
        if any(owner.lower().replace("_", "-") in allowed for owner in owners)
    )


def run_time_metadata() -> list[tuple[str, str]]:
    """The metadata that the program reads, as (source, destination folder)."""
    found = []
    for name in _ASKED:
        distribution = metadata.distribution(name)
        path = next(
            file for file in distribution.files or () if file.as_posix().endswith("/METADATA")
        )
        found.append((str(distribution.locate_file(path)), path.parts[0]))
    return found


def licence_texts() -> list[tuple[str, str]]:
    """The licence texts of everything in the package, as (source, destination folder)."""
    found = [
        (str(text), _licence_folder(distribution.name, text))
        for distribution in shipped(windows=sys.platform == "win32")
        for text in distribution.licence_files
        if text.is_file()
    ]
    # Qt's wheels bring none.
    found += [(str(text), "licences/qt") for text in sorted(QT_LICENCES.iterdir())]
    found.append((str(ROOT / "LICENSE"), "licences/contenox-desktop"))
    return found


def _licence_folder(name: str, text: Path) -> str:
    """A distribution may have several files of the same name, in folders of its own."""
    parts = text.parent.parts
    inner = parts[parts.index("licenses") + 1 :] if "licenses" in parts else ()
    return "/".join(("licences", name, *inner))


# From the distributions' own licence files, for those whose metadata has no usable field.
KNOWN_LICENCES: Final = {
    "pyinstaller": "GPL-2.0-or-later WITH Bootloader-exception",
    "msvc-runtime": "LicenseRef-Microsoft-Visual-Studio-Redistributable",
}

# Some put the whole text of the licence into the field of its name.
_LONGEST_NAME: Final = 80

_CLASSIFIERS: Final = {
    "License :: OSI Approved :: MIT License": "MIT",
    "License :: OSI Approved :: Apache Software License": "Apache-2.0",
    "License :: OSI Approved :: BSD License": "BSD-3-Clause",
    "License :: OSI Approved :: Python Software Foundation License": "PSF-2.0",
    "License :: OSI Approved :: Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
}


def _licence(found: metadata.Distribution) -> str | None:
    name = found.metadata["Name"].lower().replace("_", "-")
    if name in KNOWN_LICENCES:
        return KNOWN_LICENCES[name]
    for field in ("License-Expression", "License"):
        value: str | None = next(iter(found.metadata.get_all(field) or ()), None)
        if value and len(value) < _LONGEST_NAME and value != "UNKNOWN":
            return value.strip()
    for classifier in found.metadata.get_all("Classifier") or ():
        if classifier in _CLASSIFIERS:
            return _CLASSIFIERS[classifier]
    return None

"""The checks of a finished package; those of programs and libraries are for Windows ones only."""

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

from contenox_build.archive import files_below, sha256_of
from contenox_build.closure import Finding, check_closure, check_machine, check_runtime
from contenox_build.pe import PeFile

# What a person's folder for programs leaves of Windows' 260 characters, with a long user name.
LONGEST_PATH: Final = 160

_FORBIDDEN: Final = (
    (re.compile(r"(^|/)opencl\.dll$"), "comes with the graphics driver"),
    (re.compile(r"(^|[/_-])npu([/_.-]|$)"), "the NPU is never offered"),
    (re.compile(r"openvino_telemetry"), "nothing calls home"),
    (re.compile(r"(^|/)(ucrtbase|(api|ext)-ms-win-.*)\.dll$"), "is Windows' own"),
    (re.compile(r"\.(pdb|lib|exp|h|hpp|cmake|pyi)$"), "is for compilers"),
)
_DEBUG: Final = re.compile(
    r"(^|/)((msvcp|vcruntime|concrt|vcomp)140(_\w+)?d|ucrtbased|qt6\w+d|python3\d*_d"
    r"|(tbb|openvino|ggml|llama)\w*(_debug|_d))\.(dll|pyd|exe)$"
)
_BLOCK_BYTES: Final = 1 << 20


def check_programs(files: Iterable[PeFile], *, release: bool) -> Iterator[Finding]:
    """All that concerns programs and libraries of Windows."""
    known = list(files)
    if not known:
        yield Finding("closure", ".", "there is no program or library of Windows in here")
    yield from check_closure(known)
    yield from check_machine(known)
    yield from check_runtime(known)
    if release:
        for file in known:
            if not file.signed:
                yield Finding("signature", file.path, "is not signed")


def check_names(folder: Path) -> Iterator[Finding]:
    """Nothing is in there that must not be, and no path is too long."""
    for path in files_below(folder):
        text = path.relative_to(folder).as_posix()
        for pattern, reason in _FORBIDDEN:
            if pattern.search(text.lower()):
                yield Finding("forbidden", text, reason)
        if _DEBUG.search(text.lower()):
            yield Finding("forbidden", text, "is a debug library")
        if len(text) > LONGEST_PATH:
            yield Finding("length", text, f"has {len(text)} characters of {LONGEST_PATH}")


def check_machine_paths(folder: Path, machine: Iterable[Path]) -> Iterator[Finding]:
    """No file tells where it was built."""
    needles = [needle for path in machine for needle in _spellings(path)]
    for path in files_below(folder):
        for needle in _contained(path, needles):
            text = path.relative_to(folder).as_posix()
            yield Finding("machine path", text, f"holds {needle!r}")


def check_hashes(folder: Path, known: Mapping[str, str]) -> Iterator[Finding]:
    """The bill of materials names each file, with its sha256, and no other."""
    present = {path.relative_to(folder).as_posix(): path for path in files_below(folder)}
    for text, path in present.items():
        if text not in known:
            yield Finding("bill of materials", text, "is not named in it")
        elif sha256_of(path) != known[text]:
            yield Finding("bill of materials", text, "holds something else than it says")
    for text in sorted(known.keys() - present.keys()):
        yield Finding("bill of materials", text, "is missing in the package")


def _spellings(path: Path) -> Iterator[bytes]:
    texts = {str(path), path.as_posix(), str(path).replace("\\", "\\\\")}
    for text in sorted(texts):
        yield text.encode("utf-8")
        yield text.encode("utf-16-le")


def _contained(path: Path, needles: list[bytes]) -> Iterator[bytes]:
    """Which needles are in a file, which may be larger than the memory should hold."""
    if not needles:
        return
    overlap = max(map(len, needles)) - 1
    left, rest = set(needles), b""
    with path.open("rb") as file:
        while left and (block := file.read(_BLOCK_BYTES)):
            data = rest + block
            found = {needle for needle in left if needle in data}
            yield from sorted(found)
            left -= found
            rest = data[-overlap:]

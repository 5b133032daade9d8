"""Whether every library that a package needs is in it, where the Windows loader looks for it."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from contenox_build.contents import VC_RUNTIME
from contenox_build.pe import X86_64, PeFile
from contenox_build.windows_libraries import is_windows_own, may_be_absent

INTERNAL: Final = "_internal"

# Folders that a package adds to the loader's search before it loads its libraries, by the folder
# that they lie in. On purpose not for all: what Qt's package adds helps nobody who runs without Qt.
_ADDED: Final = {
    "openvino": ("openvino/libs",),
    "openvino_genai": ("openvino/libs", "openvino_genai"),
    "openvino_tokenizers": ("openvino/libs", "openvino_tokenizers/lib"),
    "pyside6": ("pyside6", "shiboken6"),
    "shiboken6": ("shiboken6",),
    "numpy": ("numpy.libs",),
    "numpy.libs": ("numpy.libs",),
    "llama_cpp": ("llama_cpp/lib",),
}
_MICROSOFT_LINKER: Final = 14


@dataclass(frozen=True, slots=True, order=True)
class Finding:
    """Something that is wrong with a package: which rule, which file, what."""

    rule: str
    path: str
    text: str

    def __str__(self) -> str:
        return f"{self.rule}: {self.path}: {self.text}"


def search_folders(path: str) -> frozenset[str]:
    """The folders, in lower case, where the loader looks for what the file at ``path`` imports."""
    folder = path.rpartition("/")[0].lower()
    prefix = f"{INTERNAL}/"
    package = folder.removeprefix(prefix).partition("/")[0] if folder.startswith(prefix) else ""
    added = (prefix + name for name in _ADDED.get(package, ()))
    # The program's own folder, and the internal one, which PyInstaller's start-up code adds.
    return frozenset({folder, "", INTERNAL, *added})


def check_closure(files: Iterable[PeFile]) -> Iterator[Finding]:
    """Each import resolves inside the package or to a library that Windows has."""
    known = list(files)
    places: dict[str, list[PeFile]] = {}
    for file in known:
        places.setdefault(file.name, []).append(file)
    for file in known:
        reach = search_folders(file.path)
        for name in file.imports:
            here = [place for place in places.get(name, ()) if place.folder in reach]
            if here or is_windows_own(name) or may_be_absent(name, file.name):
                continue
            if name in places:
                where = places[name][0].path
                text = f"imports {name}, which lies in {where}, where it isn't looked for"
            else:
                text = f"imports {name}, which is not in the package"
            yield Finding("closure", file.path, text)
        for name in file.delayed:
            if not (name in places or is_windows_own(name) or may_be_absent(name, file.name)):
                text = f"imports {name} when it is first used; it is not in the package"
                yield Finding("closure", file.path, text)


def check_machine(files: Iterable[PeFile]) -> Iterator[Finding]:
    """Everything is made for x86-64."""
    for file in files:
        if file.machine != X86_64:
            yield Finding("machine", file.path, f"is made for machine {file.machine:#06x}")


def check_runtime(files: Iterable[PeFile]) -> Iterator[Finding]:
    """There is one set of Microsoft's run time, and it is new enough for every module in C++.

    An older ``msvcp140.dll`` under code of a newer compiler crashes in the first mutex. The run
    time of C alone, ``vcruntime140.dll``, knows no such break (docs/decisions/0102).
    """
    known = list(files)
    runtime = [file for file in known if VC_RUNTIME.match(file.name)]
    for file in runtime:
        if file.folder != INTERNAL:
            text = f"is a second copy of the run time; the one set lies in {INTERNAL}"
            yield Finding("runtime", file.path, text)
    versions = {file.file_version for file in runtime}
    if len(versions) > 1:
        listed = ", ".join(sorted(".".join(map(str, v)) if v else "none" for v in versions))
        yield Finding("runtime", INTERNAL, f"the run time is of several versions: {listed}")
    library = next((file for file in runtime if file.name == "msvcp140.dll"), None)
    if library is None or library.file_version is None:
        return
    oldest = library.file_version[:2]
    for file in known:
        uses = any(name.startswith("msvcp140") for name in file.imports)
        if uses and file.linker[0] == _MICROSOFT_LINKER and file.linker > oldest:
            made = ".".join(map(str, file.linker))
            has = ".".join(map(str, oldest))
            yield Finding("runtime", file.path, f"was made by {made}; the run time is {has}")

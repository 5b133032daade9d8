"""The built libraries and the stamp beside them that says what they were made from."""

import hashlib
import importlib.util
import json
import re
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

STAMP = "contenox-build.json"


@dataclass(frozen=True, slots=True)
class Inputs:
    """All that decides what the libraries are."""

    version: str
    sdist_sha256: str
    flags: tuple[str, ...]
    compiler: str
    system: str

    def key(self) -> str:
        """A short name for these inputs."""
        text = json.dumps([self.version, self.sdist_sha256, self.flags, self.compiler, self.system])
        return hashlib.sha256(text.encode()).hexdigest()[:12]

    def stamp(self, files: Mapping[str, str]) -> str:
        """The stamp: these inputs, and the sha256 of each library."""
        record = {
            "version": self.version,
            "sdist_sha256": self.sdist_sha256,
            "flags": list(self.flags),
            "compiler": self.compiler,
            "system": self.system,
            "files": dict(sorted(files.items())),
        }
        return json.dumps(record, indent=2) + "\n"


def sha256_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def intact(folder: Path, inputs: Inputs) -> bool:
    """Whether ``folder`` holds exactly what ``inputs`` make, byte for byte."""
    try:
        stamp = (folder / STAMP).read_text(encoding="utf-8")
        files = {name: sha256_of(folder / name) for name in json.loads(stamp)["files"]}
    except (OSError, ValueError, KeyError, TypeError):
        return False
    return bool(files) and stamp == inputs.stamp(files)


def products(folder: Path) -> Iterator[tuple[str, Path]]:
    """Yields each library under the one name that the loader asks for, without duplicates.

    On Linux the other libraries ask for ``libggml.so.0`` and ``libggml-base.so.0``; a second copy
    as ``libggml.so`` would be a second registry of backends, which llama never sees.
    """
    for file in sorted(folder.iterdir()):
        # mingw's ``libllama.dll``; nothing asks for it by that name but the binding, by both.
        name = re.sub(r"^lib(llama\.dll)$", r"\1", file.name)
        wanted = re.fullmatch(
            r"(llama|ggml.*)\.dll|libllama\.so|libggml(-base)?\.so\.0|libggml-cpu.*\.so", name
        )
        if wanted:
            yield name, file


def install(libraries: Path, target: Path) -> None:
    """Makes ``target`` a copy of ``libraries``; the stamp comes last."""
    target.mkdir(parents=True, exist_ok=True)
    (target / STAMP).unlink(missing_ok=True)
    for old in target.iterdir():
        old.unlink()
    for file in sorted(libraries.iterdir(), key=lambda path: path.name == STAMP):
        shutil.copyfile(file, target / file.name)


def library_folder() -> Path | None:
    """The ``lib`` folder of the installed binding, which is not imported for that."""
    spec = importlib.util.find_spec("llama_cpp")
    places = spec.submodule_search_locations if spec else None
    return Path(next(iter(places))) / "lib" if places else None

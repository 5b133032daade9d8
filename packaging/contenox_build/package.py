"""From an environment with everything installed to a checked package; the same on each platform."""

import json
import os
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Final

from contenox_build import (
    archive,
    distributions,
    installer,
    project,
    selftest,
    signing,
    starter,
    version_resource,
)
from contenox_build.archive import files_below, sha256_of, write_checksums, write_zip
from contenox_build.bill import write_bill
from contenox_build.checks import check_package
from contenox_build.closure import INTERNAL
from contenox_build.commands import run, say
from contenox_build.components import components
from contenox_build.environment import cleaned, reproducible
from contenox_build.errors import PackagingError
from contenox_build.frozen import check_frozen
from contenox_build.pe import read_all
from contenox_build.record import BuildRecord, write_record
from contenox_build.source_tree import SourceTree

WINDOWS: Final = sys.platform == "win32"
_PORTABLE: Final = (
    "While this file is here, Contenox keeps chats, models and settings in the folder data beside "
    "it.\n"
)


@dataclass(frozen=True, slots=True)
class Wishes:
    """What the build was asked for."""

    output: Path
    work: Path
    source: SourceTree
    sign: bool = False
    certificate: str = ""
    self_test: bool = True
    compiler_tools: str = ""
    stand_ins: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Package:
    """The files of one package. ``folder`` is what a person starts."""

    output: Path
    name: str

    @property
    def folder(self) -> Path:
        return self.output / self.name

    @property
    def zip(self) -> Path:
        return self.output / f"{self.name}.zip"

    @property
    def installer(self) -> Path:
        return self.output / f"{self.name}-setup.exe"

    @property
    def bill(self) -> Path:
        return self.output / f"{self.name}.cdx.json"

    @property
    def record(self) -> Path:
        return self.output / f"{self.name}.build.json"

    @property
    def checksums(self) -> Path:
        return self.output / "SHA256SUMS"

    def finished(self) -> list[Path]:
        """What of it a person is given, as far as it was made."""
        files = (self.bill, self.record, self.zip, self.installer)
        return [file for file in files if file.is_file()]


def package_name(version: str, *, windows: bool = WINDOWS) -> str:
    system = "windows" if windows else sys.platform
    return f"contenox-{version}-{system}-x64"


def build_package(wishes: Wishes) -> Package:
    """Builds, checks, tests and packs.

    Raises:
        PackagingError: a step failed, or the package is not what it must be.
    """
    version = project.version()
    package = Package(wishes.output.absolute(), package_name(version))
    environment = _environment()
    work = wishes.work.absolute()
    log = work / "package.log"
    say("The starter model")
    model = starter.fetch(Path(sys.executable), environment, work, log)
    say("PyInstaller")
    _freeze(package, model, version, environment, work, log)
    unsigned = _hashes(package.folder)
    if wishes.sign:
        say("Signing")
        files = [package.folder / file.path for file in read_all(package.folder) if not file.signed]
        signing.sign(files, wishes.certificate, environment, log)
    say("Checks")
    epoch = int(environment["SOURCE_DATE_EPOCH"])
    write_bill(
        components(package.folder, windows=WINDOWS), package.bill, version=version, epoch=epoch
    )
    _check(package, wishes)
    if wishes.self_test:
        say("Self-test of the finished program")
        selftest.run_all(package.folder)
    write_record(_record(package, wishes, unsigned, model, epoch), package.record)
    if WINDOWS:
        say("Archive")
        write_zip(package.folder, package.zip, package.name, epoch)
        _make_installer(package, wishes, version, environment, work)
    write_checksums(package.finished(), package.checksums)
    return package


def _make_installer(
    package: Package, wishes: Wishes, version: str, environment: Mapping[str, str], work: Path
) -> None:
    package.installer.unlink(missing_ok=True)
    if installer.find_makensis() is None:
        # Everything else needs no NSIS, and a zip is a whole package.
        print("   No installer: this machine has no NSIS (winget install NSIS.NSIS).", flush=True)
        return
    say("Installer")
    installer.build_installer(
        package.folder,
        package.installer,
        version=version,
        environment=environment,
        work=work / "nsis",
        sign=signing.line(wishes.certificate, environment) if wishes.sign else "",
    )


def _environment() -> dict[str, str]:
    if WINDOWS:
        return cleaned(os.environ)
    return dict(os.environ) | reproducible(os.environ)


def _freeze(
    package: Package,
    model: Path,
    version: str,
    environment: Mapping[str, str],
    work: Path,
    log: Path,
) -> None:
    work.mkdir(parents=True, exist_ok=True)
    resource = work / "version.txt"
    resource.write_text(version_resource.render(version), encoding="utf-8")
    made = work / "dist"
    options = ["--noconfirm", "--clean", "--log-level", "WARN"]
    folders = ["--distpath", str(made), "--workpath", str(work / "pyinstaller")]
    command = [sys.executable, "-m", "PyInstaller", *options, *folders]
    inputs = ["--", "--starter", str(model), "--version-resource", str(resource)]
    run(
        [*command, project.SPEC, *inputs],
        dict(environment) | {"PYTHONPATH": str(project.PACKAGING)},
        log,
        folder=project.ROOT,
    )
    package.output.mkdir(parents=True, exist_ok=True)
    shutil.rmtree(package.folder, ignore_errors=True)
    shutil.move(made / project.CONSOLE, package.folder)
    # PyInstaller's order differs from folder to folder.
    archive.sort_zip(package.folder / INTERNAL / "base_library.zip")
    (package.folder / project.PORTABLE_FLAG).write_text(_PORTABLE, encoding="utf-8", newline="\n")


def _check(package: Package, wishes: Wishes) -> None:
    machine = [project.ROOT, Path(sys.prefix)]
    found = check_package(
        package.folder,
        bill=package.bill,
        release=wishes.sign,
        windows=WINDOWS,
        machine=machine,
    )
    suffix = ".exe" if WINDOWS else ""
    for name in (project.WINDOW, project.CONSOLE):
        found += check_frozen(package.folder, name + suffix, machine)
    if found:
        lines = "\n".join(f"  {finding}" for finding in found)
        raise PackagingError(f"The package is not in order:\n{lines}")


def _record(
    package: Package,
    wishes: Wishes,
    unsigned: dict[str, str],
    model: Path,
    epoch: int,
) -> BuildRecord:
    files = files_below(package.folder)
    size = sum(path.stat().st_size for path in files if not path.is_symlink())
    stamp = _llama_stamp()
    return BuildRecord(
        version=project.version(),
        commit=wishes.source.commit,
        modified=wishes.source.modified,
        platform=sys.platform,
        python=sys.version.split()[0],
        epoch=epoch,
        lock_sha256=sha256_of(project.WINDOWS_LOCK) if WINDOWS else "",
        starter_sha256=sha256_of(model),
        llama_version=stamp["version"],
        llama_compiler=stamp["compiler"],
        compiler_tools=wishes.compiler_tools,
        signed=wishes.sign,
        size_bytes=size,
        size_without_starter_bytes=size - model.stat().st_size,
        distributions=tuple(
            f"{item.name}=={item.version}" for item in distributions.shipped(windows=WINDOWS)
        ),
        stand_ins=wishes.stand_ins,
        files=unsigned,
    )


def _hashes(folder: Path) -> dict[str, str]:
    return {path.relative_to(folder).as_posix(): sha256_of(path) for path in files_below(folder)}


def _llama_stamp() -> dict[str, str]:
    """What build_llama.py wrote beside the libraries."""
    place = metadata.distribution("llama-cpp-python").locate_file("llama_cpp/lib")
    stamp: dict[str, str] = json.loads(
        (Path(str(place)) / "contenox-build.json").read_text(encoding="utf-8")
    )
    return stamp

"""The whole Windows package on a Debian machine: built, checked and run under Wine.

    python packaging/contenox_build wine [--work FOLDER] [--output FOLDER]

About 40 minutes on two cores the first time (half of it llama.cpp), 15 the next. Not a release:
what stands in for Microsoft's compiler is named in the build record, and ``-Verify`` refuses it.
"""

import os
import sys
import time
from pathlib import Path

from contenox_build import installer, project, source_tree, starter
from contenox_build.archive import write_checksums
from contenox_build.commands import run, say
from contenox_build.environment import reproducible
from contenox_build.errors import PackagingError
from contenox_build.findings import check_machine_paths
from contenox_build.package import Package, package_name
from contenox_build.wine import installer_trial, process_trial, window_trial
from contenox_build.wine import rig as wine_rig
from contenox_build.wine.rig import Rig, windows_path


def build(work: Path, output: Path, *, self_test: bool) -> Package:
    """Builds the package and its installer into ``output``, and tries both.

    Raises:
        PackagingError: something must be installed, or a step failed.
    """
    began = time.monotonic()
    rig = wine_rig.prepare(work)
    say("llama.cpp by mingw, a stand-in (about 20 minutes, once)")
    script = project.PACKAGING / "llama" / "build_llama.py"
    options = ["--for-wine", rig.site_packages, "--all-variants"]
    run([sys.executable, script, *options], os.environ, rig.log)
    package_work = work.absolute() / "package"
    # pip runs on this side; what it brings is found there and checked again.
    starter.fetch(Path(sys.executable), os.environ, package_work, rig.log)
    try:
        _package(rig, package_work, output, self_test=self_test)
        package = Package(output.absolute(), package_name(project.version(), windows=True))
        _installer(package, package_work)
        if self_test:
            _try_out(rig, package, work.absolute())
    finally:
        rig.close()
    print(f"   {(time.monotonic() - began) / 60:.0f} minutes in all", flush=True)
    return package


def _package(rig: Rig, work: Path, output: Path, *, self_test: bool) -> None:
    source = source_tree.describe()
    script = windows_path(project.PACKAGING / "contenox_build")
    options = ["--output", windows_path(output), "--work", windows_path(work)]
    options += ["--commit", source.commit, *(["--modified"] if source.modified else [])]
    options += [word for text in wine_rig.stand_ins() for word in ("--stand-in", text)]
    options += [] if self_test else ["--skip-self-test"]
    code = rig.show([*rig.python, "-I", "-X", "utf8", script, "package", *options])
    if code != 0:
        raise PackagingError(f"The package was not built under Wine; see {rig.log} and {work}.")
    # The build knows this machine's folders by Windows' names only; mingw and gendef by their own.
    folder = output.absolute() / package_name(project.version(), windows=True)
    for finding in check_machine_paths(folder, [project.ROOT]):
        raise PackagingError(f"The package is not in order: {finding}")


def _installer(package: Package, work: Path) -> None:
    """NSIS runs on this side, since Debian's does; the package's own step found none."""
    say("Installer")
    installer.build_installer(
        package.folder,
        package.installer,
        version=project.version(),
        environment=dict(os.environ) | reproducible(os.environ),
        work=work / "nsis",
    )
    write_checksums(package.finished(), package.checksums)


def _try_out(rig: Rig, package: Package, work: Path) -> None:
    say("What Windows is told, and the window")
    for attempt in (
        lambda: process_trial.run(rig, work / "process"),
        lambda: window_trial.run(rig, package.folder, work / "window", work / "pictures"),
    ):
        began = time.monotonic()
        text = attempt()
        print(f"   {time.monotonic() - began:5.1f} s  {text}", flush=True)
    say("The installer")
    trial = installer_trial.Trial(rig, package.folder, package.installer, work / "trial")
    installer_trial.run_all(trial)

"""Finds the C++ compiler, and says in one sentence what to do when there is none."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path


class BuildError(Exception):
    """The build can't go on; the text is one sentence with its remedy."""


@dataclass(frozen=True, slots=True)
class Toolchain:
    """A compiler, the environment it needs, and a text that changes when it changes."""

    compiler: str
    identity: str
    environment: Mapping[str, str]
    trim: str = '"-ffile-prefix-map={source}/="'
    """The option that keeps the folder ``source``, which it is formatted with, out of messages.
    In quotes, since a folder may have blanks."""


def find_toolchain(environment: Mapping[str, str], platform: str = sys.platform) -> Toolchain:
    """Returns the compiler that ``CXX`` names, else the platform's own.

    Raises:
        BuildError: there is none.
    """
    if platform == "win32":
        return _find_msvc(environment)
    named = environment.get("CXX")
    for candidate in (named,) if named else ("c++", "g++", "clang++"):
        compiler = shutil.which(candidate, path=environment.get("PATH"))
        if compiler:
            banner = _output([compiler, "--version"], environment)
            return Toolchain(compiler, banner.splitlines()[0].strip(), environment)
    remedy = "xcode-select --install" if platform == "darwin" else _linux_remedy(environment)
    raise BuildError(
        "The llama backend needs a C++ compiler and this machine has none; "
        f"install it with: {remedy}"
    )


def find_cross_toolchain(environment: Mapping[str, str]) -> Toolchain:
    """Returns Debian's compiler for Windows. What it makes stands in for Microsoft's under Wine.

    Raises:
        BuildError: it is not installed.
    """
    compiler = shutil.which("x86_64-w64-mingw32-g++-posix", path=environment.get("PATH"))
    if compiler is None:
        raise BuildError(
            "Libraries for Windows need mingw-w64 and this machine has none; "
            "install it with: sudo apt-get install -y g++-mingw-w64-x86-64-posix"
        )
    banner = _output([compiler, "--version"], environment)
    return Toolchain(compiler, banner.splitlines()[0].strip(), environment)


def _linux_remedy(environment: Mapping[str, str]) -> str:
    for manager, command in (
        ("apt-get", "sudo apt-get install -y g++"),
        ("dnf", "sudo dnf install -y gcc-c++"),
        ("pacman", "sudo pacman -S --needed gcc"),
        ("zypper", "sudo zypper install -y gcc-c++"),
        ("apk", "sudo apk add g++"),
    ):
        if shutil.which(manager, path=environment.get("PATH")):
            return command
    return "your system's package manager (package g++)"


def _find_msvc(environment: Mapping[str, str]) -> Toolchain:
    compiler = shutil.which("cl", path=environment.get("PATH"))
    if compiler is None:
        environment = _developer_environment(environment)
        compiler = shutil.which("cl", path=environment.get("PATH"))
    if compiler is None:
        raise BuildError(
            "The llama backend needs Microsoft's C++ compiler and this machine has none; "
            "install it with: winget install Microsoft.VisualStudio.2022.BuildTools --override "
            '"--quiet --wait --add Microsoft.VisualStudio.Workload.VCTools --includeRecommended"'
        )
    # Without arguments cl prints its version, in the system's language, and a usage line.
    banner = _output([compiler], environment)
    version = re.search(r"\d+\.\d+\.\d+(\.\d+)?", banner)
    identity = f"MSVC {version.group() if version else banner.strip()}"
    return Toolchain(compiler, identity, environment, trim=r'"/d1trimfile:{source}\\"')


def _developer_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """What ``vcvars64.bat`` sets, added to ``environment``; unchanged without Visual Studio."""
    programs = environment.get("PROGRAMFILES(X86)", r"C:\Program Files (x86)")
    vswhere = Path(programs) / "Microsoft Visual Studio" / "Installer" / "vswhere.exe"
    if not vswhere.is_file():
        return dict(environment)
    component = "Microsoft.VisualStudio.Component.VC.Tools.x86.x64"
    query = ["-latest", "-products", "*", "-requires", component, "-property", "installationPath"]
    found = _output([str(vswhere), *query], environment).strip()
    batch = Path(found) / "VC" / "Auxiliary" / "Build" / "vcvars64.bat"
    if not found or not batch.is_file():
        return dict(environment)
    # A plain string: cmd.exe has quoting rules of its own, which subprocess doesn't follow.
    listing = _output(f'cmd.exe /d /s /c ""{batch}" >nul && set"', environment)
    pairs = (line.partition("=") for line in listing.splitlines() if "=" in line)
    # Windows finds variables whatever their case, a Python dictionary does not.
    return {name.upper(): value for name, _, value in pairs}


def _output(command: list[str] | str, environment: Mapping[str, str]) -> str:
    run = subprocess.run(command, env=dict(environment), capture_output=True, check=False)
    return os.fsdecode(run.stdout + run.stderr)

"""Finds Microsoft's compiler, and the environment that it wants, in a clean child process."""

import os
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import PureWindowsPath
from typing import Final

from contenox_build.errors import PackagingError

COMPONENT: Final = "Microsoft.VisualStudio.Component.VC.Tools.x86.x64"
REMEDY: Final = (
    "install it with: winget install Microsoft.VisualStudio.2022.BuildTools --override "
    '"--quiet --wait --add Microsoft.VisualStudio.Workload.VCTools --includeRecommended"'
)
# cmd.exe prints this line between what vcvars says and the variables.
_MARK: Final = "contenox-environment-follows"

# The variables that vcvars adds for compiler and linker; nothing else of it is taken over.
_COMPILER_VARIABLES: Final = frozenset(
    {
        "EXTERNAL_INCLUDE",
        "INCLUDE",
        "LIB",
        "LIBPATH",
        "PATH",
        "UCRTVERSION",
        "UNIVERSALCRTSDKDIR",
        "VCINSTALLDIR",
        "VCTOOLSINSTALLDIR",
        "VCTOOLSREDISTDIR",
        "VCTOOLSVERSION",
        "VISUALSTUDIOVERSION",
        "VSCMD_ARG_HOST_ARCH",
        "VSCMD_ARG_TGT_ARCH",
        "VSINSTALLDIR",
        "WINDOWSSDKDIR",
        "WINDOWSSDKVERSION",
    }
)

Ask = Callable[[list[str] | str, Mapping[str, str]], str]


@dataclass(frozen=True, slots=True)
class VisualStudio:
    """An installation, and the environment in which its compiler runs."""

    folder: str
    tools_version: str
    environment: Mapping[str, str]


def output(command: list[str] | str, environment: Mapping[str, str]) -> str:
    """What a command prints; empty if it can't be started."""
    try:
        done = subprocess.run(
            command,
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
        )
    except OSError:
        return ""
    return os.fsdecode(done.stdout)


def find_visual_studio(environment: Mapping[str, str], ask: Ask = output) -> VisualStudio:
    """Finds the newest Visual Studio or Build Tools with the C++ compiler for x64.

    Args:
        environment: a cleaned one, see ``environment.cleaned``.

    Raises:
        PackagingError: there is none, or its batch file doesn't set up a compiler.
    """
    programs = environment.get("PROGRAMFILES(X86)", r"C:\Program Files (x86)")
    vswhere = PureWindowsPath(programs, "Microsoft Visual Studio", "Installer", "vswhere.exe")
    query = ["-latest", "-products", "*", "-requires", COMPONENT, "-property", "installationPath"]
    lines = ask([str(vswhere), *query, "-utf8"], environment).split("\n")
    folder = lines[0].strip()
    if not folder:
        raise PackagingError(
            "The Windows package needs Microsoft's C++ compiler and vswhere finds none; " + REMEDY
        )
    batch = PureWindowsPath(folder, "VC", "Auxiliary", "Build", "vcvars64.bat")
    # A plain string: cmd.exe has quoting rules of its own, which subprocess doesn't follow.
    # chcp: the variables may hold any letter.
    command = f'cmd.exe /d /s /c "chcp 65001 >nul & call "{batch}" >nul && echo {_MARK}&& set"'
    found = _variables(ask(command, environment))
    missing = sorted({"INCLUDE", "LIB", "PATH", "VCTOOLSVERSION"} - found.keys())
    if missing:
        raise PackagingError(
            f"{batch} doesn't set {', '.join(missing)}; repair Visual Studio, or " + REMEDY
        )
    return VisualStudio(
        folder=folder,
        tools_version=found["VCTOOLSVERSION"].strip("\\"),
        environment=dict(environment)
        | {name: value for name, value in found.items() if name in _COMPILER_VARIABLES}
        | reproducible_flags(),
    )


def reproducible_flags() -> dict[str, str]:
    """Options that cl and link read from the environment: no time stamps and random numbers."""
    return {"CL": "/Brepro", "LINK": "/Brepro"}


def _variables(listing: str) -> dict[str, str]:
    lines = listing.partition(_MARK)[2].splitlines()
    pairs = (line.partition("=") for line in lines if "=" in line)
    # Windows finds variables whatever their case, a Python dictionary does not.
    return {name.upper(): value for name, _, value in pairs}

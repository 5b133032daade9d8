"""Makes the installer out of a finished package, with NSIS, on any system that has it.

    python packaging/contenox_build installer FOLDER

What is installed, upgraded and taken away again is decided in ``packaging/installer``.
"""

import shutil
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path, PurePosixPath
from typing import Final

from contenox_build.archive import files_below
from contenox_build.commands import run
from contenox_build.errors import PackagingError
from contenox_build.project import PACKAGING, PORTABLE_FLAG, WINDOWS_RESOURCES

SCRIPTS: Final = PACKAGING / "installer"
# The name of the program for the taskbar, as app/core/windows.py has it.
APP_ID: Final = "Contenox.Desktop"

_WINDOWS_PLACE: Final = Path("C:/Program Files (x86)/NSIS/makensis.exe")
_DEBIAN_STUB: Final = Path("/usr/share/nsis/Stubs/zlib-amd64-unicode")


def find_makensis() -> str | None:
    """NSIS' compiler, if this machine has one."""
    found = shutil.which("makensis")
    if found is None and _WINDOWS_PLACE.is_file():
        return str(_WINDOWS_PLACE)
    return found


def build_installer(
    folder: Path,
    target: Path,
    *,
    version: str,
    environment: Mapping[str, str],
    work: Path,
    sign: str = "",
) -> None:
    """Makes ``target`` out of the package in ``folder``.

    Args:
        environment: with ``SOURCE_DATE_EPOCH``, so that the same package gives the same bytes.
        sign: the command line that signs a file, whose name is added; it signs the uninstaller too.

    Raises:
        PackagingError: NSIS is missing or refuses.
    """
    compiler = find_makensis()
    if compiler is None:
        raise PackagingError(f"The installer is made by NSIS; install it with: {_remedy()}")
    work.mkdir(parents=True, exist_ok=True)
    files = [file for file in files_below(folder) if file.name != PORTABLE_FLAG]
    paths = [file.relative_to(folder).as_posix() for file in files]
    payload, listed, rollback = work / "payload.nsh", work / "files.txt", work / "rollback.exe"
    # NSIS takes a file without this mark for one in the code page of the machine.
    payload.write_text(payload_script(folder, paths), encoding="utf-8-sig", newline="\n")
    listed.write_bytes(file_list(paths, version).encode("utf-16-le"))
    size_kib = sum(file.stat().st_size for file in files) // 1024
    common = {"VERSION": version, "ICON": str(WINDOWS_RESOURCES / "contenox.ico"), "APP_ID": APP_ID}
    common |= {"TARGET": "amd64-unicode"} if _DEBIAN_STUB.is_file() else {}
    common |= {"SIGN": sign} if sign else {}
    own = {"PAYLOAD": str(payload), "LIST_FILE": str(listed), "ROLLBACK": str(rollback)}
    own |= {"SIZE_KIB": str(size_kib)}
    log = work / "installer.log"
    run(
        _command(compiler, "rollback.nsi", common | {"OUTPUT": str(rollback)}),
        environment,
        log,
        folder=SCRIPTS,
    )
    run(
        _command(compiler, "contenox.nsi", common | own | {"OUTPUT": str(target)}),
        environment,
        log,
        folder=SCRIPTS,
    )


def payload_script(folder: Path, paths: Iterable[str]) -> str:
    """NSIS' commands that unpack the files; ``paths`` are relative to the package, sorted."""
    lines, place = [], None
    for path in paths:
        parent = PurePosixPath(path).parent
        if parent != place:
            place = parent
            below = "" if parent == PurePosixPath() else "\\" + _escaped(str(parent))
            lines.append(f'SetOutPath "$INSTDIR\\new{below}"')
        lines.append(f'File "{_literal(folder / path)}"')
    return "\n".join(lines) + "\n"


def file_list(paths: Iterable[str], version: str) -> str:
    """What the uninstaller deletes: files, then folders, each after what is in it."""
    files = sorted(paths)
    folders = {str(parent) for path in files for parent in PurePosixPath(path).parents} - {"."}
    lines = [f"V {version}"]
    lines += [f"F {path}" for path in files]
    lines += [f"D {path}" for path in sorted(folders, key=lambda path: (-path.count("/"), path))]
    return "".join(f"{line}\r\n" for line in lines).replace("/", "\\")


def _command(compiler: str, script: str, defined: Mapping[str, str]) -> list[str]:
    mark = "/D" if sys.platform == "win32" else "-D"
    defines = [f"{mark}{name}={value}" for name, value in defined.items()]
    options = ["/V2", "/WX", "/INPUTCHARSET", "UTF8"]
    if sys.platform != "win32":
        options = [option.replace("/", "-") for option in options]
    return [compiler, *options, *defines, script]


def _literal(path: Path) -> str:
    return str(path).replace("$", "$$")


def _escaped(path: str) -> str:
    return path.replace("/", "\\").replace("$", "$$")


def _remedy() -> str:
    if sys.platform == "win32":
        return "winget install NSIS.NSIS"
    return "sudo apt-get install -y nsis"

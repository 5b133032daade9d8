"""The one set of Microsoft's C and C++ run time that the package has.

It comes from the pinned wheel ``msvc-runtime``, whose files carry Microsoft's signature. It must be
at least as new as the compiler of every module, or a mutex crashes; check_bundle.py compares.
"""

from importlib import metadata
from pathlib import Path

from contenox_build.contents import VC_RUNTIME_SHIPPED
from contenox_build.errors import PackagingError

_DISTRIBUTION = "msvc-runtime"


def binaries(*, windows: bool) -> list[tuple[str, str, str]]:
    """The set as entries of PyInstaller's table (destination, source, kind); else nothing."""
    if not windows:
        return []
    found: dict[str, Path] = {}
    for file in metadata.files(_DISTRIBUTION) or ():
        name = file.name.lower()
        if name in VC_RUNTIME_SHIPPED:
            found.setdefault(name, Path(str(file.locate())).resolve())
    missing = sorted(VC_RUNTIME_SHIPPED - found.keys())
    if missing:
        raise PackagingError(
            f"The wheel {_DISTRIBUTION} lacks {', '.join(missing)}; restore its pin in "
            "packaging/requirements-windows.txt."
        )
    return [(name, str(path), "BINARY") for name, path in sorted(found.items())]

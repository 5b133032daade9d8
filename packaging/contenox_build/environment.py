"""The environment that build steps see: what Windows needs, and nothing a shell has left behind.

A polluted CC, CXX, CL, INCLUDE, LIB, PYTHONPATH or PATH changes nothing, because nothing is taken
over that isn't on the list.
"""

from collections.abc import Mapping
from typing import Final

from contenox_build.project import EPOCH

_TAKEN: Final = frozenset(
    {
        "ALLUSERSPROFILE",
        "APPDATA",
        "COMPUTERNAME",
        "COMMONPROGRAMFILES",
        "COMMONPROGRAMFILES(X86)",
        "COMMONPROGRAMW6432",
        "COMSPEC",
        "HOME",
        "HOMEDRIVE",
        "HOMEPATH",
        "LOCALAPPDATA",
        "NUMBER_OF_PROCESSORS",
        "OS",
        "PATHEXT",
        "PROCESSOR_ARCHITECTURE",
        "PROCESSOR_IDENTIFIER",
        "PROGRAMDATA",
        "PROGRAMFILES",
        "PROGRAMFILES(X86)",
        "PROGRAMW6432",
        "PUBLIC",
        "SYSTEMDRIVE",
        "SYSTEMROOT",
        "TEMP",
        "TMP",
        "USERDOMAIN",
        "USERNAME",
        "USERPROFILE",
        "WINDIR",
        # How a package registry is reached is the machine's business; what comes from there is
        # known by its hash.
        "HTTP_PROXY",
        "HTTPS_PROXY",
        "NO_PROXY",
        # The service that dates signatures.
        "CONTENOX_TIMESTAMP_URL",
        "PIP_CERT",
        "PIP_CONFIG_FILE",
        "PIP_EXTRA_INDEX_URL",
        "PIP_FIND_LINKS",
        "PIP_INDEX_URL",
        "PIP_TRUSTED_HOST",
        "SSL_CERT_FILE",
    }
)


def cleaned(environment: Mapping[str, str]) -> dict[str, str]:
    """Returns what a build step on Windows may see of ``environment``; names in capitals."""
    taken = {name.upper(): value for name, value in environment.items() if name.upper() in _TAKEN}
    root = taken.get("SYSTEMROOT", r"C:\Windows")
    folders = ("System32", "", r"System32\Wbem", r"System32\WindowsPowerShell\v1.0")
    taken["PATH"] = ";".join("\\".join(filter(None, (root, folder))) for folder in folders)
    return taken | reproducible(environment)


def reproducible(environment: Mapping[str, str]) -> dict[str, str]:
    """What makes two builds alike: order of sets, times, no files of the user's own Python."""
    return {
        "SOURCE_DATE_EPOCH": environment.get("SOURCE_DATE_EPOCH") or str(EPOCH),
        "PYTHONHASHSEED": "0",
        "PYTHONNOUSERSITE": "1",
        "PYTHONUTF8": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
    }

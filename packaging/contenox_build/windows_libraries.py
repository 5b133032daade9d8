"""The libraries that Windows 10 and 11 have, which a package must not bring and may rely on.

Written by hand on purpose: a list collected from a machine would also hold what was installed
there. A wrong name here would hide a gap, so a name is added only when Microsoft documents it.
"""

import re
from typing import Final

_API_SET: Final = re.compile(r"^(api|ext)-ms-win-[a-z0-9-]+\.dll$")

_LISTED: Final = """
    advapi32 authz bcrypt bcryptprimitives cabinet cfgmgr32 combase comctl32 comdlg32 credui
    crypt32 cryptbase d2d1 d3d11 d3d12 d3d9 dbghelp dcomp dnsapi dwmapi dwrite dxcore dxgi dxva2
    fwpuclnt gdi32 gdi32full gdiplus hid icu icuin icuuc imagehlp imm32 iphlpapi kernel32
    kernelbase ksuser mf mfplat mfreadwrite mpr msi msimg32 mscms msvcrt mswsock ncrypt netapi32
    normaliz ntdll ole32 oleacc oleaut32 opengl32 pdh powrprof profapi propsys psapi rpcrt4
    rstrtmgr secur32 sechost setupapi shcore shell32 shlwapi sspicli tdh ucrtbase
    uiautomationcore urlmon user32 userenv usp10 uxtheme version wevtapi windowscodecs winhttp
    wininet winmm wintrust wlanapi ws2_32 wsock32 wtsapi32
"""
_NAMES: Final = frozenset(_LISTED.split())

# Libraries of a device driver, and who may ask for them: a plugin that simply isn't offered on a
# machine without that driver.
_OF_DRIVERS: Final = {"opencl.dll": frozenset({"openvino_intel_gpu_plugin.dll"})}


def is_windows_own(name: str) -> bool:
    """Whether every supported Windows has the library ``name`` (in lower case)."""
    return (
        _API_SET.match(name) is not None
        or name == "winspool.drv"
        or (name.endswith(".dll") and name.removesuffix(".dll") in _NAMES)
    )


def may_be_absent(name: str, importer: str) -> bool:
    """Whether ``importer`` may miss ``name``, which comes with a driver."""
    return importer in _OF_DRIVERS.get(name, ())

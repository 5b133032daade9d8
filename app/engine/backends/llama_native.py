"""Loads llama.cpp: its binding, its libraries, the code for this processor, its log.

Of the binding only the ctypes layer is used. The order of the steps in ``load_native`` matters; see
docs/decisions/0020.
"""

import collections
import ctypes
import functools
import importlib
import importlib.metadata
import importlib.util
import logging
import os
import sys
import types
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from app.core.errors import EnvironmentFault

_log = logging.getLogger(__name__)

BINDING_VERSION: Final = "0.3.36"
"""The binding describes the C structures of exactly one tree; another version would corrupt them.
The same pin is in packaging/llama/requirements.txt."""

LIBRARY_VERSION: Final = "0.5.0-dev"
GGML_VERSION: Final = "0.25.3"

_REMEDY: Final = "Run `python packaging/llama/build_llama.py`, or install the program again."

_LOG_LINES: Final = 64
_LOG_CONTINUES: Final = 5


class NativeLog:
    """The last lines that llama.cpp wrote: its functions tell no reasons, only its log does."""

    def __init__(self) -> None:
        self._lines: collections.deque[str] = collections.deque(maxlen=_LOG_LINES)

    def write(self, level: int, text: bytes | None, _data: object) -> None:
        """Takes a piece of log from native code, on any thread. Never raises."""
        piece = (text or b"").decode("utf-8", "replace")
        if level == _LOG_CONTINUES and self._lines:
            self._lines[-1] += piece
        else:
            self._lines.append(piece)

    def clear(self) -> None:
        self._lines.clear()

    def text(self) -> str:
        """Everything kept, oldest first."""
        return "".join(list(self._lines))


@dataclass(frozen=True, slots=True)
class Native:
    """The loaded library. ``api`` is the binding's module of C functions."""

    api: Any
    log: NativeLog
    binding_version: str
    library_version: str
    ggml_version: str
    system_info: str


@functools.cache
def load_native() -> Native:
    """Loads the library, once for a process.

    Raises:
        EnvironmentFault: ``backend_missing`` if it isn't installed or doesn't load,
            ``version_mismatch`` if it isn't the version that this program was made for,
            ``cpu_unsupported`` if no code in it runs on this processor.
    """
    version = _binding_version()
    if version != BINDING_VERSION:
        raise _mismatch("the binding llama-cpp-python", version, BINDING_VERSION)
    # Read by OpenMP when it starts: threads that wait shall sleep. Spinning ones slow decoding down
    # several times as soon as another program works.
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    # Both would make this process load libraries from a folder of somebody else's choice.
    os.environ.pop("LLAMA_CPP_LIB_PATH", None)
    os.environ.pop("GGML_BACKEND_PATH", None)
    api = _import_api()
    log = NativeLog()
    callback = api.llama_log_callback(log.write)
    api.llama_log_set(callback, None)
    # The library keeps the pointer for the life of the process, so must we.
    api.contenox_log_callback = callback
    _load_processor_code(api)
    api.llama_backend_init()
    library_version = api.llama_version().decode()
    ggml_version = _ggml_version(api)
    if library_version != LIBRARY_VERSION:
        raise _mismatch("the library llama", library_version, LIBRARY_VERSION)
    if ggml_version != GGML_VERSION:
        raise _mismatch("the library ggml", ggml_version, GGML_VERSION)
    system_info = api.llama_print_system_info().decode("utf-8", "replace").strip()
    _log.info("llama.cpp %s, ggml %s: %s", library_version, ggml_version, system_info)
    return Native(api, log, version, library_version, ggml_version, system_info)


def _binding_version() -> str:
    try:
        return importlib.metadata.version("llama-cpp-python")
    except importlib.metadata.PackageNotFoundError as error:
        raise EnvironmentFault(
            "backend_missing", "The llama backend is not installed.", _REMEDY
        ) from error


def _import_api() -> Any:
    """Imports the binding's ctypes module without the package's own start.

    That start imports the high-level classes, which need more packages (one of them keeps pickles
    on disk) and print to stderr from native threads.
    """
    try:
        if "llama_cpp" not in sys.modules:
            spec = importlib.util.find_spec("llama_cpp")
            if spec is None or spec.submodule_search_locations is None:
                raise ModuleNotFoundError("llama_cpp")
            package = types.ModuleType("llama_cpp")
            package.__path__ = list(spec.submodule_search_locations)
            package.__spec__ = spec
            sys.modules["llama_cpp"] = package
        return importlib.import_module("llama_cpp.llama_cpp")
    except (ImportError, OSError, RuntimeError, AttributeError) as error:
        raise EnvironmentFault(
            "backend_missing", f"The llama backend's library does not load ({error}).", _REMEDY
        ) from error


def _ggml(api: Any, name: str) -> ctypes.CDLL:
    """The library ``name`` of ggml that llama is linked to.

    WORKAROUND(Linux linker): ``libggml.so`` by its path could be a second copy with a registry of
    its own; the handle of ``libllama.so`` finds everything in the copies that llama uses.
    """
    if sys.platform == "win32":
        return ctypes.CDLL(str(Path(api._base_path) / f"{name}.dll"))
    library: ctypes.CDLL = api._lib
    return library


def _ggml_version(api: Any) -> str:
    function = _ggml(api, "ggml-base").ggml_version
    function.argtypes = []
    function.restype = ctypes.c_char_p
    version: bytes = function()
    return version.decode()


def _load_processor_code(api: Any) -> None:
    """Loads the best code for this processor, from our own folder only.

    Without this call ``llama_backend_init`` searches the current folder, where anybody could have
    put a library.
    """
    ggml = _ggml(api, "ggml")
    count, load = ggml.ggml_backend_reg_count, ggml.ggml_backend_load_all_from_path
    count.argtypes, count.restype = [], ctypes.c_size_t
    load.argtypes, load.restype = [ctypes.c_char_p], None
    if count() == 0:
        load(os.fsencode(api._base_path))
    if count() == 0:
        raise EnvironmentFault(
            "cpu_unsupported",
            "The llama backend has no code that runs on this processor.",
            "Run `python packaging/llama/build_llama.py --all-variants`, or use OpenVINO.",
        )


def _mismatch(what: str, found: str, wanted: str) -> EnvironmentFault:
    return EnvironmentFault(
        "version_mismatch",
        f"The llama backend needs {what} {wanted}, but {found} is installed.",
        _REMEDY,
    )

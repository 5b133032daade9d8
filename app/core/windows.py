"""What Windows must be told about a process. Elsewhere each of these does nothing.

None of it is worth an error: a refusal leaves the program as it would be without.
"""

import contextlib
import ctypes
import functools
import logging
import sys
from collections.abc import Iterator
from typing import Any, Final

_log = logging.getLogger(__name__)

APP_ID: Final = "Contenox.Desktop"
"""What the taskbar groups windows by; the installer writes the same into the Start-menu entry."""

_SEARCH_DEFAULT_DIRS: Final = 0x1000  # LOAD_LIBRARY_SEARCH_DEFAULT_DIRS
_EXTENDED_LIMITS: Final = 9  # JobObjectExtendedLimitInformation
_KILL_ON_JOB_CLOSE: Final = 0x2000  # JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
_POWER_THROTTLING: Final = 4  # ProcessPowerThrottling
_EXECUTION_SPEED: Final = 1  # PROCESS_POWER_THROTTLING_EXECUTION_SPEED


def load_libraries_from_own_folders_only() -> None:
    """Takes the current folder and ``PATH`` out of the search for libraries.

    What is left: the program's folder, Windows' own, and folders that code adds by name. A library
    in a downloads folder is then never loaded by chance.
    """
    if sys.platform == "win32":
        kernel = ctypes.WinDLL("kernel32")
        kernel.SetDefaultDllDirectories(_SEARCH_DEFAULT_DIRS)


def be_one_program_on_the_taskbar() -> None:
    """Groups this process's windows with the pinned program."""
    if sys.platform == "win32":
        shell = ctypes.WinDLL("shell32")
        shell.SetCurrentProcessExplicitAppUserModelID(ctypes.c_wchar_p(APP_ID))


def end_with_this_process(child_handle: int) -> None:
    """Lets Windows end a child when this process ends, in whatever way it does.

    Args:
        child_handle: a process handle with all rights, such as a ``multiprocessing`` sentinel.
    """
    if sys.platform == "win32":
        job = _job()
        kernel = ctypes.WinDLL("kernel32")
        handle = ctypes.c_void_p(child_handle)
        if not job or not kernel.AssignProcessToJobObject(ctypes.c_void_p(job), handle):
            _log.warning("Windows does not tie a child process to this one")


@contextlib.contextmanager
def at_full_speed() -> Iterator[None]:
    """Keeps Windows from slowing this process down because its window is in the background."""
    _decline_throttling(declined=True)
    try:
        yield
    finally:
        _decline_throttling(declined=False)


def _decline_throttling(*, declined: bool) -> None:
    if sys.platform == "win32":
        # A control bit without its state bit: never throttle. No control bit: as Windows likes.
        state = _PowerThrottling(1, _EXECUTION_SPEED if declined else 0, 0)
        kernel = ctypes.WinDLL("kernel32")
        kernel.SetProcessInformation(
            ctypes.c_void_p(-1), _POWER_THROTTLING, ctypes.byref(state), ctypes.sizeof(state)
        )


@functools.cache
def _job() -> Any:
    """The one job of this process; its handle is never closed, the end of the process does that."""
    if sys.platform == "win32":
        kernel = ctypes.WinDLL("kernel32")
        kernel.CreateJobObjectW.restype = ctypes.c_void_p
        job = kernel.CreateJobObjectW(None, None)
        limits = _ExtendedLimits()
        limits.basic.flags = _KILL_ON_JOB_CLOSE
        size = ctypes.sizeof(limits)
        known = ctypes.c_void_p(job)
        if job and kernel.SetInformationJobObject(
            known, _EXTENDED_LIMITS, ctypes.byref(limits), size
        ):
            return job
    return None


class _PowerThrottling(ctypes.Structure):
    """PROCESS_POWER_THROTTLING_STATE."""

    _fields_ = (
        ("version", ctypes.c_uint32),
        ("control_mask", ctypes.c_uint32),
        ("state_mask", ctypes.c_uint32),
    )


class _BasicLimits(ctypes.Structure):
    """JOBOBJECT_BASIC_LIMIT_INFORMATION."""

    _fields_ = (
        ("process_time", ctypes.c_int64),
        ("job_time", ctypes.c_int64),
        ("flags", ctypes.c_uint32),
        ("minimum_working_set", ctypes.c_size_t),
        ("maximum_working_set", ctypes.c_size_t),
        ("active_processes", ctypes.c_uint32),
        ("affinity", ctypes.c_size_t),
        ("priority_class", ctypes.c_uint32),
        ("scheduling_class", ctypes.c_uint32),
    )


class _ExtendedLimits(ctypes.Structure):
    """JOBOBJECT_EXTENDED_LIMIT_INFORMATION."""

    _fields_ = (
        ("basic", _BasicLimits),
        ("io_counters", ctypes.c_uint64 * 6),
        ("process_memory", ctypes.c_size_t),
        ("job_memory", ctypes.c_size_t),
        ("peak_process_memory", ctypes.c_size_t),
        ("peak_job_memory", ctypes.c_size_t),
    )

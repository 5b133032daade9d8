"""What Windows is told has Windows' own shape; that it listens is tried by the Windows package."""

import ctypes

from app.core import windows


def test_the_records_have_the_sizes_of_windows_headers() -> None:
    # From winnt.h and processthreadsapi.h, for 64 bits; Windows refuses another size.
    assert ctypes.sizeof(windows._BasicLimits) == 64
    assert ctypes.sizeof(windows._ExtendedLimits) == 144
    assert ctypes.sizeof(windows._PowerThrottling) == 12
    assert windows._BasicLimits.flags.offset == 16


def test_a_failure_at_full_speed_is_not_swallowed() -> None:
    raised = False
    try:
        with windows.at_full_speed():
            raise KeyError
    except KeyError:
        raised = True
    assert raised

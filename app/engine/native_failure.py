"""A library's failure, translated where it is caught: its words are looked up in ``faults``."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from app.engine.faults import Fault, classify


class NativeFailure(Exception):
    """A translated native failure on its way to the inference thread.

    ``detail`` is the library's own words, for the log.
    """

    def __init__(self, fault: Fault, detail: str) -> None:
        super().__init__(detail)
        self.fault = fault
        self.detail = detail


NATIVE_ERRORS: Final = (RuntimeError, ValueError, IndexError, OverflowError, MemoryError)
"""What C++ exceptions become in Python (pybind11's table)."""


def translate(error: BaseException) -> NativeFailure:
    """Wraps what a native call raised."""
    words = str(error).strip() or type(error).__name__
    if isinstance(error, MemoryError):
        words = "std::bad_alloc"
    elif isinstance(error, UnicodeDecodeError):
        # The library's words, which quote a damaged file and so are no UTF-8.
        words = error.object.decode("utf-8", "replace").strip()
    return NativeFailure(classify(words), words)


@contextmanager
def native_errors() -> Iterator[None]:
    """Translates what native calls in its body raise.

    Raises:
        NativeFailure: one of them failed.
    """
    try:
        yield
    except NATIVE_ERRORS as error:
        raise translate(error) from error


def translate_log(log_text: str, what: str) -> NativeFailure:
    """Translates a failed call by what the library wrote to its log (llama.cpp raises nothing).

    Args:
        log_text: the last lines of the log.
        what: the call and its result, for our own log.
    """
    found = classify(log_text)
    lines = [line.strip() for line in log_text.strip().splitlines()]
    telling = [line for line in lines if any(needle.matches(line) for needle in found.needles)]
    # The first line with one of the needles says the most; else the last line does.
    detail = next(iter(telling or lines[-1:]), None)
    return NativeFailure(found, what if detail is None else f"{what}: {detail}")

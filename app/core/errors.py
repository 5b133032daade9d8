"""The errors a person may meet: a stable code, one sentence, and what to do next.

A library's exception is translated where it is caught, ``from`` its cause. Code above the place of
the translation decides by class and code, never by message text.
"""

from enum import StrEnum
from typing import Self

import msgspec


class ErrorKind(StrEnum):
    """Who can mend it: the person, their machine, the data on disk, or us."""

    USER = "user"
    ENVIRONMENT = "environment"
    DATA = "data"
    BUG = "bug"


class ErrorRecord(msgspec.Struct, frozen=True, kw_only=True):
    """An error as plain values, so that it can cross a process."""

    kind: ErrorKind
    code: str
    message: str
    remedy: str

    @property
    def line(self) -> str:
        """The error as a console says it."""
        return f"{self.message} {self.remedy} [{self.code}]"


class ContenoxError(Exception):
    """Base of all errors that are shown to a person.

    Args:
        code: stable, lower case with underscores (``model_not_found``); part of the interface.
        message: one plain sentence that says what happened.
        remedy: one plain sentence that says what to do next.
    """

    kind = ErrorKind.BUG

    def __init__(self, code: str, message: str, remedy: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.remedy = remedy

    def record(self) -> ErrorRecord:
        """Returns this error as plain values."""
        return ErrorRecord(kind=self.kind, code=self.code, message=self.message, remedy=self.remedy)

    def __reduce__(self) -> tuple[type[Self], tuple[str, str, str]]:
        """Pickles by the three arguments (``Exception`` would keep the message alone)."""
        return type(self), (self.code, self.message, self.remedy)


class UserError(ContenoxError):
    """A wrong input or choice; the person can choose differently."""

    kind = ErrorKind.USER


class EnvironmentFault(ContenoxError):
    """Disk, network, driver, memory or a missing library."""

    kind = ErrorKind.ENVIRONMENT


class DataFault(ContenoxError):
    """A file that isn't what it should be: digest, profile, database, model."""

    kind = ErrorKind.DATA


class Bug(ContenoxError):
    """Our mistake. Also the wrapper of an exception that nobody translated."""

    kind = ErrorKind.BUG

    @classmethod
    def unexpected(cls, error: BaseException) -> Self:
        """Wraps an exception that no translation knew."""
        return cls(
            "unexpected",
            f"The program did not foresee this: {type(error).__name__}: {error}",
            "Try again; if it happens twice, send the diagnostic bundle.",
        )


_BY_KIND: dict[ErrorKind, type[ContenoxError]] = {
    cls.kind: cls for cls in (UserError, EnvironmentFault, DataFault, Bug)
}


def from_record(record: ErrorRecord) -> ContenoxError:
    """Rebuilds the exception that ``record`` was made from."""
    return _BY_KIND[record.kind](record.code, record.message, record.remedy)

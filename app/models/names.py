"""Which file names of a repository may become files here.

A list that comes from somebody else decides where bytes are written, so a name is accepted only if
it means the same file on Windows, macOS and Linux. The path is ours afterwards: no header and no
archive ever adds to it.
"""

import unicodedata
from collections.abc import Iterable
from enum import StrEnum
from typing import Final

from msgspec import Struct

from app.core.errors import DataFault

MAX_PATH_CHARACTERS: Final = 180
MAX_SEGMENT_CHARACTERS: Final = 120
MAX_DEPTH: Final = 6

_PUNCTUATION: Final = frozenset("._-+=@,()[]~# ")
_DEVICES: Final = frozenset(
    ["con", "prn", "aux", "nul", "conin$", "conout$", "clock$"]
    + [f"{port}{digit}" for port in ("com", "lpt") for digit in "0123456789¹²³"]
)
# Files that this program itself puts beside a model; a repository must not bring its own.
_OURS: Final = frozenset({"manifest.json"})
_OUR_PREFIXES: Final = ("contenox-", ".contenox")
_OUR_SUFFIXES: Final = (".part", ".new", ".incomplete")
_HIDDEN_ALLOWED: Final = frozenset({".gitattributes"})


class NameProblem(StrEnum):
    """Why a name is refused."""

    EMPTY = "empty"
    ABSOLUTE = "absolute"
    TRAVERSAL = "traversal"
    CHARACTER = "character"
    NOT_NORMALISED = "not_normalised"
    RESERVED = "reserved"
    TRAILING = "trailing"
    HIDDEN = "hidden"
    OURS = "ours"
    TOO_LONG = "too_long"
    TOO_DEEP = "too_deep"
    COLLISION = "collision"
    FILE_AND_FOLDER = "file_and_folder"


_SENTENCES: Final = {
    NameProblem.EMPTY: "is empty or has an empty part",
    NameProblem.ABSOLUTE: "does not stay inside the model's folder",
    NameProblem.TRAVERSAL: "leads out of the model's folder",
    NameProblem.CHARACTER: "has a character that not every system can store",
    NameProblem.NOT_NORMALISED: "is written in a form that two systems store differently",
    NameProblem.RESERVED: "is the name of a device on Windows",
    NameProblem.TRAILING: "begins or ends with a space, or ends with a dot",
    NameProblem.HIDDEN: "is hidden",
    NameProblem.OURS: "is a name that this program keeps for its own files",
    NameProblem.TOO_LONG: "is too long",
    NameProblem.TOO_DEEP: "lies too many folders deep",
    NameProblem.COLLISION: "is another file's name in different capitals",
    NameProblem.FILE_AND_FOLDER: "is the name of a file and of a folder",
}


class BadName(Struct, frozen=True):
    """A refused name and why."""

    path: str
    problem: NameProblem

    def error(self) -> DataFault:
        """The refusal as an error for a person; control characters in the name are escaped."""
        shown = self.path.encode("unicode_escape").decode("ascii")[:80]
        return DataFault(
            "unsafe_file_name",
            f"The file name '{shown}' in this repository {_SENTENCES[self.problem]}.",
            "Choose another model of the list; nothing of this one was written.",
        )


def problem_of(path: str) -> NameProblem | None:
    """Judges one relative path with ``/`` between its parts; ``None`` means accepted."""
    if not path:
        return NameProblem.EMPTY
    if path.startswith(("/", "\\")) or (len(path) > 1 and path[1] == ":"):
        return NameProblem.ABSOLUTE
    if len(path.encode("utf-16-le", "surrogatepass")) // 2 > MAX_PATH_CHARACTERS:
        return NameProblem.TOO_LONG
    segments = path.split("/")
    if len(segments) > MAX_DEPTH:
        return NameProblem.TOO_DEEP
    for segment in segments:
        problem = _segment_problem(segment)
        if problem is not None:
            return problem
    lowered = path.casefold()
    if (
        lowered in _OURS
        or segments[-1].casefold().startswith(_OUR_PREFIXES)
        or lowered.endswith(_OUR_SUFFIXES)
    ):
        return NameProblem.OURS
    return None


def find_bad_name(paths: Iterable[str]) -> BadName | None:
    """Judges a whole list: each name, equal names in other capitals, file and folder clashes."""
    seen: set[str] = set()
    folders: set[str] = set()
    ordered = sorted(paths)
    for path in ordered:
        problem = problem_of(path)
        if problem is not None:
            return BadName(path, problem)
        key = _collision_key(path)
        if key in seen:
            return BadName(path, NameProblem.COLLISION)
        seen.add(key)
        parts = key.split("/")
        folders.update("/".join(parts[:count]) for count in range(1, len(parts)))
    for path in ordered:
        if _collision_key(path) in folders:
            return BadName(path, NameProblem.FILE_AND_FOLDER)
    return None


def check_names(paths: Iterable[str]) -> None:
    """Accepts all of ``paths`` or none.

    Raises:
        DataFault: ``unsafe_file_name``.
    """
    bad = find_bad_name(paths)
    if bad is not None:
        raise bad.error()


def _segment_problem(segment: str) -> NameProblem | None:
    if not segment:
        return NameProblem.EMPTY
    if segment in (".", ".."):
        return NameProblem.TRAVERSAL
    if len(segment) > MAX_SEGMENT_CHARACTERS:
        return NameProblem.TOO_LONG
    if not all(_allowed(character) for character in segment):
        return NameProblem.CHARACTER
    if unicodedata.normalize("NFC", segment) != segment:
        return NameProblem.NOT_NORMALISED
    if segment[-1] in ". " or segment[0] == " ":
        return NameProblem.TRAILING
    if segment.split(".")[0].rstrip(" ").casefold() in _DEVICES:
        return NameProblem.RESERVED
    if segment.startswith(".") and segment not in _HIDDEN_ALLOWED:
        return NameProblem.HIDDEN
    return None


def _allowed(character: str) -> bool:
    """Letters, marks and numbers of any script, and a few signs; no control or format character."""
    return character in _PUNCTUATION or unicodedata.category(character)[0] in "LNM"


def _collision_key(path: str) -> str:
    return unicodedata.normalize("NFC", path.casefold())

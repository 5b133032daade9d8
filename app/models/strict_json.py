"""Reads JSON that a person may have written, and says exactly where it is wrong.

A field that nobody declared, a name given twice or a value of the wrong type is an error with the
file, the path inside it and the nearest valid name: a typing error must fail, not be ignored.
"""

import difflib
import json
from collections.abc import Iterable, Mapping
from enum import Enum
from typing import Final, TypeVar

import msgspec
from msgspec import Struct, inspect

from app.core.errors import DataFault

_StructT = TypeVar("_StructT", bound=Struct)
_MAX_BYTES: Final = 1 << 20


class JsonProblem(Exception):
    """What is wrong and where: ``path`` is written like ``genai.cache_size`` or ``adapters[0]``."""

    def __init__(self, path: str, sentence: str) -> None:
        super().__init__(sentence)
        self.path = path
        self.sentence = sentence


def decode_strict(
    data: bytes,
    cls: type[_StructT],
    file_name: str,
    refusals: Mapping[str, str] = {},
) -> _StructT:
    """Decodes ``data`` as ``cls``.

    Args:
        file_name: as the person knows the file; it begins the error's sentence.
        refusals: text values that are known and refused all the same, each with its reason.

    Raises:
        DataFault: ``profile_invalid`` names the file, the path and the nearest valid name.
    """
    try:
        content = _parse(data)
        _check(content, inspect.type_info(cls), "", refusals)
        return _convert(content, cls)
    except JsonProblem as problem:
        where = f" at {problem.path}" if problem.path else ""
        raise DataFault(
            "profile_invalid",
            f"{file_name}{where}: {problem.sentence}.",
            "Mend the file, or delete it to use the defaults.",
        ) from problem


def _parse(data: bytes) -> object:
    if len(data) > _MAX_BYTES:
        raise JsonProblem("", "it is larger than 1 MiB")

    def pairs(items: list[tuple[str, object]]) -> dict[str, object]:
        names = [name for name, _ in items]
        twice = {name for name in names if names.count(name) > 1}
        if twice:
            raise JsonProblem("", f"the name {min(twice)!r} is given twice")
        return dict(items)

    def constant(text: str) -> object:
        raise JsonProblem("", f"{text} is no number in JSON")

    try:
        return json.loads(data.decode("utf-8"), object_pairs_hook=pairs, parse_constant=constant)
    except UnicodeDecodeError as error:
        raise JsonProblem("", "it is no UTF-8 text") from error
    except json.JSONDecodeError as error:
        sentence = f"it is no valid JSON ({error.msg}, line {error.lineno})"
        raise JsonProblem("", sentence) from error
    except (RecursionError, ValueError) as error:  # ValueError: a number of 5,000 digits
        raise JsonProblem("", f"it is no plausible JSON ({error})") from error


def _convert(content: object, cls: type[_StructT]) -> _StructT:
    try:
        return msgspec.convert(content, cls)
    except msgspec.ValidationError as error:
        text, _, path = str(error).partition(" - at `$")
        where = path.rstrip("`").removeprefix(".")
        raise JsonProblem(where, text[:1].lower() + text[1:]) from error


def _check(content: object, kind: inspect.Type, path: str, refusals: Mapping[str, str]) -> None:
    """Finds what msgspec's own words would not explain: unknown names and unknown choices."""
    if isinstance(kind, inspect.Metadata):
        _check(content, kind.type, path, refusals)
    elif isinstance(kind, inspect.UnionType):
        if content is not None:
            for option in kind.types:
                if not isinstance(option, inspect.NoneType):
                    _check(content, option, path, refusals)
    elif isinstance(kind, inspect.StructType) and isinstance(content, dict):
        fields = {field.encode_name: field.type for field in kind.fields}
        for name, value in content.items():
            inside = f"{path}.{name}" if path else name
            if name not in fields:
                raise JsonProblem(inside, f"there is no field {name!r}{_nearest(name, fields)}")
            _check(value, fields[name], inside, refusals)
    elif isinstance(kind, inspect.VarTupleType) and isinstance(content, list):
        for index, value in enumerate(content):
            _check(value, kind.item_type, f"{path}[{index}]", refusals)
    elif isinstance(kind, inspect.EnumType) and isinstance(content, str):
        _check_choice(content, kind.cls, path, refusals)


def _check_choice(content: str, cls: type[Enum], path: str, refusals: Mapping[str, str]) -> None:
    choices = [str(member.value) for member in cls]
    if content in choices:
        return
    if content in refusals:
        raise JsonProblem(path, f"{content!r} is refused: {refusals[content]}")
    raise JsonProblem(path, f"{content!r} is not known{_nearest(content, choices)}")


def _nearest(name: str, valid: Iterable[str]) -> str:
    """Points to the most similar valid name, or else lists all."""
    names = sorted(each for each in valid if each)
    similar = difflib.get_close_matches(name, names, 1, 0.6)
    if similar:
        return f"; the nearest is {similar[0]!r}"
    return f"; known are {', '.join(names)}"

"""Names of a stranger's files: each hostile form is refused, ordinary ones pass."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.errors import DataFault
from app.models.names import NameProblem, check_names, find_bad_name, problem_of

HOSTILE = {
    "": NameProblem.EMPTY,
    "a//b": NameProblem.EMPTY,
    "/etc/passwd": NameProblem.ABSOLUTE,
    "\\\\server\\share": NameProblem.ABSOLUTE,
    "C:\\x": NameProblem.ABSOLUTE,
    "C:x": NameProblem.ABSOLUTE,
    "../evil": NameProblem.TRAVERSAL,
    "a/../../evil": NameProblem.TRAVERSAL,
    "./x": NameProblem.TRAVERSAL,
    "a\\..\\b": NameProblem.CHARACTER,
    "name:stream": NameProblem.CHARACTER,
    "a<b>": NameProblem.CHARACTER,
    "tab\there": NameProblem.CHARACTER,
    "nul\0byte": NameProblem.CHARACTER,
    "rtl\u202egnp.bin": NameProblem.CHARACTER,
    "zero\u200bwidth": NameProblem.CHARACTER,
    "lone\ud800surrogate": NameProblem.CHARACTER,
    "what?": NameProblem.CHARACTER,
    "cafe\u0301.txt": NameProblem.NOT_NORMALISED,
    "con": NameProblem.RESERVED,
    "NUL.txt": NameProblem.RESERVED,
    "aux/x.json": NameProblem.RESERVED,
    "COM1.bin": NameProblem.RESERVED,
    "lpt\u00b9": NameProblem.RESERVED,
    "nul .txt": NameProblem.RESERVED,
    "trail.": NameProblem.TRAILING,
    "trail ": NameProblem.TRAILING,
    " lead": NameProblem.TRAILING,
    ".git/config": NameProblem.HIDDEN,
    ".cache/huggingface/x": NameProblem.HIDDEN,
    "manifest.json": NameProblem.OURS,
    "Manifest.JSON": NameProblem.OURS,
    "contenox-openvino.json": NameProblem.OURS,
    "openvino_model.bin.part": NameProblem.OURS,
    "x" * 121: NameProblem.TOO_LONG,
    "/".join(["abcdefghijklmnopqrstuvwxyzabcdefghijklmnop"] * 5): NameProblem.TOO_LONG,
    "a/b/c/d/e/f/g": NameProblem.TOO_DEEP,
}


@pytest.mark.parametrize(("path", "problem"), HOSTILE.items())
def test_a_hostile_name_is_refused_with_its_reason(path: str, problem: NameProblem) -> None:
    assert problem_of(path) is problem


@pytest.mark.parametrize(
    "path",
    [
        "openvino_model.bin",
        "config.json",
        ".gitattributes",
        "chat_template.jinja",
        "Qwen3-8B-Q4_K_M.gguf",
        "sub folder/weights-00001-of-00002.bin",
        "modèle/配置.json",
        "console.txt",
        "community.json",
    ],
)
def test_an_ordinary_name_passes(path: str) -> None:
    assert problem_of(path) is None


def test_two_names_that_windows_can_not_tell_apart_are_refused() -> None:
    bad = find_bad_name(["Model.BIN", "model.bin"])
    assert bad is not None
    assert bad.problem is NameProblem.COLLISION


def test_a_name_that_is_file_and_folder_is_refused() -> None:
    bad = find_bad_name(["a", "A/b.json"])
    assert bad is not None
    assert bad.problem is NameProblem.FILE_AND_FOLDER


def test_the_refusal_shows_the_name_without_its_control_characters() -> None:
    with pytest.raises(DataFault) as caught:
        check_names(["rtl\u202egnp.bin"])
    assert caught.value.code == "unsafe_file_name"
    assert "\u202e" not in caught.value.message


@given(st.text(min_size=1, max_size=60))
def test_an_accepted_name_stays_inside_its_folder(path: str) -> None:
    if problem_of(path) is None:
        root = Path("/store/model")
        resolved = (root / path).resolve()
        assert resolved.is_relative_to(root)
        assert not any(ord(character) < 32 for character in path)

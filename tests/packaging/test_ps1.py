"""``build_windows.ps1``: parses, also for Windows PowerShell 5.1, and stays thin."""

import importlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

SCRIPT: Final = Path(__file__).resolve().parents[2] / "build_windows.ps1"

# What PowerShell 7 understands and Windows PowerShell 5.1 does not.
TOO_NEW: Final = frozenset(
    {
        "pipeline_chain_tail",
        "ternary_expression",
        "null_coalesce_expression",
        "null_conditional_member_access",
    }
)
ALLOWED_COMMANDS: Final = frozenset(
    {"Get-Command", "Join-Path", "Select-Object", "Set-StrictMode", "Test-Python", "Write-Host"}
)


@pytest.fixture(scope="module")
def parser() -> Any:
    tree_sitter = pytest.importorskip("tree_sitter")
    grammar = pytest.importorskip("tree_sitter_pwsh")
    return tree_sitter.Parser(tree_sitter.Language(grammar.language()))


def _nodes(node: Any) -> Iterator[Any]:
    yield node
    for child in node.children:
        yield from _nodes(child)


def _types(parser: Any, source: bytes) -> set[str]:
    return {node.type for node in _nodes(parser.parse(source).root_node)}


def test_the_script_parses(parser: Any) -> None:
    root = parser.parse(SCRIPT.read_bytes()).root_node
    broken = [node for node in _nodes(root) if node.type == "ERROR" or node.is_missing]
    assert not broken, [(node.start_point, node.type) for node in broken]


@pytest.mark.parametrize(
    "source",
    [b"if ($a { 1 }", b"function X { 1", b"foreach ($f of $x) { 1 }", b"if ($a -neq 1) { 2 }"],
)
def test_the_parser_tells_a_broken_script(parser: Any, source: bytes) -> None:
    root = parser.parse(source).root_node
    assert root.has_error


def test_the_script_runs_under_windows_powershell(parser: Any) -> None:
    assert not _types(parser, SCRIPT.read_bytes()) & TOO_NEW


@pytest.mark.parametrize("source", [b"a && b", b"$x = $a ? 1 : 2", b"$x = $a ?? 1"])
def test_what_is_too_new_is_noticed(parser: Any, source: bytes) -> None:
    root = parser.parse(source).root_node
    assert root.has_error or {node.type for node in _nodes(root)} & TOO_NEW


def test_the_script_calls_only_commands_that_each_version_has(parser: Any) -> None:
    root = parser.parse(SCRIPT.read_bytes()).root_node
    called = {node.text.decode() for node in _nodes(root) if node.type == "command_name"}
    assert called <= ALLOWED_COMMANDS


def test_the_script_is_ascii_with_windows_line_ends() -> None:
    data = SCRIPT.read_bytes()
    data.decode("ascii")  # Windows PowerShell reads a file without a mark in the ANSI code page
    assert data.count(b"\r\n") == data.count(b"\n")


def test_the_script_stays_thin() -> None:
    code = [line for line in SCRIPT.read_text("ascii").splitlines() if line.strip()]
    assert len(code) < 90


def test_its_options_are_those_of_the_python_side(capsys: pytest.CaptureFixture[str]) -> None:
    command_line = importlib.import_module("contenox_build.command_line")
    used = set(re.findall(r"'(--[a-z-]+)'", SCRIPT.read_text("ascii")))
    assert used == {"--release", "--output", "--sign", "--certificate", "--skip-self-test"}
    helps = ""
    for name in ("build", "verify"):
        with pytest.raises(SystemExit):
            command_line.main([name, "--help"])
        helps += capsys.readouterr().out
    assert all(option in helps for option in used)

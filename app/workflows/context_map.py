"""A map of a folder: its files, and the names that its code defines."""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

RULES_FILES: Final = ("AGENTS.md", "CLAUDE.md", ".cursorrules", ".github/copilot-instructions.md")
"""Where a folder says how to work in it; the first that is there counts."""

_SKIPPED: Final = frozenset(
    {"node_modules", "__pycache__", "venv", "dist", "build", "target", "bin", "obj", "vendor"}
)
_MOST_FILES: Final = 2_000
_MOST_CHARACTERS: Final = 64_000
_MOST_NAMES: Final = 12
_LARGEST_SOURCE_BYTES: Final = 512 * 1024

# Definitions that begin a line, or nearly so, in the languages that people pin most.
_DEFINITIONS: Final = {
    ".py": r"^(?:class|(?:async )?def) (\w+)",
    ".pyi": r"^(?:class|(?:async )?def) (\w+)",
    ".js": r"^(?:export )?(?:default )?(?:async )?(?:function\*?|class|const) (\w+)",
    ".ts": r"^(?:export )?(?:default )?(?:abstract )?(?:async )?"
    r"(?:function\*?|class|interface|type|enum|const) (\w+)",
    ".go": r"^(?:func (?:\([^)]*\) )?|type )(\w+)",
    ".rs": r"^(?:pub(?:\([^)]*\))? )?(?:async )?(?:fn|struct|enum|trait|type|mod) (\w+)",
    ".java": r"^(?:public |abstract |final )*(?:class|interface|enum|record) (\w+)",
    ".cs": r"^\s{0,4}(?:public |internal |abstract |sealed |static |partial )*"
    r"(?:class|interface|enum|record|struct) (\w+)",
    ".c": r"^[A-Za-z_][\w \t*]*?(\w+)\([^;]*$",
    ".h": r"^[A-Za-z_][\w \t*]*?(\w+)\([^)]*\);",
    ".cpp": r"^(?:class|struct|namespace) (\w+)",
    ".hpp": r"^(?:class|struct|namespace) (\w+)",
}
_DEFINITIONS_BY: Final = {
    suffix: re.compile(pattern, re.MULTILINE)
    for suffix, pattern in (
        *_DEFINITIONS.items(),
        (".jsx", _DEFINITIONS[".js"]),
        (".tsx", _DEFINITIONS[".ts"]),
    )
}


def folder_map(folder: Path) -> str:
    """One line for each file, sorted, with the names that it defines; bounded. Blocks.

    Hidden and generated folders are left out, links are not followed. The same files give the same
    text, so that the KV of a map can be reused.
    """
    lines: list[str] = []
    left = _MOST_CHARACTERS
    for number, path in enumerate(_files(folder)):
        line = _line(folder, path)
        left -= len(line) + 1
        if left < 0 or number == _MOST_FILES:
            lines.append("(more files are left out)")
            break
        lines.append(line)
    return "\n".join(lines)


def read_rules(folder: Path) -> tuple[str, bytes] | None:
    """The name and the content of the folder's rules file, if it has a readable one."""
    for name in RULES_FILES:
        try:
            content = (folder / name).read_bytes()
        except OSError:
            continue
        return name, content[:_LARGEST_SOURCE_BYTES]
    return None


def _files(folder: Path) -> Iterator[Path]:
    for root, folders, files in os.walk(folder):
        folders[:] = sorted(one for one in folders if one[0] != "." and one not in _SKIPPED)
        for name in sorted(files):
            if not name.startswith("."):
                yield Path(root, name)


def _line(folder: Path, path: Path) -> str:
    name = path.relative_to(folder).as_posix().replace("\n", " ")
    expression = _DEFINITIONS_BY.get(path.suffix.lower())
    if expression is None:
        return name
    try:
        if path.is_symlink() or path.stat().st_size > _LARGEST_SOURCE_BYTES:
            return name
        text = path.read_text("utf-8", "replace")
    except OSError:
        return name
    found = list(dict.fromkeys(expression.findall(text)))
    more = ", …" if len(found) > _MOST_NAMES else ""
    return f"{name}: {', '.join(found[:_MOST_NAMES])}{more}" if found else name

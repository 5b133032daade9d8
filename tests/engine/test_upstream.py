"""``docs/upstream.md`` is about the versions that are pinned, and its cases exist."""

import re
import runpy
from pathlib import Path
from typing import Final

from app.engine.backends.llama_native import BINDING_VERSION
from app.engine.backends.openvino import RELEASE_TRAIN
from app.engine.faults import FAULTS

ROOT: Final = Path(__file__).parents[2]
PAGE: Final = (ROOT / "docs" / "upstream.md").read_text(encoding="utf-8")


def test_the_page_was_checked_against_the_pinned_versions() -> None:
    """Fails when a pin moves without a look at each needle and workaround."""
    line = next(line for line in PAGE.splitlines() if line.startswith("Checked against:"))
    checked = dict(re.findall(r"([a-z-]+) (\d[\d.]*\d)", line))
    assert checked == RELEASE_TRAIN | {"llama-cpp-python": BINDING_VERSION}
    pinned = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    for name in RELEASE_TRAIN:
        assert f'"{name}=={checked[name]}"' in pinned


def test_each_fault_has_a_row() -> None:
    for fault in FAULTS:
        assert f"| `{fault.code}` |" in PAGE


def test_each_case_of_the_script_is_named_and_each_named_case_exists() -> None:
    cases = set(runpy.run_path(str(ROOT / "docs" / "upstream" / "repro.py"))["CASES"])
    words = set(re.findall(r"`([a-z0-9_]+)`", PAGE))
    assert cases <= words


def test_each_needle_names_a_version_that_is_pinned_or_where_it_was_reported() -> None:
    known = ("2026.4.1", BINDING_VERSION, "public reports")
    for fault in FAULTS:
        for needle in fault.needles:
            assert any(one in needle.seen_on for one in known), needle
